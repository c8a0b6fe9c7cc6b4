// From checkout to order, once: whoever comes second, or at the same time, gets the same order.
import { Again } from '../kit/database/errors.ts'
import type { Tx } from '../kit/database/database.ts'
import { invalid, type Fault } from '../kit/values/errors.ts'
import { newUuid, publicId, uuidOf } from '../kit/values/ids.ts'
import type { Json } from '../kit/declare/resource.ts'
import { json, type Actor } from '../kit/declare/route.ts'
import { sql } from '../kit/database/sql.ts'
import { emit } from '../events/emit.ts'
import { createOrder } from '../orders/operations.ts'
import type { Order } from '../orders/order.ts'
import type { Store } from '../stores/store.ts'
import { changesOf } from './changes.ts'
import type { CheckoutRow, Completion } from './checkout.ts'
import { cartOf, findRow, orderSummary, withQuote, type CheckoutTerms, type CheckoutTools } from './operations.ts'
import { countryName } from './names.ts'
import { findOffer } from './offer.ts'
import { completedPayload, recoveryUrl } from './payload.ts'
import { providers, type Payment } from './payments/provider.ts'
import { countryOf, quoteCart, type Quote } from './quote.ts'
import { later, purgeAfterSeconds } from './states.ts'
import type { OrderSummary } from './view.ts'

export type Completed = { order: OrderSummary; payment: { method: string | null; instructions: string | null } }

export async function completeCheckout(
  tx: Tx,
  store: Store,
  token: string,
  given: Completion,
  tools: CheckoutTools,
  actor: Actor,
): Promise<Json<Completed>> {
  const offered = findOffer(tx, store)
  // Others who complete it wait here, and then find its order.
  const before = await findRow(tx, store, token, { locked: true })
  if (before.order_id) return alreadyCompleted(tx, store, before, offered)

  const quote = await quoteCart(tx, store, cartOf(before), offered, { now: tx.now, known: before.items })
  const row = withQuote(before, quote)
  const faults = [...quote.faults, ...missingOf(row, quote), ...unseenOf(before, quote, given)]
  if (faults.length > 0) throw invalid(...faults)

  const provider = providers[quote.method?.provider ?? 'manual']
  const outcome = await provider.pay({
    idempotencyKey: publicId('chk', row.id),
    amount: quote.total,
    currency: store.currency,
    method: row.payment_method ?? 'other',
    customer: { name: row.customer_name, email: row.customer_email, phone: row.customer_phone },
    pay: given.pay,
  })
  if (outcome.status === 'declined') throw invalid({ field: 'payment_method', message: outcome.message })
  try {
    const order = JSON.parse(await createOrder(tx, store, orderOf(row, quote, outcome.status), actor)) as Order
    // A price has moved between two looks at it.
    if (!quote.total.equals(order.total)) throw new Again()
    finish(tx, store, { ...row, token }, order, tools.checkout)
    if (outcome.reference !== null) recordPayment(tx, store, order, quote.method!.provider, outcome)
    return json<Completed>({ order: summaryOf(order), payment: paymentOf(quote) })
  } catch (error) {
    if (outcome.reference !== null) await provider.cancel?.(outcome.reference)
    throw error
  }
}

async function alreadyCompleted(
  tx: Tx,
  store: Store,
  row: CheckoutRow,
  offered: ReturnType<typeof findOffer>,
): Promise<Json<Completed>> {
  const [order, offer] = await Promise.all([orderSummary(tx, store, row.order_id!), offered])
  const method = offer.payment_methods.find(({ code }) => code === row.payment_method) ?? null
  return json<Completed>({ order: order!, payment: paymentOf({ method }) })
}

function summaryOf({ id, order_number, status, payment_status, total, currency }: Order): OrderSummary {
  return { id, order_number, status, payment_status, total, currency }
}

function paymentOf({ method }: Pick<Quote, 'method'>): Completed['payment'] {
  return { method: method?.code ?? null, instructions: method?.instructions ?? null }
}

