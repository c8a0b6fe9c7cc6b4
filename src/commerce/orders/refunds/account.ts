// The amounts and items of an order that can still be refunded.
import type { Db } from '../../../kit/database/database.ts'
import { raw, sql } from '../../../kit/database/sql.ts'
import { notFound } from '../../../kit/values/errors.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { Decimal, toNumber, withDecimals } from '../../../kit/values/money.ts'
import type { TaxLine } from '../../tax/taxline.ts'
import { fulfillable } from '../item.ts'
import type { PaymentStatus } from '../states.ts'
import { costOfPieces, computeOrderCosts, type OrderCosts, type SoldOrder, type SoldItem } from './costs.ts'

type AccountItem = SoldItem & {
  product_id: string | null
  variant_id: string | null
  refunded_quantity: number
  /** The quantity left to fulfill, and the quantity that the buyer has. */
  unsent: number
  sent: number
}

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
      select id, product_id, variant_id, quantity, total_price, adjustments, settled, refunded_quantity,
        ${fulfillable} as unsent, fulfilled_quantity - returned_quantity as sent
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

/** The price of `count` more units of an item. */
export function computeRefundUnitsPrice(
  { items, costs, currency }: RefundAccount,
  index: number,
  count: number,
): Decimal {
  const { quantity, refunded_quantity: from, settled } = items[index]!
  return costOfPieces(costs.items[index]!, { quantity, from, count, currency, settled: settled ?? undefined })
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
    items: account.items.map(({ id, quantity, refunded_quantity }, index) => {
      const count = quantity - refunded_quantity
      return {
        item_id: publicId('item', id),
        quantity: count,
        amount: toNumber(computeRefundUnitsPrice(account, index, count)),
      }
    }),
  }
}
