import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal, getCurrencyExponent } from '../../kit/values/money.ts'
import { localPrices } from './prices.ts'
import type { TaxTerms, TaxZone } from './terms.ts'
import { anonymousBuyer, resolveTaxTreatment } from './treatment.ts'
import { fc } from '../../../test/random.ts'

const zone = (country_code: string, rate: number, included: boolean | null = null): TaxZone => ({
  name: country_code,
  country_code,
  rate,
  provinces: [],
  postal_codes: [],
  reason: 'standard',
  included,
  shipping: null,
  shipping_tax: null,
  category_rates: [],
  components: [],
  tax_id: null,
})
const terms: TaxTerms = {
  tax_id: null,
  tax_rate: '0',
  tax_included: true,
  tax_shipping: false,
  tax_rounding: 'order',
  tax_fixed_prices: false,
  tax_zones: [zone('DE', 19), zone('FR', 20), zone('US', 8, false)],
}
const at = (country_code: string, all = terms, buyer = anonymousBuyer, currency = 'EUR') =>
  localPrices(all, 'DE', resolveTaxTreatment(all, 'DE', { country_code }, buyer), currency)
const priceAt = (...where: Parameters<typeof at>) =>
  Number(at(...where).ofGoods(new Decimal(119), { category_id: null }))

test('prices that are not fixed keep their net: without the tax of home, with that of the place', () => {
  assert.deepEqual(
    [
      priceAt('DE'),
      priceAt('FR'),
      priceAt('US'),
      priceAt('NO'),
      priceAt('DE', terms, { tax_id: null, is_exempt: true }),
    ],
    [119, 120, 100, 100, 100],
  )
  // Shipping includes no tax here, so none is removed.
  assert.equal(Number(at('NO').ofShipping(new Decimal(5), [])), 5)
  assert.equal(Number(at('NO', { ...terms, tax_shipping: true }).ofShipping(new Decimal('5.95'), [])), 5)
})

test('fixed prices, and those of a store without taxes, are what they are', () => {
  assert.equal(priceAt('NO', { ...terms, tax_fixed_prices: true }), 119)
  assert.equal(priceAt('NO', { ...terms, tax_zones: [] }), 119)
})

test('at home no price moves, whatever the rate, price and currency', () => {
  const price = fc.record({
    units: fc.nat({ max: 1_000_000_000 }),
    rate: fc.nat({ max: 1_000_000 }).map((rate) => rate / 10_000),
    currency: fc.constantFrom('EUR', 'JPY', 'KWD'),
  })
  fc.assert(
    fc.property(price, ({ units, rate, currency }) => {
      const amount = new Decimal(units).times(new Decimal(10).pow(-getCurrencyExponent(currency)))
      const home = at('DE', { ...terms, tax_zones: [zone('DE', rate)] }, anonymousBuyer, currency)
      assert.ok(home.ofGoods(amount, { category_id: null }).equals(amount))
    }),
  )
})
