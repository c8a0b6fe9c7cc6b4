import type { Db, Tx } from '../../../kit/database/database.ts'
import { invalid, notFound } from '../../../kit/values/errors.ts'
import { newUuid, publicId, toUuid } from '../../../kit/values/ids.ts'
import { assignments, insertInto } from '../../../kit/declare/resource.ts'
import { fault } from '../../../kit/values/faults.ts'
import { blank, pick, type Row } from '../../../kit/declare/row.ts'
import { hashSecret } from '../../../kit/values/secrets.ts'
import { empty, raw, sql } from '../../../kit/database/sql.ts'
import {
  chooseMainCode,
  nameCodeFaults,
  readDiscountCodes,
  storedDiscountCodes,
} from '../../../commerce/discounts/codes.ts'
import { isAboutCode } from '../../../commerce/discounts/codes.ts'
import { discountFaults } from '../../../commerce/discounts/errors.ts'
import { mergeAddress } from '../../../commerce/orders/address.ts'
import { mergeBillingAddress } from '../../../commerce/orders/billing.ts'
import { listCheckedDiscounts } from '../../../commerce/orders/checkeddiscounts.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { listCartChanges } from './changes.ts'
import { findInputFaults, withCodeEdit, type CodeEdit } from './codes.ts'
import {
  checkout,
  inputFields,
  personalFieldNames,
  pickChanges,
  totalFields,
  type CheckoutAddress,
  type CheckoutInput,
  type CheckoutRow,
  type CheckoutConfig,
  type CheckoutDeps,
  type NewCheckout,
  type WithQuotes,
} from '../checkout.ts'
import { toOrderSource } from '../../../commerce/orders/source.ts'
import { isToken, newToken, withLink } from '../link.ts'
import { remember } from './lastseen.ts'
import { checkoutCompleted, checkoutExpired, checkoutFaults } from '../errors.ts'
import { ownLanguage } from '../../../tenancy/stores/language.ts'
import { findOffer, type Offer } from '../offers/offer.ts'
import { quoteCart, type CartInput, type Quote } from './quote.ts'
import { settleRate } from './settlerate.ts'
import { withMarketingText } from '../offers/marketing.ts'
import { mergeAnswers } from '../offers/answers.ts'
import { getAddressCountry } from '../offers/shipping.ts'
import { addSeconds, strayAfterSeconds } from '../states.ts'
import { summaryOfTaxes } from '../../../commerce/tax/summary.ts'
import { orderRow, toOrderSummary, buildCheckoutView, type Checkout, type OrderSummary } from './view.ts'

/** Its token is random, or derived from its public ID by `tokenOf`. */
export async function createCheckout(
  tx: Tx,
  store: Store,
  input: NewCheckout,
  { quotes, settles = false, ...deps }: CheckoutDeps & NewDeps & WithQuotes & Settling,
): Promise<Checkout> {
  const empty = { ...newRow(store, tx.now), ...toOrderSource(tx.cause), shipping_quotes: quotes ?? null }
  const filled = applyInput(empty, input, store, tx.now)
  const { now } = tx
  const cart = toCartInput(filled, input)
  const first = { row: filled, cart, quote: await quoteCart(tx, store, cart, findOffer(tx, store), { now }) }
  const { row, quote } = settles ? await settleRate(tx, store, first, { now }) : first
  requireNoFaults(nameCodeFaults(quote.faults, input))
  const consenting = await withMarketingText(tx, store, row, { before: null, offer: quote.offer })
  return insertCheckout(tx, store, consenting, quote, deps)
}

type NewDeps = { tokenOf?: (id: string) => string }

export function insertCheckout(
  tx: Tx,
  store: Store,
  draft: CheckoutRow,
  quote: Quote,
  { vault, checkout: config, tokenOf = newToken }: CheckoutDeps & NewDeps,
): Checkout {
  const token = tokenOf(publicId('chk', draft.id))
  const { row, hash } = withLink(vault, store.id, withQuote(draft, quote))
  const due_at = dueAt(row, quote.offer, config, tx.now)
  const own = { ...hash, store_id: store.id, token_hash: hashSecret(token), due_at }
  tx.later(insertInto(checkout, storedRow(row), own))
  remember(token, row)
  return buildCheckoutView({ ...quoteView(quote), row, token })
}

/**
 * Returns the checkout at today's prices, with the changes since it was last shown; writes nothing. A recovery link's
 * token shows no personal data.
 */
