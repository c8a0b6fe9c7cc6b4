// The taxes in a refund. Whatever the parts, the refunds of a fully refunded order add up to each of its taxes. It has
// no side effects.
import { publicId } from '../../../kit/values/ids.ts'
import { Decimal, round, sum, toNumber } from '../../../kit/values/money.ts'
import { keyOfLine, type TaxLine } from '../../tax/taxline.ts'
import type { RefundAccount } from './account.ts'
import { unitsAfter, type RefundClaim } from './claim.ts'
import { costOfPieces, shareOfUnits, type OrderCosts, type RefundedUnits } from './costs.ts'

/** Another refund of the order that has not failed. Refunds from before tax lines were stored have none. */
export type EarlierRefund = { amount: Decimal.Value; tax_lines: TaxLine[] | null }

type TaxCharge = Omit<TaxLine, 'base' | 'amount'> & {
  base: Decimal
  amount: Decimal
  /** The part of units that were refunded before an edit. */
  settled?: { quantity: number; base: Decimal.Value; amount: Decimal.Value } | undefined
  /** Its shares among the parts of a bundle that bear it. */
  shares?: PartCharge[] | undefined
  piece?: number
}

/** A tax in a refund; `piece` is the index of its piece of an item. */
export type RefundedTax = { line: TaxLine; piece: number | null }

type PartCharge = { part: number; quantity: number; base: Decimal; amount: Decimal }

type RefundedSale = Pick<
  RefundAccount,
  | 'currency'
  | 'total'
  | 'tax_lines'
  | 'items'
  | 'costs'
  | 'refunded_amount'
  | 'refunding_amount'
  | 'refunded_shipping'
  | 'refunded_overpayment'
  | 'refunding_overpayment'
>

/** An overpayment contains no tax: an edit has lowered the taxes of the order with its total. */
export function taxesOfRefund(
  account: RefundedSale,
  { overpayment, ...whole }: RefundClaim,
  earlier: readonly EarlierRefund[],
): RefundedTax[] {
  const claim = { ...whole, overpayment, amount: whole.amount.minus(overpayment) }
  if (claim.amount.isZero()) return []
  const { refunded_overpayment, refunding_overpayment } = account
  const sale = {
    ...account,
    refunded_amount: account.refunded_amount.minus(refunded_overpayment),
    refunding_amount: account.refunding_amount.minus(refunding_overpayment),
  }
  return taxesOfParts(sale, claim, earlier)
}

function taxesOfParts(sale: RefundedSale, claim: RefundClaim, earlier: readonly EarlierRefund[]): RefundedTax[] {
  const charges = buildTaxCharges(sale)
  const parts = [...ofPieces(sale, claim, charges), ...ofShipping(sale, claim, charges)]
  const cost = sum([...claim.pieces.map(({ amount }) => amount), claim.shipping])
  const isLess = claim.amount.lessThan(cost)
  const scaledCharges = isLess ? parts.map((part) => scale(part, claim.amount, cost, sale.currency)) : parts
  const remaining = remainingTaxes(sale, charges, earlier, scaledCharges)
  const money = sale.total.minus(sale.refunded_amount).minus(sale.refunding_amount)
  const free = Decimal.max(0, claim.amount.minus(cost))
  const all = claim.amount.greaterThanOrEqualTo(money)
    ? withRemainder(scaledCharges, remaining, !free.isZero())
    : [
        ...scaledCharges,
        ...(free.isZero()
          ? []
          : remaining.map((charge) => scale(atLeastZero(charge), free, money.minus(cost), sale.currency))),
      ]
  return all
    .filter(({ base, amount }) => !base.isZero() || !amount.isZero())
    .map(({ settled: _, shares: __, piece = null, ...line }) => {
      return { line: { ...line, base: toNumber(line.base), amount: toNumber(line.amount) }, piece }
    })
}

