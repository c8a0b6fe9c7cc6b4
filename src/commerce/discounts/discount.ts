import { set } from '../../kit/declare/composites.ts'
import { fault, reason, type Reason } from '../../kit/values/faults.ts'
import { derive, type Create, type Entity, type Patch } from '../../kit/declare/field.ts'
import { choice, decimal, flag, id, integer, money, text, time } from '../../kit/declare/scalars.ts'
import { Decimal, maxMoney, round } from '../../kit/values/money.ts'
import { integrationFields, integrationFilters } from '../../kit/declare/metadata.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import type { Row } from '../../kit/declare/row.ts'
import type { Rule } from '../../kit/declare/shape.ts'
import { plainText } from '../../kit/values/names.ts'
import { containsPattern } from '../../kit/values/slug.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { isExpired, isUsable, unusableReason, unusableReasons } from './usability.ts'
import { discountFaults } from './errors.ts'

const types = ['percentage', 'fixed_amount', 'free_shipping', 'buy_x_get_y'] as const
export type DiscountType = (typeof types)[number]

/** The target of a discount; each kind can combine with others. */
export const discountKinds = ['product', 'order', 'shipping'] as const
export type DiscountKind = (typeof discountKinds)[number]

const maxIds = 500
const maxGroups = 100
const maxQuantity = 1_000_000

// These three states partition `all`.
// prettier-ignore
const statusFilters = {
  active:   sql`discounts.is_active and not ${isExpired}`,
  inactive: sql`not discounts.is_active and not ${isExpired}`,
  expired:  isExpired,
  all:      null,
}

type DiscountTerms = { type?: DiscountType; value?: Decimal.Value; starts_at?: Date | null; expires_at?: Date | null }

/** Rules for a discount as a whole: an update checks them together with the unchanged fields. */
export const rules: Rule<DiscountTerms>[] = [
  {
    fields: ['type', 'value'],
    check: ({ type, value }, { currency }) => {
      const reason = type === undefined || value === undefined ? null : valueFault(type, value, currency)
      return reason && { field: 'value', ...reason }
    },
  },
  {
    fields: ['starts_at', 'expires_at'],
    check: ({ starts_at, expires_at }) => {
      const isBackwards = starts_at && expires_at && starts_at >= expires_at
      return isBackwards ? fault('expires_at', discountFaults.ends_before_start) : null
    },
  },
]

/** Normalizes a typed code to the form in which codes are stored. */
export function normalizeDiscountCode(input: string): string {
  return plainText(input).toUpperCase()
}

/** `fixed` is an alias of fixed_amount. */
const anyType = choice([...types, 'fixed']).becomes((type) => (type === 'fixed' ? 'fixed_amount' : type))

