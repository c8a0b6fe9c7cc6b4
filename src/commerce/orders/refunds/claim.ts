// The part of an order that a refund covers: quantities of items, and the maximum amount.
import { invalid } from '../../../kit/values/errors.ts'
import { fault, type Fault, generalFaults } from '../../../kit/values/faults.ts'
import { Decimal, sum, toNumber } from '../../../kit/values/money.ts'
import {
  countPartLeft,
  countPartSent,
  countPartUnsent,
  countRefunded,
  countWholeLeft,
  countWholeUnsent,
  goodsOfStep,
  priceOfStep,
  withPart,
  type RefundAccount,
  type WholeUnits,
} from './account.ts'
import type { RefundedUnits } from './costs.ts'
import type { NewRefund } from './refund.ts'
import { orderFaults } from '../errors.ts'

/**
 * Whole units of an item, or units of one part of a bundle. `from`: what of the item is refunded before. `goods`: of a
 * bundle, the price after discounts, before added tax.
 */
export type RefundPiece = {
  item_id: string
  part: number | null
  quantity: number
  returned: number
  amount: Decimal
  goods: Decimal | null
  from: RefundedUnits
}

/** What of its item is refunded with the piece. */
export function unitsAfter({ part, quantity, from }: Pick<RefundPiece, 'part' | 'quantity' | 'from'>): RefundedUnits {
  return part === null ? { ...from, whole: from.whole + quantity } : withPart(from, part, quantity)
}

/** `overpayment`: the part of the amount that was paid beyond the total, which an edit has lowered. */
export type RefundClaim = { pieces: RefundPiece[]; shipping: Decimal; amount: Decimal; overpayment: Decimal }

type RefundInput = Pick<NewRefund, 'items' | 'shipping' | 'amount'>

/**
 * Amounts default to the maximum: the price of items and shipping, as far as it is left. Reports all faults at once.
 */
export function buildRefundClaim(account: RefundAccount, input: RefundInput): RefundClaim {
  const isAll = input.items === undefined && input.shipping === undefined && input.amount === undefined
  const { pieces, faults } = isAll
    ? { pieces: allPieces(account), faults: [] }
    : requestedPieces(account, input.items ?? [])
  const { left, shippingLeft } = account
  const shipping = isAll ? shippingLeft : new Decimal(input.shipping ?? 0)
  if (shipping.greaterThan(shippingLeft))
    faults.push(fault('shipping', generalFaults.too_large, { limit: toNumber(shippingLeft) }))
  if (left.isZero()) throw invalid(...faults, fault('amount', orderFaults.nothing_paid))

  const cost = sum([...pieces.map(({ amount }) => amount), shipping])
  // An amount without items can be all that is left; with items, it is limited to their price.
  const isFree = isAll || (input.items === undefined && input.shipping === undefined)
  const ceiling = isFree ? left : Decimal.min(cost, left)
  const amount = new Decimal(input.amount ?? ceiling)
  if (faults.length === 0 && amount.greaterThan(ceiling)) {
    faults.push(fault('amount', generalFaults.too_large, { limit: toNumber(ceiling) }))
  }
  if (faults.length === 0 && amount.isZero()) faults.push(fault('amount', orderFaults.costs_nothing))
  if (faults.length > 0) throw invalid(...faults)
  const overpayment = Decimal.max(0, Decimal.min(account.overpaid, amount.minus(cost)))
  return { pieces, shipping: Decimal.min(shipping, amount), amount, overpayment }
}

/** Whole units first, then the rest of those of which parts were refunded. */
function allPieces(account: RefundAccount): RefundPiece[] {
  return account.items.flatMap((item, index) => {
    const whole = takeWhole(account, index, countWholeLeft(item, countRefunded(item)))
    let units = unitsAfter(whole)
    const ofParts = (item.parts ?? []).map((_, part) => {
      const count = { part, quantity: countPartLeft(item, units, part), whole: wholeUnits(whole) }
      const piece = takePart(account, index, units, count)
      units = unitsAfter(piece)
      return piece
    })
    return [whole, ...ofParts].filter(({ quantity }) => quantity > 0)
  })
}

function takeWhole(account: RefundAccount, index: number, quantity: number, returned?: number): RefundPiece {
  const item = account.items[index]!
  const back = returned ?? Math.max(0, quantity - countWholeUnsent(item))
  return take(account, index, { part: null, quantity, returned: back, from: countRefunded(item) })
}

