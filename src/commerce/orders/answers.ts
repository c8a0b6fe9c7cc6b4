// Answers at checkout among the custom fields of an order: entries with a label and a value. Anyone who enters an order
// through the API can write them too, so each is checked before it is shown.
import { formatDay, isDay } from '../../kit/values/day.ts'
import type { Language } from '../../kit/values/language.ts'

type AnswerValue = string | number | boolean

/** The label is the one at the time of the order, in the language of the store. */
export type CheckoutAnswer = { key: string; label: string; value: AnswerValue }

/** An answer in words. */
export type ShownAnswer = { label: string; text: string }

type AnswerFormat = {
  language: Language
  yes: string
  no: string
  /** Translates the label and a choice. */
  translate?: (text: string) => string
}

export function listAnswers({ custom_fields }: { custom_fields: readonly object[] }): CheckoutAnswer[] {
  return custom_fields.filter(isAnswer)
}

/** Answers as people read them; empty ones are left out. */
export function showAnswers(order: { custom_fields: readonly object[] }, format: AnswerFormat): ShownAnswer[] {
  const { translate = (text) => text } = format
  return listAnswers(order).map(({ label, value }) => ({ label: translate(label), text: formatAnswer(value, format) }))
}

function isAnswer(entry: Partial<CheckoutAnswer>): entry is CheckoutAnswer {
  const { key, label, value } = entry
  const hasNames = typeof key === 'string' && typeof label === 'string' && label !== ''
  return hasNames && ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
}

export function formatAnswer(
  value: AnswerValue,
  { language, yes, no, translate = (text) => text }: AnswerFormat,
): string {
  if (typeof value === 'boolean') return value ? yes : no
  // A number may be a year or a reference, which have no separators.
  if (typeof value === 'number')
    return new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 20 }).format(value)
  return isDay(value) ? formatDay(value, language) : translate(value)
}
