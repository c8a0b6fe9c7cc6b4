// The cost of a shipping rate, for orders and checkouts alike. It has no side effects.
import type { Entity } from '../../kit/declare/field.ts'
import { Decimal, round } from '../../kit/values/money.ts'
import type { shippingRate } from '../../tenancy/stores/shippingrate.ts'

export type RatePrice = Pick<Entity<typeof shippingRate.fields>, 'free_by_code'> & {
  price: Decimal.Value
  free_from: Decimal.Value | null
}

/** `goods` is the price of the goods after the discount. `isWaived`: a discount code makes shipping free. */
export type Parcel = { goods: Decimal; isWaived: boolean; currency: string }

export function isFree({ free_from, free_by_code }: RatePrice, { goods, isWaived }: Parcel): boolean {
  return (isWaived && free_by_code) || (free_from !== null && goods.greaterThanOrEqualTo(free_from))
}

export function computeShippingCost(rate: RatePrice, parcel: Parcel): Decimal {
  return isFree(rate, parcel) ? new Decimal(0) : round(rate.price, parcel.currency)
}
