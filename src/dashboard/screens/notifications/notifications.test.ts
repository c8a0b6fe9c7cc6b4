// Notifications of members: what each kind tells whom, what is read, and what never reaches anybody.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdMoney } from '../../../../test/hold.ts'
import { imported } from '../../../../test/imports.ts'
import { newRole } from '../../../../test/people.ts'
import { dataOf } from '../../../../test/shop.ts'
import { hiddenOf, staffOf, type Staff } from '../../../../test/staff.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'

const world = await openWorld({}, { sweeps: true })
const { db } = world.app
const mug = { product_name: 'Mug', unit_price: 20, quantity: 1 }

async function open() {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], 'staff')
  world.clock.advance(1)
  const place = async () => {
    world.clock.advance(1)
    return dataOf(await shop.api.post('/v1/orders', { items: [mug] }), 201)
  }
  return { shop, ana, place }
}

/** The count for the badge, and the items for browser notifications. */
async function unreadOf(who: Staff, { store }: Pick<TestStore, 'store'>) {
  const { unread, items } = JSON.parse((await who.get(`/${store.id}/notifications.json`)).text)
  return { unread: unread as number, texts: items.map(({ text }: any) => text) as string[], items }
}

async function dispute({ store }: TestStore, orderId: string): Promise<void> {
  await holdMoney(world, store.id, orderId)
  await db.rows(sql`
    insert into disputes (store_id, id, session_id, reference, status, amount, currency, created_at, updated_at)
    select store_id, gen_random_uuid(), id, 'dp', 'needs_response', amount, currency, ${world.clock.now()}::timestamptz,
      ${world.clock.now()}::timestamptz
    from payment_sessions
    where store_id = ${store.id}
      and order_id = ${toUuid('ord', orderId)}`)
}

test('orders, disputes, mentions and low stock are listed, the newest first, and counted in every page', async () => {
  const { shop, ana, place } = await open()
  const { id, order_number: number } = await place()
  world.clock.advance(1)
  await dispute(shop, id)
  world.clock.advance(1)
  dataOf(await shop.api.post(`/v1/orders/${id}/comments`, { body: 'Look, @Ana' }), 201)
  world.clock.advance(1)
  const low = { name: 'Cup', price: 5, track_inventory: true, low_stock_threshold: 3, stock_quantity: 2 }
  dataOf(await shop.api.post('/v1/products', low), 201)
  const { unread, texts } = await unreadOf(ana, shop)
  assert.equal(unread, 4)
  assert.deepEqual(texts, [
    'Cup is low on stock',
    `You were mentioned on order #${number}`,
    `Dispute on order #${number}`,
    `New order #${number}`,
  ])
  assert.match((await ana.get(`/${shop.store.id}/customers`)).text, /data-unread>4</)
  const { text } = await ana.get(`/${shop.store.id}/notifications`)
  for (const one of texts) assert.ok(text.includes(one), one)
  assert.match(text, new RegExp(`/orders/${id}#cmt_`))
})

test('one is marked as read, or all are; what comes later is unread', async () => {
  const { shop, ana, place } = await open()
  const [first] = [await place(), await place()]
  const path = `/${shop.store.id}/notifications`
  const id = `order-${toUuid('ord', first.id)}`
  assert.equal((await ana.post(path, { act: 'read', id })).status, 303)
  assert.deepEqual((await unreadOf(ana, shop)).texts, [`New order #${first.order_number + 1}`])
  assert.equal((await ana.post(path, { act: 'read_all' })).notice, 'notifications_read')
  assert.equal((await unreadOf(ana, shop)).unread, 0)
  assert.match((await ana.get(path)).text, /data-unread hidden>0</)
  await place()
  assert.equal((await unreadOf(ana, shop)).unread, 1)
  assert.equal((await ana.post(path, { act: 'read', id: 'order-1' })).status, 422)
})

test('each person has read what they have read, and is notified about what they choose', async () => {
  const { shop, ana, place } = await open()
  const ben = await staffOf(world, [shop], 'staff')
  await place()
  const path = `/${shop.store.id}/notifications`
  await ana.post(path, { act: 'read_all' })
  assert.deepEqual([(await unreadOf(ana, shop)).unread, (await unreadOf(ben, shop)).unread], [0, 1])
  assert.equal((await ben.post(path, { act: 'choose', kinds: ['mention', 'dispute'] })).status, 303)
  assert.equal((await unreadOf(ben, shop)).unread, 0)
  assert.equal((await ben.post(path, { act: 'choose' })).status, 303)
  assert.equal((await unreadOf(ben, shop)).unread, 0)
  assert.ok(hiddenOf(await ben.get(path), 'act'))
})

test('roles see what they may read, other stores nothing, and a mention reaches only the mentioned', async () => {
  const { shop, ana, place } = await open()
  const id = toUuid('role', await newRole(world, shop, ['read:store', 'read:products']))!
  const [packer, cy] = [await staffOf(world, [shop], { id }), await staffOf(world, [shop], 'owner')]
  await db.rows(sql`update users set name = 'Cy Own' where id = ${cy.userId}`)
  const order = await place()
  await shop.api.post(`/v1/orders/${order.id}/comments`, { body: '@Cy Own' })
  const other = await world.newStore()
  const stranger = await staffOf(world, [other])
  assert.equal((await unreadOf(packer, shop)).unread, 0)
  assert.deepEqual([(await unreadOf(ana, shop)).unread, (await unreadOf(cy, shop)).unread], [1, 2])
  assert.equal((await unreadOf(stranger, other)).unread, 0)
  assert.equal((await stranger.get(`/${shop.store.id}/notifications.json`)).status, 404)
})

