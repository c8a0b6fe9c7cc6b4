import type { Db, Tx } from '../kit/database/database.ts'
import { conflict, gone, invalid, notFound } from '../kit/values/errors.ts'
import { newUuid, publicId, uuidOf } from '../kit/values/ids.ts'
import { assignments, insertInto, type Json } from '../kit/declare/resource.ts'
import { hashSecret, randomBase64url, type Vault } from '../kit/values/secrets.ts'
import { raw, sql } from '../kit/database/sql.ts'
import type { Store } from '../stores/store.ts'
import { changesOf } from './changes.ts'
import {
  rowColumns,
  sealPlace,
  type Address,
  type CheckoutInput,
  type CheckoutRow,
  type NewCheckout,
} from './checkout.ts'
import { draft } from './draft.ts'
import { languageOf } from './names.ts'
import { findOffer, type Offer } from './offer.ts'
import { countryOf, quoteCart, type Cart, type Quote } from './quote.ts'
import { later } from './states.ts'
import { viewOf, type Checkout, type OrderSummary } from './view.ts'

/** What the operations of checkouts need beside the database. */
export type CheckoutTools = { vault: Vault; checkout: CheckoutTerms }

/** Where links lead, and when idle checkouts end: after abandonAfterSeconds where the store says nothing else. */
export type CheckoutTerms = { baseUrl: string; abandonAfterSeconds: number; expireAfterSeconds: number }

const tokenBytes = 32

export async function createCheckout(
  tx: Tx,
  store: Store,
  input: NewCheckout,
  { vault, checkout: terms }: CheckoutTools,
): Promise<Json<Checkout>> {
  const id = newUuid()
  const token = randomBase64url(tokenBytes)
  const row = changed(emptyRow(store, id, tx.now), input, tx.now)
  const quote = await quoteCart(tx, store, cartOf(row, input.items), findOffer(tx, store), { now: tx.now })
  demandNone(quote.faults)
  const shown = withQuote(row, quote)
  tx.later(
    insertInto(
      draft,
      {},
      {
        ...storedOf(shown, row, dueAt(shown, quote.offer, terms, tx.now)),
        store_id: store.id,
        id,
        token: vault.seal(token, sealPlace(store.id, publicId('chk', id))),
        token_hash: hashSecret(token),
        status: shown.status,
        currency: shown.currency,
        created_at: tx.now,
      },
    ),
  )
  return viewOf({ row: shown, token, included_tax: quote.included_tax.toNumber() })
}

/** At today's prices. What has changed since it was last shown is announced; nothing is written. */
export async function findCheckout(db: Db, store: Store, token: string): Promise<Json<Checkout>> {
  const offered = findOffer(db, store)
  const row = await findRow(db, store, token)
  if (row.order_id) return viewOf({ row, token, order: await orderSummary(db, store, row.order_id) })
  const quote = await quoteCart(db, store, cartOf(row), offered, { now: db.clock.now(), known: row.items })
  const changes = changesOf(row, quote, { sameCart: true })
  return viewOf({ row: withQuote(row, quote), token, included_tax: quote.included_tax.toNumber(), changes })
}

// What decides what the cart costs.
const priced = ['items', 'order_bumps', 'discount_code', 'shipping_method', 'shipping_address'] as const

/**
 * A partial update; customer and address are merged field by field. Faults of what is given refuse it, those of what
 * stays are announced. The answer's prices are from then on what the shopper has seen.
 */
export async function changeCheckout(
  tx: Tx,
  store: Store,
  token: string,
  patch: CheckoutInput,
  { checkout: terms }: CheckoutTools,
): Promise<Json<Checkout>> {
  const offered = findOffer(tx, store)
  const before = await findRow(tx, store, token, { locked: true })
  if (before.order_id) throw conflict('This checkout is completed: it cannot be changed any more')
  const row = changed(before, patch, tx.now)
  if (before.draft_since && !row.draft_since) {
    throw invalid({ field: 'customer.email', message: 'must stay, or a phone must be given' })
  }
  const quote = await quoteCart(tx, store, cartOf(row, patch.items), offered, { now: tx.now, known: before.items })
  demandNone(quote.faults.filter(({ field }) => field.split('.')[0]! in patch))
  const shown = withQuote(row, quote)
  tx.later(sql`
    update checkouts
    set ${assignments(draft, {}, storedOf(shown, row, dueAt(shown, quote.offer, terms, tx.now)))}
    where store_id = ${store.id}
      and id = ${row.id}`)
  const changes = changesOf(before, quote, { sameCart: !priced.some((name) => name in patch) })
  return viewOf({ row: shown, token, included_tax: quote.included_tax.toNumber(), changes })
}

/** The checkout of a token, or NOT_FOUND, or GONE when it has expired. */
export async function findRow(db: Db, store: Store, token: string, { locked = false } = {}): Promise<CheckoutRow> {
  const row = isToken(token)
    ? await db.one<CheckoutRow>(sql`
    select ${rowColumns}
    from checkouts
    where store_id = ${store.id}
      and token_hash = ${hashSecret(token)}
    ${raw(locked ? 'for no key update' : '')}`)
    : undefined
  if (!row) throw notFound('Checkout')
  if (row.status === 'expired') throw gone('This checkout has expired')
  return row
}

