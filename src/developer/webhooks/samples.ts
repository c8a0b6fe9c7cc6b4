// A payload of each event with invented content: for test deliveries, the reference and the guides.
import type { EventType } from '../../tenancy/events/emit.ts'
import type { Payload } from '../../tenancy/events/payload.ts'
import { publicId, type Prefix } from '../../kit/values/ids.ts'
import type { DraftStatus } from '../../commerce/draftorders/draftorder.ts'
import type { ReturnStatus } from '../../commerce/returns/states.ts'
import { payloads } from './bodies.ts'

const sampleId = (prefix: Prefix) => publicId(prefix, '01912d68-783e-7a03-8467-5661c1243ad4')

const address = {
  name: 'Ana Torres',
  phone: '+525512345678',
  address: 'Av. Reforma 222',
  city: 'Ciudad de México',
  province: 'CDMX',
  country: 'MX',
  postal_code: '06600',
  notes: null,
  address_2: null,
  company: null,
  province_code: 'MX-CMX',
}
const items = [
  {
    product_id: sampleId('prod'),
    product_name: 'Canvas backpack',
    variant_name: 'Red / M',
    quantity: 1,
    unit_price: 1500.5,
    total_price: 1500.5,
  },
]
const contact = { name: 'Ana Torres', email: 'ana@example.com', phone: '+525512345678' }
const customer = { id: sampleId('cus'), ...contact }
const product = {
  id: sampleId('prod'),
  name: 'Canvas backpack',
  slug: 'canvas-backpack',
  price: 1500.5,
  product_status: 'active' as const,
  archived_at: null,
  main_image: 'https://example.com/backpack.jpg',
}
const at = new Date('2026-01-15T12:00:00.000Z')
const amounts = { total: 1599.5, subtotal: 1500.5, shipping: 99, discount: 0 }
const checkout = {
  id: sampleId('chk'),
  ...amounts,
  currency: 'MXN',
  recovery_url: 'https://example.com/s/shop/recover/token',
  created_at: at,
  shipping_address: address,
  items,
}
const order = { id: sampleId('ord'), order_number: 1001 }
const endOfOrder = { ...order, payment_status: 'paid' as const, total: 1599.5, currency: 'MXN' }

const comment = {
  id: sampleId('cmt'),
  body: '@Ana, can you check the address?',
  author_kind: 'user' as const,
  author_id: sampleId('usr'),
  mentions: [sampleId('usr')],
  created_at: at,
  edited_at: null,
}

const { product_id, product_name, variant_name, quantity } = items[0]!
const fulfillment = {
  id: sampleId('ful'),
  status: 'shipped' as const,
  carrier: 'DHL',
  tracking_number: '00340434161094042557',
  tracking_url: 'https://www.dhl.com/global-en/home/tracking.html?tracking-id=00340434161094042557',
  shipped_at: at,
  delivered_at: null,
  items: [{ item_id: sampleId('item'), product_id, product_name, variant_name, quantity }],
}

const refundedTax = {
  type: 'item',
  item_id: sampleId('item'),
  bump_id: null,
  name: 'IVA',
  country_code: 'MX',
  rate: 16,
  reason: 'standard',
  base: 1293.53,
  amount: 206.97,
  included: true,
  tax_id: null,
} as const

const refunded = {
  order: { ...endOfOrder, captured_amount: 1599.5, refunded_amount: 1500.5 },
  refund: {
    id: sampleId('ref'),
    amount: 1500.5,
    shipping: 0,
    tax_amount: 206.97,
    shipping_tax_amount: 0,
    tax_lines: [refundedTax],
    reason: 'Came back broken',
    by_hand: false,
    items: [
      {
        item_id: sampleId('item'),
        product_id,
        product_name,
        variant_name,
        quantity,
        amount: 1500.5,
        tax_amount: 206.97,
      },
    ],
  },
}

const later = new Date('2026-01-22T12:00:00.000Z')
const draft = {
  id: sampleId('dord'),
  order_id: null,
  customer_id: customer.id,
  item_count: 1,
  currency: 'MXN',
  total: 1599.5,
  link_expires_at: null,
  completed_at: null,
  created_at: at,
}

function draftSample(state: { status: DraftStatus } & Partial<Record<keyof typeof draft, unknown>>): Sample {
  return {
    subjectId: draft.id,
    payload: payloads['draft_order.created'].write({ draft_order: { ...draft, ...state } as DraftPayload }),
  }
}

const group = { id: sampleId('cgrp'), name: 'VIP', has_rules: true, created_at: at, updated_at: at }
const changedGroup: Sample = {
  subjectId: group.id,
  payload: payloads['customer_group.created'].write({ customer_group: group }),
}

const redirect = {
  id: sampleId('rdr'),
  path: '/old-page',
  target: '/products/canvas-backpack',
  created_at: at,
  updated_at: at,
}
const changedRedirect: Sample = { subjectId: redirect.id, payload: payloads['redirect.created'].write({ redirect }) }

