import { complete, either, list, many, object } from '../../kit/declare/composites.ts'
import { fault, reason, generalFaults } from '../../kit/values/faults.ts'
import { derive, type Create, type Entity, type Patch } from '../../kit/declare/field.ts'
import { choice, flag, id, integer, money, text, time } from '../../kit/declare/scalars.ts'
import { resource } from '../../kit/declare/resource.ts'
import { integrationFields } from '../../kit/declare/metadata.ts'
import { tags } from '../../kit/declare/tags.ts'
import { pick, readonly } from '../../kit/declare/row.ts'
import { createBody, patchBody, type Reader, type Rule } from '../../kit/declare/shape.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { Decimal } from '../../kit/values/money.ts'
import { languages } from '../../kit/values/language.ts'
import { customer } from '../customers/customer.ts'
import { discountCodes } from '../discounts/codes.ts'
import { methodCode } from '../../tenancy/stores/setting.ts'
import { countryCode, currency } from '../../tenancy/stores/store.ts'
import type { Taxes } from '../tax/amounts.ts'
import { taxId, taxIdStatuses } from '../tax/taxid.ts'
import { taxLines } from '../tax/taxline.ts'
import { shippingAddress } from './address.ts'
import { billingAddress } from './billing.ts'
import { filters } from './filters.ts'
import { itemLabels } from './itemlabels.ts'
import { appliedDiscounts, item, lineInput, type Item, type LineInput } from './item.ts'
import {
  cancellableStatuses,
  cancelReasons,
  fulfillmentStatuses,
  initialStatuses,
  paymentStatuses,
  statuses,
} from './states.ts'
import { channels, type OrderSource } from './source.ts'
import { orderFaults } from './errors.ts'

const notes = () => text({ max: 5000 }).nullable().personal()

const { email, phone } = customer.fields
const name = () => text({ min: 1, max: 200 }).nullable().personal()
const cancellable = raw(cancellableStatuses.map((status) => `'${status}'`).join(', '))

/** Any JSON objects: additional fields of a checkout. */
const customFields = either<object[]>(
  [{ type: 'array', items: { type: 'object' }, maxItems: 50 }],
  (input: object[]) => input,
).rule((input) =>
  JSON.stringify(input).length > 20_000 ? reason(generalFaults.too_long_as_json, { limit: 20_000 }) : null,
)

/** Order bumps that are not products. They are part of the subtotal. */
const orderBumps = complete({
  total: money(),
  items: list(complete({ bump_id: text(), title: text(), price: money() }), { max: 50 }),
})

/** Fields that a checkout and an order have in common: a line here is a field of both. */
// prettier-ignore
export const sharedFields = {
  payment_method:  methodCode().nullable().example('cod')
    .describe('cod, bank_transfer, cash, card, wallet, other or a custom code'),
  shipping_method: methodCode().nullable().example('standard')
    .describe('standard, express, local_delivery, pickup, digital or a custom code'),
  tax_id:          taxId().nullable().personal().describe("Buyer's tax ID, such as a VAT number"),
  billing_address: billingAddress(),
}

/** Nothing is due for an order that ended without a sale, and an amount is never below 0. */
function ifOpen(amount: Sql): Sql {
  return sql`(case when orders.status in ('cancelled', 'returned') or orders.payment_status = 'refunded' then 0
    else greatest(${amount}, 0) end)`
}

