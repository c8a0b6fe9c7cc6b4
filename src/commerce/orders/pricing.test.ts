import assert from 'node:assert/strict'
import { fault, formatReason } from '../../kit/values/faults.ts'
import { test } from 'node:test'
import { publicId } from '../../kit/values/ids.ts'
import { Decimal, getCurrencyExponent, sum } from '../../kit/values/money.ts'
import type { DiscountRow } from '../discounts/discount.ts'
import { buildItemAdjustments, priceOrder, computeUnitPrice, type FixedAmounts } from './pricing.ts'
import { orderFaults } from './errors.ts'
import { fc } from '../../../test/random.ts'

const now = new Date('2026-11-21T10:00:00Z')

const tenPercent: DiscountRow = {
  id: '01912d68-783e-7a03-8467-5661c1243ad4',
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
}
const lines = (...totals: Decimal.Value[]) =>
  totals.map((total) => ({ product_id: null, category_id: null, total: new Decimal(total) }))
type Named = FixedAmounts & { discount_code?: string }
const price = (totals: Decimal.Value[], named: Named, discount?: DiscountRow, currency = 'USD') => {
  const { discount_code: code, ...amounts } = named
  const discounts = { codes: code ? [{ code, discount }] : [], automatic: [] }
  return priceOrder({ items: lines(...totals), bumps: [] }, amounts, { discounts }, { currency, now })
}

test("the unit price is the variant's, else the product's, in the units of the currency", () => {
  const product = { price: '20', wholesale_price: null, wholesale_min_quantity: null }
  const terms = { currency: 'USD', sellsWholesale: true }
  assert.equal(Number(computeUnitPrice(product, null, 1, terms)), 20)
  assert.equal(Number(computeUnitPrice(product, '25.5', 1, terms)), 25.5)
  // The price is from before the store changed to a currency without decimals.
  assert.equal(Number(computeUnitPrice({ ...product, price: '20.5' }, null, 1, { ...terms, currency: 'JPY' })), 21)
})

test('the wholesale price holds from its quantity on, with the feature, and never raises a price', () => {
  const product = { price: '20', wholesale_price: '15', wholesale_min_quantity: 10 }
  const of = (quantity: number, variantPrice: string | null = null, sellsWholesale = true) =>
    Number(computeUnitPrice(product, variantPrice, quantity, { currency: 'USD', sellsWholesale }))
  assert.deepEqual([of(9), of(10), of(11), of(10, '25'), of(10, '12'), of(10, null, false)], [20, 15, 15, 15, 12, 20])
  const withoutLeast = { ...product, wholesale_min_quantity: null }
  assert.equal(Number(computeUnitPrice(withoutLeast, null, 1000, { currency: 'USD', sellsWholesale: true })), 20)
})

test('the total is subtotal − discount + shipping + tax', () => {
  const priced = price([21, 3.33], { discount_code: 'TEN', shipping_cost: 5, tax_amount: 1.23 }, tenPercent)
  assert.deepEqual([priced.subtotal, priced.discount_amount, priced.total].map(Number), [24.33, 2.43, 28.13])
  assert.deepEqual(priced.allocation.map(Number), [2.1, 0.33])
  assert.deepEqual(priced.faults, [])
})

test('an amount that is given counts instead of what the code gives', () => {
  const { discount_amount, allocation } = price([30, 10], { discount_code: 'TEN', discount_amount: 1 }, tenPercent)
  assert.deepEqual([discount_amount, ...allocation].map(Number), [1, 0.75, 0.25])
  assert.deepEqual(price([40], { discount_amount: 40 }).faults, [])
  assert.deepEqual(price([40], { discount_amount: 40.01 }).faults, [
    fault('discount_amount', orderFaults.above_subtotal, { subtotal: '40' }),
  ])
})

