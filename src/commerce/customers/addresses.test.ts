import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'

const world = await openWorld()

const home = { address: 'Av. Reforma 222', city: 'Ciudad de México', province: 'MX-CMX', postal_code: '06600' }
const work = { company: 'Torres y Cía.', address: 'Calle 60 no. 482', city: 'Mérida', country_code: 'MX' }

async function newCustomer(shop: TestStore, more: object = {}) {
  const { id } = dataOf(await shop.api.post('/v1/customers', { name: 'Ana Torres', ...more }), 201)
  await shop.events()
  return { id, path: `/v1/customers/${id}/addresses` }
}

const faults = async (answer: Promise<any>) => {
  const { status, error } = await answer
  assert.equal(status, 422)
  return error.details.map(({ field }: any) => field).sort()
}

const eventsOf = async ({ events }: TestStore) => (await events()).map(({ event }) => event)

test('an address is created with all its fields, its province as code and name, and updates the customer', async () => {
  const shop = await world.newStore({ country_code: 'MX' })
  const { id, path } = await newCustomer(shop)
  const created = await shop.api.post(path, home)
  assert.equal(created.status, 201)
  assert.match(created.data.id, /^addr_[0-9a-z]{26}$/)
  assert.deepEqual(created.data, {
    id: created.data.id,
    name: null,
    company: null,
    ...home,
    address_2: null,
    province: 'Ciudad de México',
    province_code: 'MX-CMX',
    country_code: 'MX',
    phone: null,
    is_default_shipping: true,
    is_default_billing: true,
  })
  assert.equal(created.headers.get('location'), `${path}/${created.data.id}`)
  assert.deepEqual(dataOf(await shop.api.get(`${path}/${created.data.id}`), 200), created.data)
  assert.deepEqual(dataOf(await shop.api.get(path), 200), [created.data])
  assert.deepEqual(dataOf(await shop.api.get(`/v1/customers/${id}`), 200).addresses, [created.data])
  assert.deepEqual(await eventsOf(shop), ['customer.updated'])
})

test('one address is the default of each kind: whichever said so last, and another when it is deleted', async () => {
  const shop = await world.newStore()
  const { path } = await newCustomer(shop)
  const first = dataOf(await shop.api.post(path, home), 201)
  const second = dataOf(await shop.api.post(path, { ...work, is_default_billing: true }), 201)
  const defaults = async () =>
    dataOf(await shop.api.get(path), 200).map((one: any) => [one.id, one.is_default_shipping, one.is_default_billing])
  assert.deepEqual(await defaults(), [
    [first.id, true, false],
    [second.id, false, true],
  ])
  dataOf(await shop.api.patch(`${path}/${second.id}`, { is_default_shipping: true }), 200)
  assert.deepEqual(await defaults(), [
    [first.id, false, false],
    [second.id, true, true],
  ])
  dataOf(await shop.api.delete(`${path}/${second.id}`), 200)
  assert.deepEqual(await defaults(), [[first.id, true, true]])
  assert.equal((await shop.api.get(`${path}/${second.id}`)).status, 404)
  assert.equal((await shop.api.delete(`${path}/${second.id}`)).status, 404)
})

test('a change touches what it names, moves the province with the country, and is undone', async () => {
  const shop = await world.newStore({ country_code: 'MX' })
  const { path } = await newCustomer(shop)
  const before = dataOf(await shop.api.post(path, home), 201)
  await shop.events()
  const { data, headers } = await shop.api.patch(`${path}/${before.id}`, { country_code: 'DE', province: 'Bayern' })
  assert.deepEqual(data, { ...before, country_code: 'DE', province: 'Bayern', province_code: 'DE-BY' })
  assert.deepEqual(dataOf(await shop.api.patch(`${path}/${before.id}`, { city: before.city }), 200), data)
  assert.deepEqual(await eventsOf(shop), ['customer.updated'])
  dataOf(await shop.api.post(`/v1/changes/${headers.get('x-request-id')}/revert`), 200)
  assert.deepEqual(dataOf(await shop.api.get(path), 200), [before])
})

test('a customer is created and changed with addresses, which keep their IDs', async () => {
  const shop = await world.newStore()
  const { id } = await newCustomer(shop, { addresses: [home, { ...work, is_default_shipping: true }] })
  const { addresses } = dataOf(await shop.api.get(`/v1/customers/${id}`), 200)
  assert.deepEqual(
    addresses.map((one: any) => [one.city, one.is_default_shipping, one.is_default_billing]),
    [
      ['Ciudad de México', false, true],
      ['Mérida', true, false],
    ],
  )
  const [, kept] = addresses
  const changed = dataOf(await shop.api.patch(`/v1/customers/${id}`, { addresses: [kept, kept, home] }), 200).addresses
  assert.equal(changed[0].id, kept.id)
  assert.equal(new Set(changed.map((one: any) => one.id)).size, 3)
})

