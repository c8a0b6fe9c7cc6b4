// Checkout fields that a merchant can hide or require. Each entry is a setting of every store, a rule for API and
// pages, and a field in the storefront API.
import type { Db, Tx } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { derive } from '../../kit/declare/field.ts'
import { resource, type Json } from '../../kit/declare/resource.ts'
import { jsonObject } from '../../kit/declare/row.ts'
import { choice, text } from '../../kit/declare/scalars.ts'
import { patchBody } from '../../kit/declare/shape.ts'
import { followStore } from './followups.ts'
import type { Store } from './store.ts'

const levels = ['hidden', 'optional', 'required'] as const
export type Level = (typeof levels)[number]

/** `of` is the field of the checkout; `usually` is the default level. */
type ConfigurableField = { of: string; usually: Level }

// prettier-ignore
export const configurableFields = {
  phone:       { of: 'customer.phone',               usually: 'optional' },
  company:     { of: 'shipping_address.company',     usually: 'hidden' },
  address_2:   { of: 'shipping_address.address_2',   usually: 'hidden' },
  postal_code: { of: 'shipping_address.postal_code', usually: 'optional' },
  province:    { of: 'shipping_address.province',    usually: 'optional' },
  tax_id:      { of: 'tax_id',                       usually: 'hidden' },
} as const satisfies Record<string, ConfigurableField>

export type CheckoutFieldName = keyof typeof configurableFields
export type CheckoutFieldLevels = Record<CheckoutFieldName, Level>
/** The settings of the checkout: its fields, and the box for marketing. */
export type CheckoutFields = CheckoutFieldLevels & { marketing: 'hidden' | 'optional'; marketing_text: string | null }
/** Those of a store that has chosen nothing. */
export const usualMarketing = { marketing: 'hidden', marketing_text: null } as const
const marketingNames = ['marketing', 'marketing_text'] as const

const names = Object.keys(configurableFields) as CheckoutFieldName[]

function mapFields<T>(valueOf: (name: CheckoutFieldName) => T): Record<CheckoutFieldName, T> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<CheckoutFieldName, T>
}

const levelColumns = mapFields((name) =>
  raw(`coalesce(stores.checkout_fields ->> '${name}', '${configurableFields[name].usually}')`),
)
/** Nobody can be required to agree to marketing (GDPR article 7(4)). */
const marketing = {
  marketing: choice(['hidden', 'optional'])
    .example('optional')
    .describe('Whether the checkout asks for consent to marketing emails; the box is never ticked beforehand'),
  marketing_text: text({ max: 500 })
    .nullable()
    .example('Email me about new wines')
    .describe("Sentence beside that box; null for a usual one in the shopper's language"),
}
const marketingColumns = {
  marketing: raw("coalesce(stores.checkout_fields ->> 'marketing', 'hidden')"),
  marketing_text: raw("(stores.checkout_fields ->> 'marketing_text')"),
}

const level = (name: CheckoutFieldName) =>
  choice(levels).describe(`Whether ${configurableFields[name].of} is hidden, optional or required at checkout`)

export const checkoutFields = resource(
  'stores',
  {
    ...mapFields((name) => derive(level(name).example(configurableFields[name].usually), levelColumns[name])),
    marketing: derive(marketing.marketing, marketingColumns.marketing),
    marketing_text: derive(marketing.marketing_text, marketingColumns.marketing_text).nullable(),
  },
  {},
  { noun: 'Checkout fields' },
)

export const checkoutFieldChanges = patchBody({ ...mapFields(level), ...marketing })

/** JSON of the levels, for statements that select from stores. */
export const checkoutFieldsJson: Sql = jsonObject(checkoutFields, [...names, ...marketingNames], {
  ...levelColumns,
  ...marketingColumns,
})

export async function findCheckoutFields(db: Db, { id }: Store): Promise<Json<CheckoutFields>> {
  const [row] = await db.texts(sql`
    select ${checkoutFields.columns}
    from stores
    where id = ${id}`)
  return checkoutFields.serialise(row!)
}

/** Fields that are not named keep their level. */
export async function updateCheckoutFields(
  tx: Tx,
  store: Store,
  choices: Partial<CheckoutFields>,
): Promise<Json<CheckoutFields>> {
  if (Object.keys(choices).length === 0) return findCheckoutFields(tx, store)
  const [row] = await tx.texts(sql`
    update stores
    set checkout_fields = checkout_fields || ${JSON.stringify(choices)}::jsonb, updated_at = ${tx.now}
    where id = ${store.id}
    returning ${checkoutFields.columns}`)
  followStore(tx, store.id)
  return checkoutFields.serialise(row!)
}
