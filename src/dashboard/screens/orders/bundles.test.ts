// Bundles of which parts were refunded: packing slips, pick lists and forms have what is still to be sent or returned.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, newShop, sold } from '../../../../test/shop.ts'
import { staffOf } from '../../../../test/staff.ts'
import { statementsOf } from '../../../../test/statements.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

/** Bundles of two mugs, a tray and a download, and a lamp beside them. */
async function open(quantity: number) {
  const shop = await newShop(world)
  const ana = await staffOf(world, [shop], 'staff')
  const mug = await shop.product({ name: 'Mug', stock_quantity: 10 })
  const tray = await shop.product({ name: 'Tray', price: 30, stock_quantity: 10 })
  const guide = await shop.product({ name: 'Guide', requires_shipping: false, track_inventory: false })
  const lamp = await shop.product({ name: 'Lamp' })
  const bundle_items = [{ product_id: mug.id, quantity: 2 }, { product_id: tray.id }, { product_id: guide.id }]
  const set = await shop.product({ name: 'Set', price: 60, bundle_items })
  const paid = { payment_status: 'paid', payment_method: 'cash' }
  const order = await shop.order([sold(set, quantity), sold(lamp, 2)], paid)
  const [{ id: item_id }, { id: lamps }] = order.items
  const post = async (what: string, body: object) =>
    dataOf(await shop.api.post(`/v1/orders/${order.id}/${what}`, body), 201)
  const page = async (at: string) => (await ana.get(`/${shop.store.id}/orders/${at}`)).text
  const rows = async (what: string) => {
    const text = await page(`print?what=${what}&ticked=${order.id}`)
    return [...text.matchAll(/<tr><td class="box"[^]*?<\/tr>/g)].map(([row]) =>
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .replace('☐', '')
        .trim(),
    )
  }
  return {
    item_id,
    lamps,
    order,
    page,
    slip: () => rows('slip'),
    picks: async () => (await rows('picklist')).map((row) => row.replaceAll(`#${order.order_number} `, '')),
    refund: (item: string, count: number, part: number | null = null, more: object = {}) =>
      post('refunds', { items: [{ item_id: item, quantity: count, part, ...more }] }),
    ship: (count: number) => post('fulfillments', { items: [{ item_id, quantity: count }] }),
    cancel: async ({ id }: { id: string }) =>
      dataOf(await shop.api.patch(`/v1/orders/${order.id}/fulfillments/${id}`, { status: 'cancelled' }), 200),
  }
}

test('units of parts that were refunded before shipping are neither packed nor collected', async () => {
  const { item_id, lamps, page, order, slip, picks, refund, ship } = await open(2)
  assert.deepEqual(await slip(), ['Set 4 × Mug, 2 × Tray 2 / 2', 'Lamp 2 / 2'])
  assert.deepEqual(await picks(), ['Lamp 2', 'Mug 4', 'Tray 2'])
  await refund(item_id, 1, 0)
  await refund(lamps, 1)
  assert.deepEqual(await slip(), ['Set 3 × Mug, 2 × Tray 2 / 2', 'Lamp 1 / 2'])
  assert.deepEqual(await picks(), ['Lamp 1', 'Mug 3', 'Tray 2'])
  assert.match(await page(order.id), /id="do-fulfil"[^]*<small>3 × Mug, 2 × Tray, 2 × Guide<\/small>/)
  await ship(1)
  assert.deepEqual(await slip(), ['Set 1 fulfilled 1 × Mug, 1 × Tray 1 / 2', 'Lamp 1 / 2'])
  assert.deepEqual(await picks(), ['Lamp 1', 'Mug 1', 'Tray 1'])
  await ship(1)
  assert.deepEqual(await slip(), ['Set 2 fulfilled 0 / 2', 'Lamp 1 / 2'])
  assert.deepEqual(await picks(), ['Lamp 1'])
})

test('a part of which nothing is left is not listed, and a bundle without parts is not sent', async () => {
  const { item_id, slip, picks, refund } = await open(1)
  await refund(item_id, 1, 1)
  assert.deepEqual(await slip(), ['Set 2 × Mug 1 / 1', 'Lamp 2 / 2'])
  assert.deepEqual(await picks(), ['Lamp 2', 'Mug 2'])
  await refund(item_id, 2, 0)
  assert.deepEqual(await slip(), ['Set 0 / 1', 'Lamp 2 / 2'])
  assert.deepEqual(await picks(), ['Lamp 2'])
})

test('units that were refunded after shipping are not missing in the next shipment', async () => {
  const { item_id, slip, picks, refund, ship } = await open(2)
  await ship(1)
  await refund(item_id, 1, 1, { returned: 1 })
  assert.deepEqual(await slip(), ['Set 1 fulfilled 2 × Mug, 1 × Tray 1 / 2', 'Lamp 2 / 2'])
  assert.deepEqual(await picks(), ['Lamp 2', 'Mug 2', 'Tray 1'])
  // By default, units that were not shipped are refunded first.
  await refund(item_id, 1, 1)
  assert.deepEqual(await picks(), ['Lamp 2', 'Mug 2'])
})

test('units refunded after a shipment that never left are not sent again', async () => {
  const { item_id, slip, picks, refund, ship, cancel } = await open(1)
  const shipment = await ship(1)
  await refund(item_id, 1, 1)
  await cancel(shipment)
  assert.deepEqual(await slip(), ['Set 2 × Mug 1 / 1', 'Lamp 2 / 2'])
  assert.deepEqual(await picks(), ['Lamp 2', 'Mug 2'])
})

test('the form for a return has the shipped parts that were not refunded, and not the bundle', async () => {
  const { item_id, order, page, refund, ship } = await open(1)
  await refund(item_id, 1, 0)
  await ship(1)
  const lines = [...(await page(`${order.id}/return`)).matchAll(/<legend>([^<]+)\s*<small>([^<]+)/g)]
  assert.deepEqual(
    lines.map(([, name, max]) => [name!.trim(), max]),
    [
      ['Mug (Set)', 'of 1'],
      ['Tray (Set)', 'of 1'],
    ],
  )
})

test('an order without a bundle is shown without reading parts', async () => {
  const shop = await newShop(world)
  const ana = await staffOf(world, [shop], 'staff')
  const mug = await shop.product()
  const set = await shop.product({ name: 'Set', bundle_items: [{ product_id: mug.id, quantity: 2 }] })
  const countReads = async (product: { id: string }) => {
    const order = await shop.order([sold(product)])
    const show = () => ana.get(`/${shop.store.id}/orders/${order.id}`)
    return (await statementsOf(show, /each_part\) as units/)).length
  }
  assert.equal(await countReads(mug), 0)
  assert.equal(await countReads(set), 1)
})
