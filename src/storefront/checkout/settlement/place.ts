// Quotes and places the order of a checkout whose row is locked.
import type { Tx } from '../../../kit/database/database.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import { areAnyShipped } from '../../../commerce/orders/load.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import type { Decimal } from '../../../kit/values/money.ts'
import { assignments } from '../../../kit/declare/resource.ts'
import { pick } from '../../../kit/declare/row.ts'
import type { Actor } from '../../../kit/declare/route.ts'
import { sql } from '../../../kit/database/sql.ts'
import { emit } from '../../../tenancy/events/emit.ts'
import { queueNotice } from '../../../tenancy/emails/queue.ts'
import { findCustomer } from '../../../commerce/customers/matching.ts'
import { placeDraft, type DraftPayment } from '../../../commerce/draftorders/complete.ts'
import { createOrder } from '../../../commerce/orders/operations.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import type { QuotedTerms } from '../../../commerce/orders/rate.ts'
import type { OrderSource } from '../../../commerce/orders/source.ts'
import { replaceSessions } from '../../../commerce/payments/session.ts'
import { placeAgentOrder } from '../../../tenancy/events/agentorders.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import {
  checkout,
  toCheckoutCustomer,
  orderFieldNames,
  pickChanges,
  type CheckoutRow,
  type CheckoutDeps,
  type CheckoutInput,
} from '../checkout.ts'
import { toCartInput, withQuote } from '../cart/operations.ts'
import { countryName } from '../offers/names.ts'
import { keepMarketingConsent } from '../offers/marketing.ts'
import type { Offer } from '../offers/offer.ts'
import { recoveryUrl, withLink } from '../link.ts'
import { completedPayload } from '../cart/payload.ts'
import { quoteCart, readCart, type CartReads, type Quote } from '../cart/quote.ts'
import { quoteDraftCheckout, type QuotedDraft } from './draftcheckout.ts'
import { toOrderAnswers } from '../offers/answers.ts'
import { getAddressCountry, missingFields } from '../offers/shipping.ts'
import { addSeconds, purgeAfterSeconds } from '../states.ts'

export type QuotedOrder = {
  /** The row as it is stored. */
  before: CheckoutRow
  /** The new row, with today's prices. */
  row: CheckoutRow
  quote: Quote
  link: string | null
  hash: Record<string, unknown>
  /** The UUID of the customer with the shopper's email or phone. */
  customerId: string | null
  /** Faults that prevent the order. */
  faults: Fault[]
  /** The draft order that it pays, whose data makes the order. */
  draft?: QuotedDraft
}

/** The pending reads of an order's quote. They begin before the row of the checkout is confirmed. */
export type OrderReads = { cart: CartReads; contact: string; customer: Promise<string | null> }

/** The bumps depend on the offer. */
export function readOrder(tx: Tx, store: Store, row: CheckoutRow, input: CheckoutInput): OrderReads | undefined {
  const cart = toCartInput(row, input)
  if (cart.bump_ids.length > 0) return undefined
  const contact = toCheckoutCustomer(row)
  const customer = findCustomer(tx, store, contact)
  const reads = { cart: readCart(tx, store, cart), contact: JSON.stringify(contact), customer }
  // They may fail before they are awaited, or may never be awaited.
  for (const read of [reads.cart.lookup, reads.cart.discounts, reads.cart.isExempt, customer]) read.catch(() => {})
  return reads
}

/** `row` has the last input. */
export async function quoteOrder(
  tx: Tx,
  store: Store,
  { before, row, input = {} }: { before: CheckoutRow; row: CheckoutRow; input?: CheckoutInput },
  offer: Promise<Offer>,
  deps: CheckoutDeps,
  ahead?: OrderReads,
): Promise<QuotedOrder> {
  if (row.draft_order_id) return { ...(await quoteDraftCheckout(tx, store, row, row.draft_order_id, offer)), before }
  const cart = toCartInput(row, input)
  const contact = toCheckoutCustomer(row)
  const [quote, customerId] = await Promise.all([
    quoteCart(tx, store, cart, offer, { now: tx.now, existing: before.items, ahead: ahead?.cart }),
    ahead?.contact === JSON.stringify(contact) ? ahead.customer : findCustomer(tx, store, contact),
  ])
  const withRecovery = withLink(deps.vault, store.id, withQuote(row, quote))
  const faults = [
    ...quote.faults,
    ...missingFields({ ...withRecovery.row, customer: toCheckoutCustomer(withRecovery.row) }, quote.offer, quote.rates),
  ]
  return { ...withRecovery, before, quote, customerId, faults }
}

/** The payment of an order when it is placed. `record` stores it once the order exists. */
export type OrderPayment = {
  status: 'paid' | 'pending'
  captured: Decimal
  record?: (order: Order) => Promise<unknown> | void
}

