// The checkout behind the link of a draft order: the draft has items and recipient, the checkout has the payment.
import type { Tx } from '../../../kit/database/database.ts'
import { ApiError, invalid } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { toDraftContent } from '../../../commerce/draftorders/content.ts'
import type { DraftItem, DraftOrderRow } from '../../../commerce/draftorders/draftorder.ts'
import { draftOrderFaults } from '../../../commerce/draftorders/errors.ts'
import { lockDraft } from '../../../commerce/draftorders/operations.ts'
import { quoteDraft, type DraftQuote } from '../../../commerce/draftorders/quote.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { Quote } from '../cart/quote.ts'
import { toCartAmounts } from '../cart/totals.ts'
import type { CheckoutRow } from '../checkout.ts'
import { checkoutFaults } from '../errors.ts'
import type { Offer } from '../offers/offer.ts'
import { isPaidBy } from '../offers/shipping.ts'

export type QuotedDraft = { draft: DraftOrderRow; quote: DraftQuote }

type QuotedDraftCheckout = {
  row: CheckoutRow
  quote: Quote
  link: null
  hash: {}
  customerId: null
  faults: Fault[]
  draft: QuotedDraft
}

/**
 * Quotes the draft, which stays locked. A link that was revoked or replaced, and a draft that was deleted or has become
 * an order otherwise, throw a fault: money that has come in by it is refunded.
 */
export async function quoteDraftCheckout(
  tx: Tx,
  store: Store,
  before: CheckoutRow,
  draftId: string,
  offering: Promise<Offer>,
): Promise<QuotedDraftCheckout> {
  const draft = await lockDraft(tx, store.id, draftId).catch(throwEnded)
  if (draft.checkout_id !== before.id || draft.completed_at) throw linkEnded()
  const [quote, offer] = await Promise.all([
    quoteDraft(tx, store, toDraftContent(draft), { now: tx.now, existing: draft.items as DraftItem[] }),
    offering,
  ])
  const whole = toCheckoutQuote(quote, before.payment_method, draft, offer)
  const { subtotal, discount, shipping, tax, total } = whole
  const amounts = Object.entries({ subtotal, discount, shipping, tax, total }).map(([name, sum]) => [name, String(sum)])
  const { name: customer_name, email: customer_email, phone: customer_phone } = quote.buyer.contact
  const row = { ...before, ...Object.fromEntries(amounts), customer_name, customer_email, customer_phone }
  const own = { link: null, hash: {}, customerId: null, faults: whole.faults }
  return { row: { ...row, updated_at: tx.now }, quote: whole, ...own, draft: { draft, quote } }
}

function throwEnded(error: unknown): never {
  throw error instanceof ApiError && error.status === 404 ? linkEnded() : error
}

export function linkEnded(): ApiError {
  return invalid(fault('link', draftOrderFaults.link_ended))
}

function toCheckoutQuote(
  { lines, price, faults }: DraftQuote,
  code: string | null,
  { shipping_method }: DraftOrderRow,
  offer: Offer,
): Quote {
  const rate = offer.shipping_rates.find((one) => one.code === shipping_method) ?? null
  const method = offer.payment_methods.find((one) => one.code === code) ?? null
  const methodFaults: Fault[] = !method
    ? [fault('payment_method', checkoutFaults.not_offered)]
    : rate && !isPaidBy(rate, method)
      ? [fault('payment_method', checkoutFaults.not_with_rate, { rate: rate.code })]
      : []
  return {
    items: [],
    order_bumps: [],
    lines,
    rate,
    method,
    offer,
    own_offer: offer,
    ...toCartAmounts(price),
    explanations: [],
    rates: [],
    shipping_costs: [],
    custom_fields: null,
    faults: [...faults, ...methodFaults],
  }
}
