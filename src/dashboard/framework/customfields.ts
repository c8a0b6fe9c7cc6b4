// The inputs of a record's custom fields, by the definitions of the store.
import { html } from 'hono/html'
import { sql } from '../../kit/database/sql.ts'
import type { JsonSchema } from '../../kit/declare/field.ts'
import { field } from '../../platform/pages/form.ts'
import { hidden } from '../../platform/pages/parts.ts'
import type { CustomField, CustomFieldType } from '../../tenancy/stores/customfield.ts'
import type { CustomFieldKind } from '../../tenancy/stores/customfieldkind.ts'
import type { CustomValues } from '../../tenancy/stores/customvalues.ts'
import { fields, getFormRejection, type FormProps } from './form.ts'
import { inputFormatOf, readInputValue } from './formbody.ts'
import type { FormInput, Html, PageContext } from './screen.ts'

export type InputTerms = Pick<CustomField, 'key' | 'label' | 'description' | 'type' | 'choices' | 'is_required'>

/** Those in use, in their order. No statement where the store has none. */
export async function listCustomFields({ db, store }: PageContext, kind: CustomFieldKind): Promise<InputTerms[]> {
  if (!store.custom_field_kinds.includes(kind)) return []
  return db.rows<InputTerms>(sql`
    select key, label, description, type, choices, is_required
    from custom_fields
    where store_id = ${store.id}
      and applies_to = ${kind}
      and is_active
    order by position, id`)
}

const schemas: Partial<Record<CustomFieldType, JsonSchema>> = {
  number: { type: ['number', 'null'] },
  boolean: { type: ['boolean', 'null'] },
  date: { type: ['string', 'null'], format: 'date' },
}

const controls: Partial<Record<CustomFieldType, FormInput['as']>> = { text: 'area', color: 'colour', file: 'picture' }

function toInput({ key, label, description, type, choices, is_required }: InputTerms): FormInput {
  const as = controls[type]
  return {
    name: `custom_fields.${key}`,
    labelText: is_required ? `${label} *` : label,
    schema: schemas[type] ?? { type: ['string', 'null'], maxLength: 2000 },
    ...(description ? { hintText: description } : {}),
    ...(as ? { as, rows: 2 } : {}),
    ...(type === 'product' ? { picks: 'products' as const } : {}),
    ...(type === 'choice' ? { options: () => choices.map((one) => [one, one] as const) } : {}),
  }
}

/** The inputs, and the values that they show; empty where the store has no such fields. */
export async function customFieldInputs(
  context: PageContext,
  kind: CustomFieldKind,
  props: FormProps,
  record: { custom_fields: CustomValues } | null,
): Promise<Html | ''> {
  const definitions = await listCustomFields(context, kind)
  if (definitions.length === 0) return ''
  const inputs = definitions.map(toInput)
  const values = { custom_fields: record?.custom_fields ?? {} }
  const shown = getFormRejection(context, props)
    ? field(context.form, 'custom_fields_shown')
    : JSON.stringify(values.custom_fields)
  return html`${await fields(context, { ...props, values }, inputs)}${hidden('custom_fields_shown', shown)}`
}

/** The values that were changed in the form, or nothing where it has none. */
export async function customFieldChanges(
  context: PageContext,
  kind: CustomFieldKind,
): Promise<{ custom_fields?: Record<string, unknown> }> {
  const { form } = context
  if (field(form, 'custom_fields_shown') === '') return {}
  const definitions = await listCustomFields(context, kind)
  const shown = parseShown(field(form, 'custom_fields_shown'))
  const values = definitions.map((one): [string, unknown] => {
    const input = toInput(one)
    return [one.key, readInputValue(form, input, input.schema!, inputFormatOf(context)) ?? null]
  })
  const changes = values.filter(([key, value]) => value !== (shown[key] ?? null))
  // The API names the required ones that are missing.
  const isMissing = definitions.some(({ is_required }, index) => is_required && values[index]![1] === null)
  return changes.length > 0 || isMissing ? { custom_fields: Object.fromEntries(changes) } : {}
}

/** The words for yes and no in a language. */
export type Truths = readonly [yes: string, no: string]

export const truthsIn = ({ t }: Pick<PageContext, 't'>): Truths => [t('yes'), t('no')]

export const formatTruth = ([yes, no]: Truths, value: boolean): string => (value ? yes : no)

/** In these words, or those of the API. Passes any other text on as typed, so that the API reports it. */
export function readTruth([yes, no]: Truths, text: string): boolean | string {
  const input = text.toLowerCase()
  if (input === yes.toLowerCase() || input === 'true') return true
  return input === no.toLowerCase() || input === 'false' ? false : text
}

/** A hidden object of the form. */
export function parseShown(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
