// Payment by agents: only methods without a provider. For the others, the shopper opens the hosted checkout.
import type { CheckoutMethod } from '../../../commerce/payments/method.ts'
import { formatMethodName } from '../../../storefront/checkout/offers/names.ts'
import type { Release } from '../releases.ts'

/** Names under .alt are not in the DNS, so this one is nobody's domain (RFC 9476). */
const handlerName = 'alt.stoa.manual_payment'

export function isManual({ provider }: Pick<CheckoutMethod, 'provider'>): boolean {
  return provider === 'manual'
}

/** One handler for each method; its ID is the method's code. */
export function buildPaymentHandlers(methods: readonly CheckoutMethod[], release: Release): object {
  const handlers = methods
    .filter(isManual)
    .map((method) => ({
      id: method.code,
      version: release,
      available_instruments: [{ type: method.code }],
      config: { name: formatMethodName(method) },
    }))
  return handlers.length > 0 ? { [handlerName]: handlers } : {}
}
