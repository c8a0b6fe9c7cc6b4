// A form as the body of a request: each input becomes what the API's schema asks for at its name. What does not fit is
// left as it was typed, so that the API says what is wrong with it.
import type { JsonSchema } from '../../kit/declare/field.ts'
import { parseLocalTime } from '../../kit/values/timezone.ts'
import { field, fieldsNamed, type Form } from '../../platform/pages/form.ts'
import { isNullable, getInputSchema, getSchemaType } from './inputs.ts'
import { codeOfCountry } from './choices.ts'
import type { FormInput } from './screen.ts'

export function readFormBody(
  form: Form,
  inputs: readonly Pick<FormInput, 'name' | 'as' | 'schema'>[],
  schema: JsonSchema,
  { timezone }: { timezone: string },
): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const input of inputs) {
    const value = readInputValue(form, input, getInputSchema(input, schema), timezone)
    if (value !== undefined) place(body, input.name.split('.'), value)
  }
  return body
}

/** An empty input is null where that may be, else it says nothing; a box that is not ticked says no. */
export function readInputValue(
  form: Form,
  { name, as }: Pick<FormInput, 'name' | 'as'>,
  schema: JsonSchema,
  timezone: string,
): unknown {
  // Browsers send the ends of lines as CR and LF (the form's own rule); they are kept as LF.
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
      return text === '' ? empty(schema) : numberIn(text)
  }
  if (text === '') return empty(schema)
  return schema.format === 'date-time' ? (parseLocalTime(text, timezone)?.toISOString() ?? text) : text
}

/** Each once; countries may stand on one line, with commas between. */
export function splitInputLines(text: string, as: 'lines' | 'countries' | 'provinces'): string[] {
  const lines = text.split(as === 'countries' ? /[\n,;]/ : '\n').map((line) => line.trim())
  return [...new Set(lines.filter(Boolean))]
}

function empty(schema: JsonSchema): null | undefined {
  return isNullable(schema) ? null : undefined
}

/** `1,50` is typed where people write it so. */
export function numberIn(text: string): number | string {
  const plain = /^[+-]?\d+,\d+$/.test(text) ? text.replace(',', '.') : text
  return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(plain) ? Number(plain) : text
}

function place(body: Record<string, unknown>, [name, ...rest]: string[], value: unknown): void {
  if (rest.length === 0) body[name!] = value
  else place((body[name!] ??= /^\d+$/.test(rest[0]!) ? [] : {}) as Record<string, unknown>, rest, value)
}
