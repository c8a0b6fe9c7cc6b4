import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { checkTaxId } from './taxid.ts'
import type { TaxTerms, TaxZone } from './terms.ts'
import { resolveTaxTreatment, type TaxBuyer, type TaxPlace } from './treatment.ts'

const zone = (fields: Partial<TaxZone> & Pick<TaxZone, 'name' | 'country_code' | 'rate'>): TaxZone => ({
  provinces: [],
  postal_codes: [],
  reason: 'standard',
  included: null,
  shipping: null,
  shipping_tax: null,
  category_rates: [],
  components: [],
  tax_id: null,
  ...fields,
})
const terms = (tax_zones: TaxZone[], more: Partial<TaxTerms> = {}): TaxTerms => ({
  tax_id: null,
  tax_rate: '0',
  tax_included: false,
  tax_shipping: false,
  tax_rounding: 'order',
  tax_fixed_prices: true,
  tax_zones,
  ...more,
})
const anybody: TaxBuyer = { tax_id: null, is_exempt: false }
const named = (all: TaxTerms, home: string, place: TaxPlace, buyer = anybody) => {
  const treatment = resolveTaxTreatment(all, home, place, buyer)
  const { name, rate, reason } = treatment?.rateOf(null).components[0] ?? { name: null, rate: null, reason: null }
  return [name, rate, reason]
}

test('the zone that says most of a place wins: the longest postal code, then the province, then the country', () => {
  const spain = terms([
    zone({ name: 'ES', country_code: 'ES', rate: 21 }),
    zone({ name: 'Canarias', country_code: 'ES', rate: 7, postal_codes: ['35', '38'] }),
    zone({ name: 'Puerto', country_code: 'ES', rate: 3, postal_codes: ['35 10'] }),
    zone({ name: 'Ceuta', country_code: 'ES', rate: 0, reason: 'exempt', provinces: ['Ceuta', 'CE'] }),
    zone({ name: 'second', country_code: 'ES', rate: 99 }),
  ])
  const at = (province: string | null, postal_code: string | null) =>
    named(spain, 'ES', { country_code: 'ES', province, postal_code })[0]
  assert.deepEqual(
    [
      at(null, null),
      at('Madrid', '28001'),
      at('Las Palmas', '35001'),
      at(null, '35-101'),
      at('ceuta', '28001'),
      at('CE', null),
    ],
    ['ES', 'ES', 'Canarias', 'Puerto', 'Ceuta', 'Ceuta'],
  )
  // Postal codes and provinces as people type them.
  assert.equal(at('  CEUTA ', null), 'Ceuta')
})

test('without a country a sale is taxed as at home', () => {
  const all = terms([
    zone({ name: 'DE', country_code: 'DE', rate: 19 }),
    zone({ name: 'FR', country_code: 'FR', rate: 20 }),
  ])
  assert.deepEqual(named(all, 'FR', { country_code: null }), ['FR', 20, 'standard'])
})

test('no zone for the place: the taxes of home within the country and within the EU, else none, as an export', () => {
  const zones = [zone({ name: 'DE', country_code: 'DE', rate: 19 })]
  assert.deepEqual(named(terms(zones), 'DE', { country_code: 'AT' }), ['DE', 19, 'standard'])
  assert.deepEqual(named(terms(zones), 'DE', { country_code: 'CH' }), [null, 0, 'export'])
  assert.deepEqual(named(terms(zones, { tax_rate: '8.1' }), 'CH', { country_code: 'CH' }), [null, 8.1, 'standard'])
  assert.deepEqual(named(terms(zones, { tax_rate: '8.1' }), 'CH', { country_code: 'US' }), [null, 0, 'export'])
})

test("without zones the store's rate holds everywhere, and with neither nothing is taxed", () => {
  for (const country_code of ['MX', 'US', null]) {
    assert.deepEqual(named(terms([], { tax_rate: '16' }), 'MX', { country_code }), [null, 16, 'standard'])
  }
  assert.equal(resolveTaxTreatment(terms([]), 'MX', { country_code: 'MX' }, anybody), null)
})

test('a category has its own rate in a zone, other products have the usual one', () => {
  const books = newUuid()
  const category_rates = [{ category_id: publicId('cat', books), rate: 7, reason: 'reduced' as const }]
  const all = terms([zone({ name: 'DE', country_code: 'DE', rate: 19, category_rates })])
  const treatment = resolveTaxTreatment(all, 'DE', { country_code: 'DE' }, anybody)!
  const rateOf = (category: string | null) =>
    treatment.rateOf(category).components.map(({ rate, reason }) => [rate, reason])
  assert.deepEqual(rateOf(books), [[7, 'reduced']])
  assert.deepEqual([rateOf(newUuid()), rateOf(null)], [[[19, 'standard']], [[19, 'standard']]])
})

