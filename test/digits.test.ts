// Digits of the keyboards of the world in phone numbers and postal codes, at every door.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productOf, shopperOf } from './checkouts.ts'
import { imported } from './imports.ts'
import { dataOf, sold } from './shop.ts'
import { byCash, openUcpWorld, whole } from './ucp.ts'
import type { TestStore } from './world.ts'

const world = await openUcpWorld({}, { sweeps: true })

/** As typed, and as it is stored: phone and postal code of a country. */
// prettier-ignore
const written: [script: string, country: string, phone: [string, string], code: [string, string]][] = [
  ['Persian',    'IR', ['۰۲۱ ۸۸۷۷۶۶۵۵', '021 88776655'],       ['۱۱۹۳۶-۱۲۳۴۵', '11936-12345']],
  ['Arabic',     'SA', ['+٩٦٦ ٥٠ ١٢٣ ٤٥٦٧', '+966 50 123 4567'], ['١١٥٦٤', '11564']],
  ['full width', 'JP', ['０３－１２３４－５６７８', '03-1234-5678'],   ['１５４－００２３', '154-0023']],
  ['Devanagari', 'IN', ['+९१ ९८७६५ ४३२१०', '+91 98765 43210'],   ['११०००१', '110001']],
  ['Bengali',    'BD', ['০১৭১২-৩৪৫৬৭৮', '01712-345678'],         ['১২০৫', '1205']],
  ['Thai',       'TH', ['๐๒ ๑๒๓ ๔๕๖๗', '02 123 4567'],           ['๑๐๑๑๐', '10110']],
  ['Latin',      'US', ['+1 212 555 0101', '+1 212 555 0101'],  ['10118-0001', '10118-0001']],
]

type Place = {
  name: string
  address: string
  city: string
  postal_code: string
  country_code: string
  phone: string
  province?: string
}

/** The phone and the postal code that end up in the store's record. */
const doors: Record<string, (shop: TestStore, place: Place) => Promise<[string, string]>> = {
  'storefront API': async (shop, place) => {
    const shopper = shopperOf(world, shop)
    const items = [sold(await productOf(shop))]
    const customer = { name: 'N', email: 'n@example.com', phone: place.phone }
    const begun = dataOf(await shopper.begin({ items, customer, shipping_address: place }), 201)
    dataOf(await shopper.complete(begun.token), 201)
    return orderOf(shop)
  },
  'order by API': async (shop, { country_code, ...place }) => {
    const items = [sold(await productOf(shop))]
    const body = { items, customer_email: 'n@example.com', customer_phone: place.phone, shipping_address: place }
    dataOf(await shop.api.post('/v1/orders', { ...body, country_code }), 201)
    return orderOf(shop)
  },
  'draft order': async (shop, { country_code: _, ...place }) => {
    const body = { items: [sold(await productOf(shop))], customer_phone: place.phone, shipping_address: place }
    const draft = dataOf(await shop.api.post('/v1/draft-orders', body), 201)
    return [draft.customer_phone, draft.shipping_address.postal_code]
  },
  customer: async ({ api }, place) => {
    const made = dataOf(await api.post('/v1/customers', { name: 'N', phone: place.phone, addresses: [place] }), 201)
    assert.equal(made.addresses[0].phone, made.phone)
    return [made.phone, made.addresses[0].postal_code]
  },
  import: async ({ api }, { name, phone, address, city, postal_code, country_code }) => {
    const columns = 'name,phone,address_line_1,address_city,address_postal_code,address_country'
    const text = `${columns}\n${[name, phone, address, city, postal_code, country_code].join(',')}\n`
    const done = await imported(world, api, text, { kind: 'customers' })
    assert.equal(done.rows_created, 1, JSON.stringify(done))
    const [made] = (await api.get('/v1/customers')).data
    return [made.phone, made.addresses[0].postal_code]
  },
  agent: async (shop, place) => {
    const product = await productOf(shop)
    const agent = world.agent(await world.domainOf(shop))
    const body = whole(product.id)
    const destination = {
      ...{ street_address: place.address, address_locality: place.city, postal_code: place.postal_code },
      ...{ address_region: place.province, address_country: place.country_code, phone_number: place.phone },
    }
    const buyer = { ...body.buyer, phone_number: place.phone }
    const [method] = body.fulfillment.methods
    const fulfillment = { methods: [{ ...method, destinations: [destination] }] }
    const { body: begun } = await agent.call('create_checkout', { body: { ...body, buyer, fulfillment } })
    const { body: done } = await agent.call('complete_checkout', { id: begun.id, body: byCash })
    assert.equal(done.status, 'completed', JSON.stringify(done.messages))
    return orderOf(shop)
  },
}

async function orderOf({ api }: TestStore): Promise<[string, string]> {
  const [order] = (await api.get('/v1/orders')).data
  assert.equal(order.shipping_address.phone, order.customer_phone)
  return [order.customer_phone, order.shipping_address.postal_code]
}

for (const [door, enter] of Object.entries(doors))
  test(`digits of every script are taken and stored as 0 to 9: ${door}`, async () => {
    for (const [script, country_code, phone, code] of written) {
      const shop = await world.newStore({ country_code })
      await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 0 })
      await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
      const street = { name: 'N', address: 'Street 1', city: 'City', province: provinces[country_code] }
      const place = { ...street, postal_code: code[0], country_code, phone: phone[0] }
      assert.deepEqual(await enter(shop, place), [phone[1], code[1]], script)
      if (door !== 'order by API') continue
      for (const typed of phone) {
        const { data } = await shop.api.get(`/v1/orders?search=${encodeURIComponent(typed)}`)
        assert.equal(data.length, 1, `${script} ${typed}`)
        const { data: customers } = await shop.api.get(`/v1/customers?search=${encodeURIComponent(typed)}`)
        assert.equal(customers.length, 1, `${script} ${typed}`)
      }
    }
  })

/** Countries whose addresses need one. */
const provinces: Record<string, string> = { IN: 'Delhi', JP: 'Tokyo', US: 'New York', IR: 'Tehran', TH: 'Bangkok' }
