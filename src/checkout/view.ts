// A checkout as its shopper sees it.
import { list, object } from '../kit/declare/composites.ts'
import { choice, id, integer, money, text, time, uuid } from '../kit/declare/scalars.ts'
import { publicId } from '../kit/values/ids.ts'
import { resource, type Json } from '../kit/declare/resource.ts'
import { json } from '../kit/declare/route.ts'
import { paymentMethod } from '../stores/paymentmethod.ts'
import {
  given,
  type Address,
  type CheckoutRow,
  type ChosenBump,
  type Customer,
  type Item,
  type Status,
} from './checkout.ts'
import type { Change } from './changes.ts'

export type OrderSummary = {
  id: string
  order_number: number
  status: string
  payment_status: string
  total: number
  currency: string
}

export type Checkout = {
  token: string
  id: string
  status: Status
  customer: Customer
  shipping_address: Required<Address>
  items: Item[]
  order_bumps: ChosenBump[]
  discount_code: string | null
  shipping_method: string | null
  payment_method: string | null
  customer_notes: string | null
  subtotal: number
  discount: number
  shipping: number
  tax: number
  total: number
  currency: string
  /** included_tax: what the prices contain already. */
  totals: { subtotal: number; discount: number; shipping: number; tax: number; included_tax: number; total: number }
  changes: Change[]
  order: OrderSummary | null
  created_at: Date
  updated_at: Date
}

export const emptyAddress: Required<Address> = {
  name: null,
  phone: null,
  address: null,
  city: null,
  province: null,
  country: null,
  country_code: null,
  postal_code: null,
  notes: null,
}

type Shown = { row: CheckoutRow; token: string; included_tax?: number; changes?: Change[]; order?: OrderSummary | null }

/** `row` holds what is to be shown: names and prices of today. */
export function viewOf({ row, token, included_tax = 0, changes = [], order = null }: Shown): Json<Checkout> {
  const sums = {
    subtotal: Number(row.subtotal),
    discount: Number(row.discount),
    shipping: Number(row.shipping),
    tax: Number(row.tax),
  }
  const total = Number(row.total)
  return json<Checkout>({
    token,
    id: publicId('chk', row.id),
    status: row.status,
    customer: { name: row.customer_name, email: row.customer_email, phone: row.customer_phone },
    shipping_address: { ...emptyAddress, ...row.shipping_address },
    items: row.items,
    order_bumps: row.order_bumps,
    discount_code: row.discount_code,
    shipping_method: row.shipping_method,
    payment_method: row.payment_method,
    customer_notes: row.customer_notes,
    ...sums,
    total,
    currency: row.currency,
    totals: { ...sums, included_tax, total },
    changes,
    order,
    created_at: row.created_at,
    updated_at: row.updated_at,
  })
}

const summary = object({
  id: id('ord').required(),
  order_number: integer().required(),
  status: text().required(),
  payment_status: text().required(),
  total: money().required(),
  currency: text().required(),
})

export const completedSchema = resource(
  'orders',
  {
    order: summary,
    payment: object({
      method: text().nullable().required(),
      instructions: paymentMethod.fields.instructions.required(),
    }),
  },
  {},
  { noun: 'Order', title: 'Completed checkout' },
).entity

// prettier-ignore
export const checkoutSchema = resource('checkouts', {
  token:            text().describe('Whoever has it can see and change the checkout'),
  id:               id('chk'),
  status:           choice(['active', 'abandoned', 'recovered', 'completed']),
  customer:         given.customer,
  shipping_address: given.shipping_address,
  items: list(object({
    product_id: id('prod').required(), variant_id: uuid().nullable().required(), product_name: text().required(),
    variant_name: text().nullable().required(), quantity: integer().required(), unit_price: money().required(),
    total_price: money().required(), bump_id: id('bump').nullable().required(),
  }), { max: 120 }),
  order_bumps: list(object({
    bump_id: id('bump').required(), title: text().required(), price: money().required(),
  }), { max: 20 }),
  discount_code:    given.discount_code,
  shipping_method:  given.shipping_method,
  payment_method:   given.payment_method,
  customer_notes:   given.customer_notes,
  subtotal:         money(),
  discount:         money(),
  shipping:         money(),
  tax:              money(),
  total:            money(),
  currency:         text(),
  totals: object({
    subtotal: money().required(), discount: money().required(), shipping: money().required(), tax: money().required(),
    included_tax: money().required(), total: money().required(),
  }),
  changes: list(object({
    field: text().required(), message: text().required(),
    from: money().nullable().required(), to: money().nullable().required(),
  }), { max: 500 }).describe('What has changed or cannot be had since it was last shown'),
  order:            summary.nullable(),
  created_at:       time(),
  updated_at:       time(),
}, {}, { noun: 'Checkout' }).entity
