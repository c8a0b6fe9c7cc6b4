// What goes wrong at the provider, and how often: 0 never, 1 always. The faults of answers and webhooks only; the money
// itself always moves as the shopper said, which is what makes the ledger a judge.

import { Refusal } from './refusal.ts'

// prettier-ignore
export const switches = {
  duplicate:            'a webhook is sent twice',
  out_of_order:         'a webhook waits until a later one of its payment has gone',
  delay:                'a webhook comes late',
  lose:                 'a webhook is never sent',
  lie:                  'a webhook says another amount, and that all of it was captured',
  '500_after_charging': 'a call has its effect and is answered with 500',
  hang:                 'a call has its effect and is not answered',
  rubbish:              'a call has its effect and is answered with half a body',
} as const

export type Switch = keyof typeof switches
export type Switches = Partial<Record<Switch, number>>

/** Refuses the first that is unknown or no chance. */
export function readSwitches(given: unknown): Switches {
  if (typeof given !== 'object' || given === null) throw refused('switches are an object')
  for (const [name, chance] of Object.entries(given)) {
    if (!Object.hasOwn(switches, name)) throw refused(`${name} is no switch; there are ${names.join(', ')}`)
    const isChance = typeof chance === 'number' && chance >= 0 && chance <= 1
    if (!isChance) throw refused(`${name} is a chance from 0 to 1`)
  }
  return given
}

function refused(message: string): Refusal {
  return new Refusal(400, 'switches', message)
}

export const names = Object.keys(switches) as Switch[]

/** Whether it happens this time. */
export type Chance = (name: Switch) => boolean

/** What a session says itself comes before what the server says. */
export function chanceOf(server: Switches, session: Switches = {}, random: () => number = Math.random): Chance {
  return (name) => random() < (session[name] ?? server[name] ?? 0)
}
