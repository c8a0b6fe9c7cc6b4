import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completeAddress, countryCodeOf } from './address.ts'

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
  }
  assert.deepEqual(completeAddress({}, buyer), { ...empty, ...buyer })
  assert.deepEqual(completeAddress({ name: 'Berta', phone: null, city: 'León' }, buyer), {
    ...empty,
    name: 'Berta',
    phone: null,
    city: 'León',
  })
})
