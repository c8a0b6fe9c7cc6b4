// The amounts and items of an order that can still be refunded.
import type { Db } from '../../../kit/database/database.ts'
import { raw, sql } from '../../../kit/database/sql.ts'
import { notFound } from '../../../kit/values/errors.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { Decimal, sum, toNumber, withDecimals } from '../../../kit/values/money.ts'
import type { TaxLine } from '../../tax/taxline.ts'
import type { ItemPart } from '../item.ts'
import type { PaymentStatus } from '../states.ts'
import { fromRefundedParts, unshipped } from '../unsent.ts'
import {
  computeOrderCosts,
  shareOfUnits,
  type OrderCosts,
  type RefundedUnits,
  type SoldItem,
  type SoldOrder,
} from './costs.ts'

type AccountItem = Omit<SoldItem, 'parts'> & {
  parts: readonly Pick<ItemPart, 'quantity' | 'price'>[] | null
  product_id: string | null
  variant_id: string | null
  refunded_quantity: number
  /** Units that are neither shipped nor refunded as a whole, and those that the buyer has. */
  unsent: number
  sent: number
  /** Units of single parts that were refunded, and those of them that had been shipped. */
  refunded_parts: RefundedPart[] | null
}

type RefundedPart = { part: number; quantity: number; returned: number }

type OrderSums = Omit<SoldOrder, 'tax_lines'> & {
  tax_lines: TaxLine[]
  id: string
  order_number: number
  payment_status: PaymentStatus
  payment_method: string | null
  total: Decimal
  customer_id: string | null
  captured_amount: Decimal
  refunded_amount: Decimal
  refunding_amount: Decimal
  refunded_shipping: Decimal
  refunded_overpayment: Decimal
  refunding_overpayment: Decimal
}

export type RefundAccount = OrderSums & {
  items: AccountItem[]
  costs: OrderCosts
  left: Decimal
  /** The part of `left` that was paid beyond the total, which an edit has lowered. */
  overpaid: Decimal
  shippingLeft: Decimal
}

const amounts = [
  'total',
  'captured_amount',
  'refunded_amount',
  'refunding_amount',
  'refunded_shipping',
  'refunded_overpayment',
  'refunding_overpayment',
] as const

/**
 * With `locked`, the order stays locked until the end of the transaction; all changes of its amounts and items wait.
 */
export async function readAccount(
  db: Db,
  storeId: string,
  orderId: string,
  { locked = false } = {},
): Promise<RefundAccount> {
  const [sums, items] = await Promise.all([
    db.one<OrderSums>(sql`
      select id, order_number, payment_status, payment_method, currency, total, customer_id, discount_amount,
        shipping_cost, tax_amount, tax_lines, order_bumps, captured_amount, refunded_amount, refunding_amount,
        refunded_shipping, refunded_overpayment, refunding_overpayment
      from orders
      where store_id = ${storeId}
        and id = ${orderId}
      ${raw(locked ? 'for update' : '')}`),
    db.rows<AccountItem>(sql`
      select id, product_id, variant_id, quantity, total_price, adjustments, settled, refunded_quantity, parts,
        ${unshipped} as unsent, fulfilled_quantity - returned_quantity as sent,
        case when parts is not null then (${partsRefunded}) end as refunded_parts
      from order_items
      where store_id = ${storeId}
        and order_id = ${orderId}
      order by id`),
  ])
  if (!sums) throw notFound('Order')
  const order = withDecimals(sums, amounts)
  const costs = computeOrderCosts(order, items)
  const remaining = computeRefundableAmount(order)
  const shippingLeft = costs.shipping.minus(order.refunded_shipping)
  return { ...order, items, costs, left: remaining, overpaid: computeOverpayment(order), shippingLeft }
}

type PaidSums = Pick<
  OrderSums,
  | 'total'
  | 'captured_amount'
  | 'refunded_amount'
  | 'refunding_amount'
  | 'refunded_overpayment'
  | 'refunding_overpayment'
>

function computeRefundableAmount({ captured_amount, refunded_amount, refunding_amount }: PaidSums): Decimal {
  return captured_amount.minus(refunded_amount).minus(refunding_amount)
}

/** The amount captured beyond the total that is neither refunded nor being refunded. */
export function computeOverpayment(sums: PaidSums): Decimal {
  const { total, captured_amount, refunded_overpayment, refunding_overpayment } = sums
  const beyond = captured_amount.minus(total).minus(refunded_overpayment).minus(refunding_overpayment)
  return Decimal.max(0, Decimal.min(beyond, computeRefundableAmount(sums)))
}

const partsRefunded = sql`
          select json_agg(json_build_object('part', part, 'quantity', quantity, 'returned', returned))
          from (
            select refund_items.part, sum(refund_items.quantity)::int as quantity,
              sum(refund_items.returned)::int as returned
            ${fromRefundedParts}
            group by refund_items.part) as of_part`

/** What of an item is refunded or being refunded. */
export function countRefunded({ refunded_quantity: whole, parts, refunded_parts }: AccountItem): RefundedUnits {
  const units = (parts ?? []).map((_, part) => refunded_parts?.find((one) => one.part === part)?.quantity ?? 0)
  return { whole, parts: units }
}