/** What an order needs and the shopper has not given. Where nothing is set up, nothing need be chosen. */
function missingOf(row: CheckoutRow, { rate, offer }: Quote): Fault[] {
  const missing: string[] = []
  if (row.items.length === 0) missing.push('items')
  if (!row.customer_email && !row.customer_phone) missing.push('customer.email')
  if (!row.shipping_method && offer.has_own_rates) missing.push('shipping_method')
  if (!row.payment_method && offer.has_own_methods) missing.push('payment_method')
  if (rate?.requires_address) {
    for (const field of ['address', 'city'] as const) {
      if (!row.shipping_address?.[field]?.trim()) missing.push(`shipping_address.${field}`)
    }
  }
  const messages: Record<string, string> = {
    items: 'must have at least 1 element',
    'customer.email': 'is required, or a phone',
  }
  return missing.map((field) => ({ field, message: messages[field] ?? 'is required' }))
}

/** Nobody pays more than they were shown. */
function unseenOf(before: CheckoutRow, quote: Quote, { total }: Completion): Fault[] {
  const agreed = total ?? Number(before.total)
  if (quote.faults.length > 0 || quote.total.lessThanOrEqualTo(agreed)) return []
  const changes = changesOf(before, quote, { sameCart: true }).map(({ field, message }) => ({ field, message }))
  return changes.length > 0 ? changes : [{ field: 'total', message: `is ${quote.total}` }]
}

function orderOf(row: CheckoutRow, quote: Quote, paymentStatus: 'paid' | 'pending'): Parameters<typeof createOrder>[2] {
  const { country_code, ...address } = row.shipping_address ?? {}
  const country = address.country ?? countryName(country_code, row.locale)
  return {
    status: 'pending',
    payment_status: paymentStatus,
    payment_method: row.payment_method,
    shipping_method: row.shipping_method,
    customer_name: row.customer_name ?? undefined,
    customer_email: row.customer_email,
    customer_phone: row.customer_phone,
    customer_notes: row.customer_notes,
    items: quote.lines.map((line, index) => ({ ...line, unit_price: quote.items[index]!.unit_price })),
    order_bumps: quote.order_bumps,
    discount_code: row.discount_code ?? undefined,
    shipping_cost: quote.shipping.toNumber(),
    tax_amount: quote.tax.toNumber(),
    free_shipping: quote.free_shipping,
    shipping_address: row.shipping_address && { ...address, country },
    country_code: countryOf(row.shipping_address) ?? undefined,
    custom_fields: [],
  }
}

/** An abandoned draft is recovered; another is no draft any more. `row.token` is the open one. */
function finish(tx: Tx, store: Store, row: CheckoutRow, order: Order, { baseUrl }: CheckoutTerms): void {
  const isRecovered = row.status === 'abandoned'
  const status = isRecovered ? 'recovered' : 'completed'
  tx.later(sql`
    update checkouts
    set status = ${status},
        order_id = ${uuidOf('ord', order.id)},
        completed_at = ${tx.now},
        recovered_at = ${isRecovered ? tx.now : null},
        items = ${JSON.stringify(row.items)},
        order_bumps = ${JSON.stringify(row.order_bumps)},
        shipping_method = ${row.shipping_method},
        payment_method = ${row.payment_method},
        subtotal = ${row.subtotal},
        discount = ${row.discount},
        shipping = ${row.shipping},
        tax = ${row.tax},
        total = ${row.total},
        letter_due_at = null,
        due_at = ${later(tx.now, purgeAfterSeconds)},
        updated_at = ${tx.now}
    where store_id = ${store.id}
      and id = ${row.id}`)
  emit(
    tx,
    store,
    'checkout.completed',
    publicId('chk', row.id),
    completedPayload({ ...row, status }, recoveryUrl(baseUrl, store.slug, row.token!), {
      order,
      completedAt: tx.now,
      isRecovered,
    }),
  )
}

function recordPayment(tx: Tx, store: Store, { id, total, currency }: Order, provider: string, outcome: Payment): void {
  tx.later(sql`
    insert into payments (store_id, id, order_id, provider, reference, status, amount, currency, created_at)
    values (${store.id}, ${newUuid()}, ${uuidOf('ord', id)}, ${provider}, ${outcome.reference}, ${outcome.status},
            ${String(total)}, ${currency}, ${tx.now})`)
}