// prettier-ignore
export const discount = resource('discounts', {
  id:                      id('disc').readonly(),
  code:                    text({ min: 1, max: 255, pattern: '^[!-~]([ -~]*[!-~])?$' }).becomes(normalizeDiscountCode)
    .required().sortable().example('WELCOME10').describe('Discount code, stored in uppercase; unique in the store'),
  type:                    choice(types).takes(anyType).required().describe('Type of the discount'),
  value:                   decimal({ min: 0, max: maxMoney }).required().example(10)
    .describe('Percentage (above 0, up to 100) or amount (above 0), depending on type; 0 for free_shipping'),
  title:                   text({ min: 1, max: 100 }).nullable().example('Summer sale')
    .describe('Name that shoppers see; defaults to the code'),
  is_automatic:            flag().default(false)
    .describe('Whether it applies at checkout without a code'),
  min_order_amount:        money().default(0).nullMeans(0).describe('Minimum order amount; 0 means none'),
  min_quantity:            integer({ min: 0, max: maxQuantity }).default(0).nullMeans(0)
    .describe('Minimum quantity of the items that it applies to; 0 means none'),
  once_per_customer:       flag().default(false)
    .describe('Whether each customer, by customer ID or email, can use it once'),
  customer_group_ids:      set(id('cgrp'), { max: maxGroups }).default([])
    .describe('Customer groups that it is limited to; empty: all customers, and guests'),
  max_uses:                integer({ min: 0 }).default(0).nullMeans(0).describe('Usage limit; 0 means unlimited'),
  current_uses:            integer({ min: 0 }).readonly().describe('Number of times the code has been used'),
  starts_at:               time().nullable().describe('Time it starts to apply; if null, it applies immediately'),
  expires_at:              time().nullable(),
  is_active:               flag().default(true),
  applies_to_all:          flag()
    .describe('Whether it applies to all products; defaults to true if no products or categories are given'),
  applicable_product_ids:  set(id('prod'), { max: maxIds }).default([])
    .describe('IDs of the products the discount applies to'),
  applicable_category_ids: set(id('cat'), { max: maxIds }).default([])
    .describe('IDs of the categories the discount applies to'),
  buy_quantity:            integer({ min: 1, max: maxQuantity }).default(1)
    .describe('For buy_x_get_y: quantity to buy'),
  buy_product_ids:         set(id('prod'), { max: maxIds }).default([])
    .describe('For buy_x_get_y: products to buy; without products and categories, any'),
  buy_category_ids:        set(id('cat'), { max: maxIds }).default([])
    .describe('For buy_x_get_y: categories of products to buy'),
  get_quantity:            integer({ min: 1, max: maxQuantity }).default(1)
    .describe('For buy_x_get_y: quantity that gets the discount, of the products it applies to'),
  max_per_order:           integer({ min: 0, max: maxQuantity }).default(0).nullMeans(0)
    .describe('For buy_x_get_y: how many times it applies in an order; 0 means unlimited'),
  combines_with:           set(choice(discountKinds), { max: 3, unique: true }).default([])
    .describe('Kinds of discounts that can apply together with this one, if they allow it too'),
  ...integrationFields(),
  is_expired:              derive(flag(), isExpired).describe('Whether the discount has expired'),
  is_usable:               derive(flag(), isUsable).describe('Whether the code can be used now'),
  unusable_reason:         derive(choice(unusableReasons), unusableReason).nullable()
    .describe('Why the discount cannot be used now, regardless of the cart; null if it can'),
  has_usage_limit:         derive(flag(), sql`(discounts.max_uses > 0)`)
    .describe('Whether the number of uses is limited'),
  created_at:              time().readonly().sortable(),
  updated_at:              time().readonly().sortable(),
}, {
  status: filter(choice(['active', 'inactive', 'expired', 'all']).default('active'), (status) => statusFilters[status]),
  search: filter(text({ max: 255 }), (input) => sql`lower(discounts.code) like ${containsPattern(input)}`),
  is_automatic: filter(flag().describe('Whether the discount applies without a code'),
    (is) => (is ? sql`discounts.is_automatic` : sql`not discounts.is_automatic`)),
  ...integrationFilters('discounts'),
}, {
  noun: 'Discount',
  rules,
  total: counterTotal,
})

export type Discount = Entity<typeof discount.fields>
export type NewDiscount = Create<typeof discount.fields>
export type DiscountPatch = Patch<typeof discount.fields>

/** A discount as stored in its row, for calculating prices. */
export type DiscountRow = Row<typeof discount.row>

/** Discounts of some products, or of items bought with others, are taken off before those of the whole order. */
export function toDiscountKind({ type, applies_to_all }: Pick<DiscountRow, 'type' | 'applies_to_all'>): DiscountKind {
  if (type === 'free_shipping') return 'shipping'
  return type === 'buy_x_get_y' || !applies_to_all ? 'product' : 'order'
}

/** The name shown to shoppers. */
export function formatDiscountLabel({ title, code }: Pick<DiscountRow, 'title' | 'code'>): string {
  return title ?? code
}

/** A fixed amount must be above zero after rounding to the currency. */
function valueFault(type: DiscountType, value: Decimal.Value, currency: string): Reason | null {
  switch (type) {
    case 'buy_x_get_y':
    case 'percentage': {
      const isShare = new Decimal(value).greaterThan(0) && new Decimal(value).lessThanOrEqualTo(100)
      return isShare ? null : reason(discountFaults.percentage_range)
    }
    case 'fixed_amount':
      return round(value, currency).greaterThan(0) ? null : reason(discountFaults.amount_range, { currency })
    case 'free_shipping':
      return new Decimal(value).isZero() ? null : reason(discountFaults.free_shipping_range)
  }
}

/** The store's counter knows the total; filtered lists are counted. */
function counterTotal({ status, ...others }: Record<string, unknown>, storeId: string): Sql | null {
  if (status !== 'all' || Object.keys(discount.filters).some((name) => others[name] !== undefined)) return null
  return sql`select discounts from store_counters where store_id = ${storeId}`
}
