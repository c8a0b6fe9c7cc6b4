// Custom fields that shoppers answer at checkout, such as a gift message or a delivery day.
import { field } from '../../../kit/declare/field.ts'
import { verbatim } from '../../../kit/values/columntext.ts'
import { fault, generalFaults, type Fault } from '../../../kit/values/faults.ts'
import type { CheckoutAnswer } from '../../../commerce/orders/answers.ts'
import { maxFieldsOfKind, type CustomField } from '../../../tenancy/stores/customfield.ts'
import { readCustomValue, type CustomValue, type CustomValues } from '../../../tenancy/stores/customvalues.ts'
import { checkoutFaults } from '../errors.ts'

export const askedFieldNames = ['key', 'label', 'description', 'type', 'choices', 'is_required'] as const

/** A field as the checkout asks for it. */
export type AskedField = Pick<CustomField, (typeof askedFieldNames)[number]>

export const maxAnswer = 1000
const maxAnswers = 10_000

/** As in a body: null or an empty text removes an answer. */
export type AnswerChanges = Record<string, CustomValue | null>

function answersByKey(types: readonly string[]) {
  return field<AnswerChanges>({
    schema: {
      type: 'object',
      maxProperties: maxFieldsOfKind,
      additionalProperties: { type: types, maxLength: maxAnswer },
    },
    write: verbatim,
    value: JSON.parse,
    column: (value) => JSON.stringify(value),
  })
    .example({ gift_message: 'Happy birthday, Mia!' })
    .describe("Answers to the store's custom fields by key. A change merges keys; null or an empty text removes one")
}

const types = ['string', 'number', 'boolean']

export const answers = () => answersByKey(types).takes(answersByKey([...types, 'null']).nullable())

/** The answers after a change, before they are checked. */
export function mergeAnswers(before: AnswerChanges | null, changes: AnswerChanges | null): AnswerChanges | null {
  const merged = Object.entries({ ...(changes && before), ...changes }).filter(([, value]) => !isBlank(value))
  return merged.length > 0 ? Object.fromEntries(merged) : null
}

function isBlank(value: CustomValue | null): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '')
}

/**
 * The answers as they are stored. One to a field that is no longer asked is left out, unless it is among `changes`:
 * that is a fault, as is an answer that does not fit its field.
 */
export function checkAnswers(
  given: AnswerChanges | null,
  changes: AnswerChanges | null | undefined,
  asked: readonly AskedField[],
): { answers: CustomValues | null; faults: Fault[] } {
  const kept: CustomValues = {}
  const faults: Fault[] = []
  for (const [key, value] of Object.entries(given ?? {})) {
    const at = `custom_fields.${key}`
    const definition = asked.find((one) => one.key === key)
    const read = definition && readCustomValue(definition, value!)
    if (typeof read === 'object') faults.push({ field: at, ...read })
    else if (read !== undefined) kept[key] = read
    else if (changes && Object.hasOwn(changes, key)) faults.push(fault(at, generalFaults.unknown_field))
  }
  if (JSON.stringify(kept).length > maxAnswers)
    faults.push(fault('custom_fields', generalFaults.too_long_as_json, { limit: maxAnswers }))
  return { answers: Object.keys(kept).length > 0 ? kept : null, faults }
}

/** Required fields without an answer. A box that is required must be ticked. */
export function missingAnswers(given: AnswerChanges | null | undefined, asked: readonly AskedField[]): Fault[] {
  return asked.flatMap(({ key, type, is_required }) => {
    const value = given?.[key] ?? null
    const at = `custom_fields.${key}`
    if (!is_required) return []
    if (type === 'boolean') return value === true ? [] : [fault(at, checkoutFaults.not_ticked)]
    return value === null ? [fault(at, generalFaults.required)] : []
  })
}

/** The answers as the order keeps them, in the order of the fields. */
export function toOrderAnswers(given: AnswerChanges | null, asked: readonly AskedField[]): CheckoutAnswer[] {
  return asked.flatMap(({ key, label }) => {
    const value = given?.[key] ?? null
    return value === null ? [] : [{ key, label, value }]
  })
}