export async function placeOrder(
  tx: Tx,
  store: Store,
  ready: QuotedOrder,
  payment: OrderPayment,
  actor: Actor,
): Promise<Order> {
  const { row, quote, link, customerId, draft } = ready
  const lines = quote.lines.filter((line) => line !== null)
  const { entity: order } = draft
    ? await placeDraft(tx, store, draft.draft, draft.quote, toDraftPayment(row, payment), actor)
    : await createOrder(tx, store, buildOrderInput(row, quote, payment), actor, {
        lines,
        applied: quote.applied,
        customerId,
        quotedRate: toQuotedTerms(quote),
      })
  // A copy for a browser has the channel of the agent's checkout.
  if (row.channel !== 'shop') placeAgentOrder(tx, store.id, row.continues ?? row.id, order.id)
  await keepMarketingConsent(tx, store, row, { order, offer: quote.offer })
  queueNotice(tx, store, 'order_notice', { order_id: toUuid('ord', order.id) })
  // The paid session now has its order and is no longer open.
  await payment.record?.(order)
  if (row.has_payments) tx.later(replaceSessions(store.id, row.id, tx.now))
  if (draft) completeDraftRow(tx, store, ready, order)
  else completeRow(tx, store, ready, order, recoveryUrl(store, link!))
  return order
}

/** Undefined unless an app has quoted the rate. */
function toQuotedTerms({ rate }: Quote): QuotedTerms | undefined {
  return rate?.quote?.source === 'app' ? pick(rate, ['name', 'min_days', 'max_days']) : undefined
}

function toDraftPayment(row: CheckoutRow, { status, captured }: OrderPayment): DraftPayment {
  const { payment_method } = row
  return { payment_status: status, captured, payment_method, notify_customer: true, source: sourceOfRow(row) }
}

const sourceOfRow = ({ channel, agent }: CheckoutRow): OrderSource => ({ channel: channel ?? 'shop', agent })

/** Copies the fields that an order takes from its checkout, and adds the amounts of the quote. */
function buildOrderInput(row: CheckoutRow, quote: Quote, payment: OrderPayment): Parameters<typeof createOrder>[2] {
  // A form has the country of a delivery even where there is none.
  const delivery = areAnyShipped(row.items) ? row.shipping_address : null
  const { country_code, ...address } = delivery ?? {}
  const country = address.country ?? countryName(country_code, row.locale)
  const { billing_address: billing } = row
  const { treatment } = quote.taxes
  const isBilled = treatment?.billed_province !== undefined
  return {
    ...orderFields(row),
    source: sourceOfRow(row),
    status: 'pending',
    payment_status: payment.status,
    captured: payment.captured,
    notify_customer: true,
    tags: [],
    is_archived: false,
    items: [],
    order_bumps: quote.order_bumps,
    shipping_cost: quote.shipping.toNumber(),
    tax_amount: quote.tax.toNumber(),
    taxes: quote.taxes,
    free_shipping: quote.free_shipping,
    shipping_address: delivery && { ...address, country },
    ...(billing
      ? { billing_address: { ...billing, country: billing.country ?? countryName(billing.country_code, row.locale) } }
      : {}),
    country_code: (isBilled ? treatment.country_code : getAddressCountry(delivery ?? billing)) ?? undefined,
    custom_fields: toOrderAnswers(row.custom_fields, quote.offer.custom_fields),
  }
}

function orderFields(row: CheckoutRow): Partial<CheckoutRow> {
  return pick(
    row,
    orderFieldNames.filter((name) => row[name] !== null),
  )
}

function buildCompletionFields(now: Date) {
  return { completed_at: now, due_at: addSeconds(now, purgeAfterSeconds), updated_at: now }
}

/** Completes the checkout of a draft order's link without an event: the draft reports the order. */
function completeDraftRow(tx: Tx, store: Store, { before, row }: QuotedOrder, order: Order): void {
  const newRow: CheckoutRow = { ...row, status: 'completed', order_id: toUuid('ord', order.id)! }
  tx.later(sql`
    update checkouts
    set ${assignments(checkout, pickChanges(before, newRow), buildCompletionFields(tx.now))}
    where store_id = ${store.id}
      and id = ${row.id}`)
}

/**
 * Completes the checkout, or recovers it if it was abandoned; likewise the draft whose link the shopper followed. `url`
 * is the recovery link.
 */
function completeRow(tx: Tx, store: Store, { before, row, hash }: QuotedOrder, order: Order, url: string): void {
  const isRecovered = row.status === 'abandoned' || row.recovers !== null
  const status = row.status === 'abandoned' ? 'recovered' : 'completed'
  const completion = buildCompletionFields(tx.now)
  const order_id = toUuid('ord', order.id)!
  const recovered_at = status === 'recovered' ? tx.now : null
  const changes = pickChanges(before, { ...row, status, order_id, recovered_at })
  tx.later(sql`
    update checkouts
    set ${assignments(checkout, changes, { ...completion, ...hash })}
    where store_id = ${store.id}
      and id = ${row.id}`)
  const origin = row.recovers ?? row.continues
  if (origin) {
    tx.later(sql`
    update checkouts
    set ${assignments(checkout, { order_id, placed_in: row.id }, completion)},
        recovered_at = case when status = 'abandoned' then ${tx.now}::timestamptz end,
        status = case when status = 'abandoned' then 'recovered' else 'completed' end
    where store_id = ${store.id}
      and id = ${origin}
      and status in ('active', 'abandoned')`)
  }
  const facts = { order, completedAt: tx.now, isRecovered, recoveredId: row.recovers }
  emit(tx, store, 'checkout.completed', publicId('chk', row.id), completedPayload({ ...row, status }, url, facts))
}