test('zones say of themselves whether prices contain the tax and shipping bears it, else the store does', () => {
  const zones = [
    zone({ name: 'US', country_code: 'US', rate: 8, included: false, shipping: false }),
    zone({ name: 'GB', country_code: 'GB', rate: 20 }),
  ]
  const all = terms(zones, { tax_included: true, tax_shipping: true })
  const at = (country_code: string) => {
    const { included, shipping } = resolveTaxTreatment(all, 'GB', { country_code }, anybody)!
    return [included, shipping]
  }
  assert.deepEqual(
    [at('US'), at('GB')],
    [
      [false, 'none'],
      [true, 'standard'],
    ],
  )
})

test('a business with a valid number of another EU country owes the tax itself, where the store has a number', () => {
  const zones = [zone({ name: 'DE', country_code: 'DE', rate: 19 }), zone({ name: 'FR', country_code: 'FR', rate: 20 })]
  const all = terms(zones, { tax_id: 'DE111111125' })
  const french = { tax_id: 'FR 40 303 265 045', is_exempt: false }
  assert.deepEqual(named(all, 'DE', { country_code: 'FR' }, french), ['FR', 0, 'reverse_charge'])
  // Taxed as usual: numbers with wrong check digits or of the store's own country, goods that stay at home or leave the
  // EU, and sales by a store without a tax number.
  for (const [where, tax_id, store] of [
    ['FR', 'FR40303265046', all],
    ['FR', 'DE111111125', all],
    ['FR', 'not a number', all],
    ['DE', 'FR40303265045', all],
    ['FR', 'FR40303265045', terms(zones)],
  ] as const) {
    const [, rate] = named(store, 'DE', { country_code: where }, { tax_id, is_exempt: false })
    assert.equal(rate, where === 'FR' ? 20 : 19, `${where} ${tax_id}`)
  }
  assert.deepEqual(named(all, 'DE', { country_code: 'CH' }, french), [null, 0, 'export'])
})

test('who is exempt pays no tax, and the reason says so', () => {
  const all = terms([zone({ name: 'DE', country_code: 'DE', rate: 19 })], { tax_id: 'DE111111125' })
  assert.deepEqual(named(all, 'DE', { country_code: 'DE' }, { tax_id: null, is_exempt: true }), ['DE', 0, 'exempt'])
})

test('a tax number is checked as those of its own country, else of the buyer', () => {
  for (const [typed, country, status, whose] of [
    ['DE111111125', 'DE', 'valid', 'DE'],
    ['de 111.111-125', 'US', 'valid', 'DE'],
    ['111111125', 'DE', 'valid', 'DE'],
    ['B98602642', 'ES', 'valid', 'ES'],
    ['EL094259216', 'GR', 'valid', 'GR'],
    ['GR094259216', 'GR', 'valid', 'GR'],
    ['094259216', 'GR', 'valid', 'GR'],
    ['DE111111126', 'DE', 'invalid', null],
    ['nonsense', 'FR', 'invalid', null],
    // Numbers of these countries cannot be checked.
    ['XAXX010101000', 'MX', 'unchecked', null],
    ['DES010101000', 'MX', 'unchecked', null],
  ] as const) {
    assert.deepEqual(checkTaxId(typed, country), { status, country: whose }, typed)
  }
})

test('a zone taxes shipping at its rate, at those of its goods, or not, whatever the store says', () => {
  const way = (shipping_tax: TaxZone['shipping_tax'], shipping: boolean | null, tax_shipping: boolean) => {
    const zones = [zone({ name: 'DE', country_code: 'DE', rate: 19, shipping_tax, shipping })]
    return resolveTaxTreatment(terms(zones, { tax_shipping }), 'DE', { country_code: 'DE' }, anybody)!.shipping
  }
  for (const tax_shipping of [true, false]) {
    for (const shipping_tax of ['standard', 'proportional'] as const) {
      assert.equal(way(shipping_tax, null, tax_shipping), shipping_tax)
      assert.equal(way(shipping_tax, true, tax_shipping), shipping_tax)
      assert.equal(way(shipping_tax, false, tax_shipping), 'none')
    }
    assert.equal(way('none', true, tax_shipping), 'none')
    assert.equal(way(null, true, tax_shipping), 'standard')
    assert.equal(way(null, false, tax_shipping), 'none')
    assert.equal(way(null, null, tax_shipping), tax_shipping ? 'standard' : 'none')
  }
})

