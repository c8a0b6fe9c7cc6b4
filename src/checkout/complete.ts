// From checkout to order, once: whoever comes second, or at the same time, gets the same order.
import { Again } from '../kit/database/errors.ts'
import type { Tx } from '../kit/database/database.ts'
import { invalid } from '../kit/values/errors.ts'
import { fault, type Fault } from '../kit/values/faults.ts'
import { publicId, uuidOf } from '../kit/values/ids.ts'
import { assignments } from '../kit/declare/resource.ts'
import { pick } from '../kit/declare/row.ts'
import type { Actor } from '../kit/declare/route.ts'
import { sql } from '../kit/database/sql.ts'
import { emit } from '../events/emit.ts'
import { queueNotice } from '../mails/queue.ts'
import { createOrder } from '../orders/operations.ts'
import type { Order } from '../orders/order.ts'
import type { Store } from '../stores/store.ts'
import { changesOf } from './changes.ts'
import { checkout, contactOf, ordered, type CheckoutRow, type CheckoutTools } from './checkout.ts'
import type { Completion } from './checkout.ts'
import { cartOf, changed, findRow, isPriced, orderSummary, withQuote } from './operations.ts'
import { countryName } from './names.ts'
import { findOffer } from './offer.ts'
import { recoveryUrl, withLink } from './link.ts'
import { payAtOnce, recordAtOnce, type AtOncePayment } from '../payments/atonce.ts'
import { completedPayload } from './payload.ts'
import { quoteCart, type Quote } from './quote.ts'
import { countryOf, missing } from './shipping.ts'
import { later, purgeAfterSeconds } from './states.ts'
import { orderRow, type OrderSummary } from './view.ts'

export type Completed = { order: OrderSummary; payment: { method: string | null; instructions: string | null } }

export async function completeCheckout(
  tx: Tx,
  store: Store,
  token: string,
  input: Completion,
  tools: CheckoutTools,
  actor: Actor,
): Promise<Completed> {
  const offered = findOffer(tx, store)
  // Others who complete it wait here, and then find its order.
  const before = await findRow(tx, store, token, { locked: true })
  if (before.order_id) return alreadyCompleted(tx, store, before, offered)

  const { total = Number(before.total), pay, ...last } = input
  const wanted = changed(before, last, tx.now)
  const cart = cartOf(wanted, last.items)
  const quote = await quoteCart(tx, store, cart, offered, { now: tx.now, known: before.items })
  const { row, link, hash } = withLink(tools.vault, store.id, withQuote(wanted, quote))
  const faults = [
    ...quote.faults,
    ...missing({ ...row, customer: contactOf(row) }, quote.offer),
    ...unseenOf(before, quote, { total, sameCart: !isPriced(last) }),
  ]
  if (faults.length > 0) throw invalid(...faults)

  const paid = payAtOnce(quote, { checkoutId: publicId('chk', row.id), ...(pay ? { pay } : {}) })
  const { entity: order } = await createOrder(tx, store, orderOf(row, quote, paid), actor)
  queueNotice(tx, store, 'order_notice', { order_id: uuidOf('ord', order.id) })
  // A price has moved between two looks at it.
  if (!quote.total.equals(order.total)) throw new Again()
  finish(tx, store, row, order, { url: recoveryUrl(tools.checkout.baseUrl, store.slug, link!), hash })
  if (paid) recordAtOnce(tx, store, { ...paid, order, checkoutId: row.id })
  return { order: pick(order, orderRow.names as (keyof OrderSummary)[]), payment: paymentOf(quote) }
}

async function alreadyCompleted(
  tx: Tx,
  store: Store,
  row: CheckoutRow,
  offered: ReturnType<typeof findOffer>,
): Promise<Completed> {
  const [order, offer] = await Promise.all([orderSummary(tx, store, row.order_id!), offered])
  const method = offer.payment_methods.find(({ code }) => code === row.payment_method) ?? null
  return { order: order!, payment: paymentOf({ method }) }
}

function paymentOf({ method }: Pick<Quote, 'method'>): Completed['payment'] {
  return { method: method?.code ?? null, instructions: method?.instructions ?? null }
}

/** Nobody pays more than they were shown. */
function unseenOf(
  before: CheckoutRow,
  quote: Quote,
  { total, sameCart }: { total: number; sameCart: boolean },
): Fault[] {
  if (quote.faults.length > 0 || quote.total.lessThanOrEqualTo(total)) return []
  const changes = changesOf(before, quote, { sameCart })
  return changes.length > 0 ? changes : [fault('total', 'total_is', { to: quote.total.toNumber() })]
}

/** What is marked as ordered under its own name, and what the quote has worked out. */
function orderOf(row: CheckoutRow, quote: Quote, paid: AtOncePayment | null): Parameters<typeof createOrder>[2] {
  const { country_code, ...address } = row.shipping_address ?? {}
  const country = address.country ?? countryName(country_code, row.locale)
  return {
    ...takenOver(row),
    status: 'pending',
    payment_status: paid ? 'paid' : 'pending',
    captured: paid ? quote.total.toNumber() : 0,
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
  const ended = {
    completed_at: tx.now,
    letter_due_at: null,
    due_at: later(tx.now, purgeAfterSeconds),
    updated_at: tx.now,
  }
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
  const told = { order, completedAt: tx.now, isRecovered }
  emit(tx, store, 'checkout.completed', publicId('chk', row.id), completedPayload({ ...row, status }, url, told))
}
