// What orders of other systems say beside their items, and what becomes of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imported, remarksOf } from '../../../../test/imports.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })

async function orderOf(header: string, ...rows: string[]) {
  const { api } = await world.newStore({ currency: 'USD' })
  const done = await imported(world, api, `${[header, ...rows].join('\n')}\n`, { kind: 'orders', source: 'shopify' })
  const remarks = await remarksOf(api, done.id)
  const [listed] = (await api.get('/v1/orders')).data
  return { remarks, api, order: listed && (await api.get(`/v1/orders/${listed.id}`)).data }
}

const names = ({ items }: any) => items.map((one: any) => [one.product_name, one.quantity, one.unit_price])
const header = 'Name,Financial Status,Currency,Subtotal,Shipping,Taxes,Total,Discount Amount'
const items = 'Lineitem quantity,Lineitem name,Lineitem price'

test('tips and duties of an order are lines of it, and its total is exact', async () => {
  const { order, remarks } = await orderOf(
    `${header},${items},Tip,Duties`,
    '#1001,paid,USD,10,4,1,20.5,0,2,Mug,5,3.5,2',
  )
  assert.deepEqual(remarks, [])
  assert.deepEqual(names(order), [
    ['Mug', 2, 5],
    ['Tip', 1, 3.5],
    ['Duties', 1, 2],
  ])
  assert.deepEqual([order.total, order.captured_amount, order.tax_amount], [20.5, 20.5, 1])
})

test('what was paid beyond the items and amounts of a file is a line, and the row says so', async () => {
  const { order, remarks } = await orderOf(`${header},${items}`, '#1001,paid,USD,10,4,1,18,0,2,Mug,5')
  assert.deepEqual(names(order), [
    ['Mug', 2, 5],
    ['Tip or other charges', 1, 3],
  ])
  assert.equal(order.total, 18)
  assert.deepEqual(remarks, [[2, 'created', 'Total', '3 more than the items of the file: a line says so']])
})

test('what an edit removed from an order is part of its discount, and the row says so', async () => {
  const { order, remarks } = await orderOf(
    `${header},${items}`,
    '#1001,paid,USD,8,4,1,13,2,2,Mug,5',
    '#1001,,,,,,,,1,Tee,7',
  )
  assert.deepEqual([order.subtotal, order.discount_amount, order.total], [17, 9, 13])
  assert.deepEqual(remarks, [[2, 'created', 'Subtotal', 'An edit of the order removed 7: it is part of the discount']])
})

test('a total below its parts is rejected, as is one that no sum explains', async () => {
  const { order, remarks } = await orderOf(`${header},${items}`, '#1001,paid,USD,10,4,1,9,0,2,Mug,5')
  assert.equal(order, undefined)
  assert.match(remarks[0]![3], /total is 9, but items, discount, shipping and tax add up to 15/)
})

test('a tax within the prices stays one, and the order is not dearer', async () => {
  const { order } = await orderOf(`${header},${items}`, '#1001,paid,USD,10,4,1.6,14,0,2,Mug,5')
  assert.deepEqual([order.total, order.tax_amount, order.included_tax], [14, 0, 1.6])
})

const methods = 'Payment Method,Shipping Method,Tracking Number,Tracking Company'
const day = (number: number) => `2024-03-0${number} 10:00:00 +0000`

test('methods have the codes of those that are built in, and payment and shipment their own time', async () => {
  const { order, api } = await orderOf(
    `Name,Financial Status,Paid at,Fulfillment Status,Fulfilled at,Created at,${items},${methods}`,
    `#1001,paid,${day(5)},fulfilled,${day(6)},${day(4)},2,Mug,5,Shopify Payments,Express,1Z999AA10123456784,UPS`,
  )
  assert.deepEqual([order.payment_method, order.shipping_method, order.shipping_cost], ['card', 'express', 0])
  assert.match(order.internal_notes, /Payment Method: Shopify Payments/)
  const [shipment] = (await api.get(`/v1/orders/${order.id}/fulfillments`)).data
  assert.deepEqual(
    [shipment.tracking_number, shipment.carrier, shipment.shipped_at],
    ['1Z999AA10123456784', 'UPS', '2024-03-06T10:00:00.000Z'],
  )
  const [payment] = (await api.get(`/v1/payments?order_id=${order.id}`)).data
  assert.deepEqual([payment.captured_amount, payment.created_at], [10, '2024-03-05T10:00:00.000Z'])
})

test('a tracking number of an order that is not fulfilled as a whole is in its notes', async () => {
  const { order } = await orderOf(
    `Name,Fulfillment Status,${items},Tracking Number`,
    '#1001,partial,2,Mug,5,1Z999AA10123456784',
  )
  assert.match(order.internal_notes, /Tracking number: 1Z999AA10123456784/)
})

test('an item is shipped as the file says, or else as its product is; tips and fees go with the items', async () => {
  const { api } = await world.newStore({ currency: 'USD' })
  const product = async (fields: object) => (await api.post('/v1/products', { price: 5, ...fields })).data
  await product({ name: 'Guide', sku: 'GUIDE', requires_shipping: false })
  await product({ name: 'Mug', sku: 'MUG' })
  const format = (value: string, fields: object) => ({ option_values: [{ option_title: 'Format', value }], ...fields })
  const variants = [format('Print', { sku: 'PRINT' }), format('PDF', { sku: 'PDF', requires_shipping: false })]
  await product({ name: 'Book', variants })
  const shippedIn = async (columns: string, ...rows: string[]) => {
    const done = await imported(world, api, `${columns}\n${rows.join('\n')}\n`, {
      kind: 'orders',
      on_duplicate: 'skip',
    })
    assert.deepEqual([done.rows_rejected, await remarksOf(api, done.id)], [0, []])
    const { data } = await api.get('/v1/orders?sort=order_number&order=desc')
    const order = (await api.get(`/v1/orders/${data[0].id}`)).data
    return order.items.map((one: any) => [one.product_name, one.requires_shipping])
  }
  const lines = 'Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Lineitem requires shipping'
  const file = `Name,Financial Status,Currency,Total,${lines},Tip`
  assert.deepEqual(
    await shippedIn(
      file,
      '#1001,paid,USD,29,1,Guide,4,GUIDE,true,1',
      '#1001,,,,1,Mug,4,MUG,false,',
      '#1001,,,,1,Guide,4,GUIDE,,',
      '#1001,,,,1,Mug,4,MUG,,',
      '#1001,,,,1,Print,4,PRINT,,',
      '#1001,,,,1,PDF,4,PDF,,',
      '#1001,,,,1,Poster,4,,,',
    ),
    [
      ['Guide', true],
      ['Mug', false],
      ['Guide', false],
      ['Mug', true],
      ['Print', true],
      ['PDF', false],
      ['Poster', true],
      ['Tip', true],
    ],
  )
  assert.deepEqual(await shippedIn(file, '#1002,paid,USD,5,1,Talk,4,,false,1'), [
    ['Talk', false],
    ['Tip', false],
  ])
  assert.deepEqual(await shippedIn('Order number,Item,Quantity,Price,Total,Requires shipping', '1003,Talk,1,4,4,no'), [
    ['Talk', false],
  ])
})

test('an item that says neither yes nor no is rejected', async () => {
  const { order, remarks } = await orderOf(
    `${header},${items},Lineitem requires shipping`,
    '#1001,paid,USD,5,0,0,5,0,1,Mug,5,maybe',
  )
  assert.equal(order, undefined)
  assert.deepEqual(remarks, [
    [2, 'rejected', 'Lineitem requires shipping', 'items.0.requires_shipping must be true or false'],
  ])
})
