// What a store's checkout asks for by the merchant's choice. A row is a setting of every store, a rule of API and page,
// and what the storefront tells of the checkout.
import type { Db, Tx } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { derived } from '../../kit/declare/field.ts'
import { resource, type Json } from '../../kit/declare/resource.ts'
import { jsonObject } from '../../kit/declare/row.ts'
import { choice } from '../../kit/declare/scalars.ts'
import { patchBody } from '../../kit/declare/shape.ts'
import type { Store } from './store.ts'

const levels = ['hidden', 'optional', 'required'] as const
export type Level = (typeof levels)[number]

/** `of` is the checkout's field; `usually` holds until the merchant says otherwise. */
type Askable = { of: string; usually: Level }

// prettier-ignore
export const askable = {
  phone:       { of: 'customer.phone',               usually: 'optional' },
  company:     { of: 'shipping_address.company',     usually: 'hidden' },
  address_2:   { of: 'shipping_address.address_2',   usually: 'hidden' },
  postal_code: { of: 'shipping_address.postal_code', usually: 'optional' },
  province:    { of: 'shipping_address.province',    usually: 'optional' },
  tax_id:      { of: 'tax_id',                       usually: 'hidden' },
} as const satisfies Record<string, Askable>

export type AskableName = keyof typeof askable
export type Asking = Record<AskableName, Level>

const names = Object.keys(askable) as AskableName[]

function each<T>(valueOf: (name: AskableName) => T): Record<AskableName, T> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<AskableName, T>
}

const chosen = each((name) => raw(`coalesce(stores.checkout_fields ->> '${name}', '${askable[name].usually}')`))
const level = () => choice(levels)

export const checkoutFields = resource(
  'stores',
  each((name) => derived(level().example(askable[name].usually), chosen[name])),
  {},
  { noun: 'Checkout fields' },
)

export const asking = patchBody(each(level))

/** As a part of a statement that selects from stores. */
export const askingJson: Sql = jsonObject(checkoutFields, names, chosen)

export async function findAsking(db: Db, { id }: Store): Promise<Json<Asking>> {
  const [row] = await db.texts(sql`
    select ${checkoutFields.columns}
    from stores
    where id = ${id}`)
  return checkoutFields.serialise(row!)
}

/** What is not named stays as it is. */
export async function changeAsking(tx: Tx, store: Store, choices: Partial<Asking>): Promise<Json<Asking>> {
  if (Object.keys(choices).length === 0) return findAsking(tx, store)
  const [row] = await tx.texts(sql`
    update stores
    set checkout_fields = checkout_fields || ${JSON.stringify(choices)}::jsonb, updated_at = ${tx.now}
    where id = ${store.id}
    returning ${checkoutFields.columns}`)
  return checkoutFields.serialise(row!)
}
