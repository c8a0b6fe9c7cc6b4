// The cost of a shipping rate, for orders and checkouts alike. It has no side effects.
import type { Entity } from '../../kit/declare/field.ts'
import { Decimal, round, sum } from '../../kit/values/money.ts'
import type { shippingRate } from '../../tenancy/stores/shippingrate.ts'
import type { Load, LoadedLine } from './load.ts'

export type RateFields = Entity<typeof shippingRate.fields>

export type RatePrice = Pick<RateFields, 'free_by_code' | 'price_by' | 'tiers' | 'surcharges'> & {
  price: Decimal.Value
  free_from: Decimal.Value | null
}

/** `goods` is the price of the goods after the discount. `isWaived`: a discount code makes shipping free. */
export type Parcel = { load: Load; goods: Decimal; isWaived: boolean; currency: string }

export function isFree({ free_from, free_by_code }: RatePrice, { goods, isWaived }: Parcel): boolean {
  return (isWaived && free_by_code) || (free_from !== null && goods.greaterThanOrEqualTo(free_from))
}

export function computeShippingCost(rate: RatePrice, parcel: Parcel): Decimal {
  return isFree(rate, parcel) ? new Decimal(0) : computeRatePrice(rate, parcel)
}

/** The price of the rate where it is not free. */
function computeRatePrice(rate: RatePrice, { load, goods, currency }: Omit<Parcel, 'isWaived'>): Decimal {
  const price = new Decimal(findTierPrice(rate, load, goods))
  const surcharges = rate.surcharges.map(({ category_id, amount, per }) => {
    const pieces = countPieces(load.lines, category_id)
    return new Decimal(amount).times(per === 'item' ? pieces : Math.min(pieces, 1))
  })
  return round(sum([rate.price_by === 'per_item' ? price.times(load.pieces) : price, ...surcharges]), currency)
}

/** The price of the last tier that is reached. */
function findTierPrice({ price_by, price, tiers }: RatePrice, load: Load, goods: Decimal): Decimal.Value {
  if (price_by === 'flat') return price
  const measure = price_by === 'weight' ? load.weight : price_by === 'amount' ? goods : load.pieces
  return tiers.findLast(({ from }) => new Decimal(measure).greaterThanOrEqualTo(from))?.price ?? price
}

/** Those of the category. A bundle counts as its parts in the category, or as one if only itself is in it. */
function countPieces(lines: readonly LoadedLine[], categoryId: string): number {
  return lines
    .flatMap((line) => {
      const parts = line.parts.filter(({ categories }) => categories.includes(categoryId))
      return parts.length > 0 ? parts : line.categories.includes(categoryId) ? [line] : []
    })
    .reduce((count, { quantity }) => count + quantity, 0)
}