/** The taxes of each part of the order. A tax known only for the whole order is shared in the same way as its costs. */
function buildTaxCharges({ tax_lines, items, costs }: RefundedSale): TaxCharge[] {
  const lineCharges = tax_lines
    .filter(({ type }) => type !== 'order')
    .map((line) => {
      const settlement = settledCharge(items, line)
      const sums = { base: new Decimal(line.base), amount: new Decimal(line.amount) }
      return { ...line, ...sums, settled: settlement, shares: shareOfLine(items, line, sums) }
    })
  const parts = [
    ...items.map((item, index) => ({ ...item, type: 'item' as const, cost: costs.items[index]! })),
    { type: 'order_bump' as const, id: null, settled: null, cost: costs.order_bumps },
    { type: 'shipping' as const, id: null, settled: null, cost: costs.shipping },
  ]
  const manual = parts.map(({ type, id, settled: units, cost }, index) => {
    const amount = costs.manual_taxes[index]!
    const settlement = units
      ? { quantity: units.quantity, base: new Decimal(units.amount).minus(units.manual_tax), amount: units.manual_tax }
      : undefined
    return {
      ...manualTax,
      type,
      item_id: id && publicId('item', id),
      base: cost.minus(amount),
      amount,
      settled: settlement,
      shares: type === 'item' ? sharesOfManual(items[index]!, costs.parts[index]!) : undefined,
    }
  })
  return [...lineCharges, ...manual.filter(({ amount }) => !amount.isZero())]
}

/** A tax of one part of a bundle. */
function shareOfLine(
  items: RefundedSale['items'],
  { item_id, part }: TaxLine,
  sums: Pick<PartCharge, 'base' | 'amount'>,
): PartCharge[] | undefined {
  const parts = part === undefined ? null : items.find(({ id }) => item_id === publicId('item', id))?.parts
  return parts ? [{ part: part!, quantity: parts[part!]!.quantity, ...sums }] : undefined
}

function sharesOfManual(
  { parts }: RefundedSale['items'][number],
  costs: OrderCosts['parts'][number],
): PartCharge[] | undefined {
  return costs?.map(({ cost, manual_tax: amount }, part) => {
    return { part, quantity: parts![part]!.quantity, base: cost.minus(amount), amount }
  })
}