/** 32 bytes in base64url. */
export function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

export async function orderSummary(db: Db, store: Store, orderId: string): Promise<OrderSummary | null> {
  const found = await db.one<Omit<OrderSummary, 'total'> & { total: string }>(sql`
    select id, order_number, status, payment_status, total, currency
    from orders
    where store_id = ${store.id}
      and id = ${orderId}`)
  return found ? { ...found, id: publicId('ord', found.id), total: Number(found.total) } : null
}

export function cartOf(row: CheckoutRow, items?: CheckoutInput['items']): Cart {
  const own = items
    ? // What a bump brought comes with its bump.
      items.filter(({ bump_id }) => !bump_id)
    : row.items
        .filter(({ bump_id }) => bump_id === null)
        .map((item) => ({ ...item, product_id: uuidOf('prod', item.product_id)! }))
  return {
    items: own.map(({ product_id, variant_id, quantity }) => ({ product_id, variant_id, quantity })),
    bump_ids: row.bump_ids,
    discount_code: row.discount_code,
    shipping_method: row.shipping_method,
    payment_method: row.payment_method,
    country_code: countryOf(row.shipping_address),
  }
}

function emptyRow(store: Store, id: string, now: Date): CheckoutRow {
  return {
    id,
    token: null,
    status: 'active',
    locale: languageOf(store.country_code),
    customer_name: null,
    customer_email: null,
    customer_phone: null,
    shipping_address: null,
    items: [],
    order_bumps: [],
    bump_ids: [],
    discount_code: null,
    shipping_method: null,
    payment_method: null,
    customer_notes: null,
    currency: store.currency,
    subtotal: '0',
    discount: '0',
    shipping: '0',
    tax: '0',
    total: '0',
    order_id: null,
    draft_since: null,
    abandoned_at: null,
    created_at: now,
    updated_at: now,
  }
}

/** What the shopper gave, over what was there. It is a draft from the moment that its shopper can be reached. */
function changed(
  row: CheckoutRow,
  { customer = {}, shipping_address: address, order_bumps, ...given }: CheckoutInput,
  now: Date,
): CheckoutRow {
  const { name = row.customer_name, email = row.customer_email, phone = row.customer_phone } = customer
  const plain = (['discount_code', 'shipping_method', 'payment_method', 'customer_notes', 'locale'] as const).filter(
    (field) => given[field] !== undefined,
  )
  return {
    ...row,
    ...Object.fromEntries(plain.map((field) => [field, given[field]])),
    customer_name: name,
    customer_email: email,
    customer_phone: phone,
    shipping_address: address === undefined ? row.shipping_address : mergedAddress(row.shipping_address, address),
    bump_ids: order_bumps ? [...new Set(order_bumps)] : row.bump_ids,
    draft_since: email || phone ? (row.draft_since ?? now) : null,
    updated_at: now,
  }
}

function mergedAddress(known: Address | null, given: Address | null): Address | null {
  return given === null ? null : { ...known, ...given }
}

/** The row as it is shown: with today's names and prices, and the methods that were chosen for the shopper. */
export function withQuote(row: CheckoutRow, quote: Quote): CheckoutRow {
  return {
    ...row,
    items: quote.items,
    order_bumps: quote.order_bumps,
    shipping_method: row.shipping_method ?? quote.rate?.code ?? null,
    payment_method: row.payment_method ?? quote.method?.code ?? null,
    subtotal: quote.subtotal.toString(),
    discount: quote.discount.toString(),
    shipping: quote.shipping.toString(),
    tax: quote.tax.toString(),
    total: quote.total.toString(),
  }
}

/** Only what the shopper chose is kept as chosen: an only method may get company. */
function storedOf(
  shown: CheckoutRow,
  { shipping_method, payment_method }: CheckoutRow,
  due_at: Date,
): Record<string, unknown> {
  const { locale, customer_name, customer_email, customer_phone, bump_ids, discount_code, customer_notes } = shown
  const { subtotal, discount, shipping, tax, total, draft_since, updated_at } = shown
  return {
    locale,
    customer_name,
    customer_email,
    customer_phone,
    bump_ids,
    discount_code,
    customer_notes,
    shipping_method,
    payment_method,
    subtotal,
    discount,
    shipping,
    tax,
    total,
    draft_since,
    updated_at,
    due_at,
    shipping_address: shown.shipping_address && JSON.stringify(shown.shipping_address),
    items: JSON.stringify(shown.items),
    order_bumps: JSON.stringify(shown.order_bumps),
  }
}

/** When the sweep is to look at it, unless its shopper comes first. */
function dueAt(
  { status, draft_since }: CheckoutRow,
  { abandon_after_minutes: minutes }: Offer,
  terms: CheckoutTerms,
  now: Date,
): Date {
  const abandonAfterSeconds = minutes === null ? terms.abandonAfterSeconds : minutes * 60
  const mayBeAbandoned = status === 'active' && draft_since !== null
  return later(now, mayBeAbandoned ? abandonAfterSeconds : terms.expireAfterSeconds)
}

function demandNone(faults: Quote['faults']): void {
  if (faults.length > 0) throw invalid(...faults)
}
