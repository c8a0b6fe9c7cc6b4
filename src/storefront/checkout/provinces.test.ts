// Where an order goes decides its tax: provinces by their codes, and addresses as their country has them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, faultsOf, productOf, shopperOf } from '../../../test/checkouts.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

const albany = { address: 'Pearl St 1', city: 'Albany', country_code: 'US', postal_code: '12207' }

/** Taxes New York alone, $100 and $5 of shipping. */
async function newYorkShop(provinces: string[] = ['NY']) {
  const shop = await world.newStore({ currency: 'USD', country_code: 'US' })
  const zone = { name: 'Sales tax', country_code: 'US', rate: 8.875, included: false, provinces }
  assert.equal((await shop.api.post('/v1/store/tax-zones', zone)).status, 201)
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 5 })
  const items = [{ product_id: (await productOf(shop, { price: 100 })).id, quantity: 1 }]
  const shopper = shopperOf(world, shop)
  const begin = (address: object) =>
    shopper.begin({ items, customer: ana, shipping_method: 'standard', shipping_address: { ...albany, ...address } })
  return { shop, shopper, begin }
}

test('the tax of a state cannot be typed away: every way to write it is the same, and it is required', async () => {
  const { shop, shopper, begin } = await newYorkShop()
  for (const province of ['New York', 'US-NY', 'NY', 'new york', 'N.Y.']) {
    const { data } = await begin({ province })
    assert.equal(data.total, 113.88, province)
    assert.equal(data.shipping_address.province_code, 'US-NY')
    const placed = await shopper.complete(data.token, { total: data.total })
    assert.equal(placed.status, 201, JSON.stringify(placed.error))
    const order = (await shop.api.get(`/v1/orders/${placed.data.order.id}`)).data
    assert.deepEqual(
      [order.total, order.shipping_address.province, order.shipping_address.province_code],
      [113.88, province === 'US-NY' ? 'New York' : province, 'US-NY'],
    )
  }
  for (const [province, message] of [
    [null, 'is required'],
    ['', 'is required'],
    ['Nowhere', 'is not a state or province of US'],
    ['CA-QC', 'is required'],
  ]) {
    const { data } = await begin({ province })
    assert.deepEqual(faultsOf(await shopper.complete(data.token)), [`shipping_address.province: ${message}`])
  }
  const { data } = await begin({ province: 'Maine' })
  assert.equal(data.total, 105)
})

test('an address has what its country needs, and a postal code that looks like one', async () => {
  const { shop, shopper, begin } = await newYorkShop()
  const faults = async (address: object) => {
    const { data } = await begin({ postal_code: null, ...address })
    const { status, error } = await shopper.complete(data.token)
    return status === 201 ? [] : faultsOf({ error } as never).map((text) => text.replace('shipping_address.', ''))
  }
  assert.deepEqual(await faults({ country_code: 'DE' }), ['postal_code: is required'])
  assert.deepEqual(await faults({ country_code: 'DE', postal_code: '1234' }), [
    'postal_code: is not a valid postal code for DE (example: 26133)',
  ])
  assert.deepEqual(await faults({ country_code: 'DE', postal_code: ' 24103 ' }), [])
  assert.deepEqual(await faults({ country_code: 'CA', postal_code: 'h2x 1y4' }), ['province: is required'])
  assert.deepEqual(await faults({ country_code: 'CA', postal_code: 'h2x 1y4', province: 'québec' }), [])
  // No postal codes, and provinces as one likes.
  assert.deepEqual(await faults({ country_code: 'HK' }), [])
  assert.deepEqual(await faults({ country_code: 'AE', province: 'Dubai' }), [])
  // A province that decides the tax is demanded anywhere.
  const bavaria = { name: 'X', country_code: 'DE', rate: 1, provinces: ['Bayern'] }
  assert.deepEqual((await shop.api.post('/v1/store/tax-zones', bavaria)).data.provinces, ['DE-BY'])
  assert.deepEqual(await faults({ country_code: 'DE', postal_code: '24103' }), ['province: is required'])
  assert.deepEqual(await faults({ country_code: 'DE', postal_code: '24103', province: 'SH' }), [])
})

