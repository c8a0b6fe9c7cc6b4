// Billing addresses of orders, drafts and customers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'
import { newUuid } from '../../kit/values/ids.ts'

const world = await openWorld()

const home = { name: 'Ana Torres', address: 'Av. Reforma 222', city: 'Ciudad de México', country: 'México' }
const office = {
  company: 'Torres y Cía.',
  tax_id: 'DE111111125',
  address: 'Lange Str. 1',
  city: 'Kiel',
  postal_code: '24103',
  country_code: 'DE',
}
const blank = { phone: null, address_2: null, notes: null, province: null, province_code: null, country: null }
const ana = { customer_name: 'Ana Torres', customer_email: 'ana@example.com' }

async function ordered(shop: Shop, body: object) {
  const lamp = await shop.product()
  return dataOf(await shop.api.post('/v1/orders', { ...ana, items: [sold(lamp, 1)], ...body }), 201)
}

test('an order is invoiced to its billing address, null means to its shipping address', async () => {
  const shop = await newShop(world)
  const plain = await ordered(shop, { shipping_address: home })
  assert.equal(plain.billing_address, null)
  const order = await ordered(shop, { shipping_address: home, billing_address: office })
  assert.deepEqual(order.billing_address, { ...blank, name: 'Ana Torres', ...office })
  assert.deepEqual([order.tax_id, order.tax_id_status, order.country_code], ['DE111111125', 'valid', 'MX'])
  assert.deepEqual(dataOf(await shop.api.get(`/v1/orders/${order.id}`), 200).billing_address, order.billing_address)
})

test('a billing address is changed field by field, and no log has it', async () => {
  const shop = await newShop(world)
  const { id } = await ordered(shop, { shipping_address: home, billing_address: office })
  const path = `/v1/orders/${id}`
  await shop.events()
  const moved = dataOf(await shop.api.patch(path, { billing_address: { city: 'Bremen', postal_code: '28195' } }), 200)
  assert.deepEqual([moved.billing_address.city, moved.billing_address.company], ['Bremen', 'Torres y Cía.'])
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    ['order.updated'],
  )
  const abroad = { billing_address: { country_code: 'MX', province: 'MX-CMX', postal_code: '06600', tax_id: null } }
  const there = dataOf(await shop.api.patch(path, abroad), 200).billing_address
  assert.deepEqual([there.country_code, there.province, there.province_code], ['MX', 'Ciudad de México', 'MX-CMX'])
  // As it was read, it changes nothing.
  await shop.events()
  dataOf(await shop.api.patch(path, { billing_address: there }), 200)
  assert.deepEqual(await shop.events(), [])
  const request = newUuid()
  const removed = await shop.api.patch(path, { billing_address: null }, { headers: { 'x-request-id': request } })
  assert.equal(dataOf(removed, 200).billing_address, null)
  // The log has no addresses of orders: like the other one, it is changed back by hand.
  const { status, error } = await shop.api.post(`/v1/changes/${request}/revert`)
  assert.deepEqual([status, error.details.obstacles[0].reason], [409, 'secret'])
})

test('a dry run of a billing address shows it and writes nothing', async () => {
  const shop = await newShop(world)
  const { id } = await ordered(shop, { shipping_address: home })
  const tried = await shop.api.patch(
    `/v1/orders/${id}`,
    { billing_address: office },
    { headers: { prefer: 'dry-run' } },
  )
  assert.equal(dataOf(tried, 200).billing_address.city, 'Kiel')
  assert.equal(dataOf(await shop.api.get(`/v1/orders/${id}`), 200).billing_address, null)
})

