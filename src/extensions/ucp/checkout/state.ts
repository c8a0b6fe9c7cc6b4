// The state of a checkout: missing fields, who can add them, and if the agent can place the order.
import type { Fault } from '../../../kit/values/faults.ts'
import type { Checkout } from '../../../storefront/checkout/cart/view.ts'
import type { Offer } from '../../../storefront/checkout/offers/offer.ts'
import { methodsWith, missingFields, ratesOffered } from '../../../storefront/checkout/offers/shipping.ts'
import type { CheckoutMethod } from '../../../commerce/payments/method.ts'
import type { CartChange } from '../../../storefront/checkout/cart/changes.ts'
import { errorMessage, toUcpMessage, warningMessage, type UcpMessage } from '../messages.ts'
import { isManual } from './payment.ts'

export type UcpStatus = 'incomplete' | 'requires_escalation' | 'ready_for_complete' | 'completed' | 'canceled'

export type State = {
  status: UcpStatus
  messages: UcpMessage[]
  /** The methods with which the agent can place the order. */
  methods: CheckoutMethod[]
}

/** `hasFulfillment`: the agent can select a delivery. `mayOrder`: the store accepts orders by agents. */
export function deriveCheckoutState(
  checkout: Checkout,
  offer: Offer,
  { hasFulfillment, mayOrder, more = [] }: { hasFulfillment: boolean; mayOrder: boolean; more?: readonly UcpMessage[] },
): State {
  const rate = offer.shipping_rates.find(({ code }) => code === checkout.shipping_method)
  const methods = mayOrder ? methodsWith(offer, rate).filter(isManual) : []
  if (checkout.order) return { status: 'completed', messages: [...more], methods }
  const context = { lineAt: (index: number) => index, hasFulfillment }
  const missing = missingFields(checkout, offer, ratesOffered(offer, checkout)).filter(
    ({ field }) => field !== 'payment_method',
  )
  const faults = [...checkout.changes.filter(isFault), ...missing]
  const messages = [
    ...more,
    ...once(faults)
      .map((one) => toUcpMessage(one, context))
      .filter(({ path }) => path === undefined || !more.some((message) => message.path === path)),
    ...checkout.changes.filter(isRise).map((change) => toUcpMessage(change, context)),
    ...checkout.changes
      .filter((change) => isPriceChange(change) && !isRise(change))
      .map((change) => toWarning(toUcpMessage(change, context))),
  ]
  const severities = messages.flatMap((message) => (message.type === 'error' ? [message.severity] : []))
  if (severities.includes('recoverable')) return { status: 'incomplete', messages, methods }
  if (severities.length > 0) return { status: 'requires_escalation', messages, methods }
  const isFree = mayOrder && checkout.totals.total === 0
  if (methods.length > 0 || isFree) return { status: 'ready_for_complete', messages, methods }
  return { status: 'requires_escalation', messages: [...messages, paidByBuyer()], methods }
}

/** All methods of the store need a page of their provider. */
export function paidByBuyer(): UcpMessage {
  return errorMessage('payment_required', 'The buyer pays on the page at continue_url', {
    severity: 'requires_buyer_input',
  })
}

export function isPriceChange({ from, to }: CartChange): boolean {
  return from !== null || to !== null
}

function isFault(change: CartChange): boolean {
  return !isPriceChange(change)
}

/** A higher total needs the buyer's consent, which an update of the checkout implies. */
function isRise({ field, from, to }: CartChange): boolean {
  return field === 'total' && from !== null && to !== null && to > from
}

export function toWarning({ code, content, path }: UcpMessage): UcpMessage {
  return warningMessage(code, content, path)
}

function once(faults: readonly Fault[]): Fault[] {
  const seen = new Set<string>()
  return faults.filter(({ field }) => !seen.has(field) && seen.add(field))
}
