import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCountryCode, countryCodes } from '../../kit/values/countries.ts'
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
  for (const [country, code] of Object.entries(cases)) assert.equal(parseCountryCode(country), code, country)
  for (const unknown of ['', 'Atlantis', 'X', null, undefined]) assert.equal(parseCountryCode(unknown), null)
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

test('the line of the city is written as in its country', () => {
  const line = (address: object, country?: string) => townLine(address, country)
  const albany = { postal_code: '12207', city: 'Albany', province: 'NY', province_code: 'US-NY' }
  const cases: [object, string | undefined, string][] = [
    [albany, 'US', 'Albany, NY 12207'],
    [{ ...albany, province: 'New York', province_code: null }, 'US', 'Albany, NY 12207'],
    [{ ...albany, city: 'New York', province: 'New York' }, 'US', 'New York, NY 12207'],
    [{ ...albany, province: null, province_code: null }, 'US', 'Albany 12207'],
    [{ ...albany, city: null }, 'US', 'NY 12207'],
    [{ postal_code: '04101', city: 'Portland', province: 'Maine', country: 'USA' }, undefined, 'Portland, ME 04101'],
    [{ postal_code: '10115', city: 'Berlin', province: 'Berlin' }, 'DE', '10115 Berlin'],
    [{ postal_code: 'SW1A 1AA', city: 'London' }, 'GB', 'London SW1A 1AA'],
    [{ postal_code: '01310-100', city: 'São Paulo', province: 'São Paulo' }, 'BR', 'São Paulo-SP 01310-100'],
    [{ postal_code: '00187', city: 'Roma', province: 'Roma' }, 'IT', '00187 Roma RM'],
    [{ postal_code: '2000', city: 'Sydney', province: 'NSW' }, 'AU', 'Sydney NSW 2000'],
    [{ postal_code: '8001', city: 'Zürich' }, 'CH', '8001 Zürich'],
    [
      { postal_code: '06600', city: 'Ciudad de México', province: 'CDMX', country: 'México' },
      undefined,
      '06600 Ciudad de México',
    ],
    [
      { postal_code: '72000', city: 'Puebla de Zaragoza', province: 'Puebla' },
      'MX',
      '72000 Puebla de Zaragoza, Puebla',
    ],
    // Not part of such addresses, and still not lost.
    [{ postal_code: '22100', city: 'Lund', province: 'Skåne' }, 'SE', '22100 Lund Skåne'],
    [{ city: 'Lund', province: 'Skåne' }, undefined, 'Lund Skåne'],
    [{}, 'US', ''],
  ]
  for (const [address, country, expected] of cases) assert.equal(line(address, country), expected)
})

test('in every country the line has each part once, with nothing before the first or behind the last', () => {
  for (const country of countryCodes) {
    for (let mask = 0; mask < 8; mask++) {
      const parts = ['Aaaa', 'Qqqq', '11'].map((text, index) => ((mask >> index) & 1 ? text : null))
      const [city, province, postal_code] = parts
      const line = townLine({ city, province, postal_code } as Parameters<typeof townLine>[0], country)
      const present = parts.filter((part) => part !== null)
      const written = line.match(/\w+/g)?.filter((word) => word !== country)
      assert.deepEqual(written?.toSorted() ?? [], present.toSorted(), `${country}: ${line}`)
      assert.match(line, /^(\w.*\w)?$/, `${country}: ${line}`)
      assert.doesNotMatch(line, / {2}|[,-] *[,-]/, `${country}: ${line}`)
    }
  }
})
