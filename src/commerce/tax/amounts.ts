// Calculates the tax added to an order and the tax included in its prices, line by line. It has no side effects.
import { allocate, allocateOrEqually, Decimal, round, sum } from '../../kit/values/money.ts'
import { computeTaxShares } from './components.ts'
import { treatmentOf, type TaxComponent, type TaxedGoods, type TaxRate, type Treatment } from './treatment.ts'

type TaxedKind = 'item' | 'order_bump' | 'shipping'

/** An amount after the discount. `position` is its index among amounts of its kind. */
export type TaxableAmount = TaxedBefore &
  TaxedGoods & {
    kind: TaxedKind
    position: number
    /** The position of a part of a bundle among its parts. */
    part?: number
    amount: Decimal
  }

/** The part of a sold line that an edited order keeps. */
export type TaxedBefore = {
  /** Replaces the rate of its category. */
  soldRate?: TaxRate | undefined
  /** The rest of the line, whose taxes stay: an amount after the discount, and each of its taxes by component. */
  settled?: { amount: Decimal; taxes: readonly Decimal[] } | undefined
}

/** A part of a bundle, whose amount is shared by the prices of its parts. */
type TaxablePart = TaxedBefore & TaxedGoods & { price: Decimal }

export type TaxableLine = TaxedBefore & TaxedGoods & { total: Decimal; parts?: readonly TaxablePart[] | null }

/** `bought` lists the items, then order bumps that are not products. `shares` are their shares of the discount. */
export function taxableGoods(
  lines: readonly TaxableLine[],
  items: number,
  shares: readonly Decimal[],
  currency: string,
): TaxableAmount[] {
  return lines.flatMap(({ total, parts, ...line }, index): TaxableAmount[] => {
    const place: Pick<TaxableAmount, 'kind' | 'position'> =
      index < items ? { kind: 'item', position: index } : { kind: 'order_bump', position: index - items }
    const amount = total.minus(shares[index]!)
    return parts ? taxableParts(place, parts, amount, currency) : [{ ...place, ...taxedGoods(line), amount }]
  })
}

/** Each part of a bundle is taxed by its own category. */
function taxableParts(
  place: Pick<TaxableAmount, 'kind' | 'position'>,
  parts: readonly TaxablePart[],
  amount: Decimal,
  currency: string,
): TaxableAmount[] {
  const amounts = allocateOrEqually(
    amount,
    parts.map(({ price }) => price),
    currency,
  )
  return parts.map((own, part) => ({ ...place, part, ...taxedGoods(own), amount: amounts[part]! }))
}

function taxedGoods({ category_id, requires_shipping, soldRate, settled }: TaxedBefore & TaxedGoods) {
  return { category_id, requires_shipping, soldRate, settled }
}

/** One tax on one line. `base` is the amount that it is charged on, `tax` its amount. */
type TaxedLine = TaxableAmount & TaxComponent & { base: Decimal; tax: Decimal; included: boolean }

export type Taxes = {
  /** Null if nothing is taxed. */
  treatment: Treatment | null
  lines: TaxedLine[]
  /** Tax added to the prices. */
  added: Decimal
  /** Tax included in the prices. */
  included: Decimal
}

const zero = new Decimal(0)
const noTaxes: Taxes = { treatment: null, lines: [], added: zero, included: zero }

export function computeTaxes(
  goods: readonly TaxableAmount[],
  shipping: Decimal,
  treatment: Treatment | null,
  currency: string,
): Taxes {
  if (!treatment) return noTaxes
  const parts = [...goods, ...shippingParts(goods, shipping, treatment, currency)].flatMap((line) =>
    splitByComponent(line, treatmentOf(line, treatment)),
  )
  const isByLine = treatment.rounding === 'line'
  const taxes = isByLine ? parts.flatMap((part) => taxesOfSame([part], currency)) : sharedTaxes(parts, currency)
  const lines = withBases(parts, taxes)
  const sumOf = (isIncluded: boolean) => sum(lines.filter((line) => line.included === isIncluded).map(({ tax }) => tax))
  return { treatment, lines, added: sumOf(false), included: sumOf(true) }
}

/**
 * Shipping at the standard rate of the destination, or at the rates of the goods that are shipped, shared by what they
 * cost after the discount. That is as included tax as it would be by net prices: both sides contain the tax.
 */