export async function findCheckout(db: Db, store: Store, token: string): Promise<Checkout> {
  const offer = findOffer(db, store)
  const record = await findRow(db, store, token, { byLink: true })
  const row = record.is_own ? record : { ...record, ...pick(blank(checkout.fields), personalFieldNames) }
  if (row.order_id && (row.draft_since || !row.placed_in)) {
    return buildCheckoutView({ row, token, order: await orderSummary(db, store, row.order_id) })
  }
  const quote = await quoteCart(db, store, toCartInput(row), offer, { now: db.clock.now(), existing: row.items })
  // It has no names without a contact, even if another browser has placed its order.
  if (row.order_id) {
    return buildCheckoutView({
      row: { ...row, items: quote.items },
      token,
      order: await orderSummary(db, store, row.order_id),
    })
  }
  if (row.is_own) remember(token, row)
  const changes = listCartChanges(row, quote, { sameCart: true })
  return buildCheckoutView({ ...quoteView(quote), row: withQuote(row, quote), token, changes })
}

// Fields that change the price of a cart.
// prettier-ignore
const pricedFields = [
  'items', 'order_bumps', 'discount_code', 'discount_codes', 'shipping_method', 'shipping_address', 'billing_address',
  'tax_id',
] as const

export function isPriced(input: CheckoutInput): boolean {
  return pricedFields.some((name) => input[name] !== undefined)
}

/**
 * A partial update; customer and address are merged field by field. Invalid input is rejected, other faults are
 * reported as changes. The shopper is assumed to have seen the returned prices. With `forgets`, the contact can be
 * removed until the draft is abandoned; with `settles`, a rate that is not offered any more is replaced.
 */
export async function changeCheckout(
  tx: Tx,
  store: Store,
  token: string,
  input: CheckoutInput,
  { vault, checkout: config, forgets = false, codeEdit, quotes, settles = false }: ChangeDeps,
): Promise<Checkout> {
  const offer = findOffer(tx, store)
  const before = await findRow(tx, store, token, { locked: true })
  if (before.order_id) throw checkoutCompleted()
  const patch = codeEdit ? withCodeEdit(input, storedDiscountCodes(before), codeEdit) : input
  const changed = applyInput({ ...before, ...(quotes ? { shipping_quotes: quotes } : {}) }, patch, store, tx.now)
  const isForgotten = before.draft_since !== null && changed.draft_since === null
  if (isForgotten && !(forgets && before.status === 'active'))
    throw invalid(fault('customer.email', checkoutFaults.contact_must_stay))
  const cart = toCartInput(changed, patch)
  const terms = { now: tx.now, existing: before.items }
  const first = { row: changed, cart, quote: await quoteCart(tx, store, cart, offer, terms) }
  const { row, quote } = settles ? await settleRate(tx, store, first, terms) : first
  requireNoFaults(findInputFaults(quote.faults, patch, codeEdit))
  // A request with the whole checkout replaces its code on purpose.
  if (!forgets && patch.discount_code) await requireBetterCode(tx, store, { before, row, patch, quote })
  const consenting = await withMarketingText(tx, store, row, { before, offer: quote.offer })
  const { row: quotedRow, hash } = withLink(vault, store.id, withQuote(consenting, quote))
  const due_at = dueAt(quotedRow, quote.offer, config, tx.now)
  tx.later(sql`
    update checkouts
    set ${assignments(checkout, pickChanges(before, storedRow(quotedRow)), { ...hash, due_at })}
    where store_id = ${store.id}
      and id = ${row.id}`)
  remember(token, quotedRow)
  const changes = listCartChanges(before, quote, { sameCart: !isPriced(patch) && row === changed })
  return buildCheckoutView({ ...quoteView(quote), row: quotedRow, token, changes })
}

type Settling = { settles?: boolean }

type ChangeDeps = CheckoutDeps & WithQuotes & Settling & { forgets?: boolean; codeEdit?: CodeEdit }

/** Concurrent requests wait here. */
export function lockCheckout(tx: Tx, storeId: string, id: string): Promise<CheckoutRow | undefined> {
  return tx.one<CheckoutRow>(sql`
    select ${checkout.row.columns}
    from checkouts
    where store_id = ${storeId}
      and id = ${id}
    for no key update`)
}