// prettier-ignore
export const order = resource('orders', {
  id:               id('ord').readonly(),
  order_number:     integer({ max: Number.MAX_SAFE_INTEGER }).readonly().sortable().example(1001),
  status:           choice(statuses).default('pending').describe('Status of the order'),
  payment_status:   choice(paymentStatuses).default('pending'),
  fulfillment_status: choice(fulfillmentStatuses).readonly().sortable()
    .describe('Fulfillment progress, independent of status'),
  ...sharedFields,
  currency:         currency().describe("Currency of the store")
    .rule((code, store) => (code === store.currency ? null : reason(orderFaults.foreign_currency, store))),
  customer_id:      id('cus').nullable(),
  customer_name:    name().sortable().example('Ana Torres'),
  customer_phone:   phone,
  customer_email:   email,
  subtotal:         money().readonly(),
  discount_amount:  money().describe('Discount amount; in a request, overrides the amount of discount_code'),
  shipping_cost:    money().describe('Shipping cost; in a request, defaults to the rate of shipping_method'),
  tax_amount:       money()
    .describe('Tax added to the prices; in a request, defaults to the tax that a checkout would add'),
  total:            money().readonly().sortable().describe('subtotal − discount_amount + shipping_cost + tax_amount'),
  captured_amount:  money().readonly().describe('Amount captured, before refunds'),
  refunded_amount:  money().readonly().describe('Amount refunded'),
  amount_due:       derive(money(), ifOpen(sql`orders.total - orders.captured_amount + orders.refunded_overpayment`))
    .describe('Amount to pay: total less what was captured and not refunded as an overpayment'),
  amount_to_refund: derive(money(), ifOpen(sql`least(
      orders.captured_amount - orders.refunded_overpayment - orders.refunding_overpayment - orders.total,
      orders.captured_amount - orders.refunded_amount - orders.refunding_amount)`))
    .describe('Amount paid beyond the total, which an edit has lowered'),
  included_tax:     money().readonly().describe('Tax included in prices; not added to the total'),
  tax_lines:        taxLines().readonly().describe('Breakdown of tax_amount and included_tax'),
  tax_id_status:    choice(taxIdStatuses).nullable().readonly()
    .describe('Result of checking tax_id when the order was placed'),
  discount_code:    text({ min: 1, max: 255 }).nullable().example('WELCOME10')
    .describe('First discount code that applies; without a code, that of the first automatic discount'),
  discounts:        appliedDiscounts().readonly().describe('Discounts that apply; they add up to discount_amount'),
  free_shipping:    flag().readonly().describe('Whether shipping was free'),
  locale:           choice(languages).nullable().describe("Language of emails; if null, the store's language applies"),
  notify_customer:  flag().default(false)
    .describe('Whether the customer gets emails about the order; true for orders from a checkout'),
  customer_notes:   notes().describe('Note from the customer'),
  internal_notes:   notes().describe('Staff note, not visible to the customer'),
  shipping_address: shippingAddress(),
  country_code:     countryCode().nullable(),
  is_pending:       derive(flag(), sql`(orders.status = 'pending')`).describe('Whether the order status is pending'),
  is_completed:     derive(flag(), sql`(orders.status = 'completed')`)
    .describe('Whether the order status is completed'),
  is_cancellable:   derive(flag(), sql`(orders.status in (${cancellable}))`)
    .describe('Whether the order can be cancelled'),
  is_fully_paid:    derive(flag(), sql`(orders.payment_status = 'paid')`).describe('Whether the order is paid in full'),
  item_count:       integer().readonly().describe('Total quantity of all items'),
  cancel_reason:    choice(cancelReasons).nullable().readonly().describe('Reason for the cancellation'),
  tags:             tags().example(['gift', 'wholesale'])
    .describe('Labels of your own, for filters; customers do not see them'),
  is_archived:      flag().default(false).describe('Whether the dashboard leaves it out of its lists'),
  archived_at:      time().nullable().readonly(),
  channel:          choice(channels).nullable().readonly()
    .describe('Where the order comes from; null if it is not known'),
  agent:            text({ min: 1, max: 200 }).nullable().readonly().example('assistant.example')
    .describe("Name of the shopper's agent"),
  ...integrationFields(),
  custom_fields:    customFields.default([]).personal().describe('Additional checkout data, as JSON objects'),
  order_bumps:      orderBumps.nullable().readonly(),
  cancelled_at:     time().nullable().readonly(),
  completed_at:     time().nullable().readonly(),
  edited_at:        time().nullable().readonly().describe('When items or amounts were last edited'),
  created_at:       time().readonly().sortable(),
  updated_at:       time().readonly().sortable(),
  items:            many<Item>(item, { input: lineInput() }).required(),
}, filters, {
  noun: 'Order',
  total: counterTotal,
  narrow: {
    table: 'listed_orders',
    sorts: ['updated_at', 'fulfillment_status'],
    filters: [
      ...['status', 'payment_status', 'fulfillment_status', 'needs_fulfillment', 'needs_payment', 'is_archived'],
      ...['updated_at[gte]', 'updated_at[lte]', 'country_code', 'province', 'country', 'channel', 'agent'],
    ],
    filteredSorts: ['created_at'],
    knows: ['date_from', 'date_to', 'total[gte]', 'total[lte]'],
  },
  idsFirst: ({ is_archived: _, ...query }) =>
    isFiltered(query) || ['customer_name', 'fulfillment_status'].includes(query.sort as string),
})

