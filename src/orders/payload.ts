// What events say of an order.
import type { EventType } from '../events/emit.ts'
import type { Order } from './order.ts'
import type { Status } from './states.ts'

/** The order as order.created carries it. */
export function createdPayload(order: Order): object {
  const { id, order_number, status, payment_status, payment_method, total, subtotal, free_shipping } = order
  const { currency, created_at, custom_fields, shipping_address, order_bumps } = order
  return {
    order: {
      id,
      order_number,
      status,
      payment_status,
      payment_method,
      total,
      subtotal,
      shipping: order.shipping_cost,
      discount: order.discount_amount,
      coupon_code: order.discount_code,
      free_shipping,
      currency,
      created_at,
      custom_fields,
      shipping_address,
      items: order.items.map(({ product_id, product_name, variant_name, quantity, unit_price, total_price }) => ({
        product_id,
        product_name,
        variant_name,
        quantity,
        unit_price,
        total_price,
      })),
      ...(order_bumps ? { order_bumps } : {}),
    },
    customer: {
      id: order.customer_id,
      name: order.customer_name,
      email: order.customer_email,
      phone: order.customer_phone,
    },
  }
}

/** The event of a new status: its type, its subject, and what it carries. */
export function statusEvent(order: Order): [EventType, string, object] {
  const { id, status } = order
  const event = statusEvents[status]
  return event ? [event, id, { order: endedOrder(order) }] : ['order.updated', id, { order: { id, status } }]
}

const statusEvents: Partial<Record<Status, EventType>> = {
  completed: 'order.completed',
  cancelled: 'order.cancelled',
  returned: 'order.cancelled',
}

function endedOrder({ id, order_number, status, payment_status, total, currency, ...order }: Order): object {
  const { completed_at, cancelled_at, cancel_reason } = order
  const ended = status === 'completed' ? { completed_at } : { cancelled_at }
  return { id, order_number, status, payment_status, total, currency, ...ended, cancel_reason }
}
