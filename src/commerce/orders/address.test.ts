import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryCodeOf } from '../../kit/values/countries.ts'
import { mergeAddress, completeAddress, townLine } from './address.ts'

test('a country is known by its code, and by its name in English and Spanish', () => {
  const cases = {
    MX: 'MX',
    mx: 'MX',
    México: 'MX',
    mexico: 'MX',
    ' Spain ': 'ES',
    España: 'ES',
    'United States': 'US',
    USA: 'US',
    'Estados Unidos': 'US',
    UK: 'GB',
    'Reino Unido': 'GB',
    France: 'FR',
    Russia: 'RU',
    Perú: 'PE',
    Serbia: 'RS',
  }
  for (const [country, code] of Object.entries(cases)) assert.equal(countryCodeOf(country), code, country)
  for (const unknown of ['', 'Atlantis', 'X', null, undefined]) assert.equal(countryCodeOf(unknown), null)
})

test("an address has all its fields, and the buyer's name and phone unless it names others", () => {
  const buyer = { name: 'Ana', phone: '55 1234 5678' }
  const empty = {
    address: null,
    city: null,
    province: null,
    country: null,
    postal_code: null,
    notes: null,
    address_2: null,
    company: null,
    province_code: null,
  }
  assert.deepEqual(completeAddress({}, buyer), { ...empty, ...buyer })
  assert.deepEqual(completeAddress({ name: 'Berta', phone: null, city: 'León' }, buyer), {
    ...empty,
    name: 'Berta',
    phone: null,
    city: 'León',
  })
})

test('a province is known by its code, in full or in short, and by its names; it stays as it was written', () => {
  const written = (province: string | null, country: string) => {
    const address = completeAddress({ province, country }, { name: null, phone: null })
    return [address.province, address.province_code]
  }
  for (const form of ['New York', 'NEW YORK', 'new-york', 'NY', 'ny', 'N.Y.'])
    assert.deepEqual(written(form, 'US'), [form, 'US-NY'], form)
  assert.deepEqual(written('US-NY', 'US'), ['New York', 'US-NY'])
  assert.deepEqual(written('us-ny', 'United States'), ['New York', 'US-NY'])
  assert.deepEqual(written('US-NY', 'CA'), [null, null])
  assert.deepEqual(written('Nowhere', 'US'), ['Nowhere', null])
  assert.deepEqual(written('Quebec', 'CA'), ['Quebec', 'CA-QC'])
  assert.deepEqual(written('CDMX', 'México'), ['CDMX', 'MX-CMX'])
  assert.deepEqual(written('Yucatan', 'MX'), ['Yucatan', 'MX-YUC'])
})

test('a change of province takes its code along, and another country drops the code', () => {
  const before = { province: 'New York', province_code: 'US-NY', city: 'Albany' }
  const after = (input: object, country = 'US') => {
    const { province, province_code } = mergeAddress<object & typeof before>(before, input as typeof before, country)
    return [province, province_code]
  }
  assert.deepEqual(after({ city: 'Troy' }), ['New York', 'US-NY'])
  assert.deepEqual(after({ province: 'Maine' }), ['Maine', 'US-ME'])
  assert.deepEqual(after({ province: null }), [null, null])
  assert.deepEqual(after({}, 'CA'), ['New York', null])
})

test('a line names the province in words, and a city that is its own province once', () => {
  const line = (address: object, country?: string) => townLine(address, country)
  assert.equal(
    line({ postal_code: '12207', city: 'Albany', province: 'NY', province_code: 'US-NY' }),
    '12207 Albany New York',
  )
  // An address from before province codes were stored.
  assert.equal(line({ postal_code: '12207', city: 'Albany', province: 'ny' }, 'US'), '12207 Albany New York')
  assert.equal(
    line({ postal_code: '06600', city: 'Ciudad de México', province: 'CDMX', country: 'México' }),
    '06600 Ciudad de México',
  )
  assert.equal(line({ city: 'Lund', province: 'Skåne' }), 'Lund Skåne')
})