test('a tax zone keeps the codes of its provinces, each once, and refuses what is no province', async () => {
  const { shop } = await newYorkShop([])
  const zone = { name: 'Sales tax', country_code: 'US', rate: 5 }
  const posted = await shop.api.post('/v1/store/tax-zones', { ...zone, provinces: ['ny', 'California', 'US-CA'] })
  assert.deepEqual(posted.data.provinces, ['US-NY', 'US-CA'])
  const change = (body: object) => shop.api.patch(`/v1/store/tax-zones/${posted.data.id}`, body)
  assert.deepEqual((await change({ provinces: ['Texas'] })).data.provinces, ['US-TX'])
  assert.deepEqual(faultsOf(await change({ provinces: ['TX', 'US-XX', 'Nowhere'] })), [
    'provinces.1: is not a state or province of US',
    'provinces.2: is not a state or province of US',
  ])
  assert.deepEqual(faultsOf(await change({ country_code: 'MX' })), ['provinces.0: is not a state or province of MX'])
  const moved = await change({ country_code: 'MX', provinces: ['Jalisco'] })
  assert.deepEqual(moved.data.provinces, ['MX-JAL'])
  assert.equal(
    (await shop.api.patch('/v1/store/tax-zones/zone_00000000000000000000000000', { provinces: [] })).status,
    404,
  )
})

test('a code of digits is that of a province without its country, too', async () => {
  const { shop } = await newYorkShop([])
  const zone = { name: 'IVA', rate: 16 }
  const zoneOf = (country_code: string, provinces: string[]) =>
    shop.api.post('/v1/store/tax-zones', { ...zone, name: `${country_code} ${provinces}`, country_code, provinces })
  assert.deepEqual((await zoneOf('PT', ['20', 'PT-30'])).data.provinces, ['PT-20', 'PT-30'])
  assert.deepEqual((await zoneOf('JP', ['13'])).data.provinces, ['JP-13'])
  assert.deepEqual((await zoneOf('AT', ['9'])).data.provinces, ['AT-9'])
  for (const [country, text] of [
    ['PT', '99'],
    ['PT', '1000-001'],
    ['US', '20'],
    ['ES', '08'],
  ] as const) {
    assert.deepEqual(faultsOf(await zoneOf(country, [text])), [`provinces.0: is not a state or province of ${country}`])
  }
  const items = [{ product_name: 'Lamp', quantity: 1, unit_price: 100 }]
  const body = { items, country_code: 'PT', shipping_address: { province: '20', postal_code: '9500-001' } }
  const placed = await shop.api.post('/v1/orders', body)
  assert.deepEqual(
    [placed.data.shipping_address.province, placed.data.shipping_address.province_code, placed.data.tax_amount],
    ['20', 'PT-20', 16],
  )
})

test('orders are found by province however it is written, and orders by API are not refused for it', async () => {
  const { shop } = await newYorkShop()
  const items = [{ product_name: 'Lamp', quantity: 1, unit_price: 1 }]
  for (const province of ['NY', 'New York', 'US-NY', 'Nowhere', null]) {
    const placed = await shop.api.post('/v1/orders', { items, country_code: 'US', shipping_address: { province } })
    assert.equal(placed.status, 201)
    const code = province === 'Nowhere' || province === null ? null : 'US-NY'
    assert.equal(placed.data.shipping_address.province_code, code)
  }
  const found = async (province: string) =>
    (await shop.api.get(`/v1/orders?province=${encodeURIComponent(province)}`)).data.length
  assert.deepEqual(
    [await found('ny'), await found('New York'), await found('US-NY'), await found('nowhere'), await found('Maine')],
    [3, 3, 3, 1, 0],
  )
})