// Country, postal code, province.
const outside: [string, string | null, string | null][] = [
  ['ES', '35001', null],
  ['ES', '38 110', null],
  ['ES', null, 'ES-GC'],
  ['ES', null, 'Las Palmas'],
  ['ES', '51001', null],
  ['ES', '52006', null],
  ['IT', '23041', null],
  ['IT', '22061', null],
  ['DE', '78266', null],
  ['DE', '27498', null],
  ['FI', '22100', null],
  ['FI', 'FI-22100', null],
  ['FI', 'AX-22100', null],
  ['DE', 'D-27498', null],
  ['ES', 'E-35001', null],
  ['FR', '97400', null],
  ['FR', '97110', null],
  ['FR', '98800', null],
  ['GR', '630 86', null],
]
const inside: [string, string | null, string | null][] = [
  ['ES', '28001', null],
  ['ES', '03501', null],
  ['IT', '23030', null],
  ['DE', '78267', null],
  ['FI', '00220', null],
  ['FR', '75001', null],
  ['GR', '63088', null],
  ['MC', '98000', null],
  ['GB', 'BT1 5GS', null],
  ['GB', null, 'Northern Ireland'],
]

test('places outside the VAT area of the EU are exported to, unless a zone names them', () => {
  for (const home of ['DE', 'ES', 'FR']) {
    const all = terms([zone({ name: 'Home', country_code: home, rate: 20 })])
    for (const [country_code, postal_code, province] of outside)
      assert.deepEqual(
        named(all, home, { country_code, postal_code, province }),
        [null, 0, 'export'],
        postal_code ?? '',
      )
    for (const [country_code, postal_code, province] of inside)
      assert.deepEqual(named(all, home, { country_code, postal_code, province })[1], 20, postal_code ?? '')
  }
  const named35 = [
    zone({ name: 'ES', country_code: 'ES', rate: 21 }),
    zone({ name: 'IGIC', country_code: 'ES', rate: 7, postal_codes: ['35', '38'] }),
  ]
  assert.deepEqual(named(terms(named35), 'DE', { country_code: 'ES', postal_code: '35001' }), ['IGIC', 7, 'standard'])
})

test('a part of a country with a code of its own is taxed by the zone that names it, under either code', () => {
  const all = terms([
    zone({ name: 'FR', country_code: 'FR', rate: 20 }),
    zone({ name: 'Réunion', country_code: 'FR', rate: 8.5, postal_codes: ['974'] }),
    zone({ name: 'Åland', country_code: 'FI', rate: 25.5, provinces: ['FI-01'] }),
    zone({ name: 'Mayotte', country_code: 'YT', rate: 1 }),
  ])
  for (const [country_code, postal_code, zone] of [
    ['RE', '97400', ['Réunion', 8.5, 'standard']],
    ['FR', '97400', ['Réunion', 8.5, 'standard']],
    ['AX', '22100', ['Åland', 25.5, 'standard']],
    ['FI', '22100', [null, 0, 'export']],
    ['YT', '97600', ['Mayotte', 1, 'standard']],
    ['MQ', '97200', [null, 0, 'export']],
  ] as const)
    assert.deepEqual(named(all, 'FR', { country_code, postal_code }), zone, country_code)
})

test('for goods, Northern Ireland is a place of the EU, whose businesses have numbers of their own', () => {
  const all = terms([zone({ name: 'DE', country_code: 'DE', rate: 19 })], { tax_id: 'DE111111125' })
  const belfast = { country_code: 'GB', postal_code: 'BT1 1AA' }
  const from = (tax_id: string | null, place: TaxPlace = belfast) =>
    named(all, 'DE', place, { tax_id, is_exempt: false }).slice(1)
  assert.deepEqual(from(null), [19, 'standard'])
  assert.deepEqual(from('XI980780684'), [0, 'reverse_charge'])
  assert.deepEqual(from('IE6388047V'), [0, 'reverse_charge'])
  // A number of Great Britain counts for nothing in the EU, and a download is no goods.
  assert.deepEqual(from('GB980780684'), [19, 'standard'])
  assert.deepEqual(from('DE111111125'), [19, 'standard'])
  assert.deepEqual(from('XI980780684', { ...belfast, isBilled: true }), [0, 'export'])
  assert.deepEqual(from(null, { ...belfast, isBilled: true }), [0, 'export'])
  assert.deepEqual(checkTaxId('XI980780684', 'GB'), { status: 'valid', country: 'XI' })
  assert.equal(checkTaxId('XI980780685', 'GB').status, 'invalid')
})

test('Monaco is taxed as France, and Northern Ireland by a zone of Great Britain, where there is one', () => {
  const all = terms([
    zone({ name: 'DE', country_code: 'DE', rate: 19 }),
    zone({ name: 'FR', country_code: 'FR', rate: 20 }),
    zone({ name: 'GB', country_code: 'GB', rate: 20 }),
  ])
  assert.deepEqual(named(all, 'DE', { country_code: 'MC' }), ['FR', 20, 'standard'])
  assert.deepEqual(named(all, 'DE', { country_code: 'GB', postal_code: 'BT1' }), ['GB', 20, 'standard'])
})
