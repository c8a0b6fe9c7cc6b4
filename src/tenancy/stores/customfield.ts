// A custom field: the definition of a value that the store itself adds to its records of one kind.
import type { Tx } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { set } from '../../kit/declare/composites.ts'
import type { Entity } from '../../kit/declare/field.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { choice, flag, id, integer, text, time } from '../../kit/declare/scalars.ts'
import { conflict, invalid } from '../../kit/values/errors.ts'
import { fault, type Fault } from '../../kit/values/faults.ts'
import { customFieldKinds } from './customfieldkind.ts'
import { customFieldInUse, storeFaults } from './errors.ts'
import type { CheckoutSetting } from './setting.ts'
import type { Store } from './store.ts'

// prettier-ignore
export const customFieldTypes = [
  'text', 'number', 'date', 'boolean', 'choice', 'url', 'color', 'file', 'product',
] as const
export type CustomFieldType = (typeof customFieldTypes)[number]

export const maxFieldsOfKind = 50

/** A key that is a property of every object would be found where no value is. */
export const customFieldKeyForm = '^[a-z0-9][a-z0-9_]{0,39}$'

// prettier-ignore
export const customField = resource('custom_fields', {
  id:                id('cfld').readonly(),
  applies_to:        choice(customFieldKinds).required().example('product')
    .describe('Kind of record that has the field'),
  key:               text({ min: 1, max: 40, pattern: customFieldKeyForm }).required().example('material')
    .describe('Name of the value in custom_fields; unique among the fields of the kind'),
  label:             text({ min: 1, max: 120 }).required().example('Material').describe('Name that people read'),
  description:       text({ max: 500 }).nullable().example('Of the outside').describe('Help with filling it in'),
  type:              choice(customFieldTypes).default('text').example('choice')
    .describe('Type of the value'),
  choices:           set(text({ min: 1, max: 120 }), { max: 100, unique: true }).default([])
    .example(['Cotton', 'Linen']).describe('Values of a field of type choice'),
  is_required:       flag().default(false).describe('Whether a record must have a value'),
  visibility:        choice(['staff', 'shop', 'filter']).default('staff').example('shop')
    .describe('Who sees it: staff only, or shoppers too, who with filter can also filter lists of products by it'),
  asked_at_checkout: flag().default(false).describe('Whether shoppers fill it in at checkout; only for orders'),
  position:          integer({ min: 0, max: 1000 }).default(0).sortable(),
  is_active:         flag().default(true).describe('Whether the field is shown and can be filled in; values are kept'),
  created_at:        time().readonly(),
  updated_at:        time().readonly(),
}, {
  applies_to: filter(choice(customFieldKinds).describe('Kind of record'),
    (kind) => sql`custom_fields.applies_to = ${kind}`),
}, { noun: 'Custom field', defaultSort: 'position', defaultOrder: 'asc' })

export type CustomField = Entity<typeof customField.fields>

export const customFields: CheckoutSetting = {
  resource: customField,
  path: '/store/custom-fields',
  plural: 'custom fields',
  maximum: maxFieldsOfKind,
  countedBy: 'applies_to',
  refusals: () => ({ custom_fields_key: () => conflict('Another custom field of the same kind has this key') }),
  beside: async (tx, store, id, values) => {
    const before = await lockFieldTerms(tx, store, id)
    if (before) await refuseInUse(tx, store, before, listLostEntries(store, before, values))
    return {}
  },
  checkRemoval: async (tx, store, id) => {
    const before = await lockFieldTerms(tx, store, id)
    if (before) await refuseInUse(tx, store, before, [indexEntry(store.id, before.key)])
  },
  check: checkFieldTerms,
}

type Identity = Pick<CustomField, 'applies_to' | 'key' | 'type' | 'choices'>

/** Waits for those who are writing values, who have locked it too. */
function lockFieldTerms(tx: Tx, store: Store, id: string): Promise<Identity | undefined> {
  return tx.one<Identity>(sql`
    select applies_to, key, type, choices
    from custom_fields
    where store_id = ${store.id}
      and id = ${id}
    for update`)
}

/** Values that the change would leave without their definition: all of the field, or those of removed choices. */
function listLostEntries({ id }: Store, before: Identity, changes: Partial<Identity>): string[] {
  const isOther = (['applies_to', 'key', 'type'] as const).some(
    (name) => (changes[name] ?? before[name]) !== before[name],
  )
  if (isOther) return [indexEntry(id, before.key)]
  const { choices = before.choices } = changes
  return before.choices.filter((one) => !choices.includes(one)).map((one) => indexEntry(id, before.key, one))
}

/** A value as the indexes have it, or any value of the key. */
export function indexEntry(storeId: string, key: string, value?: string | number | boolean | null): string {
  return `${storeId}:${key}${value === undefined ? '' : `\n${value}`}`
}

/** An order keeps a copy of the label with its value: it needs no definition. */
const tablesOfKinds = { product: 'products', variant: 'variants', customer: 'customers', order: null } as const

async function refuseInUse(tx: Tx, store: Store, { applies_to }: Identity, entries: string[]): Promise<void> {
  const table = tablesOfKinds[applies_to]
  if (table === null || entries.length === 0) return
  const used = await tx.one(sql`
    select
    from ${raw(table)}
    where store_id = ${store.id}
      and custom_fields <> '{}'
      and store_custom_fields(store_id, custom_fields) && ${entries}::text[]
    limit 1`)
  if (used) throw customFieldInUse()
}

type FieldTerms = Pick<CustomField, 'applies_to' | 'type' | 'choices' | 'visibility' | 'asked_at_checkout'>

async function checkFieldTerms(tx: Tx, store: Store, id: string): Promise<void> {
  const definition = (await tx.one<FieldTerms>(sql`
    select applies_to, type, choices, visibility, asked_at_checkout
    from custom_fields
    where store_id = ${store.id}
      and id = ${id}`))!
  const faults = definitionFaults(definition)
  if (faults.length > 0) throw invalid(...faults)
}

/** Types with values that a shopper does not have. */
const notAsked: readonly CustomFieldType[] = ['file', 'product']

/** Types with few values, which fit a box each. */
const filterTypes: readonly CustomFieldType[] = ['choice', 'boolean', 'color', 'text']

function canFilter(kind: FieldTerms['applies_to'], type: CustomFieldType): boolean {
  return kind === 'customer' || (kind === 'product' && filterTypes.includes(type))
}

function definitionFaults({ applies_to, type, choices, visibility, asked_at_checkout }: FieldTerms): Fault[] {
  return [
    type === 'choice' && choices.length === 0 && fault('choices', storeFaults.choices_required),
    type !== 'choice' && choices.length > 0 && fault('choices', storeFaults.no_choices),
    visibility !== 'staff' && applies_to === 'customer' && fault('visibility', storeFaults.staff_only),
    visibility === 'filter' && !canFilter(applies_to, type) && fault('visibility', storeFaults.no_filter),
    asked_at_checkout && applies_to !== 'order' && fault('asked_at_checkout', storeFaults.orders_only),
    asked_at_checkout && notAsked.includes(type) && fault('asked_at_checkout', storeFaults.not_asked),
  ].filter((one) => one !== false)
}
