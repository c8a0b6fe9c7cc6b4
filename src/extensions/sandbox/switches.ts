// Faults that the provider injects, with their probability from 0 to 1. They concern answers and webhooks only: the
// money always moves as the shopper chose, so that its ledger can be the reference of tests.

import { SandboxError } from './errors.ts'

// prettier-ignore
export const switches = {
  duplicate:            'a webhook is sent twice',
  out_of_order:         'a webhook is sent after a later one of its payment',
  delay:                'a webhook is sent late',
  lose:                 'a webhook is never sent',
  lie:                  'a webhook reports a wrong amount as fully captured',
  '500_after_charging': 'a call succeeds but returns 500',
  hang:                 'a call succeeds but gets no response',
  rubbish:              'a call succeeds but returns half a body',
} as const

export type Switch = keyof typeof switches
export type Switches = Partial<Record<Switch, number>>

/** Throws at the first switch that is unknown or not a probability. */
export function readSwitches(input: unknown): Switches {
  if (typeof input !== 'object' || input === null) throw switchError('switches must be an object')
  for (const [name, chance] of Object.entries(input)) {
    if (!Object.hasOwn(switches, name)) throw switchError(`${name} is not a switch; use one of ${names.join(', ')}`)
    const isChance = typeof chance === 'number' && chance >= 0 && chance <= 1
    if (!isChance) throw switchError(`${name} must be a probability from 0 to 1`)
  }
  return input
}

function switchError(message: string): SandboxError {
  return new SandboxError(400, 'switches', message)
}

export const names = Object.keys(switches) as Switch[]

/** True if the fault happens this time. */
export type Chance = (name: Switch) => boolean

/** A session's own switches take precedence over the server's. */
export function buildChance(server: Switches, session: Switches = {}, random: () => number = Math.random): Chance {
  return (name) => random() < (session[name] ?? server[name] ?? 0)
}