/** Whole units that can still be refunded: none of which a part was. */
export function countWholeLeft({ quantity, parts }: AccountItem, { whole, parts: units }: RefundedUnits): number {
  const broken = (parts ?? []).map((part, index) => Math.ceil(units[index]! / part.quantity))
  return quantity - whole - Math.max(0, ...broken)
}

/** Units of a part that can still be refunded. */
export function countPartLeft({ quantity, parts }: AccountItem, units: RefundedUnits, part: number): number {
  return (quantity - units.whole) * parts![part]!.quantity - units.parts[part]!
}

/** Whole units that are still to be sent. What was refunded of a bundle is missing in the last ones. */
export function countWholeUnsent({ unsent, sent, parts, refunded_parts }: AccountItem): number {
  const broken = (refunded_parts ?? []).map(({ part, quantity, returned }) => {
    const inOne = parts![part]!.quantity
    return Math.ceil((quantity - Math.min(returned, sent * inOne)) / inOne)
  })
  return Math.max(0, unsent - Math.max(0, ...broken))
}

/** Whole units that are refunded with a part: those that come back, and those that are not sent. */
export type WholeUnits = { back: number; unsent: number }

const noWhole: WholeUnits = { back: 0, unsent: 0 }

/** Units of a part that the buyer has, without those of `whole`. */
export function countPartSent({ items }: RefundAccount, index: number, part: number, { back } = noWhole): number {
  const { sent, parts, refunded_parts } = items[index]!
  const returned = refunded_parts?.find((one) => one.part === part)?.returned ?? 0
  return Math.max(0, (sent - back) * parts![part]!.quantity - returned)
}

/** Units of a part that are still to be sent, without those of `whole`, as in unsentUnits. */
export function countPartUnsent({ items }: RefundAccount, index: number, part: number, whole = noWhole): number {
  const { sent, unsent, parts, refunded_parts } = items[index]!
  const inOne = parts![part]!.quantity
  const { quantity = 0, returned = 0 } = refunded_parts?.find((one) => one.part === part) ?? {}
  const refunded = quantity - Math.min(returned, (sent - whole.back) * inOne)
  return Math.max(0, (unsent - whole.unsent) * inOne - refunded)
}

/** The price of the units of an item that are refunded by going from one state to the next. */
export function priceOfStep(account: RefundAccount, index: number, from: RefundedUnits, to: RefundedUnits): Decimal {
  const costs = account.costs.parts[index]?.map(({ cost }) => cost)
  return shareOfStep(account, index, { amount: account.costs.items[index]!, ofParts: costs ?? [] }, from, to)
}

/** The same after discounts, before added tax; of a bundle that was not edited. */
export function goodsOfStep(
  account: RefundAccount,
  index: number,
  from: RefundedUnits,
  to: RefundedUnits,
): Decimal | null {
  const goods = account.costs.parts[index]?.map((part) => part.goods)
  if (!goods || account.items[index]!.settled) return null
  return shareOfStep(account, index, { amount: sum(goods), ofParts: goods }, from, to)
}

function shareOfStep(
  account: RefundAccount,
  index: number,
  { amount, ofParts }: { amount: Decimal; ofParts: readonly Decimal[] },
  from: RefundedUnits,
  to: RefundedUnits,
): Decimal {
  const { quantity, settled, parts } = account.items[index]!
  const sale = { quantity, currency: account.currency, settled: settled ?? undefined }
  const shares = ofParts.map((own, part) => ({ amount: own, quantity: parts![part]!.quantity }))
  const upTo = (units: RefundedUnits) => shareOfUnits(amount, units, sale, shares)
  return upTo(to).minus(upTo(from))
}

/** The price of `count` more units of an item. */
export function computeRefundUnitsPrice(account: RefundAccount, index: number, count: number): Decimal {
  const from = countRefunded(account.items[index]!)
  return priceOfStep(account, index, from, { ...from, whole: from.whole + count })
}

/** The state after `count` more units of a part. */
export function withPart(units: RefundedUnits, part: number, count: number): RefundedUnits {
  return { ...units, parts: units.parts.map((before, index) => (index === part ? before + count : before)) }
}

/** The response of the API. */
export function toRefundableResponse(account: RefundAccount): object {
  const { left, overpaid, shippingLeft, costs, captured_amount, refunded_amount, refunding_amount } = account
  return {
    amount: toNumber(left),
    overpayment: toNumber(overpaid),
    captured_amount: toNumber(captured_amount),
    refunded_amount: toNumber(refunded_amount),
    pending_amount: toNumber(refunding_amount),
    shipping: toNumber(shippingLeft),
    order_bumps: toNumber(costs.order_bumps),
    items: account.items.map((item, index) => {
      const count = countWholeLeft(item, countRefunded(item))
      return {
        item_id: publicId('item', item.id),
        quantity: count,
        amount: toNumber(computeRefundUnitsPrice(account, index, count)),
        parts: item.parts ? listPartsLeft(account, index) : null,
      }
    }),
  }
}

/** What is left of each part, if nothing else is refunded. */
export function listPartsLeft(account: RefundAccount, index: number) {
  const item = account.items[index]!
  const from = countRefunded(item)
  // Units that were refunded before an edit have a price of their own, so their rest is refunded whole.
  if (!item.parts || item.settled) return []
  return item.parts.map((_, part) => {
    const quantity = countPartLeft(item, from, part)
    return { part, quantity, amount: toNumber(priceOfStep(account, index, from, withPart(from, part, quantity))) }
  })
}
