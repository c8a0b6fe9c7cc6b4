// What a shipping rate costs for one parcel. Pure arithmetic, the same for orders and checkouts.
import type { Entity } from '../../kit/declare/field.ts'
import { Decimal, round } from '../../kit/values/money.ts'
import type { shippingRate } from '../../tenancy/stores/shippingrate.ts'

export type RatePrice = Pick<Entity<typeof shippingRate.fields>, 'free_by_code'> & {
  price: Decimal.Value
  free_from: Decimal.Value | null
}

/** `goods`: what is bought, after the discount. `isWaived`: by a code for free shipping. */
export type Parcel = { goods: Decimal; isWaived: boolean; currency: string }

export function isFree({ free_from, free_by_code }: RatePrice, { goods, isWaived }: Parcel): boolean {
  return (isWaived && free_by_code) || (free_from !== null && goods.greaterThanOrEqualTo(free_from))
}

export function costOf(rate: RatePrice, parcel: Parcel): Decimal {
  return isFree(rate, parcel) ? new Decimal(0) : round(rate.price, parcel.currency)
}
