// Chooses the discounts that apply to an order together: the best combination for the shopper. It has no side effects.
import { allocate, Decimal, sum } from '../../kit/values/money.ts'
import { toDiscountKind, type DiscountRow } from './discount.ts'
import {
  computeDiscountAmount,
  getDiscountRejection,
  allocateDiscount,
  type DiscountContext,
  type DiscountLine,
  type DiscountRejection,
  type FoundDiscount,
} from './pricing.ts'

/** The discounts of an order. Their shares add up to its discount exactly. */
export type AppliedDiscount = {
  discount: DiscountRow
  amount: Decimal
  free_shipping: boolean
  /** Each line's share of `amount`, in the order of the lines. */
  allocation: Decimal[]
  /** A given amount replaces the discount's own. */
  by_hand?: true
}

/** The discounts that an order may have. */
export type OfferedDiscounts = {
  /** The discount with the given code; undefined if there is none. */
  code?: string | null
  typed?: FoundDiscount | undefined
  automatic: readonly FoundDiscount[]
}

export type DiscountChoice = {
  applied: AppliedDiscount[]
  /** The reason why the code does not apply; null if it does, or if no code was given. */
  reason: DiscountRejection | null
}

type CombinationContext = DiscountContext & {
  /** The shipping cost that free shipping would save. */
  shipping?: Decimal
}

/**
 * Chooses the maximal combination that saves most; among equals, the one with the code, then the one with the fewest
 * discounts, then the first by code.
 */
export function bestCombination(
  { code, typed, automatic }: OfferedDiscounts,
  lines: readonly DiscountLine[],
  context: CombinationContext,
): DiscountChoice {
  const own = code ? getDiscountRejection(typed, lines, context) : null
  const rejection = own ?? (typed?.is_automatic ? 'automatic' : null)
  const offeredDiscounts = [...(code && typed && !rejection ? [typed] : []), ...automatic]
  const candidates = offeredDiscounts.filter((one) => getDiscountRejection(one, lines, context) === null).sort(inOrder)
  const savings = createSavingsCalculator(lines, context)
  const isChosen = (set: readonly DiscountRow[]) => typed !== undefined && set.includes(typed)
  const [best = []] = largestSets(candidates)
    .map((set) => ({ set, saved: savings(set) }))
    .sort(
      (a, b) =>
        b.saved.comparedTo(a.saved) ||
        Number(isChosen(b.set)) - Number(isChosen(a.set)) ||
        a.set.length - b.set.length ||
        compare(joinDiscountCodes(a.set), joinDiscountCodes(b.set)),
    )
    .map(({ set }) => set)
  const isLeftOut = code && !rejection && !isChosen(best)
  return { applied: applyAll(best, lines, context.currency), reason: isLeftOut ? 'not_combined' : rejection }
}

const joinDiscountCodes = (set: readonly DiscountRow[]) => set.map(({ code }) => code).join(' ')
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const kinds = ['product', 'order', 'shipping']
const types = ['buy_x_get_y', 'percentage', 'fixed_amount', 'free_shipping']

/** The order in which discounts are taken off: each from what those before it have left. */
function inOrder(a: DiscountRow, b: DiscountRow): number {
  return (
    kinds.indexOf(toDiscountKind(a)) - kinds.indexOf(toDiscountKind(b)) ||
    types.indexOf(a.type) - types.indexOf(b.type) ||
    compare(a.code, b.code)
  )
}

/** Two discounts combine if each names the other's kind. */
function combine(a: DiscountRow, b: DiscountRow): boolean {
  return a.combines_with.includes(toDiscountKind(b)) && b.combines_with.includes(toDiscountKind(a))
}

/** All sets whose discounts combine and to which none can be added (Bron and Kerbosch, 1973). */
function largestSets<D extends DiscountRow>(candidates: readonly D[]): D[][] {
  const sets: D[][] = []
  const extend = (set: D[], open: readonly D[], seen: readonly D[]) => {
    if (open.length === 0 && seen.length === 0) sets.push(set)
    open.forEach((one, index) => {
      const fits = (other: D) => combine(one, other)
      extend([...set, one], open.slice(index + 1).filter(fits), [...seen, ...open.slice(0, index)].filter(fits))
    })
  }
  if (candidates.length > 0) extend([], candidates, [])
  return sets
}

/**
 * Computes the amount that an ordered set saves, without the shares of lines: product discounts are computed once for
 * all sets that share them.
 */
function createSavingsCalculator(lines: readonly DiscountLine[], { currency, shipping = zero }: CombinationContext) {
  const subtotal = sum(lines.map(({ total }) => total))
  const totals = new Map<string, Decimal>()
  return (set: readonly DiscountRow[]): Decimal => {
    const ofProducts = set.filter((one) => toDiscountKind(one) === 'product')
    const key = ofProducts.map(({ id }) => id).join()
    const first = totals.get(key) ?? sum(applyAll(ofProducts, lines, currency).map(({ amount }) => amount))
    totals.set(key, first)
    const ofOrder = set.filter((one) => toDiscountKind(one) === 'order')
    const remaining = ofOrder.reduce(
      (rest, one) => rest.minus(computeDiscountAmount(one, rest, currency)),
      subtotal.minus(first),
    )
    return subtotal.minus(remaining).plus(set.some(({ type }) => type === 'free_shipping') ? shipping : zero)
  }
}

const zero = new Decimal(0)

/** Takes the discounts off one after the other. */
export function applyAll(
  set: readonly DiscountRow[],
  lines: readonly DiscountLine[],
  currency: string,
): AppliedDiscount[] {
  let remaining = lines.map(({ total }) => total)
  return set.map((discount) => {
    const allocation = allocateDiscount(discount, lines, remaining, currency)
    remaining = remaining.map((rest, index) => rest.minus(allocation[index]!))
    return { discount, amount: sum(allocation), free_shipping: discount.type === 'free_shipping', allocation }
  })
}

/** A manual discount that replaces the code's amount. */
export function fixedDiscount(
  discount: DiscountRow,
  amount: Decimal,
  lines: readonly DiscountLine[],
  currency: string,
): AppliedDiscount {
  const allocation = allocate(
    amount,
    lines.map(({ total }) => total),
    currency,
  )
  return { discount, amount, free_shipping: discount.type === 'free_shipping', allocation, by_hand: true }
}
