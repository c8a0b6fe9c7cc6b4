// A checkout as merchants see it: one whose shopper can be reached, until it becomes an order without having been left.
import type { Db } from '../kit/database/database.ts'
import { notFound } from '../kit/values/errors.ts'
import { list, object } from '../kit/declare/composites.ts'
import { derived, type Entity } from '../kit/declare/field.ts'
import { choice, id, integer, money, text, time } from '../kit/declare/scalars.ts'
import { count, page, render } from '../kit/declare/page.ts'
import { filter, resource, type Json, type ListQuery } from '../kit/declare/resource.ts'
import { json } from '../kit/declare/route.ts'
import { raw, sql } from '../kit/database/sql.ts'
import type { Store } from '../stores/store.ts'
import { given } from './checkout.ts'
import type { CheckoutTools } from './operations.ts'
import { openToken, recoveryUrl } from './payload.ts'

const statuses = ['active', 'abandoned', 'recovered', 'expired'] as const

const isDraft = sql`checkouts.draft_since is not null and checkouts.status <> 'completed'`

const address = ['address', 'city', 'province', 'country_code', 'postal_code', 'name', 'phone', 'country', 'notes']

// prettier-ignore
export const draft = resource('checkouts', {
  id:                 id('chk').readonly(),
  status:             choice(statuses).readonly(),
  // The database has the token sealed: see opened.
  recovery_token:     derived(text(), raw('checkouts.token')).nullable()
    .describe('null once contact data is purged, or under another SECRET_KEY than it was made'),
  recovery_url:       derived(text({ format: 'uri' }), raw('null::text')).nullable()
    .describe('Where the shopper finds the checkout again'),
  customer:           derived(given.customer, sql`
    json_build_object('name', customer_name, 'email', customer_email, 'phone', customer_phone)`),
  shipping_address:   derived(given.shipping_address, raw(`
    json_build_object(${address.map((name) => `'${name}', shipping_address ->> '${name}'`).join(', ')})`)),
  items:              list(object({
    product_id: id('prod'), variant_id: text().nullable(), product_name: text(), variant_name: text().nullable(),
    quantity: integer(), unit_price: money(), total_price: money(), bump_id: text().nullable(),
  }), { max: 120 }).readonly(),
  order_bumps:        list(object({ bump_id: text(), title: text(), price: money() }), { max: 20 }).readonly()
    .describe('Offers taken that are no products'),
  subtotal:           money().readonly(),
  discount:           money().readonly(),
  shipping:           money().readonly(),
  tax:                money().readonly(),
  total:              money().readonly(),
  currency:           text().readonly(),
  discount_code:      given.discount_code.readonly(),
  shipping_method:    given.shipping_method.readonly(),
  payment_method:     given.payment_method.readonly(),
  customer_notes:     given.customer_notes.readonly(),
  created_at:         time().readonly().sortable(),
  updated_at:         time().readonly(),
  abandoned_at:       time().nullable().readonly(),
  recovered_at:       time().nullable().readonly(),
  recovery_opened_at: time().nullable().readonly(),
}, {
  status: filter(choice([...statuses, 'all']).default('abandoned'), (status) =>
    (status === 'all' ? isDraft : sql`checkouts.draft_since is not null and checkouts.status = ${status}`)),
}, { noun: 'Checkout draft' })

export type Draft = Entity<typeof draft.fields>

export async function listDrafts(db: Db, store: Store, query: ListQuery, tools: CheckoutTools): Promise<Json<any>> {
  const { data, pagination } = JSON.parse(await page(db, draft, store, query))
  return json({ data: data.map((one: Draft) => opened(one, store, tools)), pagination })
}

export function countDrafts(db: Db, store: Store, query: Record<string, unknown>): Promise<Json<{ count: number }>> {
  return count(db, draft, store, query)
}

export async function findDraft(db: Db, store: Store, uuid: string, tools: CheckoutTools): Promise<Json<Draft>> {
  const rows = await db.texts(sql`
    select ${draft.columns}
    from checkouts
    where store_id = ${store.id}
      and id = ${uuid}
      and ${isDraft}`)
  const [found] = await render(db, draft, store.id, rows)
  if (!found) throw notFound(draft.noun)
  return json(opened(JSON.parse(found) as Draft, store, tools))
}

function opened(sealed: Draft, store: Store, { vault, checkout: { baseUrl } }: CheckoutTools): Draft {
  const token = openToken(vault, store.id, sealed.id, sealed.recovery_token)
  return { ...sealed, recovery_token: token, recovery_url: token && recoveryUrl(baseUrl, store.slug, token) } as Draft
}
