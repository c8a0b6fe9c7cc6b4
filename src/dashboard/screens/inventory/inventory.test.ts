import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsOf, hiddenOf, staffOf, type Shown } from '../../../../test/staff.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()
const sizes = ['S', 'M'].map((value, at) => ({
  sku: `LS-${value}`,
  stock_quantity: 10 * at,
  option_values: [{ option_title: 'Size', value }],
}))

async function open(role: 'owner' | 'staff' = 'staff') {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], role)
  const make = async (body: object) => dataOf(await shop.api.post('/v1/products', { price: 5, ...body }), 201)
  const counted = { track_inventory: true }
  const mug = await make({ name: 'Mug', stock_quantity: 8, ...counted })
  const shirt = await make({ name: 'Shirt', variants: sizes, ...counted })
  await make({ name: 'Gift card' })
  const stockOf = async ({ id }: { id: string }) => (await shop.api.get(`/v1/inventory/products/${id}`)).data
  return { shop, ana, mug, shirt, make, stockOf, base: `/${shop.store.id}/inventory` }
}

/** The grid as a browser sends it, with some changed cells. */
function typed(shown: Shown, cells: { stock?: Record<number, string>; threshold?: Record<number, string> }) {
  const lines = fieldsOf(shown, 'line')
  const column = (name: 'stock' | 'threshold', at: 2 | 3) =>
    lines.map((line, index) => cells[name]?.[index] ?? line.split(' ')[at]!)
  return {
    act: 'save',
    once: hiddenOf(shown, 'once'),
    reason: 'cycle_count',
    line: lines,
    stock: column('stock', 2),
    threshold: column('threshold', 3),
  }
}

test('the grid has what is counted, products and variants, and nothing else', async () => {
  const { ana, base } = await open()
  const { text } = await ana.get(base)
  for (const said of ['Mug', 'Shirt', 'LS-S', 'LS-M', 'Stock of Mug']) assert.ok(text.includes(said), said)
  assert.ok(!text.includes('Gift card'))
  assert.equal(fieldsOf(await ana.get(base), 'line').length, 3)
})

test('many cells are saved at once, each a movement with the reason', async () => {
  const { shop, ana, mug, shirt, stockOf, base } = await open()
  const shown = await ana.get(base)
  await shop.events()
  const saved = await ana.post(base, typed(shown, { stock: { 0: '12', 2: '7' }, threshold: { 1: '3' } }))
  assert.match(saved.notice, /^changed_count\.3$/)
  assert.equal((await stockOf(mug)).stock_quantity, 12)
  const [small, middle] = (await stockOf(shirt)).variants
  assert.deepEqual([small.low_stock_threshold, small.stock_quantity, middle.stock_quantity], [3, 0, 7])
  const [moved] = (await shop.api.get(`/v1/inventory/products/${mug.id}/transactions`)).data
  assert.deepEqual([moved.quantity, moved.reason, moved.actor.split(':')[0]], [4, 'cycle_count', 'user'])
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    ['product.updated', 'product.updated', 'product.updated'],
  )
})

test('the same form twice moves the stock once', async () => {
  const { ana, mug, stockOf, base } = await open()
  const fields = typed(await ana.get(base), { stock: { 0: '9' } })
  await Promise.all([ana.post(base, fields), ana.post(base, fields)])
  assert.equal((await stockOf(mug)).stock_quantity, 9)
})

test('what has moved meanwhile is not overwritten: it is said beside its cell, and the others are saved', async () => {
  const { shop, ana, mug, shirt, stockOf, base } = await open()
  const shown = await ana.get(base)
  await shop.api.patch(`/v1/inventory/products/${mug.id}`, { quantity: -3 })
  const refused = await ana.post(base, typed(shown, { stock: { 0: '10', 2: '11' } }))
  assert.equal(refused.status, 422)
  assert.match(refused.text, /1 updated, 1 not updated/)
  assert.match(refused.text, /The current value is now 5\. Save again to overwrite it\.<\/p>/)
  assert.match(refused.text, /name="stock" value="10"/)
  assert.equal((await stockOf(mug)).stock_quantity, 5)
  assert.equal((await stockOf(shirt)).variants[1].stock_quantity, 11)
  const again = { ...typed(refused, { stock: { 0: '10' } }) }
  assert.match((await ana.post(base, again)).notice, /\.1$/)
  assert.equal((await stockOf(mug)).stock_quantity, 10)
})

test('what is no number and what is below zero is said beside its cell', async () => {
  const { ana, mug, stockOf, base } = await open()
  const refused = await ana.post(
    base,
    typed(await ana.get(base), { stock: { 0: '-1', 1: 'many' }, threshold: { 0: '-2' } }),
  )
  assert.equal(refused.status, 422)
  for (const said of ['Only 8 available.', 'Enter a number.', 'Enter at least 0.']) {
    assert.ok(refused.text.includes(said), said)
  }
  assert.equal((await stockOf(mug)).stock_quantity, 8)
})

test('what runs low is found, of variants too, and the table for spreadsheets has the same', async () => {
  const { ana, shop, make, base } = await open()
  await make({ name: 'Cup', stock_quantity: 2, track_inventory: true })
  await make({ name: 'Coat', track_inventory: true, variants: [{ ...sizes[0], stock_quantity: 1 }, sizes[1]] })
  const names = async (status: string) =>
    (await shop.api.get(`/v1/inventory/products?stock_status=${status}`)).data.map((one: any) => one.name)
  assert.deepEqual(await names('low_stock'), ['Coat', 'Cup'])
  assert.deepEqual(await names('out_of_stock'), ['Shirt'])
  assert.deepEqual(await names('in_stock'), ['Coat', 'Mug', 'Shirt'])
  const { text } = await ana.get(`${base}.csv?stock_status=low_stock`)
  const lines = text.trim().split(/\r?\n/)
  assert.equal(lines.length, 4)
  assert.match(lines[1]!, /^Coat,S,LS-S,1,5,prod_\w+,[\w-]{36}$/)
})

test('each thing has its history, and all variants of a product have a grid of their own', async () => {
  const { ana, shop, shirt, base } = await open()
  const [small, middle] = shirt.variants
  const move = (variant_id: string, reason: string) =>
    shop.api.patch(`/v1/inventory/products/${shirt.id}`, { quantity: 2, reason, variant_id })
  await move(small.id, 'received')
  await move(middle.id, 'Back from the fair')
  const { text } = await ana.get(`${base}/${shirt.id}`)
  const [, history] = /href="[^"]*dashboard([^"]*\/stock\?variant_id=[^"]*)">S</.exec(text)!
  const shown = await ana.get(history!)
  assert.match(shown.text, /Received/)
  assert.ok(!shown.text.includes('Back from the fair'))
  assert.match((await ana.get(history!.split('?')[0]!)).text, /Back from the fair/)
  const fields = typed(await ana.get(`${base}/${shirt.id}`), { stock: { 0: '1' } })
  assert.match((await ana.post(`${base}/${shirt.id}`, fields)).notice, /\.1$/)
})