test('every fault of a billing address is reported at once', async () => {
  const shop = await newShop(world)
  const lamp = await shop.product()
  const wrong = { province: 'Bavaria', postal_code: 'x', tax_id: 'MX', country: 'Narnia', city: 'x'.repeat(121) }
  const answer = await shop.api.post('/v1/orders', { items: [sold(lamp, 1)], billing_address: wrong })
  assert.deepEqual(faultsOf(answer), {
    'billing_address.city': 'must be at most 120 characters long',
    'billing_address.country': 'must be the name or the ISO 3166-1 code of a country, such as Mexico or MX',
  })
  const placed = { province: 'Bavaria', postal_code: 'x', tax_id: 'DE1', country_code: 'DE' }
  for (const [billing_address, faults] of [
    [placed, ['name', 'postal_code', 'tax_id']],
    [{ ...placed, country_code: 'MX', name: 'Ana', tax_id: null }, ['province', 'postal_code']],
    // Addresses of Singapore have no province.
    [{ name: 'Ana', country_code: 'SG', province: 'Any', postal_code: '018956' }, []],
  ] as const) {
    const { status, error } = await shop.api.post('/v1/orders', { items: [sold(lamp, 1)], billing_address })
    assert.deepEqual(
      [status, (error?.details ?? []).map(({ field }: any) => field)],
      [faults.length > 0 ? 422 : 201, faults.map((part) => `billing_address.${part}`)],
    )
  }
  const { id } = await ordered(shop, {})
  const refused = await shop.api.patch(`/v1/orders/${id}`, { billing_address: placed, refund: true })
  assert.deepEqual(
    refused.error.details.map(({ field }: any) => field),
    ['refund', 'billing_address.postal_code', 'billing_address.tax_id'],
  )
  assert.equal(dataOf(await shop.api.get(`/v1/orders/${id}`), 200).billing_address, null)
})

test('goods are taxed where they are delivered, a download where it is billed', async () => {
  const shop = await newShop(world)
  await shop.api.post('/v1/store/tax-zones', { name: 'VAT', country_code: 'MX', rate: 16, included: false })
  await shop.api.post('/v1/store/tax-zones', { name: 'MwSt', country_code: 'DE', rate: 19, included: false })
  for (const code of ['standard', 'pickup', 'digital'])
    await shop.api.post('/v1/store/shipping-rates', { code, price: 0 })
  const billing_address = { ...office, tax_id: null }
  const taxed = async (body: object) => {
    const { tax_lines } = await ordered(shop, { billing_address, ...body })
    return tax_lines.map(({ name, country_code }: any) => [name, country_code])
  }
  const [mexico, germany] = [[['VAT', 'MX']], [['MwSt', 'DE']]]
  assert.deepEqual(await taxed({ shipping_address: home, shipping_method: 'standard' }), mexico)
  assert.deepEqual(await taxed({ shipping_address: home, shipping_method: 'digital' }), germany)
  assert.deepEqual(await taxed({ shipping_address: home, shipping_method: 'digital', shipping_cost: 1 }), [
    ...germany,
    ...germany,
  ])
  assert.deepEqual(await taxed({ shipping_method: 'digital', billing_address: null, country_code: 'MX' }), mexico)
  assert.deepEqual(await taxed({ country_code: 'MX', shipping_method: 'pickup' }), mexico)
  assert.deepEqual(await taxed({}), germany)
})

test('a draft takes the default addresses of its customer, and its order has them', async () => {
  const shop = await newShop(world)
  const lamp = await shop.product()
  const addresses = [home, { ...office, tax_id: undefined, is_default_billing: true }]
  const customer = dataOf(await shop.api.post('/v1/customers', { name: 'Ana', addresses }), 201)
  assert.deepEqual([customer.billing_address.city, customer.billing_address.id], ['Kiel', customer.addresses[1].id])
  const draft = dataOf(
    await shop.api.post('/v1/draft-orders', { customer_id: customer.id, items: [sold(lamp, 1)] }),
    201,
  )
  assert.deepEqual([draft.shipping_address.city, draft.billing_address.city], [home.city, 'Kiel'])
  const path = `/v1/draft-orders/${draft.id}`
  const refused = await shop.api.patch(path, { billing_address: { tax_id: 'DE1' } })
  assert.deepEqual(faultsOf(refused), { 'billing_address.tax_id': 'is not a valid tax ID for DE' })
  const changed = dataOf(
    await shop.api.patch(path, { billing_address: { city: 'Bremen', tax_id: 'DE111111125' } }),
    200,
  )
  assert.equal(changed.billing_address.city, 'Bremen')
  const order = dataOf(await shop.api.post(`${path}/complete`, {}), 200)
  assert.deepEqual([order.billing_address.city, order.tax_id], ['Bremen', 'DE111111125'])
})