test('free shipping waives the shipping cost', () => {
  const { shipping_cost, total, free_shipping } = price(
    [40],
    { discount_code: 'SHIP', shipping_cost: 7 },
    { ...tenPercent, type: 'free_shipping', value: '0' },
  )
  assert.deepEqual([Number(shipping_cost), Number(total), free_shipping], [0, 40, true])
})

test('a code that gives nothing is a fault with its reason', () => {
  const reasonOf = (discount?: DiscountRow) => {
    const [fault] = price([40], { discount_code: 'TEN' }, discount).faults
    return fault && formatReason(fault)
  }
  assert.deepEqual(
    [
      reasonOf(),
      reasonOf({ ...tenPercent, expires_at: now }),
      reasonOf({ ...tenPercent, is_active: false }),
      reasonOf({ ...tenPercent, starts_at: new Date(now.getTime() + 1) }),
      reasonOf({ ...tenPercent, max_uses: 1, current_uses: 1 }),
      reasonOf({ ...tenPercent, min_order_amount: '40.01' }),
      reasonOf({ ...tenPercent, applies_to_all: false }),
    ],
    [
      'does not exist',
      'has expired',
      'is disabled',
      'is not valid yet',
      'has reached its usage limit',
      'requires an order of at least 40.01',
      'does not apply to these items',
    ],
  )
})

test('an order comes to 999999999999 at most', () => {
  assert.deepEqual(price([999_999_999_998, 1], {}).faults, [])
  const tooMuch = [fault('items', orderFaults.too_valuable, { limit: 999_999_999_999 })]
  assert.deepEqual(price([999_999_999_999, 1], {}).faults, tooMuch)
  assert.deepEqual(price([999_999_999_999], { tax_amount: 0.01 }).faults, tooMuch)
})

test('an adjustment is negative, and names its discount', () => {
  const [adjustment] = buildItemAdjustments(price([21], { discount_code: 'TEN' }, tenPercent), 0, now)
  assert.match(adjustment!.id, /^adj_/)
  assert.deepEqual(
    { ...adjustment, id: '' },
    {
      id: '',
      type: 'discount',
      code: 'TEN',
      label: 'TEN',
      amount: -2.1,
      source_id: publicId('disc', tenPercent.id),
      created_at: '2026-11-21T10:00:00.000Z',
    },
  )
  const [byHand] = buildItemAdjustments(price([21], { discount_amount: 1 }), 0, now)
  assert.deepEqual([byHand!.type, byHand!.code, byHand!.label, byHand!.source_id], ['manual', null, 'Discount', null])
  assert.deepEqual(buildItemAdjustments(price([0], { discount_code: 'TEN' }, tenPercent), 0, now), [])
})

test('whatever is bought, amounts are exact in the units of the currency', () => {
  const currencies = fc.constantFrom('USD', 'JPY', 'KWD', 'CLF')
  const cents = fc.integer({ min: 0, max: 10 ** 9 })
  fc.assert(
    fc.property(
      currencies,
      fc.array(cents, { minLength: 1, maxLength: 20 }),
      cents,
      cents,
      fc.integer({ min: 1, max: 10_000 }),
      (currency, totals, shipping, tax, percent) => {
        const unit = new Decimal(10).pow(-getCurrencyExponent(currency))
        const amount = (count: number) => unit.times(count)
        const discount = { ...tenPercent, value: String(percent / 100) }
        const priced = price(
          totals.map(amount),
          { discount_code: 'X', shipping_cost: amount(shipping).toNumber(), tax_amount: amount(tax).toNumber() },
          discount,
          currency,
        )
        const { subtotal, discount_amount, shipping_cost, tax_amount, total, allocation } = priced
        assert.ok(total.equals(subtotal.minus(discount_amount).plus(shipping_cost).plus(tax_amount)))
        assert.ok(sum(allocation).equals(discount_amount))
        assert.ok(discount_amount.lessThanOrEqualTo(subtotal) && !total.isNegative())
        for (const one of [total, ...allocation]) assert.ok(one.dividedBy(unit).isInteger())
      },
    ),
  )
})
