// The options with which a command limits a credential.
import type { Command } from 'commander'
import { fault } from '../kit/values/faults.ts'
import { invalid } from '../kit/values/errors.ts'

const names = { maxAmount: 'max_amount', maxPerHour: 'max_per_hour', maxPerDay: 'max_per_day' } as const

export function withPolicyOptions(command: Command): Command {
  return command
    .option('--max-amount <amount>', 'of an order that it places, and of a refund')
    .option('--max-per-hour <count>', 'writes in an hour of the clock')
    .option('--max-per-day <count>', 'writes on a day')
    .option('--hours <from-until>', 'when it may write, where the store is, e.g. 9-18')
}

/** As a body has it; undefined when none of them is there. */
export function policyFrom(options: Record<string, string | undefined>): Record<string, unknown> | undefined {
  const limits = Object.entries(names).flatMap(([option, name]) => {
    const text = options[option]
    return text === undefined ? [] : [[name, numberIn(text)] as const]
  })
  const policy = Object.fromEntries([...limits, ...hoursIn(options.hours)])
  return Object.keys(policy).length > 0 ? policy : undefined
}

function hoursIn(text: string | undefined): (readonly [string, number])[] {
  if (text === undefined) return []
  const [, from, until] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? []
  if (from === undefined) throw invalid(fault('hours', 'no_hours'))
  return [
    ['from_hour', Number(from)],
    ['until_hour', Number(until)],
  ]
}

/** What is none stays as it was typed, so that it is refused as the API refuses it. */
function numberIn(text: string): number | string {
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
}
