// The parts of emails about a return.
import type { Block } from './letter.ts'
import type { LetterReturn, OrderFacts } from './facts.ts'
import { letterTranslator } from './messages.ts'
import { formatItemLines } from './parts.ts'
import { oneLine, withoutLinks } from './safe.ts'

/** The items, each with its reason; the merchant also sees the customer's comments. */
export function returnedItems({ order, returned, language }: OrderFacts, kind: string): Block[] {
  if (returned === null) return []
  const t = letterTranslator(language)
  const lines = returned.items.flatMap(({ reason, note, ...piece }) =>
    formatItemLines(order, [piece]).map((text) => {
      const about = [t(`return_reason_${reason}`), kind === 'return_notice' && note ? withoutLinks(note) : null]
      return `${text} (${about.filter(Boolean).join(': ')})`
    }),
  )
  return lines.length > 0 ? [{ kind: 'facts', facts: [{ name: t('return_items'), value: lines.join('\n') }] }] : []
}

export function howToReturn({ returned, language }: OrderFacts): Block[] {
  return buildFactBlocks(returned?.instructions, letterTranslator(language)('return_instructions'))
}

export function whyDeclined({ returned, language }: OrderFacts): Block[] {
  const { decline_reason: reason = null } = returned ?? ({} as Partial<LetterReturn>)
  return buildFactBlocks(reason && oneLine(reason), letterTranslator(language)('reason'))
}

function buildFactBlocks(value: string | null | undefined, name: string): Block[] {
  return value ? [{ kind: 'facts', facts: [{ name, value }] }] : []
}
