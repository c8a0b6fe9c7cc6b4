// The order of a checkout whose row is locked: what it comes to now, what stands in its way, and its placing.
import { Again } from '../../../kit/database/errors.ts'
import type { Tx } from '../../../kit/database/database.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import { publicId, uuidOf } from '../../../kit/values/ids.ts'
import { assignments } from '../../../kit/declare/resource.ts'
import { pick } from '../../../kit/declare/row.ts'
import type { Actor } from '../../../kit/declare/route.ts'
import { sql } from '../../../kit/database/sql.ts'
import { emit } from '../../../tenancy/events/emit.ts'
import { queueNotice } from '../../../tenancy/emails/queue.ts'
import { createOrder } from '../../../commerce/orders/operations.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import { replaceSessions } from '../../../money/payments/session.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { checkout, contactOf, ordered, type CheckoutRow, type CheckoutTools, type CheckoutInput } from '../checkout.ts'
import { cartOf, withQuote } from '../cart/operations.ts'
import { countryName } from '../offers/names.ts'
import type { Offer } from '../offers/offer.ts'
import { recoveryUrl, withLink } from '../link.ts'
import { completedPayload } from '../cart/payload.ts'
import { quoteCart, type Quote } from '../cart/quote.ts'
import { countryOf, missing } from '../offers/shipping.ts'
import { later, purgeAfterSeconds } from '../states.ts'

export type Ready = {
  /** As it will be, with today's prices. */
  row: CheckoutRow
  quote: Quote
  link: string | null
  hash: Record<string, unknown>
  /** What stands in the way of the order. */
  faults: Fault[]
}

/** `wanted`: the row with what was said last; `items` where that names them. */
export async function quoteOrder(
  tx: Tx,
  store: Store,
  { before, wanted, items }: { before: CheckoutRow; wanted: CheckoutRow; items?: CheckoutInput['items'] },
  offered: Promise<Offer>,
  tools: CheckoutTools,
): Promise<Ready> {
  const cart = cartOf(wanted, items)
  const quote = await quoteCart(tx, store, cart, offered, { now: tx.now, known: before.items })
  const linked = withLink(tools.vault, store.id, withQuote(wanted, quote))
  const faults = [...quote.faults, ...missing({ ...linked.row, customer: contactOf(linked.row) }, quote.offer)]
  return { ...linked, quote, faults }
}

/** How an order is paid when it is placed. `record` writes the payment down, once the order is there. */
export type Paid = { status: 'paid' | 'pending'; captured: number; record?: (order: Order) => Promise<unknown> | void }

export async function placeOrder(
  tx: Tx,
  store: Store,
  { row, quote, link, hash }: Ready,
  paid: Paid,
  { tools, actor }: { tools: CheckoutTools; actor: Actor },
): Promise<Order> {
  const { entity: order } = await createOrder(tx, store, orderOf(row, quote, paid), actor)
  queueNotice(tx, store, 'order_notice', { order_id: uuidOf('ord', order.id) })
  // A price has moved between two looks at it.
  if (!quote.total.equals(order.total)) throw new Again()
  // Of the sessions that are open, its own is no longer one.
  await paid.record?.(order)
  if (row.has_payments) tx.later(replaceSessions(store.id, row.id, tx.now))
  finish(tx, store, row, order, { url: recoveryUrl(tools.checkout.baseUrl, store.slug, link!), hash })
  return order
}

/** What is marked as ordered under its own name, and what the quote has worked out. */
function orderOf(row: CheckoutRow, quote: Quote, paid: Paid): Parameters<typeof createOrder>[2] {
  const { country_code, ...address } = row.shipping_address ?? {}
  const country = address.country ?? countryName(country_code, row.locale)
  return {
    ...takenOver(row),
    status: 'pending',
    payment_status: paid.status,
    captured: paid.captured,
    notify_customer: true,
    items: quote.lines.map((line, index) => ({ ...line, unit_price: quote.items[index]!.unit_price })),
    order_bumps: quote.order_bumps,
    shipping_cost: quote.shipping.toNumber(),
    tax_amount: quote.tax.toNumber(),
    taxes: quote.taxes,
    free_shipping: quote.free_shipping,
    shipping_address: row.shipping_address && { ...address, country },
    country_code: countryOf(row.shipping_address) ?? undefined,
    custom_fields: [],
  }
}

function takenOver(row: CheckoutRow): Partial<CheckoutRow> {
  return pick(row, ordered.filter((name) => row[name as keyof CheckoutRow] !== null) as (keyof CheckoutRow)[])
}

/**
 * An abandoned draft is recovered; another is no draft any more. So it is with the draft by whose link the shopper
 * came. `url`: of the recovery link, which `hash` may find for the first time.
 */
function finish(
  tx: Tx,
  store: Store,
  row: CheckoutRow,
  order: Order,
  { url, hash }: { url: string; hash: object },
): void {
  const isRecovered = row.status === 'abandoned' || row.recovers !== null
  const status = row.status === 'abandoned' ? 'recovered' : 'completed'
  const ended = { completed_at: tx.now, due_at: later(tx.now, purgeAfterSeconds), updated_at: tx.now }
  const order_id = uuidOf('ord', order.id)!
  const recovered_at = status === 'recovered' ? tx.now : null
  tx.later(sql`
    update checkouts
    set ${assignments(checkout, { ...row, status, order_id, recovered_at }, { ...ended, ...hash })}
    where store_id = ${store.id}
      and id = ${row.id}`)
  if (row.recovers) {
    tx.later(sql`
    update checkouts
    set ${assignments(checkout, { order_id }, ended)},
        recovered_at = case status when 'abandoned' then ${tx.now}::timestamptz end,
        status = case status when 'abandoned' then 'recovered' else 'completed' end
    where store_id = ${store.id}
      and id = ${row.recovers}
      and status in ('active', 'abandoned')`)
  }
  const told = { order, completedAt: tx.now, isRecovered, recoveredId: row.recovers }
  emit(tx, store, 'checkout.completed', publicId('chk', row.id), completedPayload({ ...row, status }, url, told))
}