test('every fault is at its field, the 51st address is refused, and strangers find nothing', async () => {
  const [shop, other] = [await world.newStore(), await world.newStore()]
  const { id, path } = await newCustomer(shop)
  assert.deepEqual(await faults(shop.api.post(path, {})), ['address'])
  assert.deepEqual(await faults(shop.api.post(path, { ...home, country_code: 'QQ', city: 'x'.repeat(121) })), [
    'city',
    'country_code',
  ])
  const whole = { addresses: [home, { country_code: 'US' }, { address: 'x', country_code: 'QQ' }] }
  assert.deepEqual(await faults(shop.api.patch(`/v1/customers/${id}`, whole)), [
    'addresses.1.address',
    'addresses.2.country_code',
  ])
  const fifty = Array.from({ length: 50 }, (_, at) => ({ address: `Street ${at}` }))
  dataOf(await shop.api.patch(`/v1/customers/${id}`, { addresses: fifty }), 200)
  assert.deepEqual(await faults(shop.api.post(path, home)), ['body'])
  const {
    data: [one],
  } = await shop.api.get(path)
  for (const answer of [await other.api.get(path), await other.api.post(path, home)]) assert.equal(answer.status, 404)
  assert.equal((await other.api.patch(`${path}/${one.id}`, { city: 'x' })).status, 404)
  const reader = await shop.withKey({ scopes: ['read:customers'] })
  assert.equal((await reader.get(path)).status, 200)
  assert.equal((await reader.delete(`${path}/${one.id}`)).status, 403)
})

test('erasing the customer leaves no address in the record, the events or the audit log', async () => {
  const shop = await world.newStore()
  const { id, path } = await newCustomer(shop)
  dataOf(await shop.api.post(path, { ...home, address: 'Hidden Lane 7' }), 201)
  assert.match(JSON.stringify(dataOf(await shop.api.get(`/v1/customers/${id}/data`), 200)), /Hidden Lane 7/)
  dataOf(await shop.api.delete(`/v1/customers/${id}`), 200)
  const changes = await shop.api.get('/v1/audit?per_page=100')
  assert.equal(changes.status, 200)
  assert.doesNotMatch(JSON.stringify(changes.body), /Hidden Lane/)
})

test('a country is given by its name in any language, by its code, or as country_code, as in orders', async () => {
  const shop = await world.newStore({ country_code: 'MX' })
  const { id, path } = await newCustomer(shop)
  const countries: [given: object, code: string][] = [
    [{ country: 'Schweiz' }, 'CH'],
    [{ country: 'Suisse' }, 'CH'],
    [{ country: 'Reino Unido' }, 'GB'],
    [{ country: 'Alemanha' }, 'DE'],
    [{ country: 'it' }, 'IT'],
    [{ country: 'Germany', country_code: 'AT' }, 'AT'],
    [{ country: ' ' }, 'MX'],
    [{ country: null }, 'MX'],
    [{}, 'MX'],
  ]
  for (const [given, code] of countries) {
    const created = dataOf(await shop.api.post(path, { address: 'x', ...given }), 201)
    assert.deepEqual([created.country_code, 'country' in created], [code, false], JSON.stringify(given))
    const placed = dataOf(
      await shop.api.post('/v1/orders', {
        items: [{ product_name: 'Cup', unit_price: 1, quantity: 1 }],
        shipping_address: { address: 'x', ...given },
      }),
      201,
    )
    assert.equal(placed.country_code, code, JSON.stringify(given))
  }
  const [first] = (await shop.api.get(path)).data
  const moved = dataOf(await shop.api.patch(`${path}/${first.id}`, { country: 'Italia', province: 'Roma' }), 200)
  assert.deepEqual([moved.country_code, moved.province_code], ['IT', 'IT-RM'])
  const whole = { addresses: [{ address: 'x', country: 'Japon' }] }
  assert.equal(dataOf(await shop.api.patch(`/v1/customers/${id}`, whole), 200).addresses[0].country_code, 'JP')
  assert.deepEqual(await faults(shop.api.post(path, { address: 'x', country: 'Atlantis' })), ['country'])
  const refused = { addresses: [{ address: 'x', country: 'Atlantis' }] }
  assert.deepEqual(await faults(shop.api.patch(`/v1/customers/${id}`, refused)), ['addresses.0.country'])
})
