// A draft order: items, customer and amounts that a merchant has put together before they are an order.
import { list, object } from '../../kit/declare/composites.ts'
import { derive, type Cells, type Create, type Entity, type Patch } from '../../kit/declare/field.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { integrationFields, integrationFilters } from '../../kit/declare/metadata.ts'
import { listFieldNames, pick } from '../../kit/declare/row.ts'
import { choice, decimal, id, money, text, time } from '../../kit/declare/scalars.ts'
import { currentTime, sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { maxMoney } from '../../kit/values/money.ts'
import { containsPattern } from '../../kit/values/slug.ts'
import { discountCode, discountCodes } from '../discounts/codes.ts'
import { checkedDiscounts } from '../orders/checkeddiscounts.ts'
import { item, lineFields, maxItems } from '../orders/item.ts'
import { order } from '../orders/order.ts'

export const draftStatuses = ['open', 'sent', 'expired', 'completed'] as const
export type DraftStatus = (typeof draftStatuses)[number]

const status = sql`(case
      when draft_orders.completed_at is not null then 'completed'
      when draft_orders.link_expires_at <= ${currentTime} then 'expired'
      when draft_orders.link_expires_at is not null then 'sent'
      else 'open'
    end)`

// Orders know the IDs of their items in other systems.
const { external_id: _, ...draftLineFields } = lineFields

// prettier-ignore
const itemFields = {
  ...draftLineFields,
  unit_price:  lineFields.unit_price.describe('Own price of one unit; null for the current price of the product'),
  sku:         item.fields.sku,
  price:       money().readonly().describe('Price of one unit when the draft was last priced'),
  total_price: money().readonly().describe('price × quantity'),
  available_on: item.fields.available_on.describe('Day from which it ships; null unless it is a pre-order'),
}

// Older drafts have items without these.
const { metadata, available_on } = itemFields
const alwaysInItems = listFieldNames(itemFields, (spec) => spec !== metadata.spec && spec !== available_on.spec)

export type DraftItem = Entity<typeof itemFields>

const { fields } = order

// prettier-ignore
export const draftOrder = resource('draft_orders', {
  id:              id('dord').readonly(),
  draft_number:    text({ max: 16 }).readonly().example('D12')
    .describe('Number among the drafts of the store, from D1'),
  status:          derive(choice(draftStatuses), status)
    .describe('Progress; sent: it has a payment link. expired: the link has expired'),
  order_id:        id('ord').nullable().readonly().describe('ID of the order it became'),
  customer_id:     fields.customer_id,
  customer_name:   text({ min: 1, max: 200 }).nullable().personal().example('Ana Torres'),
  ...pick(fields, ['customer_phone', 'customer_email', 'tax_id', 'shipping_address', 'billing_address',
    'country_code', 'shipping_method']),
  shipping_price:  money().nullable().describe('Own shipping price; null for the cost of shipping_method'),
  payment_method:  fields.payment_method,
  discount_code:   discountCode().nullable().example('WELCOME10')
    .describe('First of discount_codes that applies, or the first if none does; in a request, replaces them'),
  discount_codes:  discountCodes().describe('Discount codes; the best combination applies'),
  discount_type:   choice(['percentage', 'fixed_amount']).nullable()
    .describe('Type of an own discount, in place of a code'),
  discount_value:  decimal({ min: 0, max: maxMoney }).nullable().example(10)
    .describe('Percentage or amount of the own discount'),
  ...pick(fields, ['locale', 'customer_notes', 'internal_notes', 'tags']),
  items:           list(object(itemFields, { always: alwaysInItems }), { min: 1, max: maxItems })
    .required(),
  ...integrationFields(),
  item_count:      fields.item_count,
  currency:        fields.currency.readonly(),
  subtotal:        fields.subtotal,
  discount_amount: fields.discount_amount.readonly().describe('Discount when the draft was last priced'),
  discounts:       checkedDiscounts().readonly()
    .describe('Discounts when the draft was last priced, and codes that did not apply'),
  shipping_cost:   fields.shipping_cost.readonly().describe('Shipping cost when the draft was last priced'),
  tax_amount:      fields.tax_amount.readonly().describe('Tax added to the prices when the draft was last priced'),
  included_tax:    fields.included_tax,
  total:           money().readonly().describe('subtotal − discount_amount + shipping_cost + tax_amount'),
  link_sent_at:    time().nullable().readonly().describe('When the payment link was last emailed'),
  link_expires_at: time().nullable().readonly().describe('When the payment link expires; null without a link'),
  blocked_at:      time().nullable().readonly()
    .describe('When the customer opened the link and could not pay, for example because an item was sold out'),
  completed_at:    time().nullable().readonly(),
  created_at:      time().readonly().sortable(),
  updated_at:      time().readonly(),
}, {
  status: filter(choice([...draftStatuses, 'all']).default('all'), (name) =>
    (name === 'all' ? null : sql`${status} = ${name}`)),
  customer_id: filter(text({ max: 100 }), (cus) => sql`draft_orders.customer_id = ${toUuid('cus', cus)}::uuid`),
  draft_number: filter(text({ max: 20 }).describe('Number of the draft'), (number) =>
    sql`draft_orders.draft_number = upper(${number})`),
  search: filter(text({ max: 200 }).describe("Number of the draft, or part of the customer's name, email or phone"),
    (input) => sql`(draft_orders.search_text like ${containsPattern(input)}
      or draft_orders.draft_number = ${toDraftNumber(input)})`),
  ...integrationFilters('draft_orders'),
}, { noun: 'Draft order' })

/** `d12` and `#D12` are the number D12. */
function toDraftNumber(input: string): string {
  return input.trim().replace(/^#/, '').toUpperCase()
}

export type DraftOrder = Entity<typeof draftOrder.fields>
export type NewDraftOrder = Create<typeof draftOrder.fields>
export type DraftOrderPatch = Patch<typeof draftOrder.fields>
export type DraftOrderRow = Cells<typeof draftOrder.fields> & { checkout_id: string | null }