function settledCharge(items: RefundedSale['items'], line: TaxLine): TaxCharge['settled'] {
  const units = items.find(({ id }) => line.item_id === publicId('item', id))?.settled
  if (!units) return undefined
  const { base = 0, amount = 0 } = units.tax_lines.find((one) => keyOfLine(one) === keyOfLine(line)) ?? {}
  return { quantity: units.quantity, base, amount }
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

function ofPieces(
  { items, currency }: RefundedSale,
  { pieces }: RefundClaim,
  charges: readonly TaxCharge[],
): TaxCharge[] {
  return pieces.flatMap((piece, index) => {
    const { item_id, part, from, amount } = piece
    const { quantity } = items.find(({ id }) => id === item_id)!
    const to = unitsAfter(piece)
    const own = charges.filter(
      (charge) =>
        charge.item_id === publicId('item', item_id) &&
        (part === null || charge.shares?.some((share) => share.part === part)),
    )
    const steps = own.map((charge) => ({ ...stepOfCharge(charge, { quantity, currency }, from, to), piece: index }))
    return haveOneBase(own) ? withNetBase(steps, amount) : steps
  })
}

/** What a charge of an item contributes to the units that are refunded between two states. */
function stepOfCharge(
  { settled, shares = [], ...charge }: TaxCharge,
  sale: { quantity: number; currency: string },
  from: RefundedUnits,
  to: RefundedUnits,
): TaxCharge {
  return mapCharge(charge, (whole, name) => {
    const ownSale = { ...sale, settled: settled && { quantity: settled.quantity, amount: settled[name] } }
    const parts = shares.map((share) => ({ quantity: share.quantity, amount: share[name] }))
    const upTo = (units: RefundedUnits) => {
      const own = { whole: units.whole, parts: shares.map(({ part }) => units.parts[part]!) }
      return shareOfUnits(whole, own, ownSale, parts)
    }
    return upTo(to).minus(upTo(from))
  })
}

function ofShipping(sale: RefundedSale, { shipping }: RefundClaim, charges: readonly TaxCharge[]): TaxCharge[] {
  if (shipping.isZero()) return []
  const { costs, refunded_shipping: from, currency } = sale
  const own = charges.filter(({ type }) => type === 'shipping')
  const part = { quantity: costs.shipping, from, count: shipping, currency }
  const steps = own.map((charge) => mapCharge(charge, (whole) => costOfPieces(whole, part)))
  return haveOneBase(own) ? withNetBase(steps, shipping) : steps
}

function haveOneBase(charges: readonly TaxCharge[]): boolean {
  return charges.every(({ base, part }) => base.equals(charges[0]!.base) && part === charges[0]!.part)
}

/** Net amount and taxes add up to the refunded amount. */
function withNetBase(charges: readonly TaxCharge[], gross: Decimal): TaxCharge[] {
  const net = gross.minus(sum(charges.map(({ amount }) => amount)))
  return charges.map((charge) => ({ ...charge, base: net }))
}

function mapCharge(charge: TaxCharge, convert: (sum: Decimal, name: 'base' | 'amount') => Decimal): TaxCharge {
  return { ...charge, base: convert(charge.base, 'base'), amount: convert(charge.amount, 'amount') }
}

/** The part of a tax for `amount` out of a price of `whole`. */
function scale(charge: TaxCharge, amount: Decimal, whole: Decimal, currency: string): TaxCharge {
  return mapCharge(charge, (sum) => (whole.isZero() ? sum : round(sum.times(amount).dividedBy(whole), currency)))
}

/** Each tax of the order, less what earlier refunds and these parts contain. */
function remainingTaxes(
  { total, currency, refunded_amount, refunding_amount }: RefundedSale,
  charges: readonly TaxCharge[],
  earlier: readonly EarlierRefund[],
  parts: readonly TaxCharge[],
): TaxCharge[] {
  const withTaxLines = earlier.filter(({ tax_lines }) => tax_lines !== null)
  // Refunds without items, such as those made at the provider, have the order's average tax.
  const withoutTaxLines = sum([refunded_amount, refunding_amount]).minus(sum(withTaxLines.map(({ amount }) => amount)))
  const refundedByTax = Map.groupBy(
    [...withTaxLines.flatMap(({ tax_lines }) => tax_lines!), ...parts],
    buildTaxChargeKey,
  )
  return [...Map.groupBy(charges, buildTaxChargeKey)].map(([key, alike]) => {
    const refundedLines = refundedByTax.get(key) ?? []
    const rest = (name: 'base' | 'amount') => {
      const whole = sum(alike.map((charge) => charge[name]))
      const unitemizedShare = round(whole.times(Decimal.max(0, withoutTaxLines)).dividedBy(total), currency)
      return whole.minus(unitemizedShare).minus(sum(refundedLines.map((line) => line[name])))
    }
    return { ...alike[0]!, type: 'order', item_id: null, bump_id: null, base: rest('base'), amount: rest('amount') }
  })
}

function buildTaxChargeKey({
  name,
  country_code,
  rate,
  reason,
  included,
  tax_id = null,
}: Omit<TaxCharge, 'base' | 'amount'>): string {
  return JSON.stringify([name, country_code, rate, reason, included, tax_id])
}

/** The last refund gets the remainder of each tax, from rounding or from amounts without items. */
function withRemainder(parts: readonly TaxCharge[], remaining: readonly TaxCharge[], isFree: boolean): TaxCharge[] {
  const remainingCharges = new Map(remaining.map((charge) => [buildTaxChargeKey(charge), charge]))
  const charges = parts.toReversed().map((part) => {
    const rest = remainingCharges.get(buildTaxChargeKey(part))
    if (!rest || (isFree && rest.amount.greaterThan(0)) || rest.amount.plus(part.amount).isNegative()) return part
    remainingCharges.delete(buildTaxChargeKey(part))
    return { ...part, base: part.base.plus(rest.base), amount: part.amount.plus(rest.amount) }
  })
  return [...charges.toReversed(), ...[...remainingCharges.values()].map(atLeastZero)]
}

function atLeastZero(charge: TaxCharge): TaxCharge {
  return mapCharge(charge, (sum) => Decimal.max(0, sum))
}