const wholeUnits = ({ quantity, returned }: Pick<RefundPiece, 'quantity' | 'returned'>): WholeUnits => ({
  back: returned,
  unsent: quantity - returned,
})

type PartOfItem = { part: number; quantity: number; returned?: number | undefined; whole: WholeUnits | undefined }

function takePart(
  account: RefundAccount,
  index: number,
  from: RefundedUnits,
  { part, quantity, returned, whole }: PartOfItem,
): RefundPiece {
  const back = returned ?? Math.max(0, quantity - countPartUnsent(account, index, part, whole))
  return take(account, index, { part, quantity, returned: back, from })
}

type UnitsTaken = Pick<RefundPiece, 'part' | 'quantity' | 'returned' | 'from'>

function take(account: RefundAccount, index: number, units: UnitsTaken): RefundPiece {
  const to = unitsAfter(units)
  const amount = priceOfStep(account, index, units.from, to)
  const goods = goodsOfStep(account, index, units.from, to)
  return { ...units, item_id: account.items[index]!.id, amount, goods }
}

type RefundInputItem = NonNullable<NewRefund['items']>[number]
/** The entries of one item, or of one part of it, as one; `at` is the index of the first. */
type Wanted = { at: number; item_id: string; part: number | null; quantity: number; returned: number | undefined }

function mergeInputs(inputs: readonly RefundInputItem[]): Wanted[] {
  const alike = Map.groupBy(inputs.entries(), ([, { item_id, part = null }]) => `${item_id} ${part}`)
  const wanted = [...alike.values()].map((entries) => {
    const [at, { item_id, part = null }] = entries[0]!
    const quantity = entries.reduce((total, [, entry]) => total + entry.quantity, 0)
    const hasReturned = entries.some(([, { returned }]) => returned !== undefined)
    const returned = entries.reduce((total, [, entry]) => total + (entry.returned ?? 0), 0)
    return { at, item_id, part, quantity, returned: hasReturned ? returned : undefined }
  })
  // Whole units come first: what is left of the parts follows from them.
  return wanted.toSorted((a, b) => Number(a.part !== null) - Number(b.part !== null))
}

export function requestedPieces(
  account: RefundAccount,
  inputs: readonly RefundInputItem[],
): { pieces: RefundPiece[]; faults: Fault[] } {
  const faults: Fault[] = []
  const states = new Map<number, { units: RefundedUnits; whole: WholeUnits | undefined }>()
  const pieces = mergeInputs(inputs).flatMap((wanted) => {
    const at = (name: string) => `items.${wanted.at}.${name}`
    const index = account.items.findIndex(({ id }) => id === wanted.item_id)
    if (index === -1) return (faults.push(fault(at('item_id'), generalFaults.does_not_exist)), [])
    const item = account.items[index]!
    const { units: from, whole } = states.get(index) ?? { units: countRefunded(item), whole: undefined }
    const { part, quantity, returned } = wanted
    if (part !== null && !item.parts?.[part]) return (faults.push(fault(at('part'), generalFaults.does_not_exist)), [])
    if (part !== null && item.settled) return (faults.push(fault(at('part'), orderFaults.part_after_edit)), [])
    const count = part === null ? countWholeLeft(item, from) : countPartLeft(item, from, part)
    if (quantity > count) return (faults.push(fault(at('quantity'), orderFaults.only_left, { count })), [])
    const piece =
      part === null
        ? takeWhole(account, index, quantity, returned)
        : takePart(account, index, from, { part, quantity, returned, whole })
    states.set(index, { units: unitsAfter(piece), whole: part === null ? wholeUnits(piece) : whole })
    const [unsent, sent] =
      part === null
        ? [countWholeUnsent(item), item.sent]
        : [countPartUnsent(account, index, part, whole), countPartSent(account, index, part, whole)]
    const [min, max] = [Math.max(0, quantity - unsent), Math.min(quantity, sent)]
    if (piece.returned < min) faults.push(fault(at('returned'), generalFaults.too_small, { limit: min }))
    if (piece.returned > max) faults.push(fault(at('returned'), generalFaults.too_large, { limit: max }))
    return piece
  })
  return { pieces, faults }
}
