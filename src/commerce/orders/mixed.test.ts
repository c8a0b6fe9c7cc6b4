// Goods and downloads in one order that is billed elsewhere: each is taxed at its own place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSums } from '../../../test/sums.ts'
import { dataOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

const ana = { customer_name: 'Ana Torres', customer_email: 'ana@example.com' }
const lyon = { name: 'Ana Torres', address: '1 rue X', city: 'Lyon', postal_code: '69001', country_code: 'FR' }
const kiel = { address: 'Lange Str. 1', city: 'Kiel', postal_code: '24103', country: 'Germany' }

async function open(zones: object[], country_code: string) {
  const shop = await newShop(world, { currency: 'EUR', country_code })
  for (const zone of zones) dataOf(await shop.api.post('/v1/store/tax-zones', zone), 201)
  const rate = { code: 'standard', name: 'Parcel', price: 11.9 }
  dataOf(await shop.api.post('/v1/store/shipping-rates', rate), 201)
  const download = (slug: string) => shop.product({ name: slug, slug, price: 120, requires_shipping: false })
  return { shop, mug: await shop.product({ price: 119 }), book: await download('book'), song: await download('song') }
}

const german = { name: 'MwSt', country_code: 'DE', rate: 19, included: true, shipping_tax: 'proportional' }
const french = { name: 'TVA', country_code: 'FR', rate: 20, included: true }

const linesOf = ({ tax_lines }: any) =>
  tax_lines.map((line: any) => [line.type, line.country_code, line.base, line.amount, line.included])

const deliveredTo = { shipping_address: kiel, shipping_method: 'standard', country_code: 'DE' }

async function placed({ api }: Shop, body: object) {
  return dataOf(await api.post('/v1/orders', { ...ana, ...deliveredTo, payment_status: 'paid', ...body }), 201)
}

test('goods are taxed at the delivery, downloads where they are billed, and shipping as the goods', async () => {
  const { shop, mug, book } = await open([german, french], 'DE')
  const items = [sold(mug, 1), sold(book, 1)]
  const order = await placed(shop, { items, billing_address: lyon })
  assert.deepEqual(linesOf(order), [
    ['item', 'DE', 100, 19, true],
    ['item', 'FR', 100, 20, true],
    ['shipping', 'DE', 10, 1.9, true],
  ])
  assert.deepEqual([order.included_tax, order.tax_amount, order.total, order.country_code], [40.9, 0, 250.9, 'DE'])
  assert.deepEqual([order.tax_lines[1].province_code, 'province_code' in order.tax_lines[0]], [null, false])
  const alone = await placed(shop, { items })
  assert.deepEqual(
    alone.tax_lines.map(({ country_code }: any) => country_code),
    ['DE', 'DE', 'DE'],
  )
  // The shipping follows what is shipped: the download is no part of it.
  assert.deepEqual(linesOf(alone)[2], ['shipping', 'DE', 10, 1.9, true])
  await assertSums(world, shop)
})

test('edits, refunds and reports keep the two places apart', async () => {
  const { shop, mug, book, song } = await open([german, french], 'DE')
  const { api } = shop
  const from = world.clock.now().toISOString().slice(0, 10)
  const order = await placed(shop, { items: [sold(mug, 1), sold(book, 1)], billing_address: lyon })
  const [, ebook] = order.items
  const edit = { items: [{ item_id: ebook.id, quantity: 2 }, sold(song, 1), sold(mug, 1)] }
  const after = dataOf(await api.post(`/v1/orders/${order.id}/edits`, edit), 200)
  assert.deepEqual(linesOf(after), [
    ['item', 'DE', 100, 19, true],
    ['item', 'FR', 200, 40, true],
    ['item', 'FR', 100, 20, true],
    ['item', 'DE', 100, 19, true],
    ['shipping', 'DE', 10, 1.9, true],
  ])
  const refund = { items: [{ item_id: ebook.id, quantity: 1 }] }
  const { tax_lines } = dataOf(await api.post(`/v1/orders/${order.id}/refunds`, refund), 201)
  assert.deepEqual(linesOf({ tax_lines }), [['item', 'FR', 100, 20, true]])
  const { rows } = dataOf(await api.get(`/v1/reports/taxes?from=${from}&to=${from}`), 200)
  assert.deepEqual(
    rows.map((row: any) => [row.country_code, row.province_code, row.taxable, row.tax, row.refunded_tax]),
    [
      ['DE', null, 210, 39.9, 0],
      ['FR', null, 300, 60, 20],
    ],
  )
  await assertSums(world, shop)
})

test('in one country the province of the billing address counts, in the order and in reports', async () => {
  const ontario = { name: 'HST', country_code: 'CA', provinces: ['CA-ON'], rate: 13, included: false }
  const taxes = [
    { name: 'GST', rate: 5 },
    { name: 'QST', rate: 9.975 },
  ]
  const quebec = { name: 'Quebec', country_code: 'CA', provinces: ['CA-QC'], components: taxes, included: false }
  const { shop, mug, book } = await open([ontario, quebec], 'CA')
  const toronto = { address: '1 King St', city: 'Toronto', province: 'ON', postal_code: 'M5H 1A1', country: 'Canada' }
  const montreal = { name: 'Ana Torres', address: '1 rue X', city: 'Montréal', province: 'QC', country_code: 'CA' }
  const order = await placed(shop, {
    items: [sold(mug, 1), sold(book, 1)],
    shipping_address: toronto,
    billing_address: { ...montreal, postal_code: 'H2X 1Y4' },
    country_code: 'CA',
  })
  assert.deepEqual(
    order.tax_lines.map((line: any) => [line.name, line.amount, line.province_code]),
    [
      ['HST', 15.47, undefined],
      ['GST', 6, 'CA-QC'],
      ['QST', 11.97, 'CA-QC'],
    ],
  )
  const day = world.clock.now().toISOString().slice(0, 10)
  const { rows } = dataOf(await shop.api.get(`/v1/reports/taxes?from=${day}&to=${day}`), 200)
  assert.deepEqual(
    rows.map((row: any) => [row.province_code, row.name, row.tax]),
    [
      ['CA-ON', 'HST', 15.47],
      ['CA-QC', 'QST', 11.97],
      ['CA-QC', 'GST', 6],
    ],
  )
})
