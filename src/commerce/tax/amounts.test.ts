import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal, getCurrencyExponent, round, sum } from '../../kit/values/money.ts'
import { taxableGoods, computeTaxes, type TaxableAmount } from './amounts.ts'
import type { TaxReason } from './taxzone.ts'
import type { TaxRate, Treatment } from './treatment.ts'
import { fc } from '../../../test/random.ts'

const single = (rate: number, reason: TaxReason = 'standard'): TaxRate => ({
  components: [{ name: 'Zone', rate, reason, tax_id: null, compound: false }],
})
const standard = (rate: number) => single(rate)
const treatment = (fields: Partial<Treatment> & { rates: TaxRate[] }): Treatment => ({
  country_code: 'DE',
  included: false,
  shipping: 'standard',
  rounding: 'order',
  relief: null,
  // The category of a line is the index of its rate.
  rateOf: (category) => fields.rates[Number(category ?? 0) % fields.rates.length]!,
  ...fields,
})
const goods = (...amounts: Decimal.Value[]): TaxableAmount[] =>
  amounts.map((amount, position) => ({
    kind: 'item',
    position,
    category_id: String(position),
    amount: new Decimal(amount),
  }))
const none = new Decimal(0)
const taxed = (
  amounts: Decimal.Value[],
  how: Partial<Treatment> & { rates: TaxRate[] },
  currency = 'EUR',
  shipping = none,
) => computeTaxes(goods(...amounts), shipping, treatment(how), currency)
const numbers = (amounts: readonly Decimal[]) => amounts.map(Number)

test('by order the tax of a rate is rounded once, by line each line is rounded', () => {
  const three = [0.33, 0.33, 0.33]
  const order = taxed(three, { rates: [standard(19)] })
  // 0.99 × 19 % = 0.1881; 0.33 × 19 % = 0.0627
  assert.deepEqual([Number(order.added), numbers(order.lines.map(({ tax }) => tax))], [0.19, [0.06, 0.07, 0.06]])
  const line = taxed(three, { rates: [standard(19)], rounding: 'line' })
  assert.deepEqual([Number(line.added), numbers(line.lines.map(({ tax }) => tax))], [0.18, [0.06, 0.06, 0.06]])
})

test('rates that differ are rounded apart', () => {
  const { added, lines } = taxed([0.5, 0.5], { rates: [standard(19), single(7, 'reduced')] })
  assert.deepEqual([numbers(lines.map(({ tax }) => tax)), Number(added)], [[0.1, 0.04], 0.14])
})

test('a discount is off before the tax: 100.00 with 19 % in it, less a fixed 10.00, contains 14.37', () => {
  // Totals that would be wrong: the tax on the undiscounted price (15.97), or a discount applied after tax.
  const bought = [{ category_id: null, total: new Decimal(100) }]
  const { included, added } = computeTaxes(
    taxableGoods(bought, 1, [new Decimal(10)], 'EUR'),
    none,
    treatment({ included: true, rates: [standard(19)] }),
    'EUR',
  )
  assert.deepEqual([Number(included), Number(added)], [14.37, 0])
})

test('bumps without a product and shipping bear the usual rate; shipping only where it is taxed', () => {
  const bought = [
    { category_id: '1', total: new Decimal(10) },
    { category_id: null, total: new Decimal(5) },
  ]
  const lines = (shipping: Treatment['shipping']) =>
    computeTaxes(
      taxableGoods(bought, 1, [none, none], 'EUR'),
      new Decimal(4),
      treatment({ shipping, rates: [standard(19), single(7, 'reduced')] }),
      'EUR',
    ).lines.map(({ kind, position, rate }) => [kind, position, rate])
  assert.deepEqual(lines('standard'), [
    ['item', 0, 7],
    ['order_bump', 0, 19],
    ['shipping', 0, 19],
  ])
  assert.deepEqual(lines('none'), [
    ['item', 0, 7],
    ['order_bump', 0, 19],
  ])
})

test('what is free of tax keeps its lines: the reason is what an invoice needs', () => {
  const { lines, added, included } = taxed([119], { included: true, rates: [single(0, 'reverse_charge')] })
  assert.deepEqual(
    [Number(added), Number(included), lines[0]!.reason, Number(lines[0]!.tax)],
    [0, 0, 'reverse_charge', 0],
  )
})

