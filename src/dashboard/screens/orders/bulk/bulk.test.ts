// Many orders at once, without a script: tabs, selections, tracking numbers, pick lists, tags, archiving and captures.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdMoney } from '../../../../../test/hold.ts'
import { dataOf } from '../../../../../test/shop.ts'
import { staffOf } from '../../../../../test/staff.ts'
import { sql } from '../../../../kit/database/sql.ts'
import { openWorld } from '../../../../../test/world.ts'
import { pastedLines } from './grid.ts'

const world = await openWorld()

async function open(count = 3) {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], 'staff')
  const place = async (body: object = {}) => {
    const items = [{ product_name: 'Mug', unit_price: 20, quantity: 2 }]
    return dataOf(await shop.api.post('/v1/orders', { items, customer_name: 'Ben', ...body }), 201)
  }
  const orders: any[] = []
  for (let at = 0; at < count; at++) orders.push(await place())
  const path = `/${shop.store.id}/orders`
  const read = async ({ id }: { id: string }) => (await shop.api.get(`/v1/orders/${id}`)).data
  const partsOf = async ({ id }: { id: string }) => (await shop.api.get(`/v1/orders/${id}/fulfillments`)).data
  const numbers = orders.map(({ order_number }) => String(order_number))
  return { shop, ana, place, orders, numbers, path, read, partsOf }
}

