import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal, getCurrencyExponent, sum } from '../../kit/values/money.ts'
import type { DiscountRow } from './discount.ts'
import { computeDiscount, type DiscountLine } from './pricing.ts'
import { fc } from '../../../test/random.ts'

const now = new Date('2026-06-15T12:00:00Z')
const usd = { currency: 'USD', now }
const row = (more: Partial<DiscountRow> = {}): DiscountRow => ({
  id: 'd',
  code: 'TEN',
  type: 'percentage',
  value: '10',
  min_order_amount: '0',
  max_uses: 0,
  current_uses: 0,
  starts_at: null,
  expires_at: null,
  is_active: true,
  applies_to_all: true,
  applicable_product_ids: [],
  applicable_category_ids: [],
  title: null,
  external_id: null,
  metadata: {},
  is_automatic: false,
  min_quantity: 0,
  once_per_customer: false,
  buy_quantity: 1,
  buy_product_ids: [],
  buy_category_ids: [],
  customer_group_ids: [],
  get_quantity: 1,
  max_per_order: 0,
  combines_with: [],
  created_at: new Date(0),
  updated_at: new Date(0),
  ...more,
})
const line = (
  total: Decimal.Value,
  product_id: string | null = 'p',
  category_id: string | null = null,
): DiscountLine => ({ product_id, category_id, total: new Decimal(total) })

function priced(...given: Parameters<typeof computeDiscount>) {
  const { amount, allocation, free_shipping, reason } = computeDiscount(...given)
  return { amount: amount.toNumber(), allocation: allocation.map(Number), free_shipping, reason }
}

test('a percentage is of all lines together, rounded half-up once', () => {
  assert.deepEqual(priced(row(), [line(0.05), line(0.05), line(0.05)], usd), {
    amount: 0.02,
    allocation: [0.01, 0, 0.01],
    free_shipping: false,
    reason: null,
  })
  assert.equal(priced(row({ value: '100' }), [line('0.1'), line('0.2')], usd).amount, 0.3)
  assert.equal(priced(row({ value: '33.333' }), [line(100)], { currency: 'KWD', now }).amount, 33.333)
  assert.equal(priced(row(), [line(5)], { currency: 'JPY', now }).amount, 1)
})

test('a fixed amount is capped at what it covers', () => {
  const fixed = { type: 'fixed_amount', value: '50' } as const
  assert.deepEqual(priced(row(fixed), [line(30), line(10)], usd), {
    amount: 40,
    allocation: [30, 10],
    free_shipping: false,
    reason: null,
  })
  const scoped = row({ ...fixed, applies_to_all: false, applicable_product_ids: ['a'] })
  assert.deepEqual(priced(scoped, [line(30, 'a'), line(90, 'b')], usd), {
    amount: 30,
    allocation: [30, 0],
    free_shipping: false,
    reason: null,
  })
  assert.deepEqual(priced(row(fixed), [line(100), line(100), line(100)], usd).allocation, [16.67, 16.66, 16.67])
})

test('free shipping takes nothing off the lines', () => {
  assert.deepEqual(priced(row({ type: 'free_shipping', value: '0' }), [line(30)], usd), {
    amount: 0,
    allocation: [0],
    free_shipping: true,
    reason: null,
  })
  assert.deepEqual(priced(row({ type: 'free_shipping', value: '0', min_order_amount: '31' }), [line(30)], usd), {
    amount: 0,
    allocation: [0],
    free_shipping: false,
    reason: 'minimum_not_met',
  })
})

test('a line is covered by its product or its category; the minimum is of all lines', () => {
  const scoped = {
    applies_to_all: false,
    applicable_product_ids: ['a'],
    applicable_category_ids: ['hats'],
    min_order_amount: '100',
  }
  assert.deepEqual(priced(row(scoped), [line(10, 'a'), line(20, 'b', 'hats'), line(70, 'c', 'bags')], usd), {
    amount: 3,
    allocation: [1, 2, 0],
    free_shipping: false,
    reason: null,
  })
  assert.equal(priced(row(scoped), [line(100, 'c', 'bags'), line(100, null)], usd).reason, 'not_applicable')
  assert.equal(priced(row(scoped), [line(99.99, 'a')], usd).reason, 'minimum_not_met')
  assert.equal(priced(row(scoped), [line(99.99, 'a')], { ...usd, subtotal: new Decimal(100) }).reason, null)
})

test('the reasons have an order, and times include their own millisecond', () => {
  const after = new Date(now.getTime() + 1)
  const all = {
    is_active: false,
    starts_at: after,
    max_uses: 1,
    current_uses: 1,
    min_order_amount: '99',
    applies_to_all: false,
  }
  const reason = (more: Partial<DiscountRow>) => priced(row(more), [line(10)], usd).reason
  assert.equal(priced(undefined, [line(10)], usd).reason, 'not_found')
  assert.equal(reason({ ...all, expires_at: now }), 'expired')
  assert.equal(reason({ ...all, expires_at: after }), 'inactive')
  assert.equal(reason({ ...all, is_active: true }), 'not_started')
  assert.equal(reason({ ...all, is_active: true, starts_at: now }), 'used_up')
  assert.equal(reason({ ...all, is_active: true, starts_at: now, current_uses: 0 }), 'minimum_not_met')
  assert.equal(reason({ applies_to_all: false }), 'not_applicable')
  assert.equal(priced(row(), [], usd).reason, 'not_applicable')
})

test("whatever the lines, the shares add up to the amount, in the currency's unit, and none exceeds its line", () => {
  const cents = fc.integer({ min: 0, max: 1_000_000 })
  const currency = fc.constantFrom('USD', 'JPY', 'KWD')
  const percents = fc.integer({ min: 1, max: 10_000 }).map((basisPoints) => String(basisPoints / 100))
  const amounts = cents.map((one) => String((one + 1) / 100))
  const discount = fc.oneof(
    fc.record({ type: fc.constant('percentage' as const), value: percents }),
    fc.record({ type: fc.constant('fixed_amount' as const), value: amounts }),
  )
  const totals = fc.array(cents, { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(discount, currency, totals, (terms, currency, units) => {
      const exponent = getCurrencyExponent(currency)
      const lines = units.map((one) => line(new Decimal(one).dividedBy(10 ** exponent)))
      const { amount, allocation } = computeDiscount(row(terms), lines, { currency, now })
      assert.ok(sum(allocation).equals(amount))
      assert.ok(amount.lessThanOrEqualTo(sum(lines.map(({ total }) => total))))
      allocation.forEach((share, index) => {
        assert.ok(share.decimalPlaces() <= exponent)
        assert.ok(share.greaterThanOrEqualTo(0) && share.lessThanOrEqualTo(lines[index]!.total))
      })
    }),
  )
})
