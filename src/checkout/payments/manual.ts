import type { PaymentOutcome } from './provider.ts'

/** Cash on delivery, bank transfer and the like: the merchant says later that it was paid. */
export function payByHand(): PaymentOutcome {
  return { status: 'pending', reference: null }
}