export type Order = Entity<typeof order.fields>

/** The total comes from the store's counters, also of what is archived or not; other lists are counted. */
function counterTotal(
  { is_archived, ...query }: Record<string, unknown>,
  storeId: string,
  within: readonly Sql[],
): Sql | null {
  if (within.length > 0 || isFiltered(query)) return null
  const counter = { true: 'orders_archived', false: 'orders - orders_archived' }[String(is_archived ?? '')] ?? 'orders'
  return sql`select ${raw(counter)} from store_counters where store_id = ${storeId}`
}

function isFiltered(query: Record<string, unknown>): boolean {
  return Object.keys(filters).some((name) => query[name] !== undefined && query[name] !== 'all')
}

const bodyFields = {
  ...order.fields,
  customer: object({ name: name(), email, phone })
    .nullable()
    .describe('Alternative to customer_name, customer_email and customer_phone'),
  discount_codes: discountCodes().describe('Discount codes, in place of discount_code; the best combination applies'),
  automatic_discounts: flag().describe(
    'Whether automatic discounts apply; defaults to true unless discount_amount or a unit_price is given',
  ),
}

const initialStatusRule: Rule = {
  fields: ['status'],
  check: ({ status }) =>
    initialStatuses.includes(status)
      ? null
      : fault('status', orderFaults.not_an_early_status, { choices: initialStatuses.join(', ') }),
}

export const newOrder = createBody(bodyFields, [initialStatusRule])

export type OrderBump = { bump_id: string; title: string; price: number }

/** Fields beside the request body, set only by the store's own checkout and by draft orders. */
export type NewOrder = Omit<Create<typeof bodyFields>, 'items'> & {
  /** Empty if the order's lines are known (quote.ts). */
  items: LineInput[]
  order_bumps?: OrderBump[]
  /** A discount by hand, in place of an amount. */
  discount_percentage?: number
  /** True: shipping was free for any reason. False: the discount does not make it free. */
  free_shipping?: boolean
  /** The amount captured by a provider. If omitted, a paid order was paid by hand. */
  captured?: Decimal
  /** Defaults to the caller. */
  source?: OrderSource
  /** The components of tax_amount, and the taxes included in prices. */
  taxes?: Taxes
}

/** Fields that a change writes as they come: a line here is all that such a field needs beside its declaration. */
export const plainChanges = [
  'locale',
  'notify_customer',
  'customer_notes',
  'internal_notes',
  'tags',
  'is_archived',
  'external_id',
  'metadata',
] as const

const changes = {
  ...pick(order.fields, ['status', 'payment_status', 'shipping_address', 'billing_address', ...plainChanges]),
  cancel_reason: choice(cancelReasons).nullable().describe('Reason for the cancellation'),
  restock: flag().describe('Whether to restock the items of a canceled or returned order; defaults to true'),
  refund: flag().describe('Whether to refund the remaining amount of a canceled or returned order'),
  items: itemLabels(),
}

export type OrderPatch = Patch<typeof changes>

// Other fields of an order are accepted and ignored, so that an order can be sent back as it was read.
export const orderChanges: Reader<OrderPatch> = patchBody({ ...readonly(order.fields), ...changes })