const stacked = (...taxes: [name: string, rate: number, compound?: boolean][]): TaxRate => ({
  components: taxes.map(([name, rate, compound = false]) => ({
    name,
    rate,
    reason: 'standard',
    tax_id: null,
    compound,
  })),
})
const canada = (rate: TaxRate, more: Partial<Treatment> = {}) =>
  taxed([10.1], { rates: [rate], rounding: 'line', ...more }, 'CAD').lines.map(({ name, base, tax }) => [
    name,
    Number(base),
    Number(tax),
  ])
const quebec = stacked(['GST', 5], ['QST', 9.975])

test('shipping at the rates of the goods is shared by what they cost after the discount', () => {
  const bought = [
    { category_id: '1', total: new Decimal(15) },
    { category_id: '0', total: new Decimal(20) },
    { category_id: '1', total: new Decimal(0) },
  ]
  const rates = [standard(19), single(7, 'reduced')]
  const shipping = (price: number, sold: typeof bought, included = false) =>
    computeTaxes(
      taxableGoods(
        sold,
        sold.length,
        sold.map(({ total }) => (total.equals(15) ? new Decimal(5) : none)),
        'EUR',
      ),
      new Decimal(price),
      treatment({ shipping: 'proportional', included, rates, rounding: 'line' }),
      'EUR',
    )
      .lines.filter(({ kind }) => kind === 'shipping')
      .map(({ rate, base, tax }) => [rate, base.toNumber(), tax.toNumber()])
  // 10 and 20: a third of 6 at 7 %.
  assert.deepEqual(shipping(6, bought), [
    [7, 2, 0.14],
    [19, 4, 0.76],
  ])
  assert.deepEqual(shipping(10, bought.slice(0, 1)), [[7, 10, 0.7]])
  assert.deepEqual(shipping(10.7, bought.slice(0, 1), true), [[7, 10, 0.7]])
  // Goods that cost nothing share nothing: the standard rate.
  assert.deepEqual(shipping(10, bought.slice(2)), [[19, 10, 1.9]])
  assert.deepEqual(shipping(0, bought), [])
})

test('several taxes of one line are rounded each on its own: 10.10 in Quebec bears 0.51 GST and 1.01 QST', () => {
  const lines = [
    ['GST', 10.1, 0.51],
    ['QST', 10.1, 1.01],
  ]
  assert.deepEqual(canada(quebec), lines)
  assert.deepEqual(canada(quebec, { rounding: 'order' }), lines)
  assert.equal(Number(taxed([10.1], { rates: [quebec] }, 'CAD').added), 1.52)
  // 10.10 × 5 / 114.975 and 10.10 × 9.975 / 114.975
  assert.deepEqual(canada(quebec, { included: true }), [
    ['GST', 8.78, 0.44],
    ['QST', 8.78, 0.88],
  ])
})

test('a compound tax is charged on the price with the taxes before it', () => {
  // 10.10 × 1.05 × 9.975 % = 1.0578
  const compound = stacked(['GST', 5], ['QST', 9.975, true])
  assert.deepEqual(canada(compound), [
    ['GST', 10.1, 0.51],
    ['QST', 10.61, 1.06],
  ])
  // 115.47375 contains 100.00 net, 5.00 and 10.47.
  const within = taxed([115.47], { rates: [compound], included: true }, 'CAD')
  assert.deepEqual(numbers(within.lines.map(({ tax }) => tax)), [5, 10.47])
})

test('by order a tax that several rates share is rounded once for all of them', () => {
  const { lines, added } = taxed([0.33, 0.33, 0.33], { rates: [quebec, stacked(['GST', 5])] }, 'CAD')
  const of = (wanted: string) => lines.filter(({ name }) => name === wanted).map(({ tax }) => Number(tax))
  // GST of 0.99 is 0.0495, QST of 0.66 is 0.0658.
  assert.deepEqual([of('GST'), of('QST'), Number(added)], [[0.02, 0.01, 0.02], [0.04, 0.03], 0.12])
})

const currencies = ['EUR', 'JPY', 'KWD', 'CLP', 'USD']
const components = fc.array(fc.tuple(fc.integer({ min: 0, max: 300_000 }), fc.boolean()), {
  minLength: 1,
  maxLength: 4,
})

