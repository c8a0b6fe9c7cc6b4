// The part of an order that a refund covers: quantities of items, and the maximum amount.
import { invalid } from '../../../kit/values/errors.ts'
import { fault, type Fault, generalFaults } from '../../../kit/values/faults.ts'
import { Decimal, sum, toNumber } from '../../../kit/values/money.ts'
import { computeRefundUnitsPrice, type RefundAccount } from './account.ts'
import type { NewRefund } from './refund.ts'
import { orderFaults } from '../errors.ts'

type RefundPiece = { item_id: string; quantity: number; returned: number; amount: Decimal }

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

function allPieces(account: RefundAccount): RefundPiece[] {
  return account.items.flatMap(({ quantity, refunded_quantity }, index) => {
    const count = quantity - refunded_quantity
    return count > 0 ? buildRefundPiece(account, index, count) : []
  })
}

function buildRefundPiece(
  account: RefundAccount,
  index: number,
  quantity: number,
  returnedQuantity?: number,
): RefundPiece {
  const { id, unsent } = account.items[index]!
  const amount = computeRefundUnitsPrice(account, index, quantity)
  return { item_id: id, quantity, returned: returnedQuantity ?? Math.max(0, quantity - unsent), amount }
}

type RefundInputItem = NonNullable<NewRefund['items']>[number]

/** Merges several entries of one item. */
function requestedPieces(
  account: RefundAccount,
  inputs: readonly RefundInputItem[],
): { pieces: RefundPiece[]; faults: Fault[] } {
  const faults: Fault[] = []
  const byItem = Map.groupBy(inputs.entries(), ([, { item_id }]) => item_id)
  const pieces = [...byItem].flatMap(([itemId, entries]) => {
    const at = (name: string) => `items.${entries[0]![0]}.${name}`
    const index = account.items.findIndex(({ id }) => id === itemId)
    if (index === -1) return (faults.push(fault(at('item_id'), generalFaults.does_not_exist)), [])
    const item = account.items[index]!
    const count = entries.reduce((total, [, { quantity }]) => total + quantity, 0)
    const hasReturned = entries.some(([, { returned }]) => returned !== undefined)
    const returnedQuantity = hasReturned
      ? entries.reduce((total, [, entry]) => total + (entry.returned ?? 0), 0)
      : undefined
    const remaining = item.quantity - item.refunded_quantity
    if (count > remaining) return (faults.push(fault(at('quantity'), orderFaults.only_left, { count: remaining })), [])
    const piece = buildRefundPiece(account, index, count, returnedQuantity)
    const [min, max] = [Math.max(0, count - item.unsent), Math.min(count, item.sent)]
    if (piece.returned < min) faults.push(fault(at('returned'), generalFaults.too_small, { limit: min }))
    if (piece.returned > max) faults.push(fault(at('returned'), generalFaults.too_large, { limit: max }))
    return piece
  })
  return { pieces, faults }
}
