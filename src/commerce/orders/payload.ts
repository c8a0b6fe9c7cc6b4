// Orders in the bodies of events.
import { complete, list } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { time } from '../../kit/declare/scalars.ts'
import { declareEvents, type Payload } from '../../tenancy/events/event.ts'
import { customerFields } from '../customers/payload.ts'
import { addressFields, derivedFields, type ShippingAddress } from './address.ts'
import { item, maxItems } from './item.ts'
import { order, type Order } from './order.ts'
import {
  sampleAddress,
  sampleAmounts,
  sampleContact,
  sampleId,
  sampleLine,
  sampleOrder,
  samplePaidOrder,
  sampleTime,
} from '../samples.ts'

const { fields } = order

export const lineFields = pick(item.fields, [
  'product_id',
  'product_name',
  'variant_name',
  'quantity',
  'unit_price',
  'total_price',
])

/** The shipping address of an order or a checkout. */
export const addressField = () => complete({ ...addressFields, ...derivedFields }).nullable()

const marks = { scope: 'read:orders', subjectId: sampleOrder.id }

// prettier-ignore
export const createdBody = declareEvents({ ...marks, namesStore: true, fields: {
  order: complete({
    ...pick(fields, ['id', 'order_number', 'status', 'payment_status', 'payment_method', 'total', 'subtotal']),
    shipping:         fields.shipping_cost,
    discount:         fields.discount_amount,
    coupon_code:      fields.discount_code,
    ...pick(fields, ['free_shipping', 'currency', 'created_at', 'custom_fields']),
    shipping_address: addressField(),
    items:            list(complete(lineFields), { max: maxItems }),
    order_bumps:      fields.order_bumps.describe('Order bumps that are not products; omitted if there are none'),
  }, { optional: ['order_bumps'] }),
  customer: complete({ ...customerFields, id: fields.customer_id }),
} }, {
  'order.created': {
    when: 'An order is placed or imported.',
    sample: {
      order: {
        ...sampleOrder, status: 'pending', payment_status: 'pending', payment_method: 'card', ...sampleAmounts,
        coupon_code: null, free_shipping: false, currency: 'MXN', created_at: sampleTime, custom_fields: [],
        shipping_address: sampleAddress, items: [sampleLine],
      },
      customer: { id: sampleId('cus'), ...sampleContact },
    },
  },
})

export function createdPayload(record: Order): Payload<'order.created'> {
  const { customer_id, customer_name, customer_email, customer_phone, order_bumps, ...rest } = record
  return createdBody.write({
    order: {
      ...rest,
      shipping: record.shipping_cost,
      discount: record.discount_amount,
      coupon_code: record.discount_code,
      shipping_address: record.shipping_address as ShippingAddress | null,
      ...(order_bumps ? { order_bumps } : {}),
    },
    customer: { id: customer_id, name: customer_name, email: customer_email, phone: customer_phone },
  })
}

const changedFields = {
  order: complete(pick(fields, ['id', 'status', 'payment_status']), { optional: ['status', 'payment_status'] }),
}

export const updatedBody = declareEvents(
  { ...marks, fields: changedFields },
  {
    'order.updated': {
      when: 'The status, payment or data of an order changes; the body contains only the changed fields.',
      sample: { order: { id: sampleOrder.id, status: 'confirmed' } },
    },
  },
)

/** `change` has the new status or payment status. Without either, receivers read the order again. */
export function updatedPayload(
  id: string,
  change: Partial<Pick<Order, 'status' | 'payment_status'>> = {},
): Payload<'order.updated'> {
  return updatedBody.write({ order: { id, ...change } })
}

const closedFields = pick(fields, [
  'id',
  'order_number',
  'status',
  'payment_status',
  'total',
  'currency',
  'cancel_reason',
])

export const completedBody = declareEvents(
  { ...marks, fields: { order: complete({ ...closedFields, completed_at: time() }) } },
  {
    'order.completed': {
      when: 'An order is completed.',
      sample: { order: { ...samplePaidOrder, status: 'completed', completed_at: sampleTime, cancel_reason: null } },
    },
  },
)
export const cancelledBody = declareEvents(
  { ...marks, fields: { order: complete({ ...closedFields, cancelled_at: time() }) } },
  {
    'order.cancelled': {
      when: 'An order is canceled or returned.',
      sample: {
        order: { ...samplePaidOrder, status: 'cancelled', cancelled_at: sampleTime, cancel_reason: 'customer' },
      },
    },
  },
)

type StatusEvent =
  | ['order.completed', string, Payload<'order.completed'>]
  | ['order.cancelled', string, Payload<'order.cancelled'>]
  | ['order.updated', string, Payload<'order.updated'>]

/** The event for a new status, as arguments of emit(). */
export function statusEvent(record: Order): StatusEvent {
  const { id, status } = record
  switch (status) {
    case 'completed':
      return ['order.completed', id, completedBody.write({ order: { ...record, completed_at: record.completed_at! } })]
    case 'cancelled':
    case 'returned':
      return ['order.cancelled', id, cancelledBody.write({ order: { ...record, cancelled_at: record.cancelled_at! } })]
    default:
      return ['order.updated', id, updatedPayload(id, { status })]
  }
}