type DraftPayload = Parameters<(typeof payloads)['draft_order.created']['write']>[0]['draft_order']
const returned = (status: ReturnStatus, changes: object = {}) =>
  payloads['return.created'].write({
    order,
    return: {
      id: sampleId('ret'),
      number: 1,
      status,
      requested_by: 'customer',
      instructions: null,
      decline_reason: null,
      restocking_fee: 0,
      refund_id: null,
      exchange_order_id: null,
      ...changes,
      items: [
        {
          item_id: sampleId('item'),
          product_id,
          product_name,
          variant_name,
          quantity,
          reason: 'does_not_fit',
          received_quantity: ['received', 'closed'].includes(status) ? quantity : 0,
          damaged_quantity: 0,
        },
      ],
    },
  })
const returnedSample = (status: ReturnStatus, changes?: object) => ({
  subjectId: order.id,
  payload: returned(status, changes),
})

type Sample = { subjectId: string; payload: Payload<any> }

// prettier-ignore
export const samples: Record<EventType, Sample> = {
  'order.created': {
    subjectId: order.id,
    payload: payloads['order.created'].write({
      order: {
        ...order, status: 'pending', payment_status: 'pending', payment_method: 'card', ...amounts, coupon_code: null,
        free_shipping: false, currency: 'MXN', created_at: at, custom_fields: [], shipping_address: address, items,
      },
      customer,
    }),
  },
  'order.updated': {
    subjectId: order.id,
    payload: payloads['order.updated'].write({ order: { id: order.id, status: 'confirmed' } }),
  },
  'order.cancelled': {
    subjectId: order.id,
    payload: payloads['order.cancelled'].write({
      order: { ...endOfOrder, status: 'cancelled', cancelled_at: at, cancel_reason: 'customer' },
    }),
  },
  'order.completed': {
    subjectId: order.id,
    payload: payloads['order.completed'].write({
      order: { ...endOfOrder, status: 'completed', completed_at: at, cancel_reason: null },
    }),
  },
  'product.created': { subjectId: product.id, payload: payloads['product.created'].write({ product }) },
  'product.updated': { subjectId: product.id, payload: payloads['product.updated'].write({ product }) },
  'product.deleted': {
    subjectId: product.id,
    payload: payloads['product.deleted'].write({ product: { id: product.id } }),
  },
  'customer.created': { subjectId: customer.id, payload: payloads['customer.created'].write({ customer }) },
  'customer.updated': { subjectId: customer.id, payload: payloads['customer.updated'].write({ customer }) },
  'checkout.completed': {
    subjectId: checkout.id,
    payload: payloads['checkout.completed'].write({
      checkout: {
        ...checkout, status: 'completed', abandoned_at: null, completed_at: at, recovered: false,
        recovered_checkout_id: null,
      },
      order, customer,
    }),
  },
  'checkout.abandoned': {
    subjectId: checkout.id,
    payload: payloads['checkout.abandoned'].write({
      checkout: { ...checkout, status: 'abandoned', abandoned_at: at },
      customer: contact,
    }),
  },
  'order.fulfilled': {
    subjectId: order.id,
    payload: payloads['order.fulfilled'].write({ order: { ...order, fulfillment_status: 'fulfilled' }, fulfillment }),
  },
  'order.commented': { subjectId: order.id, payload: payloads['order.commented'].write({ order, comment }) },
  'order.refunded': { subjectId: order.id, payload: payloads['order.refunded'].write(refunded) },
  'draft_order.created': draftSample({ status: 'open' }),
  'draft_order.updated': draftSample({ status: 'open' }),
  'draft_order.sent': draftSample({ status: 'sent', link_expires_at: later }),
  'draft_order.completed': draftSample({ status: 'completed', order_id: order.id, completed_at: later }),
  'draft_order.deleted': {
    subjectId: draft.id,
    payload: payloads['draft_order.deleted'].write({ draft_order: { id: draft.id } }),
  },
  'return.created': returnedSample('requested'),
  'return.approved': returnedSample('approved', { instructions: 'Send it to Dock Street 4, with the slip' }),
  'return.declined': returnedSample('declined', { decline_reason: 'The return period is over' }),
  'return.received': returnedSample('received'),
  'return.refunded': returnedSample('closed', { refund_id: sampleId('ref') }),
  'return.exchanged': returnedSample('closed', { exchange_order_id: sampleId('ord') }),
  'return.closed': returnedSample('closed'),
  'return.cancelled': returnedSample('cancelled'),
  'return.reopened': returnedSample('requested'),
  'customer_group.created': changedGroup,
  'customer_group.updated': changedGroup,
  'customer_group.deleted': {
    subjectId: group.id,
    payload: payloads['customer_group.deleted'].write({ customer_group: { id: group.id } }),
  },
  'redirect.created': changedRedirect,
  'redirect.updated': changedRedirect,
  'redirect.deleted': {
    subjectId: redirect.id,
    payload: payloads['redirect.deleted'].write({ redirect: { id: redirect.id } }),
  },
}
