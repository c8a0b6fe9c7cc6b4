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

/** A code that was entered, and its discount; undefined if there is none. */
type EnteredCode = { code: string; discount: FoundDiscount | undefined }

/** The discounts that an order may have. */
export type OfferedDiscounts = { codes: readonly EnteredCode[]; automatic: readonly FoundDiscount[] }

/** Reasons why one of several codes does not apply. */
export type CodeRejection = DiscountRejection | 'saves_nothing'

/** What an entered code does. */
export type CodeResult = EnteredCode & {
  /** Null if it applies. */
  reason: CodeRejection | null
  /** The applied discounts that it cannot be combined with. */
  rivals: DiscountRow[]
}

/** `isWaived`: free shipping is among the discounts, even if this order's shipping costs the same without it. */
export type DiscountChoice = { applied: AppliedDiscount[]; codes: CodeResult[]; isWaived: boolean }

/** The shipping cost of goods that cost this much after discounts, with free shipping or without. */
export type ShippingCostOf = (goods: Decimal, isWaived: boolean) => Decimal

type CombinationContext = DiscountContext & {
  /** Missing until the shipping is known: free shipping then saves nothing yet, and applies. */
  shipping?: ShippingCostOf | undefined
}

/**
 * Chooses the maximal combination that saves most; among equals, the one with the most codes, then the one with the
 * fewest discounts, then the first by code. A code that takes nothing more off is not used up.
 */
export function bestCombination(
  { codes, automatic }: OfferedDiscounts,
  lines: readonly DiscountLine[],
  context: CombinationContext,
): DiscountChoice {
  const checks = codes.map(({ discount }) => getCodeRejection(discount, lines, context))
  const entered = codes.flatMap(({ discount }, index) => (discount && !checks[index] ? [discount] : []))
  const candidates = [
    ...entered,
    ...automatic.filter((one) => getDiscountRejection(one, lines, context) === null),
  ].sort(inOrder)
  const savings = createSavingsCalculator(lines, context)
  const countEntered = (set: readonly DiscountRow[]) => set.filter((one) => entered.includes(one)).length
  const [best = []] = largestSets(candidates)
    .map((set) => ({ set, saved: savings(set) }))
    .sort(
      (a, b) =>
        b.saved.comparedTo(a.saved) ||
        countEntered(b.set) - countEntered(a.set) ||
        a.set.length - b.set.length ||
        compare(joinDiscountCodes(a.set), joinDiscountCodes(b.set)),
    )
    .map(({ set }) => set)
  const all = applyAll(best, lines, context.currency)
  const isFreeing = freesShipping(all, lines, context)
  const applied = all.filter((one, index) => {
    if (one.free_shipping && !isFreeing) return false
    return !entered.includes(one.discount) || !isIdle(one, index, all)
  })
  const isApplied = (row: DiscountRow | undefined) => applied.some(({ discount }) => discount === row)
  return {
    applied,
    isWaived: all.some(({ free_shipping }) => free_shipping),
    codes: codes.map(({ code, discount }, index) => {
      const rejection = checks[index]!
      if (rejection || isApplied(discount)) return { code, discount, reason: rejection, rivals: [] }
      const rivals = applied.flatMap(({ discount: other }) => (combine(discount!, other) ? [] : [other]))
      return { code, discount, reason: rivals.length > 0 ? 'not_combined' : 'saves_nothing', rivals }
    }),
  }
}

function getCodeRejection(
  discount: FoundDiscount | undefined,
  lines: readonly DiscountLine[],
  context: DiscountContext,
): DiscountRejection | null {
  return getDiscountRejection(discount, lines, context) ?? (discount?.is_automatic ? 'automatic' : null)
}

/** False if the shipping costs the same without free shipping. */
function freesShipping(
  all: readonly AppliedDiscount[],
  lines: readonly DiscountLine[],
  { shipping }: CombinationContext,
): boolean {
  if (!shipping) return true
  const goods = sum(lines.map(({ total }) => total)).minus(sum(all.map(({ amount }) => amount)))
  return shipping(goods, false).greaterThan(shipping(goods, true))
}

/** True if others leave nothing that it could take off, or if shipping is free without it. */
function isIdle({ amount, free_shipping }: AppliedDiscount, index: number, all: readonly AppliedDiscount[]): boolean {
  if (free_shipping) return all.slice(0, index).some((one) => one.free_shipping)
  return amount.isZero() && all.length > 1
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

/**
 * All sets whose discounts combine and to which none can be added (Bron and Kerbosch, 1973). Each has one of the pivot
 * and those that it does not combine with, so only these are tried (Tomita, 2006). A discount that does not combine
 * with its own kind combines with none of that kind: 30 discounts have at most 10 × 10 × 10 sets.
 */
function largestSets<D extends DiscountRow>(candidates: readonly D[]): D[][] {
  const sets: D[][] = []
  const extend = (set: D[], open: readonly D[], seen: readonly D[]) => {
    if (open.length === 0 && seen.length === 0) sets.push(set.sort(inOrder))
    if (open.length === 0) return
    const partnersOf = (one: D) => open.filter((other) => other !== one && combine(one, other))
    const pivotPartners = [...open, ...seen].map(partnersOf).reduce((a, b) => (b.length > a.length ? b : a))
    let left = open
    const done = [...seen]
    for (const one of open.filter((other) => !pivotPartners.includes(other))) {
      const fits = (other: D) => other !== one && combine(one, other)
      extend([...set, one], left.filter(fits), done.filter(fits))
      left = left.filter((other) => other !== one)
      done.push(one)
    }
  }
  if (candidates.length > 0) extend([], candidates, [])
  return sets
}

/**
 * Computes the amount that an ordered set saves, without the shares of lines: product discounts are computed once for
 * all sets that share them.
 */
function createSavingsCalculator(lines: readonly DiscountLine[], { currency, shipping }: CombinationContext) {
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
    const isWaived = set.some(({ type }) => type === 'free_shipping')
    return subtotal.minus(remaining).minus(shipping?.(remaining, isWaived) ?? 0)
  }
}

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
