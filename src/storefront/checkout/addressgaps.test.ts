// Tax and place don't depend on which optional fields of an address are left out: the same tax, or a refusal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productOf, setUp, shopperOf } from '../../../test/checkouts.ts'
import { lines, openUcpWorld, byCash, home as ucpHome, buyer as ucpBuyer, shipping } from '../../../test/ucp.ts'
import type { TestStore } from '../../../test/world.ts'

const world = await openUcpWorld()

/** A store in the US that taxes California at 7.25 %. */
async function open() {
  const shop = await setUp(await world.newStore())
  const zone = { country_code: 'US', provinces: ['CA'], rate: 7.25, name: 'CA', included: false }
  const { status, error } = await shop.api.post('/v1/store/tax-zones', zone)
  assert.equal(status, 201, JSON.stringify(error))
  return { shop, product: await productOf(shop, { price: 100 }) }
}

const whole = { address: '1 Main St', city: 'Los Angeles', province: 'CA', postal_code: '90001', country_code: 'US' }
const customer = { name: 'Ana Torres', email: 'ana@example.com' }

/** Each field alone, and country, province and postal code together. */
const gaps = ['address', 'city', 'province', 'postal_code', 'country_code', 'country_code province postal_code']
const values = { 'left out': undefined, empty: '', null: null, unknown: 'Nowhere' }

type Price = (shop: TestStore, product: { id: string }, address: Record<string, unknown>) => Promise<number | null>

/** The tax of the order, or null if it is refused. */
const doors: Record<string, Price> = {
  'a checkout of the storefront API': async (shop, { id }, shipping_address) => {
    const shopper = shopperOf(world, shop)
    const items = [{ product_id: id, quantity: 1 }]
    const { data, status } = await shopper.begin({ items, customer, shipping_address })
    if (status !== 201) return null
    const done = await shopper.complete(data.token)
    if (done.status !== 201) return null
    return (await shop.api.get(`/v1/orders/${done.data.order.id}`)).data.tax_amount
  },
  'a checkout whose address is completed last': async (shop, { id }, shipping_address) => {
    const shopper = shopperOf(world, shop)
    const { data } = await shopper.begin({ items: [{ product_id: id, quantity: 1 }], customer })
    const done = await shopper.complete(data.token, { shipping_address, total: 1000 })
    if (done.status !== 201) return null
    return (await shop.api.get(`/v1/orders/${done.data.order.id}`)).data.tax_amount
  },
  'a checkout of an agent': async (shop, { id }, address) => {
    const agent = world.agent(await world.domainOf(shop))
    const place = { ...ucpHome, ...ucpNames(address) }
    const body = { line_items: lines(id), buyer: ucpBuyer, fulfillment: shipping('standard', place) }
    const { body: begun, status } = await agent.call('create_checkout', { body })
    if (status >= 300 || begun.status === 'incomplete') return null
    await agent.call('complete_checkout', { id: begun.id, body: byCash })
    const [order] = (await shop.api.get('/v1/orders')).data
    return order?.tax_amount ?? null
  },
}

const names = {
  address: 'street_address',
  city: 'address_locality',
  province: 'address_region',
  postal_code: 'postal_code',
  country_code: 'address_country',
}

function ucpNames(address: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(names).map(([name, own]) => [own, address[name]]))
}

for (const [door, price] of Object.entries(doors)) {
  for (const gap of gaps) {
    for (const [what, value] of Object.entries(values)) {
      test(`${door} with ${gap} ${what} has the same tax or is refused`, async () => {
        const { shop, product } = await open()
        const holes = Object.fromEntries(gap.split(' ').map((name) => [name, value]))
        const tax = await price(shop, product, { ...whole, ...holes })
        const isText = value === 'Nowhere' && ['address', 'city'].includes(gap)
        assert.ok(tax === 7.25 || (tax === null && !isText), String(tax))
        if (gap === 'country_code' && value === undefined) assert.equal(tax, 7.25)
      })
    }
  }
}

const swiss = [
  { country: 'Switzerland' },
  { country: 'Suiza' },
  { country: 'Suíça' },
  { country: 'Suisse' },
  { country: 'Schweiz' },
  { country: 'Svizzera' },
  { country: 'CH' },
  { country_code: 'CH' },
]

for (const place of swiss) {
  test(`an address in ${JSON.stringify(place)} is in Switzerland, and an unknown country is refused`, async () => {
    const shop = await setUp(await world.newStore({ country_code: 'DE', currency: 'EUR' }))
    const items = [{ product_name: 'Cup', unit_price: 10, quantity: 1 }]
    const { id } = await productOf(shop)
    const shopper = shopperOf(world, shop)
    const cart = { items: [{ product_id: id, quantity: 1 }] }
    const order = await shop.api.post('/v1/orders', { items, shipping_address: { city: 'Bern', ...place } })
    const moved = await shop.api.post('/v1/orders', { items })
    const changed = await shop.api.patch(`/v1/orders/${moved.data.id}`, {
      shipping_address: { city: 'Bern', ...place },
    })
    const draft = await shop.api.post('/v1/draft-orders', { items, shipping_address: { city: 'Bern', ...place } })
    const begun = await shopper.begin({ ...cart, shipping_address: place })
    assert.deepEqual(
      [order, changed, draft].map(({ data }) => data.country_code),
      ['CH', 'CH', 'CH'],
    )
    assert.equal(order.data.shipping_address.country_code, undefined)
    assert.equal(begun.data.shipping_address.country_code, 'CH')
    const wrong = Object.fromEntries(Object.keys(place).map((name) => [name, 'Atlantis']))
    for (const answer of [
      await shop.api.post('/v1/orders', { items, shipping_address: wrong }),
      await shop.api.patch(`/v1/orders/${moved.data.id}`, { shipping_address: wrong }),
      await shop.api.post('/v1/draft-orders', { items, shipping_address: wrong }),
      await shop.api.patch(`/v1/draft-orders/${draft.data.id}`, { shipping_address: wrong }),
      await shopper.begin({ ...cart, shipping_address: wrong }),
      await shopper.change(begun.data.token, { shipping_address: wrong }),
    ])
      assert.equal(answer.status, 422, JSON.stringify(answer))
  })
}