test('nothing from before a member joined, from 90 days ago, or after they left', async () => {
  const { shop, ana, place } = await open()
  await place()
  world.clock.advance(1)
  const late = await staffOf(world, [shop], 'staff')
  assert.deepEqual([(await unreadOf(ana, shop)).unread, (await unreadOf(late, shop)).unread], [1, 0])
  await ana.post(`/${shop.store.id}/notifications`, { act: 'choose', kinds: ['order'] })
  await db.rows(sql`delete from members where store_id = ${shop.store.id} and user_id = ${ana.userId}`)
  assert.equal((await ana.get(`/${shop.store.id}/notifications.json`)).status, 404)
  const [{ count }] = (await db.rows<{ count: number }>(sql`
    select count(*)::int as count from notification_settings where store_id = ${shop.store.id}`)) as [{ count: number }]
  assert.equal(count, 0)
  await db.rows(sql`
    update orders set created_at = ${new Date(world.clock.now().getTime() - 91 * 24 * 3600_000)}
    where store_id = ${shop.store.id}`)
  await db.rows(sql`update members set created_at = '2020-01-01' where store_id = ${shop.store.id}`)
  assert.equal((await unreadOf(late, shop)).unread, 0)
})

test('a product is told once until it is refilled', async () => {
  const { shop, ana } = await open()
  const low = { name: 'Cup', price: 5, track_inventory: true, low_stock_threshold: 3, stock_quantity: 4 }
  const { id } = dataOf(await shop.api.post('/v1/products', low), 201)
  const adjust = async (quantity: number) => {
    world.clock.advance(1)
    dataOf(await shop.api.patch(`/v1/inventory/products/${id}`, { quantity }), 200)
  }
  assert.equal((await unreadOf(ana, shop)).unread, 0)
  await adjust(-2)
  assert.equal((await unreadOf(ana, shop)).unread, 1)
  await ana.post(`/${shop.store.id}/notifications`, { act: 'read_all' })
  await adjust(-1)
  await adjust(-1)
  assert.equal((await unreadOf(ana, shop)).unread, 0)
  await adjust(10)
  await adjust(-8)
  assert.equal((await unreadOf(ana, shop)).unread, 1)
})

test('an import or bulk change that leaves many products low is one notification', async () => {
  const { shop, ana } = await open()
  const low = { price: 5, track_inventory: true, low_stock_threshold: 3, stock_quantity: 9 }
  const made: { id: string }[] = []
  for (const name of ['Cup', 'Jug', 'Mug', 'Pot']) {
    made.push(dataOf(await shop.api.post('/v1/products', { ...low, name }), 201))
  }
  const change = (products: { id: string }[], stock_quantity: number) =>
    shop.api.post('/v1/products/batch', { products: products.map(({ id }) => ({ id, stock_quantity })) })
  world.clock.advance(60_000)
  dataOf(await change(made.slice(0, 1), 2), 200)
  world.clock.advance(60_000)
  dataOf(await change(made.slice(1), 2), 200)
  const several = { text: '3 products are low on stock', to: `/${shop.store.id}/products?stock_status=low_stock` }
  const { unread, items, texts } = await unreadOf(ana, shop)
  assert.deepEqual([unread, texts], [2, [several.text, 'Cup is low on stock']])
  assert.ok(items[0].to.endsWith(several.to), items[0].to)
  assert.equal((await ana.post(`/${shop.store.id}/notifications`, { act: 'read', id: items[0].id })).status, 303)
  assert.deepEqual((await unreadOf(ana, shop)).texts, ['Cup is low on stock'])
  world.clock.advance(60_000)
  const csv = (count: number) =>
    ['name,price,track_inventory,low_stock_threshold,stock_quantity']
      .concat(Array.from({ length: count }, (_, index) => `Bowl ${index},5,true,3,0`))
      .join('\n')
  await imported(world, shop.api, csv(60), { kind: 'products' })
  const after = await unreadOf(ana, shop)
  assert.deepEqual(after.texts, ['60 products are low on stock', 'Cup is low on stock'])
  assert.ok(after.items[0].to.endsWith('/products?stock_status=out_of_stock'), after.items[0].to)
})

test('an import of fifty orders is one notification and no email for each', async () => {
  const { shop, ana, place } = await open()
  await place()
  await ana.post(`/${shop.store.id}/notifications`, { act: 'choose', kinds: ['order'], mailed_kinds: ['order'] })
  world.clock.advance(1)
  const rows = Array.from({ length: 50 }, (_, index) => `${index + 1},Mug,10,1`)
  await imported(world, shop.api, ['order_number,product_name,unit_price,quantity', ...rows].join('\n'), {
    kind: 'orders',
  })
  const { unread, items } = await unreadOf(ana, shop)
  assert.deepEqual([unread, items[0].text], [2, '50 new orders'])
  assert.ok(items[0].to.endsWith('/orders'), items[0].to)
  world.clock.advance(600)
  await world.app.jobs.run('email summaries')
  const mails = dataOf(await shop.api.get('/v1/mails'), 200)
  assert.deepEqual(
    mails.map(({ kind }: any) => kind),
    ['team_summary'],
  )
})

test('beyond a hundred nothing is counted', async () => {
  const { shop, ana, place } = await open()
  for (let count = 0; count < 101; count++) await place()
  assert.equal((await unreadOf(ana, shop)).unread, 100)
  assert.match((await ana.get(`/${shop.store.id}/customers`)).text, /data-unread>99\+</)
})
