// Billing addresses in files: those of other systems, and of an export of Stoa.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imported, remarksOf } from '../../../../test/imports.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'

const world = await openWorld()

const orders = { kind: 'orders' }

async function importedOrders({ api }: TestStore, text: string, rows: number) {
  const done = await imported(world, api, text, orders)
  assert.equal(done.rows_created, rows, JSON.stringify(await remarksOf(api, done.id)))
  return (await api.get('/v1/orders?sort=order_number&order=asc')).data
}

async function readFile({ api }: TestStore, file: string): Promise<string> {
  return (await fetch(`${api.url}/v1/${file}`, { headers: { 'x-api-key': api.key } })).text()
}

const placeOf = ({ billing_address: place }: any) =>
  place && [place.name, place.company, place.city, place.country_code]

test('a file of Shopify has a billing address where it is not the shipping address', async () => {
  const header = [
    'Name,Email,Financial Status,Currency,Lineitem quantity,Lineitem name,Lineitem price,Billing Name,Billing Company',
    'Billing Address1,Billing City,Billing Zip,Billing Country,Shipping Name,Shipping Address1,Shipping City',
    'Shipping Zip,Shipping Country',
  ].join()
  const delivered = 'Ana Torres,Av. Reforma 222,México,06600,MX'
  const rows = [
    `#1001,a@example.com,paid,USD,1,Mug,5,Ana Torres,,Av. Reforma 222,México,06600,MX,${delivered}`,
    `#1002,a@example.com,paid,USD,1,Mug,5,Ana Torres,Torres GmbH,Lange Str. 1,Kiel,24103,DE,${delivered}`,
  ]
  const shop = await world.newStore({ currency: 'USD' })
  const placed = await importedOrders(shop, `${header}\n${rows.join('\n')}\n`, 2)
  assert.deepEqual(placed.map(placeOf), [null, ['Ana Torres', 'Torres GmbH', 'Kiel', 'DE']])
  // Back again: each order has both addresses there.
  const csv = await readFile(shop, 'orders.shopify.csv')
  const again = await importedOrders(await world.newStore({ currency: 'USD' }), csv, 2)
  assert.deepEqual(again.map(placeOf), placed.map(placeOf))
})

test('a file of WooCommerce has the billing address of its buyer', async () => {
  const header =
    'order_number,order_date,billing_first_name,billing_last_name,billing_email,billing_company,billing_address_1,' +
    'billing_city,billing_postcode,billing_country,shipping_address_1,shipping_city,shipping_country,item_name,' +
    'item_quantity,item_price'
  const row = '7,2024-03-05,Ana,Torres,a@example.com,,Lange Str. 1,Kiel,24103,DE,Calle 1,Lima,PE,Mug,1,5'
  const [order] = await importedOrders(await world.newStore({ currency: 'USD' }), `${header}\n${row}\n`, 1)
  assert.deepEqual([placeOf(order), order.shipping_address.city], [['Ana Torres', null, 'Kiel', 'DE'], 'Lima'])
})

test('an export of orders with billing addresses is imported as it was', async () => {
  const shop = await world.newStore({ currency: 'USD' })
  const billing_address = {
    company: 'Torres GmbH',
    address: 'Lange Str. 1',
    city: 'Kiel',
    country_code: 'DE',
    tax_id: 'DE111111125',
  }
  const items = [{ product_name: 'Mug', unit_price: 5, quantity: 1 }]
  for (const body of [{ billing_address }, {}]) {
    const { status } = await shop.api.post('/v1/orders', { customer_name: 'Ana', country_code: 'MX', items, ...body })
    assert.equal(status, 201)
  }
  const csv = await readFile(shop, 'orders.csv')
  assert.match(csv.split('\n')[0]!, /billing_name,billing_company,billing_tax_id/)
  const again = await importedOrders(await world.newStore({ currency: 'USD' }), csv, 4)
  assert.deepEqual(again.map(placeOf), [['Ana', 'Torres GmbH', 'Kiel', 'DE'], null])
  assert.equal(again[0].billing_address.tax_id, 'DE111111125')
})
