// The billing address of a checkout: its order, its tax and what is wrong with it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, buyer, faultsOf, productOf, setUp, shopperOf } from '../../../test/checkouts.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

const office = {
  company: 'Torres GmbH',
  address: 'Lange Str. 1',
  city: 'Kiel',
  postal_code: '24103',
  country_code: 'DE',
  tax_id: 'DE111111125',
}

async function openShop() {
  const shop = await setUp(await world.newStore({ currency: 'MXN', country_code: 'MX' }))
  for (const [name, country_code, rate] of [
    ['IVA', 'MX', 16],
    ['MwSt', 'DE', 19],
  ]) {
    await shop.api.post('/v1/store/tax-zones', { name, country_code, rate, included: false })
  }
  await shop.api.post('/v1/store/shipping-rates', { code: 'visit', name: 'Visit', price: 0, requires_address: false })
  const items = [{ product_id: (await productOf(shop, { price: 100 })).id, quantity: 1 }]
  return { shop, items, shopper: shopperOf(world, shop) }
}

test('a billing address stays with the checkout, changes field by field, and becomes that of the order', async () => {
  const { shop, items, shopper } = await openShop()
  const begun = (await shopper.begin({ ...buyer(), items, billing_address: office })).data
  assert.deepEqual([begun.billing_address.city, begun.billing_address.name], ['Kiel', null])
  const { token } = begun
  const moved = (await shopper.change(token, { billing_address: { city: 'Bremen', postal_code: '28195' } })).data
  assert.deepEqual([moved.billing_address.city, moved.billing_address.company], ['Bremen', 'Torres GmbH'])
  assert.equal((await shopper.change(token, { billing_address: null })).data.billing_address, null)
  await shopper.change(token, { billing_address: office, shipping_method: 'standard' })
  const { order: placed } = (await shopper.complete(token)).data
  const order = (await shop.api.get(`/v1/orders/${placed.id}`)).data
  const { city, country, name, tax_id } = order.billing_address
  assert.deepEqual([city, country, name, tax_id], ['Kiel', 'Alemania', ana.name, office.tax_id])
  assert.deepEqual(
    [order.tax_id, order.tax_id_status, order.shipping_address.city],
    [tax_id, 'valid', 'Ciudad de México'],
  )
})

test('without a billing address, the order has none', async () => {
  const { shop, items, shopper } = await openShop()
  const { token, billing_address } = (await shopper.begin({ ...buyer(), items, shipping_method: 'standard' })).data
  const { order } = (await shopper.complete(token)).data
  const placed = (await shop.api.get(`/v1/orders/${order.id}`)).data
  assert.deepEqual([billing_address, placed.billing_address], [null, null])
})

test('what is delivered is taxed there, and a service where it is billed, in the report too', async () => {
  const { shop, items, shopper } = await openShop()
  const billing_address = { ...office, tax_id: null }
  const { token, totals } = (await shopper.begin({ ...buyer(), items, billing_address, shipping_method: 'standard' }))
    .data
  assert.equal(totals.tax, 16)
  const service = (await shopper.change(token, { shipping_method: 'visit' })).data
  assert.deepEqual([service.totals.tax, service.taxes[0].name], [19, 'MwSt'])
  const { order } = (await shopper.complete(token)).data
  const { country_code, tax_lines } = (await shop.api.get(`/v1/orders/${order.id}`)).data
  assert.deepEqual([country_code, tax_lines[0].country_code], ['DE', 'DE'])
  // An item added later is taxed like the others.
  const edit = { items: [{ product_id: items[0]!.product_id, quantity: 1 }] }
  const edited = (await shop.api.post(`/v1/orders/${order.id}/edits`, edit)).data
  assert.deepEqual([edited.tax_amount ?? edited.order?.tax_amount], [38])
})

test('a billing address must be complete before the order is placed, and every fault is reported at once', async () => {
  const { items, shopper } = await openShop()
  const { token } = (await shopper.begin({ items, customer: { email: ana.email }, shipping_method: 'visit' })).data
  await shopper.change(token, { billing_address: { country_code: 'MX', province: 'Bavaria', city: ' ' } })
  const fieldsOf = (answer: Parameters<typeof faultsOf>[0]) => faultsOf(answer).map((text) => text.split(':')[0])
  assert.deepEqual(fieldsOf(await shopper.complete(token)), [
    'customer.name',
    'billing_address.address',
    'billing_address.city',
    'billing_address.postal_code',
    'billing_address.name',
    'billing_address.province',
  ])
  const refused = await shopper.change(token, {
    billing_address: { country: 'Narnia', name: 'x'.repeat(201), tax_id: '' },
  })
  assert.deepEqual(fieldsOf(refused), ['billing_address.name', 'billing_address.tax_id', 'billing_address.country'])
  const malformed = await shopper.change(token, { billing_address: { country_code: 'DE', tax_id: 'DE1' } })
  assert.deepEqual(faultsOf(malformed), ['billing_address.tax_id: is not a valid tax ID for DE'])
})