test('whatever several taxes a line bears, each is within half a unit of the exact one, and all add up', () => {
  const amounts = fc.array(fc.integer({ min: 100, max: 10_000_000 }), { minLength: 1, maxLength: 8 })
  const property = fc.property(amounts, components, fc.boolean(), (cents, taxes, included) => {
    const rate = stacked(...taxes.map(([rate, isOn], at): [string, number, boolean] => [`T${at}`, rate / 10_000, isOn]))
    const sold = cents.map((count) => new Decimal(count).dividedBy(100))
    const { lines, added, included: within } = taxed(sold, { rates: [rate], included, rounding: 'line' })
    assert.ok(sum(lines.map(({ tax }) => tax)).equals(included ? within : added))
    for (const amount of sold) {
      const own = lines.filter((line) => line.amount === amount)
      const shares = own.reduce<number[]>(
        (before, { rate: percent, compound }) => [
          ...before,
          (percent / 100) * (compound ? before.reduce((a, b) => a + b, 1) : 1),
        ],
        [],
      )
      const net = included ? Number(amount) / (1 + shares.reduce((a, b) => a + b, 0)) : Number(amount)
      own.forEach(({ tax }, at) => assert.ok(Math.abs(Number(tax) - net * shares[at]!) <= 0.005 + 1e-6))
    }
  })
  fc.assert(property, { numRuns: 300 })
})

const sale = fc.record({
  currency: fc.constantFrom(...currencies),
  units: fc.array(fc.nat({ max: 10_000_000 }), { minLength: 1, maxLength: 12 }),
  shipping: fc.nat({ max: 100_000 }),
  rates: fc.array(
    fc.integer({ min: 0, max: 1_000_000 }).map((rate) => standard(rate / 10_000)),
    { minLength: 1, maxLength: 4 },
  ),
  included: fc.boolean(),
  rounding: fc.constantFrom('order', 'line'),
})

const priced = ({
  currency,
  units,
  shipping,
  rates,
  included,
  rounding,
}: typeof sale extends fc.Arbitrary<infer S> ? S : never) => {
  const unit = new Decimal(10).pow(-getCurrencyExponent(currency))
  const amounts = units.map((count) => unit.times(count))
  const parcel = unit.times(shipping)
  const how = { rates, included, rounding: rounding as Treatment['rounding'] }
  return { unit, amounts, parcel, taxes: taxed(amounts, how, currency, parcel) }
}

test('whatever is sold: lines add up, nothing is finer than the currency, no line is off by 1.5 units or more', () => {
  fc.assert(
    fc.property(sale, (given) => {
      const { currency, included } = given
      const { unit, taxes } = priced(given)
      const whole = sum(taxes.lines.map(({ tax }) => tax))
      assert.ok(whole.equals(included ? taxes.included : taxes.added))
      assert.ok((included ? taxes.added : taxes.included).isZero())
      for (const { amount, tax, rate } of taxes.lines) {
        const exact = amount.times(rate).dividedBy(included ? new Decimal(rate).plus(100) : 100)
        assert.ok(round(tax, currency).equals(tax))
        assert.ok(tax.minus(exact).abs().lessThan(unit.times(1.5)))
        assert.ok(!tax.isNegative() && (!included || tax.lessThanOrEqualTo(amount)))
      }
    }),
    { numRuns: 1000 },
  )
})

test('by order the tax of each rate is within half a unit of the exact one, by line within half a unit a line', () => {
  fc.assert(
    fc.property(sale, (given) => {
      const { unit, taxes } = priced(given)
      for (const alike of Map.groupBy(taxes.lines, ({ rate }) => rate).values()) {
        const { rate } = alike[0]!
        const share = new Decimal(rate).dividedBy(given.included ? new Decimal(rate).plus(100) : 100)
        const exact = sum(alike.map(({ amount }) => amount)).times(share)
        const most = unit.dividedBy(2).times(given.rounding === 'order' ? 1 : alike.length)
        const off = sum(alike.map(({ tax }) => tax))
          .minus(exact)
          .abs()
        assert.ok(off.lessThanOrEqualTo(most.plus('1e-20')), `${off} > ${most}`)
      }
    }),
    { numRuns: 1000 },
  )
})

test('a price that contains the tax is the same to the cent at whatever rate; only the tax in it changes', () => {
  fc.assert(
    fc.property(sale, (given) => {
      const { amounts, parcel, taxes } = priced({ ...given, included: true })
      const paid = sum(amounts).plus(parcel).plus(taxes.added)
      assert.ok(paid.equals(sum(amounts).plus(parcel)))
      // Net amount and tax of every line add up to its price.
      for (const { amount, tax } of taxes.lines) assert.ok(amount.minus(tax).plus(tax).equals(amount))
    }),
    { numRuns: 300 },
  )
})
