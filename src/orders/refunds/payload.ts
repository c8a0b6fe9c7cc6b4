// What order.refunded says.
import { pick } from '../../kit/declare/row.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { PaymentStatus } from '../states.ts'

export type RefundedOrder = {
  order_number: number
  payment_status: PaymentStatus
  currency: string
  total: string
  captured_amount: string
  refunded_amount: string
}

export type RefundedItem = {
  item_id: string
  product_id: string | null
  product_name: string
  variant_name: string | null
  quantity: number
  amount: string
}

type RefundFacts = {
  id: string
  order_id: string
  amount: string
  shipping: string
  reason: string | null
  by_hand: boolean
}

export function refundedPayload(refund: RefundFacts, order: RefundedOrder, items: readonly RefundedItem[]): object {
  const { id, order_id, amount, shipping, reason, by_hand } = refund
  return {
    order: {
      id: publicId('ord', order_id),
      ...pick(order, ['order_number', 'payment_status', 'currency']),
      total: Number(order.total),
      captured_amount: Number(order.captured_amount),
      refunded_amount: Number(order.refunded_amount),
    },
    refund: {
      id: publicId('ref', id),
      amount: Number(amount),
      shipping: Number(shipping),
      reason,
      by_hand,
      items: items.map((item) => ({
        ...pick(item, ['product_name', 'variant_name', 'quantity']),
        item_id: publicId('item', item.item_id),
        product_id: item.product_id && publicId('prod', item.product_id),
        amount: Number(item.amount),
      })),
    },
  }
}
