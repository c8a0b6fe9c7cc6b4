// A checkout as its shopper sees it.
import type { Db } from '../../../kit/database/database.ts'
import { complete, list } from '../../../kit/declare/composites.ts'
import type { Entity } from '../../../kit/declare/field.ts'
import { resource, type Json } from '../../../kit/declare/resource.ts'
import { json } from '../../../kit/declare/route.ts'
import { blank, pick, select, toEntity, type Row } from '../../../kit/declare/row.ts'
import { choice, id, text, url } from '../../../kit/declare/scalars.ts'
import { inWords } from '../../../kit/values/errors.ts'
import { translateLines } from '../../../commerce/catalog/linenames.ts'
import {
  checkedDiscounts,
  toCheckedDiscountViews,
  type CheckedDiscount,
} from '../../../commerce/orders/checkeddiscounts.ts'
import { order } from '../../../commerce/orders/order.ts'
import { paymentMethod } from '../../../commerce/payments/method.ts'
import { chooseTranslation } from '../../../tenancy/stores/language.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import {
  address,
  checkout,
  computedMoney,
  contact,
  toCheckoutCustomer,
  inputFields,
  statuses,
  totalFields,
  type CheckoutRow,
} from '../checkout.ts'
import { taxSummary, type TaxSummary } from '../../../commerce/tax/summary.ts'
import { answers } from '../offers/answers.ts'
import type { CartChange } from './changes.ts'
import { findTermNames } from '../offers/offertexts.ts'
import { arrivalDay, type ShippingCost } from '../offers/shipping.ts'

const { fields } = checkout
const rowFields = {
  id: fields.id,
  ...inputFields,
  custom_fields: answers(),
  ...totalFields,
  ...pick(fields, ['currency', 'created_at', 'updated_at']),
}

const summaryFields = pick(order.fields, ['id', 'order_number', 'status', 'payment_status', 'total', 'currency'])
/** The order's fields that the shopper sees. */
export const orderRow = select(order, Object.keys(summaryFields) as (keyof typeof summaryFields)[])
export type OrderSummary = Entity<typeof summaryFields>

export function toOrderSummary(row: Row<typeof orderRow>): OrderSummary {
  return toEntity(summaryFields, row)
}

type TotalsView = {
  subtotal: number
  discount: number
  shipping: number
  tax: number
  included_tax: number
  total: number
}

export type Checkout = Entity<typeof rowFields> & {
  token: string
  status: CheckoutRow['status']
  customer: ReturnType<typeof toCheckoutCustomer>
  shipping_address: Required<NonNullable<CheckoutRow['shipping_address']>>
  totals: TotalsView
  taxes: TaxSummary[]
  discounts: CheckedDiscount[]
  shipping_costs: ShippingCost[]
  changes: CartChange[]
  order: OrderSummary | null
}

type CheckoutViewInput = {
  row: CheckoutRow
  token: string
  included_tax?: number
  taxes?: TaxSummary[]
  discounts?: CheckedDiscount[]
  shipping_costs?: ShippingCost[]
  changes?: CartChange[]
  order?: OrderSummary | null
}

/** `row` has current names and prices. */
export function buildCheckoutView(view: CheckoutViewInput): Checkout {
  const { row, token, included_tax = 0, taxes = [], discounts = [] } = view
  const { shipping_costs = [], changes = [], order = null } = view
  return {
    token,
    status: row.status,
    customer: toCheckoutCustomer(row),
    ...toEntity(rowFields, { ...row, custom_fields: row.custom_fields ?? {} }),
    shipping_address: { ...blank(address.spec.fields!), ...row.shipping_address },
    totals: { ...toEntity(totalFields, row), included_tax },
    taxes,
    discounts,
    shipping_costs,
    changes,
    order,
  } as Checkout
}

/** Adds sentences to the changes, and translates names into the checkout's language. */
export async function toCheckoutResponse(db: Db, store: Store, checkout: Checkout): Promise<Json<Checkout>> {
  const language = chooseTranslation(store, checkout.locale)
  const [items, nameOf] = await Promise.all([
    translateLines(db, store.id, language, checkout.items),
    findTermNames(db, store.id, language),
  ])
  const order_bumps = checkout.order_bumps.map((bump) => ({ ...bump, title: nameOf(bump.title) }))
  const changes = checkout.changes.map((change) => ({ ...inWords(change), from: change.from, to: change.to }))
  const discounts = toCheckedDiscountViews(checkout.discounts)
  return json({ ...checkout, items, order_bumps, discounts, changes }) as unknown as Json<Checkout>
}

const summary = complete(summaryFields)

const methodCode = () => text().nullable().describe('Code of the payment method')

// prettier-ignore
export const completedSchema = resource('orders', {
  order:   summary,
  payment: complete({ method: methodCode(), instructions: paymentMethod.fields.instructions }),
}, {}, { noun: 'Order', title: 'Completed checkout' }).entity

/** The shopper pays at the provider first. */
// prettier-ignore
export const unpaidSchema = resource('checkouts', {
  order:   summary.nullable()
    .describe('Order, if it is placed; otherwise null. Complete again after payment to get it'),
  payment: complete({
    method: methodCode(), instructions: paymentMethod.fields.instructions,
    status: choice(['requires_action', 'processing']).describe('Next step; processing: wait, then complete again'),
    redirect_url: url().nullable()
      .describe('URL where the shopper pays; null while the provider is processing the payment'),
  }),
}, {}, { noun: 'Order', title: 'Unpaid checkout' }).entity

// prettier-ignore
export const checkoutSchema = resource('checkouts', {
  token:            text().describe('Secret token: anyone who has it can change and complete the checkout'),
  status:           choice(statuses.filter((status) => status !== 'expired')),
  customer:         contact,
  ...rowFields,
  id:               id('chk'),
  shipping_address: address,
  totals:           complete({ ...totalFields, included_tax: computedMoney() }).describe('Totals of the checkout'),
  taxes:            taxSummary().describe('Tax by rate, added to the prices or included in them'),
  discounts:        checkedDiscounts()
    .describe('Discounts that apply, which add up to the discount, and codes that do not apply'),
  shipping_costs:   list(complete({
    code: text(), price: computedMoney(), arrives_from: arrivalDay('First'), arrives_to: arrivalDay('Last'),
    name: text().example('Courier, by bicycle').describe('Name of a rate whose price an app has quoted'),
  }, { optional: ['name'] }), { max: 50 }).describe('Cost of each shipping rate available for this cart and address'),
  changes:          list(complete({
    field: text(), message: text().describe('Explanation for the shopper'),
    from: computedMoney().nullable().describe('Value before the change'),
    to: computedMoney().nullable().describe('Value after the change'),
  }), { max: 500 }).describe('Price changes and unavailable items since the last response'),
  order:            summary.nullable(),
}, {}, { noun: 'Checkout' }).entity
