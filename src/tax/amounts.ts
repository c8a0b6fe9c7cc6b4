// What tax is added to an order and what its prices contain, line by line. Pure arithmetic.
import { allocate, Decimal, round, sum } from '../kit/values/money.ts'
import type { Rate, Treatment } from './treatment.ts'

type TaxedKind = 'item' | 'order_bump' | 'shipping'

/** Something that is bought, after the discount. `position`: among those of its kind. */
export type Taxed = { kind: TaxedKind; position: number; category_id: string | null; amount: Decimal }

type Bought = { category_id: string | null; total: Decimal }

/** `bought`: so many items, then bumps that are no products. `shares`: what of the discount falls on each. */
export function taxedGoods(bought: readonly Bought[], items: number, shares: readonly Decimal[]): Taxed[] {
  return bought.map(({ category_id, total }, index) => ({
    ...(index < items ? { kind: 'item', position: index } : { kind: 'order_bump', position: index - items }),
    category_id,
    amount: total.minus(shares[index]!),
  }))
}

type TaxedLine = Taxed & Rate & { tax: Decimal; included: boolean }

export type Taxes = {
  /** Null: nothing is taxed. */
  treatment: Treatment | null
  lines: TaxedLine[]
  /** What comes on top of the prices. */
  added: Decimal
  /** What the prices contain. */
  included: Decimal
}

const zero = new Decimal(0)
const noTaxes: Taxes = { treatment: null, lines: [], added: zero, included: zero }

/** Shipping bears the usual rate of the place, where it is taxed. */
export function taxesOf(
  goods: readonly Taxed[],
  shipping: Decimal,
  treatment: Treatment | null,
  currency: string,
): Taxes {
  if (!treatment) return noTaxes
  const { included, rounding } = treatment
  const parcel: Taxed = { kind: 'shipping', position: 0, category_id: null, amount: shipping }
  const taxed = treatment.shipping && !shipping.isZero() ? [...goods, parcel] : goods
  const rated = taxed.map((line) => ({ ...line, ...treatment.rateOf(line.category_id) }))
  const taxOf = ({ rate }: Rate, amount: Decimal) =>
    round(amount.times(rate).dividedBy(included ? new Decimal(rate).plus(100) : 100), currency)
  const taxes =
    rounding === 'line' ? rated.map((line) => taxOf(line, line.amount)) : sharedTaxes(rated, taxOf, currency)
  const lines = rated.map((line, index) => ({ ...line, tax: taxes[index]!, included }))
  const whole = sum(taxes)
  return { treatment, lines, added: included ? zero : whole, included: included ? whole : zero }
}

/** The tax of each rate is rounded once, and shared by the lines that bear it. */
function sharedTaxes(
  rated: readonly (Taxed & Rate)[],
  taxOf: (rate: Rate, amount: Decimal) => Decimal,
  currency: string,
): Decimal[] {
  const shares = new Map<Taxed, Decimal>()
  for (const alike of Map.groupBy(rated, ({ rate, reason }) => `${rate} ${reason}`).values()) {
    const amounts = alike.map(({ amount }) => amount)
    const parts = allocate(taxOf(alike[0]!, sum(amounts)), amounts, currency)
    alike.forEach((line, index) => shares.set(line, parts[index]!))
  }
  return rated.map((line) => shares.get(line)!)
}
