// Which taxes of an order go back with one of its refunds. Whatever the parts, the refunds of an order that is wholly
// refunded add up to each of its taxes. Pure arithmetic.
import { publicId } from '../../../kit/values/ids.ts'
import { Decimal, round, sum, toNumber } from '../../../kit/values/money.ts'
import type { TaxLine } from '../../tax/taxline.ts'
import type { Account } from './account.ts'
import type { Claim } from './claim.ts'
import { costOfPieces, type Pieces } from './costs.ts'

/** Another refund of the order that has not failed; one that is older than its tax lines has none. */
export type EarlierRefund = { amount: Decimal.Value; tax_lines: TaxLine[] | null }

type Charge = Omit<TaxLine, 'base' | 'amount'> & { base: Decimal; amount: Decimal }

type Sold = Pick<
  Account,
  'currency' | 'total' | 'tax_lines' | 'items' | 'costs' | 'refunded_amount' | 'refunding_amount' | 'refunded_shipping'
>

export function taxesOfRefund(sold: Sold, claim: Claim, earlier: readonly EarlierRefund[]): TaxLine[] {
  const charges = chargesOf(sold)
  const parts = [...ofPieces(sold, claim, charges), ...ofShipping(sold, claim, charges)]
  const cost = sum([...claim.pieces.map(({ amount }) => amount), claim.shipping])
  const isLess = claim.amount.lessThan(cost)
  const scaled = isLess ? parts.map((part) => scale(part, claim.amount, cost, sold.currency)) : parts
  const left = leftOf(sold, charges, earlier, scaled)
  const money = new Decimal(sold.total).minus(sold.refunded_amount).minus(sold.refunding_amount)
  const free = Decimal.max(0, claim.amount.minus(cost))
  const all = claim.amount.greaterThanOrEqualTo(money)
    ? withRest(scaled, left, !free.isZero())
    : [...scaled, ...(free.isZero() ? [] : left.map((charge) => scale(charge, free, money.minus(cost), sold.currency)))]
  return all
    .filter(({ base, amount }) => !base.isZero() || !amount.isZero())
    .map((line) => ({ ...line, base: toNumber(line.base), amount: toNumber(line.amount) }))
}

/** Of each part of the order. A tax that is known as a whole only is shared as the costs share it. */
function chargesOf({ tax_lines, items, costs }: Sold): Charge[] {
  const known = tax_lines
    .filter(({ type }) => type !== 'order')
    .map((line) => ({ ...line, base: new Decimal(line.base), amount: new Decimal(line.amount) }))
  const parts = [
    ...items.map(({ id }, index) => ({ type: 'item' as const, id, cost: costs.items[index]! })),
    { type: 'order_bump' as const, id: null, cost: costs.order_bumps },
    { type: 'shipping' as const, id: null, cost: costs.shipping },
  ]
  const manual = parts.map(({ type, id, cost }, index) => {
    const amount = costs.manual_taxes[index]!
    return { ...manualTax, type, item_id: id && publicId('item', id), base: cost.minus(amount), amount }
  })
  return [...known, ...manual.filter(({ amount }) => !amount.isZero())]
}

const manualTax = {
  bump_id: null,
  name: null,
  country_code: null,
  rate: null,
  reason: 'manual',
  included: false,
  tax_id: null,
} as const

function ofPieces({ items, currency }: Sold, { pieces }: Claim, charges: readonly Charge[]): Charge[] {
  return pieces.flatMap(({ item_id, quantity: count, amount }) => {
    const { quantity, refunded_quantity: from } = items.find(({ id }) => id === item_id)!
    const own = charges.filter((charge) => charge.item_id === publicId('item', item_id))
    return partOf(own, { quantity, from, count, currency }, new Decimal(amount))
  })
}

function ofShipping(sold: Sold, { shipping }: Claim, charges: readonly Charge[]): Charge[] {
  if (shipping.isZero()) return []
  const { costs, refunded_shipping: from, currency } = sold
  const own = charges.filter(({ type }) => type === 'shipping')
  return partOf(own, { quantity: costs.shipping, from, count: shipping, currency }, shipping)
}

/** Net and taxes come to the amount that goes back, unless the taxes are charged on different bases. */
function partOf(charges: readonly Charge[], part: Pieces, gross: Decimal): Charge[] {
  const own = charges.map((charge) => changed(charge, (whole) => costOfPieces(whole, part)))
  const net = gross.minus(sum(own.map(({ amount }) => amount)))
  const isOne = charges.every(({ base }) => base.equals(charges[0]!.base))
  return isOne ? own.map((charge) => ({ ...charge, base: net })) : own
}

function changed(charge: Charge, change: (sum: Decimal) => Decimal): Charge {
  return { ...charge, base: change(charge.base), amount: change(charge.amount) }
}

/** `amount` of what has cost `whole`. */
function scale(charge: Charge, amount: Decimal, whole: Decimal, currency: string): Charge {
  return changed(charge, (sum) => (whole.isZero() ? sum : round(sum.times(amount).dividedBy(whole), currency)))
}

/** Each tax of the order as a whole, less what went back of it and goes back with these parts. */
function leftOf(
  { total, currency, refunded_amount, refunding_amount }: Sold,
  charges: readonly Charge[],
  earlier: readonly EarlierRefund[],
  parts: readonly Charge[],
): Charge[] {
  const told = earlier.filter(({ tax_lines }) => tax_lines !== null)
  // Of money that went back in silence, e.g. at the provider, the tax is that of the order on average.
  const silent = sum([refunded_amount, refunding_amount]).minus(sum(told.map(({ amount }) => amount)))
  const back = Map.groupBy([...told.flatMap(({ tax_lines }) => tax_lines!), ...parts], keyOf)
  return [...Map.groupBy(charges, keyOf)].map(([key, alike]) => {
    const gone = back.get(key) ?? []
    const rest = (name: 'base' | 'amount') => {
      const whole = sum(alike.map((charge) => charge[name]))
      const unseen = round(whole.times(Decimal.max(0, silent)).dividedBy(total), currency)
      return whole.minus(unseen).minus(sum(gone.map((line) => line[name])))
    }
    return { ...alike[0]!, type: 'order', item_id: null, bump_id: null, base: rest('base'), amount: rest('amount') }
  })
}

function keyOf({ name, country_code, rate, reason, included, tax_id = null }: Omit<Charge, 'base' | 'amount'>): string {
  return JSON.stringify([name, country_code, rate, reason, included, tax_id])
}

/** The refund that gives the last money back takes what is left of each tax: in rounding, or because it is free. */
function withRest(parts: readonly Charge[], left: readonly Charge[], isFree: boolean): Charge[] {
  const open = new Map(left.map((charge) => [keyOf(charge), charge]))
  const completed = parts.toReversed().map((part) => {
    const rest = open.get(keyOf(part))
    if (!rest || (isFree && rest.amount.greaterThan(0)) || rest.amount.plus(part.amount).isNegative()) return part
    open.delete(keyOf(part))
    return { ...part, base: part.base.plus(rest.base), amount: part.amount.plus(rest.amount) }
  })
  const others = [...open.values()].map((charge) => changed(charge, (sum) => Decimal.max(0, sum)))
  return [...completed.toReversed(), ...others]
}