/** Rejects a code that saves less than the current one. */
async function requireBetterCode(
  tx: Tx,
  store: Store,
  { before, row, patch, quote }: { before: CheckoutRow; row: CheckoutRow; patch: CheckoutInput; quote: Quote },
): Promise<void> {
  const codes = storedDiscountCodes(before)
  const { discount_code: code } = before
  if (!code || codes.includes(row.discount_code!)) return
  const cart = { ...toCartInput(row, patch), discount_codes: codes }
  const present = await quoteCart(tx, store, cart, Promise.resolve(quote.own_offer), { now: tx.now })
  if (!present.faults.some(isAboutCode) && present.total.lessThan(quote.total))
    throw invalid(fault('discount_code', discountFaults.code_saves_less, { code }))
}

/** The codes of an open checkout. */
export async function findDiscountCodes(db: Db, store: Store, token: string): Promise<string[]> {
  const row = await findRow(db, store, token)
  return row.order_id ? [] : storedDiscountCodes(row)
}

/** The checkout of a token. NOT_FOUND if there is none, GONE if it has expired. */
export async function findRow(
  db: Db,
  store: Store,
  token: string,
  { locked = false, byLink = false } = {},
): Promise<CheckoutRow & { is_own: boolean }> {
  const hash = isToken(token) ? hashSecret(token) : null
  const row =
    hash &&
    (await db.one<CheckoutRow & { is_own: boolean }>(sql`
    select ${checkout.row.columns}, token_hash = ${hash} as is_own
    from checkouts
    where store_id = ${store.id}
      and draft_order_id is null
      and (token_hash = ${hash} ${byLink ? sql`or recovery_hash = ${hash}` : empty})
    ${raw(locked ? 'for no key update' : '')}`))
  if (!row) throw notFound('Checkout')
  if (row.status === 'expired') throw checkoutExpired()
  return row
}

export async function orderSummary(db: Db, store: Store, orderId: string): Promise<OrderSummary | null> {
  const row = await db.one<Row<typeof orderRow>>(sql`
    select ${orderRow.columns}
    from orders
    where store_id = ${store.id}
      and id = ${orderId}`)
  return row ? toOrderSummary(row) : null
}

/**
 * The cart of the row, or of the body's items, with the answers of the body. Drops preset methods, so that they are
 * chosen again.
 */
export function toCartInput(
  row: CheckoutRow,
  { items, custom_fields: answered }: Pick<CheckoutInput, 'items' | 'custom_fields'> = {},
): CartInput {
  const own = items
    ? // A bump's line comes with its bump.
      items.filter(({ bump_id }) => !bump_id)
    : row.items
        .filter(({ bump_id }) => bump_id === null)
        .map((item) => ({ ...item, product_id: toUuid('prod', item.product_id)! }))
  const getChosenMethod = (method: 'shipping_method' | 'payment_method') =>
    row.presets.includes(method) ? null : row[method]
  return {
    items: own.map(({ product_id, variant_id, quantity }) => ({ product_id, variant_id, quantity })),
    bump_ids: row.bump_ids,
    discount_codes: storedDiscountCodes(row),
    shipping_method: getChosenMethod('shipping_method'),
    payment_method: getChosenMethod('payment_method'),
    country_code: getAddressCountry(row.shipping_address),
    province: row.shipping_address?.province_code ?? row.shipping_address?.province ?? null,
    postal_code: row.shipping_address?.postal_code ?? null,
    billing: row.billing_address,
    email: row.customer_email,
    phone: row.customer_phone,
    tax_id: row.billing_address?.tax_id ?? row.tax_id,
    answers: row.custom_fields,
    answered,
    quotes: row.shipping_quotes,
  }
}

/** A checkout without any choices. */
export function newRow(store: Store, now: Date): CheckoutRow {
  return {
    ...(blank(checkout.fields) as CheckoutRow),
    id: newUuid(),
    status: 'active',
    locale: ownLanguage(store),
    currency: store.currency,
    items: [],
    order_bumps: [],
    bump_ids: [],
    discount_codes: [],
    accepts_marketing: false,
    presets: [],
    has_payments: false,
    created_at: now,
    updated_at: now,
  }
}

