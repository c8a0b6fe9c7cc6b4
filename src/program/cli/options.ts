// Options that several commands share.
import type { Command } from 'commander'
import { fault } from '../../kit/values/faults.ts'
import { invalid } from '../../kit/values/errors.ts'
import { commandFaults } from './errors.ts'

const limitOptions = { maxAmount: 'max_amount', maxPerHour: 'max_per_hour', maxPerDay: 'max_per_day' } as const

export function withPolicyOptions(command: Command): Command {
  return command
    .option('--max-amount <amount>', 'maximum amount per order or refund')
    .option('--max-per-hour <count>', 'maximum number of writes per clock hour')
    .option('--max-per-day <count>', 'maximum number of writes per day')
    .option('--hours <from-until>', "hours in which it can write, in the store's time zone, e.g. 9-18")
}

/** Returns the policy as a request body has it, or undefined without such options. */
export function policyFrom(options: Record<string, string | undefined>): Record<string, unknown> | undefined {
  const limits = Object.entries(limitOptions).flatMap(([option, name]) => {
    const text = options[option]
    return text === undefined ? [] : [[name, numberIn(text)] as const]
  })
  const policy = Object.fromEntries([...limits, ...hoursIn(options.hours)])
  return Object.keys(policy).length > 0 ? policy : undefined
}

function hoursIn(text: string | undefined): (readonly [string, number])[] {
  if (text === undefined) return []
  const [, from, until] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? []
  if (from === undefined) throw invalid(fault('hours', commandFaults.no_hours))
  return [
    ['from_hour', Number(from)],
    ['until_hour', Number(until)],
  ]
}

/** Reads `--limit`. */
export function limitIn(text: string, max: number): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit
  throw invalid(fault('limit', commandFaults.no_number_between, { least: 1, most: max }))
}

/** Keeps text that is not a number, so that the body's own validation rejects it. */
function numberIn(text: string): number | string {
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
}