test('tabs show the orders that wait, each with its number, and none that is archived', async () => {
  const { shop, ana, place, orders, path } = await open(4)
  const [first, second] = orders
  await shop.api.post(`/v1/orders/${first.id}/fulfillments`, {})
  await shop.api.patch(`/v1/orders/${second.id}`, { is_archived: true })
  await place({ payment_status: 'paid' })
  const { text } = await ana.get(path)
  const tabs = [...text.matchAll(/<a href="[^"]*orders\?([^"]*)"[^>]*>(Unfulfilled|Unpaid|Open) ([\d,]+\+?)<\/a>/g)]
  assert.deepEqual(
    tabs.map(([, , title, count]) => [title, count]),
    [
      ['Unfulfilled', '3'],
      ['Unpaid', '3'],
      ['Open', '4'],
    ],
  )
  for (const [, query, title, count] of tabs) {
    const list = await ana.get(`${path}?${query!.replaceAll('&amp;', '&')}`)
    assert.match(list.text, new RegExp(`aria-current="page">${title} `))
    assert.equal(list.text.match(/name="ticked"/g)!.length, Number(count), title)
  }
  const all = await ana.get(`${path}?view=all`)
  assert.equal(all.text.match(/name="ticked"/g)!.length, 4)
  assert.match(all.text, /1–4 of 4|of 4/)
  const archived = await ana.get(`${path}?is_archived=true`)
  assert.match(archived.text, /#1002</)
  assert.match((await ana.get(`${path}?search=1002`)).text, /#1002</)
})

test('selected orders are fulfilled with the tracking numbers that were pasted', async () => {
  const { ana, numbers, orders, path, partsOf } = await open()
  const query = numbers.map((number) => `ticked=${number}`).join('&')
  const grid = await ana.get(`${path}/fulfill?${query}`)
  assert.equal(grid.text.match(/name="tracking\.\d+"/g)!.length, 3)
  const pasted = `order,tracking,carrier\n#${numbers[1]},"1Z 2",UPS\n${numbers[0]},AB1\n9999,X,DHL\n`
  const sent = { act: 'send', row: numbers, ticked: numbers, [`tracking.${numbers[2]}`]: 'typed' }
  const filled = await ana.post(`${path}/fulfill`, { ...sent, carrier: 'DHL', pasted, pick: '1' })
  assert.equal(filled.status, 200)
  assert.match(filled.text, /Line 4: there is no order #9999 here/)
  const valueOf = (name: string) =>
    new RegExp(`name="${name}" type="text"(?: value="([^"]*)")?`).exec(filled.text)![1] ?? ''
  assert.deepEqual(
    numbers.map((number) => [valueOf(`tracking.${number}`), valueOf(`carrier.${number}`)]),
    [
      ['AB1', ''],
      ['1Z 2', 'UPS'],
      ['typed', ''],
    ],
  )
  const cells = Object.fromEntries(numbers.map((number) => [`tracking.${number}`, valueOf(`tracking.${number}`)]))
  const made = await ana.post(`${path}/fulfill`, {
    ...sent,
    ...cells,
    [`carrier.${numbers[1]}`]: 'UPS',
    carrier: 'DHL',
    pasted: '',
  })
  assert.deepEqual([made.status, made.notice], [303, 'sent_count.3'])
  const parts = await Promise.all(orders.map(async (order) => (await partsOf(order))[0]))
  assert.deepEqual(
    parts.map(({ carrier, tracking_number }) => [carrier, tracking_number]),
    [
      ['DHL', 'AB1'],
      ['UPS', '1Z 2'],
      ['DHL', 'typed'],
    ],
  )
})

test('a fault of a tracking number stands beside its cell, and nothing is sent', async () => {
  const { ana, numbers, orders, path, partsOf } = await open(2)
  const long = 'x'.repeat(101)
  const sent = { act: 'send', row: numbers, ticked: numbers, [`tracking.${numbers[1]}`]: long }
  const { status, text } = await ana.post(`${path}/fulfill`, sent)
  assert.equal(status, 422)
  assert.match(text, new RegExp(`value="${long}"[^>]*aria-invalid="true"[^]*?class="fault"`))
  assert.equal(text.match(/class="fault"/g)!.length, 1)
  for (const one of orders) assert.deepEqual(await partsOf(one), [])
})

test('a row without a tick is left out; orders that cannot be sent are named, the others are done', async () => {
  const { shop, ana, numbers, orders, path, partsOf } = await open(3)
  await shop.api.patch(`/v1/orders/${orders[0].id}`, { status: 'cancelled' })
  const { status, text } = await ana.post(`${path}/fulfill`, { act: 'send', row: numbers, ticked: numbers.slice(0, 2) })
  assert.equal(status, 200)
  assert.match(text, /1 order couldn’t be changed[^]*1 other order is done[^]*#1001[^]*Nothing left/)
  const counts = await Promise.all(orders.map(async (order) => (await partsOf(order)).length))
  assert.deepEqual(counts, [0, 1, 0])
})

test('all that match the filter are chosen at once, on whichever page', async () => {
  const { shop, ana, path, place } = await open(2)
  await place({ tags: ['later'] })
  const query = '?tag=later'
  const list = await ana.get(path)
  assert.match(list.text, /<list-selection of=""/)
  assert.equal((await ana.post(path + query, { act: 'archive' })).status, 422)
  const tried = await ana.post(path + query, { act: 'archive', all: '1', filter: 'tag=later' })
  assert.deepEqual([tried.status, tried.notice], [303, 'changed_count.1'])
  assert.equal((await shop.api.get('/v1/orders?is_archived=true')).body.pagination.total, 1)
  const grid = await ana.get(`${path}/fulfill?all=1&filter=`)
  assert.equal(grid.text.match(/name="row"/g)!.length, 2)
})

test('a selection of more orders than are fulfilled at once is refused with the number', async () => {
  const { shop, ana, path } = await open(1)
  await world.app.db.rows(sql`
    with copied as (
      select orders as record from orders where store_id = ${shop.store.id}
    )
    insert into orders (store_id, id, order_number, status, payment_status, currency, subtotal, discount_amount,
      shipping_cost, tax_amount, total, free_shipping, item_count, created_at, updated_at, search_text)
    select store_id, uuidv7(), order_number + n, status, payment_status, currency, subtotal, discount_amount,
      shipping_cost, tax_amount, total, free_shipping, item_count, created_at, updated_at, search_text
    from (select (record).* from copied) as orders, generate_series(1, 250) as n`)
  const { status, text } = await ana.get(`${path}/fulfill?all=1&filter=`)
  assert.equal(status, 200)
  assert.match(text, /Select at most 250 orders at once/)
  assert.equal(text.match(/name="row"/g), null)
  assert.match((await ana.get(`${path}/print?all=1&filter=`)).text, /Select at most 250 orders at once/)
})

test('tags are added and removed; a tag of 500 characters changes nothing', async () => {
  const { ana, numbers, orders, path, read } = await open(2)
  const added = await ana.post(path, { act: 'tag', ticked: numbers, tags: 'VIP, gift' })
  assert.equal(added.notice, 'changed_count.2')
  assert.deepEqual((await read(orders[1])).tags, ['VIP', 'gift'])
  await ana.post(path, { act: 'untag', ticked: numbers[0]!, tags: 'vip' })
  assert.deepEqual((await read(orders[0])).tags, ['gift'])
  for (const tags of ['x'.repeat(500), '', ' , ']) {
    const { status } = await ana.post(path, { act: 'tag', ticked: numbers, tags })
    assert.equal(status, 422)
  }
  assert.deepEqual((await read(orders[1])).tags, ['VIP', 'gift'])
})

test('captures are confirmed first, and reported', async () => {
  const { shop, ana, numbers, orders, path } = await open(2)
  await holdMoney(world, shop.store.id, orders[0].id)
  const sent = { act: 'capture', ticked: numbers }
  assert.match((await ana.post(path, sent)).text, /Capture the selected payments\?/)
  const { text } = await ana.post(path, { ...sent, sure: '1' })
  assert.match(text, /1 order couldn’t be changed[^]*#1002/)
  const { data } = await shop.api.get(`/v1/orders/${orders[0].id}/payments`)
  assert.equal(data[0].capturing_amount, 40)
})

test('a pick list adds up what is left of the selected orders, by product, variant and SKU', async () => {
  const { shop, ana, path } = await open(0)
  const options = ['Red', 'Blue'].map((value) => ({
    sku: `S-${value}`,
    option_values: [{ option_title: 'Color', value }],
  }))
  const shirt = dataOf(await shop.api.post('/v1/products', { name: 'Shirt', price: 5, variants: options }), 201)
  const [red, blue] = shirt.variants
  const place = async (...quantities: number[]) => {
    const items = [red, blue].map(({ id }, index) => ({
      product_id: shirt.id,
      variant_id: id,
      quantity: quantities[index]!,
    }))
    return dataOf(await shop.api.post('/v1/orders', { items }), 201)
  }
  const [first, second, third] = [await place(2, 1), await place(3, 4), await place(5, 5)]
  const [item] = first.items
  await shop.api.post(`/v1/orders/${first.id}/fulfillments`, { items: [{ item_id: item.id, quantity: 1 }] })
  await shop.api.patch(`/v1/orders/${third.id}`, { status: 'cancelled' })
  const all = [first, second, third].map(({ order_number }) => `ticked=${order_number}`).join('&')
  const { text } = await ana.get(`${path}/print?what=picklist&${all}`)
  const rows = [...text.matchAll(/<strong>(.*?)<\/strong>\s*<small>(.*?)<\/small><\/td><td>(.*?)<\/td><td[^>]*>(\d+)/g)]
  assert.deepEqual(
    rows.map(([, ...cells]) => cells),
    [
      ['Shirt · Blue', '#1001, #1002', 'S-Blue', '5'],
      ['Shirt · Red', '#1001, #1002', 'S-Red', '4'],
    ],
  )
})

test('pasted lines are read with and without a head, with tabs, commas and semicolons, or as one column', () => {
  const t = ((name: string) =>
    ({ order_number: 'Pedido', tracking_number: 'Seguimiento', carrier: 'Empresa' })[name]) as any
  const read = (text: string) =>
    pastedLines({ t }, text).map(({ line, order, tracking, carrier }) => [line, order, tracking, carrier])
  assert.deepEqual(read('1001\tA\tUPS\n\n#1002\tB'), [
    [1, '1001', 'A', 'UPS'],
    [3, '1002', 'B', ''],
  ])
  assert.deepEqual(read('Empresa;Pedido;Seguimiento\r\n"DHL";"1001";"A"'), [[2, '1001', 'A', 'DHL']])
  assert.deepEqual(read('A\nB\n'), [
    [1, null, 'A', ''],
    [2, null, 'B', ''],
  ])
  assert.deepEqual(read('tracking\nA'), [[2, null, 'A', '']])
})
