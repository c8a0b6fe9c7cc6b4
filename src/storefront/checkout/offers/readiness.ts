// Checks whether the shop can take orders, and what the merchant still has to set up.
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { list } from '../../../kit/declare/composites.ts'
import { resource, type Json } from '../../../kit/declare/resource.ts'
import { json } from '../../../kit/declare/route.ts'
import { choice, flag } from '../../../kit/declare/scalars.ts'
import { shipsNothing } from '../../../commerce/catalog/shipped.ts'
import { areAnyShipped, type MaybeShipped } from '../../../commerce/orders/load.ts'
import { isUndelivered } from '../../../commerce/orders/rate.ts'
import type { CheckoutMethod } from '../../../commerce/payments/method.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { findOffer, type Offer, type OfferedRate } from './offer.ts'
import { listAllRates, methodsWith } from './shipping.ts'

const missingSetups = ['shipping_rates', 'payment_methods', 'payment_methods_of_rates'] as const
export type MissingSetup = (typeof missingSetups)[number]

// prettier-ignore
export const readinessSchema = resource('stores', {
  is_ready: flag().describe('Whether the store can take orders and real payments'),
  missing:  list(choice(missingSetups), { max: missingSetups.length })
    .describe('What is missing: active shipping rates, unless no product for sale is shipped, active payment methods, '
      + 'or methods for all rates'),
}, {}, { noun: 'Store', title: 'Readiness' }).entity

export async function findReadiness(db: Db, store: Store): Promise<Json<Readiness>> {
  const { is_ready, missing } = await readReadiness(db, store)
  return json({ is_ready, missing })
}

type Readiness = { is_ready: boolean; missing: MissingSetup[] }

export async function readReadiness(db: Db, store: Store): Promise<Readiness & { has_rates: boolean }> {
  const [offer, goods] = await Promise.all([findOffer(db, store), findGoods(db, store)])
  // A test method takes no money and does not make a store ready.
  const is_ready = takesOrders(offer, goods) && offer.payment_methods.some(isReal)
  return { is_ready, missing: listMissing(offer, goods), has_rates: hasRates(offer) }
}

export const notShipped: readonly MaybeShipped[] = [{ requires_shipping: false }]

/** What the store sells. Products are read only where the store has no shipping rate. */
async function findGoods(db: Db, { id }: Store): Promise<readonly MaybeShipped[]> {
  const row = await db.one<{ is_unshipped: boolean }>(sql`
    select not exists (select from shipping_rates where store_id = ${id} and is_active)
      and ${shipsNothing(id)} as is_unshipped`)
  return row!.is_unshipped ? notShipped : []
}

/** True if the store takes orders of what it sells. */
export async function isOpenForOrders(db: Db, store: Store, offer: Offer): Promise<boolean> {
  return takesOrders(offer, hasRates(offer) ? [] : await findGoods(db, store))
}

/**
 * True if the merchant has set up what a cart of these items needs: a payment method, also a test method, and a
 * shipping rate if an item is shipped. Other items always have a rate. Goods that are not known yet count as shipped.
 */
export function takesOrders(offer: Offer, items: readonly MaybeShipped[]): boolean {
  const rates = offer.has_own_rates ? offer.shipping_rates : []
  const others = areAnyShipped(items) ? [] : listAllRates(offer).filter(isUndelivered)
  return offer.has_own_methods && [...rates, ...others].some((rate) => isPaid(offer, rate))
}

function listMissing(offer: Offer, goods: readonly MaybeShipped[]): MissingSetup[] {
  const hasMethods = offer.has_own_methods && offer.payment_methods.some(isReal)
  const isMissing: Record<MissingSetup, boolean> = {
    shipping_rates: !hasRates(offer) && areAnyShipped(goods),
    payment_methods: !hasMethods,
    payment_methods_of_rates:
      hasRates(offer) && hasMethods && !offer.shipping_rates.every((rate) => isPaid(offer, rate)),
  }
  return missingSetups.filter((lack) => isMissing[lack])
}

function hasRates({ has_own_rates, shipping_rates }: Offer): boolean {
  return has_own_rates && shipping_rates.length > 0
}

function isPaid(offer: Offer, rate: OfferedRate): boolean {
  return methodsWith(offer, rate).length > 0
}

function isReal({ provider }: CheckoutMethod): boolean {
  return provider !== 'test'
}
