// Filters of the list of orders.
import { isDay } from '../../kit/values/day.ts'
import { plainDigits } from '../../kit/values/digits.ts'
import { choice, decimal, flag, text, time } from '../../kit/declare/scalars.ts'
import { reason, generalFaults } from '../../kit/values/faults.ts'
import type { ReadContext } from '../../kit/declare/field.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { filter } from '../../kit/declare/resource.ts'
import { integrationFilters, partIdFilter } from '../../kit/declare/metadata.ts'
import { tagFilter } from '../../kit/declare/tags.ts'
import { listSpellings } from '../../kit/values/provinces.ts'
import { contains } from '../../kit/declare/textsearch.ts'
import { join, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { startOfDay } from '../../kit/values/timezone.ts'
import { normalizeDiscountCode } from '../discounts/discount.ts'
import { fulfillmentStatuses, paymentStatuses, statuses } from './states.ts'
import { channels } from './source.ts'
import { orderFaults } from './errors.ts'

const amount = () => decimal({ min: 0 })
const name = () => text({ max: 200 })

// prettier-ignore
export const filters = {
  status:            filter(statusList().default('all'), (list) =>
    (includesAll(list) ? null : hasStatus(list.split(',')))),
  payment_status:    filter(choice([...paymentStatuses, 'all']).default('all'), (status) =>
    (includesAll(status) ? null : sql`orders.payment_status = ${status}`)),
  fulfillment_status: filter(choice([...fulfillmentStatuses, 'all']).default('all'), (status) =>
    (includesAll(status) ? null : sql`orders.fulfillment_status = ${status}`)),
  needs_fulfillment: filter(flag()
    .describe('Whether the order is open, has items to fulfill, and its payment did not fail and is not refunded'),
    (needs) => (needs ? needsFulfillment : sql`not (${needsFulfillment})`)),
  needs_payment:     filter(flag().describe('Whether the order is open and its payment is pending or failed'),
    (needs) => (needs ? needsPayment : sql`not (${needsPayment})`)),
  is_archived:       filter(flag().describe('Whether the order is archived; by default, both are listed'), (archived) =>
    (archived ? sql`orders.is_archived` : sql`not orders.is_archived`)),
  channel:           filter(choice(channels).describe('Where the order comes from'),
    (channel) => sql`orders.channel = ${channel}`),
  agent:             filter(text({ max: 200 }).describe("Name of the shopper's agent"),
    (agent) => sql`orders.agent = ${agent}`),
  tag:               tagFilter('orders', 'an order'),
  search:            filter(name().describe('Order number, ID, customer name, email or phone'), searchCondition),
  customer_id:       filter(text({ max: 100 }), (id) => sql`orders.customer_id = ${toUuid('cus', id)}::uuid`),
  discount_code:     filter(text({ max: 255 }).describe('Code of any of the discounts of the order'), hasDiscount),
  payment_method:    filter(text({ max: 50 }).describe('Code of the payment method'),
    (code) => sql`orders.payment_method = ${code}`),
  product_id:        filter(text({ max: 100 }).describe('ID of a product that the orders contain'),
    (id, { store_id }) => sql`orders.id in (
      select order_id
      from order_items
      where store_id = ${store_id}
        and product_id = ${toUuid('prod', id)}::uuid)`),
  category_id:       filter(text({ max: 100 }).describe('ID of a category with a product that the orders contain'),
    (id, { store_id }) => sql`orders.id in (
      select order_id
      from products
      join order_items on order_items.store_id = ${store_id}
        and order_items.product_id = products.id
      where products.store_id = ${store_id}
        and products.category_id = ${toUuid('cat', id)}::uuid)`),
  date_from:         filter(moment(), (from, { timezone }) =>
    sql`orders.created_at >= ${storable(isDay(from) ? startOfDay(from, timezone) : new Date(from))}`),
  date_to:           filter(moment(), (to, { timezone }) =>
    (isDay(to)
      ? sql`orders.created_at < ${storable(startOfDay(to, timezone, 1))}`
      : sql`orders.created_at <= ${storable(new Date(to))}`)),
  'total[gte]':      filter(amount(), (least) => sql`orders.total >= ${least}`),
  'total[lte]':      filter(amount(), (most) => sql`orders.total <= ${most}`),
  'updated_at[gte]': filter(time(), (from) => sql`orders.updated_at >= ${from}`),
  'updated_at[lte]': filter(time(), (to) => sql`orders.updated_at <= ${to}`),
  city:              filter(name(), (city) => sql`orders.city = left(lower(${city}), 60)`),
  province:          filter(name(), (province) =>
    sql`orders.province = any(${listSpellings(province).map((form) => form.slice(0, 60))}::text[])`),
  country:           filter(name(), (country) => sql`orders.country = left(lower(${country}), 60)`),
  country_code:      filter(text({ max: 10 }), (code) => sql`orders.country_code = upper(${code})`),
  ...integrationFilters('orders'),
  item_external_id:  partIdFilter('orders', 'order_items', 'order_id', 'External ID of one of the items'),
}

/** By the first discount, or by any where there are several. */
function hasDiscount(input: string, { store_id }: { store_id: string }): Sql {
  const code = normalizeDiscountCode(input)
  return sql`(orders.discount_code = ${code}
    or json_array_length(orders.discounts) > 1
      and store_tags(orders.store_id, discount_codes(orders.discounts))
        && store_tags(${store_id}, array[${code}::text]))`
}

/** The condition of the index listed_orders_to_fulfill. */
const needsFulfillment = raw(`orders.fulfillment_status in ('unfulfilled', 'partial')
      and orders.status in ('pending', 'confirmed', 'in_progress')
      and orders.payment_status in ('pending', 'paid')`)

/** The condition of the index listed_orders_to_pay. */
const needsPayment = raw(`orders.payment_status in ('pending', 'failed')
      and orders.status in ('pending', 'confirmed', 'in_progress')`)

function statusList() {
  return text({ max: 200 })
    .example('pending,confirmed')
    .rule((list) => {
      const status = list.split(',').find((one) => !['all', ...statuses].includes(one))
      return status === undefined ? null : reason(orderFaults.unknown_statuses, { choices: statuses.join(', ') })
    })
}

function includesAll(list: string): boolean {
  return list.split(',').includes('all')
}

/** A single status uses its index in the order of the list. */
function hasStatus(names: string[]): Sql {
  return names.length === 1 ? sql`orders.status = ${names[0]}` : sql`orders.status = any(${names}::text[])`
}

/** `#1001` is an order number; digits alone may also be part of a phone number. */
function searchCondition(input: string, context: ReadContext): Sql | null {
  const term = input.trim()
  const id = toUuid('ord', term)
  const [, hash, number] = /^(#?)(\d{1,15})$/.exec(term) ?? []
  if (term === '') return null
  if (id) return sql`orders.id = ${id}`
  if (hash) return sql`orders.order_number = ${number}`
  const phone = plainDigits(term)
  const digits = /^[\d\s()+./-]+$/.test(phone) ? phone.replace(/\D/g, '') : ''
  return sql`(${join(
    [
      contains('orders', 'search_text', term, context),
      ...(number ? [sql`orders.order_number = ${number}`] : []),
      ...(digits.length >= minDigits ? [contains('orders', 'phone_digits', digits, context)] : []),
    ],
    ' or ',
  )})`
}

// Fewer digits would match most phone numbers.
const minDigits = 4

function moment() {
  return text({ max: 40 })
    .example('2026-11-21')
    .describe("Date or date-time, inclusive; a date covers the whole day in the store's time zone")
    .rule((value) => (isDay(value) || isInstant(value) ? null : reason(generalFaults.no_moment)))
}

/** Clamps dates such as 0001-01-01 and 9999-12-31, often used for no limit, to the years that can be stored. */
function storable(instant: Date): Date {
  return new Date(Math.min(Math.max(instant.getTime(), Date.UTC(1000, 0)), Date.UTC(9999, 11, 31)))
}

function isInstant(value: string): boolean {
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i.test(value) &&
    value >= '0001' &&
    isDay(value.slice(0, 10)) &&
    !Number.isNaN(Date.parse(value))
  )
}