function shippingParts(
  goods: readonly TaxableAmount[],
  shipping: Decimal,
  { shipping: way, rateOf }: Treatment,
  currency: string,
): TaxableAmount[] {
  if (way === 'none' || shipping.isZero()) return []
  const part = (amount: Decimal, soldRate: TaxRate): TaxableAmount => {
    return { kind: 'shipping', position: 0, category_id: null, amount, soldRate }
  }
  const rates = listShipped(goods).map((line) => ({ line, rate: line.soldRate ?? rateOf(line.category_id) }))
  const groups = [...Map.groupBy(rates, ({ rate }) => rate.components.map(keyOfTax).join()).values()]
  const values = groups.map((same) => sum(same.map(({ line }) => line.amount.plus(line.settled?.amount ?? zero))))
  if (way === 'standard' || sum(values).isZero()) return [part(shipping, rateOf(null))]
  return allocate(shipping, values, currency)
    .map((amount, index) => part(amount, groups[index]![0]!.rate))
    .filter(({ amount }) => !amount.isZero())
}

/** The goods that the shipping is for. */
export function listShipped(goods: readonly TaxableAmount[]): readonly TaxableAmount[] {
  const shipped = goods.filter(({ requires_shipping }) => requires_shipping !== false)
  return shipped.length > 0 ? shipped : goods
}

/** `share` of `of` is the component's part of the line's amount. `settled` is the tax of the line's settled part. */
type TaxPart = {
  line: TaxableAmount
  component: TaxComponent
  included: boolean
  share: Decimal
  of: Decimal
  settled: Decimal
}

function splitByComponent(line: TaxableAmount, { included, rateOf }: Treatment): TaxPart[] {
  const { components } = line.soldRate ?? rateOf(line.category_id)
  const shares = computeTaxShares(components)
  const of = included ? sum([1, ...shares]) : new Decimal(1)
  return components.map((component, index) => {
    return { line, component, included, share: shares[index]!, of, settled: line.settled?.taxes[index] ?? zero }
  })
}

/** Each component is rounded separately. */
function computeComponentTax({ share, of }: TaxPart, amount: Decimal, currency: string): Decimal {
  return round(amount.times(share).dividedBy(of), currency)
}

/** Each tax is rounded once for all lines that bear it, and then allocated to them. */
function sharedTaxes(parts: readonly TaxPart[], currency: string): Decimal[] {
  const taxes = new Map<TaxPart, Decimal>()
  const buildTaxPartKey = ({ component, share, of }: TaxPart) => `${keyOfTax(component)} ${share} ${of}`
  for (const sameTax of Map.groupBy(parts, buildTaxPartKey).values()) {
    const taxByLine = taxesOfSame(sameTax, currency)
    sameTax.forEach((part, index) => taxes.set(part, taxByLine[index]!))
  }
  return parts.map((part) => taxes.get(part)!)
}

/** Shares the tax beyond the settled taxes among the parts that are not settled. */
function taxesOfSame(parts: readonly TaxPart[], currency: string): Decimal[] {
  const amounts = parts.map(({ line }) => line.amount)
  const settledAmounts = parts.map(({ line }) => line.settled?.amount ?? zero)
  const whole = computeComponentTax(parts[0]!, sum([...amounts, ...settledAmounts]), currency)
  const rest = Decimal.max(0, whole.minus(sum(parts.map((part) => part.settled))))
  return allocate(sum(amounts).isZero() ? zero : rest, amounts, currency)
}

/** Equal for lines with the same tax. */
export function keyOfTax({ name, rate, reason, tax_id }: Omit<TaxComponent, 'compound'>): string {
  return JSON.stringify([name, rate, reason, tax_id])
}

/** The base of a compound tax includes the taxes before it. */
function withBases(parts: readonly TaxPart[], taxes: readonly Decimal[]): TaxedLine[] {
  const lines = parts.map((part, index) => ({ ...part, tax: taxes[index]! }))
  return [...Map.groupBy(lines, ({ line }) => line).values()].flatMap((ofLine) => {
    const { line, included } = ofLine[0]!
    const net = included ? line.amount.minus(sum(ofLine.map(({ tax }) => tax))) : line.amount
    return ofLine.map(({ component, tax }, index) => {
      const before = component.compound ? ofLine.slice(0, index).map((earlier) => earlier.tax) : []
      return { ...line, ...component, base: sum([net, ...before]), tax, included }
    })
  })
}
