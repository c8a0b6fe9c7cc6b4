// Checks whether the shop can take orders, and what the merchant still has to set up.
import type { Db } from '../../../kit/database/database.ts'
import { list } from '../../../kit/declare/composites.ts'
import { resource, type Json } from '../../../kit/declare/resource.ts'
import { json } from '../../../kit/declare/route.ts'
import { choice, flag } from '../../../kit/declare/scalars.ts'
import type { CheckoutMethod } from '../../../commerce/payments/method.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { findOffer, type Offer } from './offer.ts'
import { methodsWith } from './shipping.ts'

const missingSetups = ['shipping_rates', 'payment_methods', 'payment_methods_of_rates'] as const
export type MissingSetup = (typeof missingSetups)[number]

// prettier-ignore
export const readinessSchema = resource('stores', {
  is_ready: flag().describe('Whether the store can take orders and real payments'),
  missing:  list(choice(missingSetups), { max: missingSetups.length })
    .describe('What is missing: active shipping rates, active payment methods, or methods for all rates'),
}, {}, { noun: 'Store', title: 'Readiness' }).entity

export async function findReadiness(
  db: Db,
  store: Store,
): Promise<Json<{ is_ready: boolean; missing: MissingSetup[] }>> {
  const offer = await findOffer(db, store)
  return json({ is_ready: isReady(offer), missing: findMissingSetup(offer) })
}

/** True with a shipping rate and a payment method of the merchant's, also a test method. */
export function takesOrders(offer: Offer): boolean {
  return offer.has_own_rates && offer.has_own_methods && ratesPaid(offer).length > 0
}

/** A test method takes no money and does not make a store ready. */
export function isReady(offer: Offer): boolean {
  return takesOrders(offer) && offer.payment_methods.some(isReal)
}

function isReal({ provider }: CheckoutMethod): boolean {
  return provider !== 'test'
}

export function findMissingSetup(offer: Offer): MissingSetup[] {
  const hasRates = offer.has_own_rates && offer.shipping_rates.length > 0
  const hasMethods = offer.has_own_methods && offer.payment_methods.some(isReal)
  const isMissing: Record<MissingSetup, boolean> = {
    shipping_rates: !hasRates,
    payment_methods: !hasMethods,
    payment_methods_of_rates: hasRates && hasMethods && ratesPaid(offer).length < offer.shipping_rates.length,
  }
  return missingSetups.filter((lack) => isMissing[lack])
}

function ratesPaid(offer: Offer): Offer['shipping_rates'] {
  return offer.shipping_rates.filter((rate) => methodsWith(offer, rate).length > 0)
}
