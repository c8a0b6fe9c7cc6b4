import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid, publicId } from '../../../kit/values/ids.ts'
import { allocate, Decimal, getCurrencyExponent, round, sum } from '../../../kit/values/money.ts'
import { costOfPieces, computeOrderCosts, type SoldOrder, type SoldItem } from './costs.ts'
import { fc } from '../../../../test/random.ts'

const discount = (amount: Decimal.Value) => ({
  id: 'adj',
  type: 'discount' as const,
  code: null,
  label: 'Discount',
  amount: -Number(amount),
  source_id: null,
  created_at: '2026-01-01T00:00:00Z',
})

const sold = (quantity: number, total: Decimal.Value, off: Decimal.Value = 0): SoldItem => ({
  id: newUuid(),
  quantity,
  total_price: total,
  adjustments: Number(off) === 0 ? [] : [discount(off)],
})

const sale = (fields: Partial<SoldOrder> = {}): SoldOrder => ({
  currency: 'USD',
  discount_amount: 0,
  shipping_cost: 0,
  tax_amount: 0,
  order_bumps: null,
  tax_lines: [],
  ...fields,
})

const numbers = ({ items, order_bumps, shipping }: ReturnType<typeof computeOrderCosts>) => [
  items.map(Number),
  Number(order_bumps),
  Number(shipping),
]

test('an item costs its price less its discount, with its share of the tax', () => {
  const costs = computeOrderCosts(sale({ discount_amount: 10, tax_amount: 9, shipping_cost: 5 }), [
    sold(2, 60, 6),
    sold(1, 40, 4),
  ])
  assert.deepEqual(numbers(costs), [[59.4, 39.6], 0, 5])
})

test('bumps bear what of the discount the items do not', () => {
  const costs = computeOrderCosts(sale({ discount_amount: 10, order_bumps: { total: 20 } }), [sold(1, 80, 8)])
  assert.deepEqual(numbers(costs), [[72], 18, 0])
})

test('the tax of an order that costs nothing else is on its shipping', () => {
  const costs = computeOrderCosts(sale({ tax_amount: 1.6, shipping_cost: 10 }), [sold(1, 0)])
  assert.deepEqual(numbers(costs), [[0], 0, 11.6])
})

/** Tax lines with all of the tax on the first item, and included tax that does not add to the total. */
function taxLines([first]: SoldItem[], tax: Decimal, known: boolean): SoldOrder['tax_lines'] {
  if (!known) return []
  const item = { type: 'item' as const, item_id: publicId('item', first!.id) }
  return [
    { ...item, amount: Number(tax), included: false },
    { ...item, amount: 7, included: true },
  ]
}

test('each part bears its own tax, where the order knows it', () => {
  const items = [sold(1, 100), sold(2, 50)]
  const lines = [19, 3.5].map((amount, index) => ({
    type: 'item' as const,
    item_id: publicId('item', items[index]!.id),
    amount,
    included: false,
  }))
  const shipping = { type: 'shipping' as const, item_id: null, amount: 0.95, included: false }
  const costs = computeOrderCosts(sale({ tax_amount: 23.45, shipping_cost: 5, tax_lines: [...lines, shipping] }), items)
  assert.deepEqual(numbers(costs), [[119, 53.5], 0, 5.95])
})

const currencies = ['USD', 'JPY', 'KWD', 'CLP', 'MXN']
const units = fc.nat({ max: 5_000_000 })
const order = fc.record({
  currency: fc.constantFrom(...currencies),
  lines: fc.array(fc.record({ price: units, quantity: fc.integer({ min: 1, max: 40 }) }), {
    minLength: 1,
    maxLength: 8,
  }),
  bumps: units,
  off: fc.integer({ min: 0, max: 100 }),
  shipping: units,
  tax: units,
  known: fc.boolean(),
})

test('whatever is sold, the parts add up to the total, to the smallest unit', () => {
  fc.assert(
    fc.property(order, ({ currency, lines, bumps, off, shipping, tax, known }) => {
      const unit = new Decimal(10).pow(-getCurrencyExponent(currency))
      const totals = lines.map(({ price, quantity }) => unit.times(price).times(quantity))
      const bump = unit.times(bumps)
      const subtotal = sum([...totals, bump])
      const discount_amount = round(subtotal.times(off).dividedBy(100), currency)
      const shares = allocate(discount_amount, [...totals, bump], currency)
      const items = totals.map((total, index) => sold(lines[index]!.quantity, total, shares[index]!))
      const [shipping_cost, tax_amount] = [unit.times(shipping), unit.times(tax)]
      const order_bumps = { total: bump }
      const tax_lines = taxLines(items, tax_amount, known)
      const costs = computeOrderCosts(
        { currency, discount_amount, shipping_cost, tax_amount, order_bumps, tax_lines },
        items,
      )
      const parts = [...costs.items, costs.order_bumps, costs.shipping]
      const total = subtotal.minus(discount_amount).plus(shipping_cost).plus(tax_amount)
      assert.equal(sum(parts).toString(), total.toString())
      for (const part of parts) assert.ok(!part.isNegative() && round(part, currency).equals(part), String(part))
    }),
    { numRuns: 1000 },
  )
})

test('however an item is refunded piece by piece, the parts add up to what it cost', () => {
  const item = fc.record({
    currency: fc.constantFrom(...currencies),
    cost: units,
    parts: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 12 }),
  })
  fc.assert(
    fc.property(item, ({ currency, cost, parts }) => {
      const unit = new Decimal(10).pow(-getCurrencyExponent(currency))
      const whole = unit.times(cost)
      const quantity = parts.reduce((total, part) => total + part, 0)
      let from = 0
      const amounts = parts.map((count) => {
        const amount = costOfPieces(whole, { quantity, from, count, currency })
        from += count
        return amount
      })
      assert.ok(sum(amounts).equals(whole))
      amounts.forEach((amount, index) => {
        const exact = whole.times(parts[index]!).dividedBy(quantity)
        assert.ok(!amount.isNegative() && amount.minus(exact).abs().lessThanOrEqualTo(unit), `${amount} ${exact}`)
      })
    }),
    { numRuns: 1000 },
  )
})
