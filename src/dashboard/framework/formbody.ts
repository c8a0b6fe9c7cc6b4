// Reads a form as the body of a request, by the types of the API's schema. Invalid input is
// passed on as typed, so that the API reports it.
import type { JsonSchema } from '../../kit/declare/field.ts'
import { parseLocalTime } from '../../kit/values/timezone.ts'
import { field, fieldsNamed, type Form } from '../../platform/pages/form.ts'
import { readNumber } from '../assets/numbers.ts'
import { isNullable, getInputSchema, getSchemaType } from './inputs.ts'
import { codeOfCountry } from './choices.ts'
import type { FormInput, PageContext } from './screen.ts'

/** How dates and numbers are typed. */
export type InputFormat = { timezone: string; language: string }

export const inputFormatOf = ({ store, language }: Pick<PageContext, 'store' | 'language'>): InputFormat => {
  return { timezone: store.timezone, language }
}

export function readFormBody(
  form: Form,
  inputs: readonly Pick<FormInput, 'name' | 'as' | 'schema'>[],
  schema: JsonSchema,
  format: InputFormat,
): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const input of inputs) {
    const value = readInputValue(form, input, getInputSchema(input, schema), format)
    if (value !== undefined) place(body, input.name.split('.'), value)
  }
  return body
}

/** An empty input is null if the schema allows it, otherwise absent. An unchecked box is false. */
export function readInputValue(
  form: Form,
  { name, as }: Pick<FormInput, 'name' | 'as'>,
  schema: JsonSchema,
  { timezone, language }: InputFormat,
): unknown {
  // Browsers send line ends as CR LF, as the form standard asks for; they are stored as LF.
  const text = field(form, name).replaceAll('\r\n', '\n')
  switch (getSchemaType(schema)) {
    case 'boolean':
      return text === '' && isNullable(schema) ? null : text === '1' || text === 'true'
    case 'array':
      if (as === 'lines' || as === 'provinces') return splitInputLines(text, as)
      if (as === 'countries') return splitInputLines(text, as).map(codeOfCountry)
      return fieldsNamed(form, name).filter(Boolean)
    case 'integer':
    case 'number':
      return text === '' ? empty(schema) : readNumber(text, language)
  }
  if (text === '') return empty(schema)
  return schema.format === 'date-time' ? (parseLocalTime(text, timezone)?.toISOString() ?? text) : text
}

/** Removes duplicates. Countries may be on one line, separated by commas. */
export function splitInputLines(text: string, as: 'lines' | 'countries' | 'provinces'): string[] {
  const lines = text.split(as === 'countries' ? /[\n,;]/ : '\n').map((line) => line.trim())
  return [...new Set(lines.filter(Boolean))]
}

function empty(schema: JsonSchema): null | undefined {
  return isNullable(schema) ? null : undefined
}

function place(body: Record<string, unknown>, [name, ...rest]: string[], value: unknown): void {
  if (rest.length === 0) body[name!] = value
  else place((body[name!] ??= /^\d+$/.test(rest[0]!) ? [] : {}) as Record<string, unknown>, rest, value)
}
