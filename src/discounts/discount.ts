import { choice, decimal, derived, flag, id, integer, money, set, text, time, type Create, type Entity, type Patch } from '../kit/field.ts'
import { maximumMoney } from '../kit/money.ts'
import { resource } from '../kit/resource.ts'
import { currentTime, raw, sql } from '../kit/sql.ts'

export const discountTypes = ['percentage', 'fixed_amount', 'free_shipping'] as const

export const isExpired = sql`coalesce(discounts.expires_at <= ${currentTime}, false)`
export const isUsable = sql`(discounts.is_active
  and coalesce(discounts.starts_at <= ${currentTime}, true)
  and not ${isExpired}
  and (discounts.max_uses = 0 or discounts.current_uses < discounts.max_uses))`

export const discount = resource('discounts', {
  id:                      id('disc').readonly(),
  code:                    text({ min: 1, max: 50, pattern: '^[A-Za-z0-9_-]+$' }).required(),
  type:                    choice(discountTypes).required(),
  value:                   decimal({ min: 0, max: maximumMoney }).required(),
  min_order_amount:        money().default(0),
  max_uses:                integer({ min: 0 }).default(0),
  current_uses:            integer({ min: 0 }).readonly(),
  starts_at:               time().nullable(),
  expires_at:              time().nullable(),
  is_active:               flag().default(true),
  applies_to_all:          flag(),
  applicable_product_ids:  set(id('prod'), { max: 500 }).default([]),
  applicable_category_ids: set(id('cat'), { max: 500 }).default([]),
  is_expired:              derived(flag(), isExpired),
  is_usable:               derived(flag(), isUsable),
  has_usage_limit:         derived(flag(), sql`(discounts.max_uses > 0)`),
  created_at:              time().readonly().sortable(),
  updated_at:              time().readonly().sortable(),
}, {}, { noun: 'Discount' })

export type Discount = Entity<typeof discount.fields>
export type NewDiscount = Create<typeof discount.fields>
export type DiscountPatch = Patch<typeof discount.fields>

/** A discount as its row has it: what a price is computed from. */
export type DiscountRow = {
  id: string
  code: string
  type: (typeof discountTypes)[number]
  value: string
  min_order_amount: string
  max_uses: number
  current_uses: number
  starts_at: Date | null
  expires_at: Date | null
  is_active: boolean
  applies_to_all: boolean
  applicable_product_ids: string[]
  applicable_category_ids: string[]
}

export const rowColumns = raw(`id, code, type, value, min_order_amount, max_uses, current_uses, starts_at, expires_at,
  is_active, applies_to_all, applicable_product_ids, applicable_category_ids`)