/** Merges the input into the row. A checkout is a draft once its shopper can be reached. */
export function applyInput(
  row: CheckoutRow,
  input: CheckoutInput,
  { country_code: home }: Pick<Store, 'country_code'>,
  now: Date,
): CheckoutRow {
  const { customer = {}, shipping_address: address, billing_address: billing, order_bumps, custom_fields } = input
  const contact = Object.entries(customer).map(([name, cell]) => [`customer_${name}`, cell])
  const cells = [...plainNames.map((name) => [name, input[name]]), ...contact].filter(([, cell]) => cell !== undefined)
  const codes = readDiscountCodes(input)
  const codeCells = codes ? { discount_code: codes[0] ?? null, discount_codes: codes } : {}
  const next: CheckoutRow = { ...row, ...Object.fromEntries(cells), ...codeCells, updated_at: now }
  const shipping_address = address === null ? null : addressAfter(row.shipping_address, address, home)
  const country = getAddressCountry(shipping_address) ?? home
  return {
    ...next,
    presets: row.presets.filter((method) => input[method as 'payment_method'] === undefined),
    shipping_address,
    ...(billing ? { billing_address: mergeBillingAddress(row.billing_address, billing, { country }) } : {}),
    ...(custom_fields === undefined ? {} : { custom_fields: mergeAnswers(row.custom_fields, custom_fields) }),
    bump_ids: order_bumps ? [...new Set(order_bumps)] : row.bump_ids,
    draft_since: next.customer_email || next.customer_phone ? (row.draft_since ?? now) : null,
  }
}

/** An address without a country is in the store's own: pricing and validation must use the same. */
function addressAfter(
  before: CheckoutRow['shipping_address'],
  input: CheckoutAddress | undefined,
  home: string,
): CheckoutAddress | null {
  if (!before && !input) return null
  const isNamed = input?.country !== undefined && !input.country_code
  const country = isNamed ? getAddressCountry({ country: input.country ?? null }) : (input?.country_code ?? null)
  const country_code = country ?? getAddressCountry(before) ?? home
  const withoutCountry = input?.country_code && input.country === undefined ? { country: null } : {}
  return mergeAddress<CheckoutAddress>(before, { ...withoutCountry, ...input, country_code }, country_code)
}

// Addresses, lines, bumps and answers are stored in a different form, but for a billing address that is removed.
const plainNames = (Object.keys(inputFields) as (keyof typeof inputFields)[]).filter(
  (name) => !['shipping_address', 'items', 'order_bumps', 'custom_fields'].includes(name),
)

/** The row with current names and prices, and with methods that are the only choice. */
export function withQuote(row: CheckoutRow, quote: Quote): CheckoutRow {
  const choices = { shipping_method: toCartInput(row).shipping_method, payment_method: toCartInput(row).payment_method }
  const defaults = { shipping_method: quote.rate?.code ?? null, payment_method: quote.method?.code ?? null }
  const methods = ['shipping_method', 'payment_method'] as const
  const totals = Object.fromEntries(
    Object.keys(totalFields).map((name) => [name, String(quote[name as keyof typeof totalFields])]),
  )
  return {
    ...row,
    ...totals,
    ...pick(quote, ['items', 'order_bumps', 'custom_fields']),
    discount_code: chooseMainCode(quote.codes),
    discount_codes: quote.codes.map(({ code }) => code),
    shipping_method: choices.shipping_method ?? defaults.shipping_method,
    payment_method: choices.payment_method ?? defaults.payment_method,
    presets: methods.filter((method) => choices[method] === null && defaults[method] !== null),
  }
}

/** The parts of the quote that are not in the row. */
function quoteView({ included_tax, taxes, shipping_costs, ...discounted }: Quote) {
  const discounts = listCheckedDiscounts(discounted)
  return { included_tax: included_tax.toNumber(), taxes: summaryOfTaxes(taxes), shipping_costs, discounts }
}

/** Omits names as long as there is no contact, to keep stray checkouts small. */
function storedRow(quotedRow: CheckoutRow): CheckoutRow {
  if (quotedRow.draft_since) return quotedRow
  return { ...quotedRow, items: quotedRow.items.map((item) => ({ ...item, product_name: '', variant_name: null })) }
}

/** Time of the sweep's next step, unless the shopper returns first. */
function dueAt(
  { status, draft_since }: CheckoutRow,
  { abandon_after_minutes: minutes }: Offer,
  config: CheckoutConfig,
  now: Date,
): Date {
  if (draft_since === null) return addSeconds(now, Math.min(strayAfterSeconds, config.expireAfterSeconds))
  const abandonAfterSeconds = minutes === null ? config.abandonAfterSeconds : minutes * 60
  return addSeconds(now, status === 'active' ? abandonAfterSeconds : config.expireAfterSeconds)
}

function requireNoFaults(faults: Quote['faults']): void {
  if (faults.length > 0) throw invalid(...faults)
}
