// A customer who has left a trace in every table, has moved twice, and is erased: only their orders tell of them.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { home, productOf, setUp, shopperOf } from '../../../test/checkouts.ts'
import { dataOf } from '../../../test/shop.ts'
import { staffOf } from '../../../test/staff.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql, raw } from '../../kit/database/sql.ts'
import { newUuid, publicId, toUuid } from '../../kit/values/ids.ts'
import { personalNames } from '../../kit/declare/row.ts'
import { createView } from '../../dashboard/savedviews/operations.ts'
import { tables as declared } from '../tables.ts'

const dataDir = path.join(os.tmpdir(), `stoa-erasure-${newUuid()}`)
const world = await openWorld({ DATA_DIR: dataDir }, { sweeps: true })
const { db } = world.app

const first = { name: 'Zelma Quirke', email: 'zelma@example.com', phone: '+52 55 1234 9876' }
const second = { email: 'Zq.second@example.com', phone: '+1 415 555 0199' }
const third = { email: 'third-zq@example.com', phone: null }
const street = 'Calle Zurbano 77'
/** Whatever tells of her. */
const traces = [
  'Zelma',
  'Quirke',
  'zelma@',
  'zq.second@',
  'third-zq@',
  '1234 9876',
  '12349876',
  '555 0199',
  '5550199',
  'Zurbano',
  'zebra allergy',
  'limps',
  'XAXX010101000',
  'zelma%40',
]

type Shop = TestStore & { customerId: string }

/** Carts that were left, orders, a refund, enquiries, mail, proposals, views and refused requests. */
async function active(): Promise<Shop> {
  const shop = await setUp(await world.newStore())
  const { api } = shop
  dataOf(await api.patch('/v1/store', { notification_email: 'owner@example.com' }), 200)
  const events = [
    'order.created',
    'order.updated',
    'order.refunded',
    'return.created',
    'return.declined',
    'customer.created',
    'customer.updated',
    'checkout.abandoned',
    'checkout.completed',
  ]
  dataOf(await api.post('/v1/webhooks', { url: 'https://93.184.216.34/', events }), 201)
  const product = await productOf(shop)
  const items = [{ product_id: product.id, quantity: 1 }]
  const created = await api.post(
    '/v1/customers',
    { ...first, notes: 'zebra allergy', tax_id: 'XAXX010101000' },
    { headers: { 'idempotency-key': 'made' } },
  )
  const customerId = dataOf(created, 201).id
  for (const contact of [first, second, third]) {
    if (contact !== first) dataOf(await api.patch(`/v1/customers/${customerId}`, contact), 200)
    const customer = { ...first, ...contact }
    const shopper = shopperOf(world, shop)
    const address = { ...home, address: street, name: first.name }
    const begin = () => shopper.begin({ items, customer, shipping_address: address, customer_notes: 'limps' })
    dataOf(await begin(), 201)
    const { token } = dataOf(await begin(), 201)
    const { order } = dataOf(await shopper.complete(token), 201)
    const { email } = customer
    await enquire(shop, { name: first.name, email, message: `I am ${first.name} and it limps` })
    dataOf(await api.patch(`/v1/orders/${order.id}`, { payment_status: 'paid' }), 200)
    const refund = { amount: 1, reason: `${first.name} limps` }
    dataOf(await api.post(`/v1/orders/${order.id}/refunds`, refund, { headers: { 'idempotency-key': order.id } }), 201)
    const returned = await sendBack(shop, order.id)
    await api.post('/v1/proposals', { method: 'POST', path: `/v1/returns/${returned}/cancel` })
    await api.post('/v1/proposals', { method: 'PATCH', path: `/v1/customers/${customerId}`, body: { notes: email } })
    await api.post('/v1/proposals', {
      method: 'PATCH',
      path: `/v1/orders/${order.id}`,
      body: { internal_notes: 'limps' },
    })
    await search(shop, email)
  }
  const strict = { headers: { prefer: 'handling=strict' } }
  const unknown = { [first.name]: 1, [third.email]: 1, [first.phone]: 1, [street]: { 'zebra allergy': 1 } }
  assert.equal((await api.post('/v1/customers', { name: 'Bo', ...unknown }, strict)).status, 422)
  world.clock.advance(31 * 60)
  assert.ok(await world.app.jobs.run('sweep checkouts'))
  await world.app.sender.sendDue()
  await db.rows(sql`
    update deliveries set response_body = 'thanks, Zelma' where store_id = ${shop.store.id}`)
  await db.rows(sql`
    update mails set error = '550 zelma@example.com is unknown'
    where store_id = ${shop.store.id} and recipient like 'zelma%'`)
  await paymentOf(shop)
  await world.app.requestLog!.flush()
  return { ...shop, customerId }
}

/** A return that was declined: she wrote about it, and so did the merchant. */
async function sendBack({ api }: TestStore, orderId: string): Promise<string> {
  const sent = dataOf(await api.post(`/v1/orders/${orderId}/fulfillments`, {}), 201)
  const items = [
    { item_id: sent.items[0].item_id, quantity: 1, reason: 'damaged', note: `${first.name} says it limps` },
  ]
  const body = { items, status: 'requested' }
  const { id } = dataOf(await api.post(`/v1/orders/${orderId}/returns`, body), 201)
  const reason = `Sorry, ${first.name}`
  const once = { headers: { 'idempotency-key': `decline ${orderId}` } }
  dataOf(await api.post(`/v1/returns/${id}/decline`, { reason }, once), 200)
  return id
}

async function enquire({ store }: TestStore, enquiry: Record<string, string>): Promise<void> {
  const answer = await fetch(`${world.url}/s/${store.slug}/contact`, {
    method: 'POST',
    body: new URLSearchParams(enquiry),
    headers: { origin: 'https://shop.example', 'x-forwarded-for': `203.0.113.${enquiry.email!.length}` },
    redirect: 'manual',
  })
  assert.equal(answer.status, 303)
}

/** A view of the orders that was searched for her. */
async function search(shop: TestStore, email: string): Promise<void> {
  const { userId } = await staffOf(world, [shop])
  const actor = { kind: 'user', id: publicId('usr', userId) } as const
  const query = String(new URLSearchParams({ search: email }))
  await db.transaction((tx) =>
    createView(tx, shop.store, { list: 'orders', name: 'Hers', query, is_default: false }, actor),
  )
}

/** A payment that is over, whose pages at the provider carry her address. */
async function paymentOf({ store }: TestStore): Promise<void> {
  await db.rows(sql`
    update payment_sessions
    set return_url = 'https://shop.example/zelma%40', redirect_url = 'https://pay.example/?email=zelma%40example.com',
      look_at = null
    where store_id = ${store.id}`)
}

/** Tables and columns in which some trace is left, the sealed ones opened. */
async function found(storeId: string): Promise<string[]> {
  const columns = await db.rows<{ table: string; column: string; by: string }>(sql`
    select own.relname as table, attname as column, case when own.relname = 'stores' then 'id' else 'store_id' end as by
    from pg_attribute
    join pg_class as own on own.oid = attrelid
    where relnamespace = current_schema()::regnamespace
      and relkind in ('r', 'p')
      and not relispartition
      and attnum > 0
      and not attisdropped
      and format_type(atttypid, null) ~ 'text|json'
      and exists (
        select from pg_attribute as store
        where store.attrelid = own.oid
          and store.attname = case when own.relname = 'stores' then 'id' else 'store_id' end)`)
  const left: string[] = []
  for (const { table, column, by } of columns) {
    const rows = await db.rows<{ text: string }>(sql`
      select ${raw(`${column}::text`)} as text from ${raw(table)}
      where ${raw(by)} = ${storeId} and ${raw(column)} is not null`)
    const texts = rows.map(({ text }) => text.toLowerCase())
    const trace = traces.find((one) => texts.some((text) => text.includes(one.toLowerCase())))
    if (trace) left.push(`${table}.${column}`)
  }
  return left
}

const sealedOf = async (storeId: string) =>
  (
    await db.rows<{ body: string | null }>(sql`
    select body from idempotency_keys where store_id = ${storeId}`)
  ).filter(({ body }) => body !== null)
const lettersOf = (storeId: string) =>
  db.rows<{ id: string; recipient: string; body: string }>(sql`
    select id, recipient, body from outbox where store_id = ${storeId}`)

test('erasing a customer who has moved twice leaves nothing of them but their orders, anywhere', async () => {
  const shop = await active()
  const { store, api, customerId } = shop
  const other = dataOf(await api.post('/v1/customers', { name: 'Bo', email: 'bo@example.com' }), 201)
  const before = await found(store.id)
  for (const column of [
    'checkouts.customer_email',
    'mails.recipient',
    'mails.enquiry',
    'mails.error',
    'events.body',
    'refunds.reason',
    'return_items.note',
    'returns.decline_reason',
    'deliveries.response_body',
    'audit_log.personal',
    'proposals.request',
    'outbox.recipient',
    'outbox.reply_to',
    'saved_views.query',
    'customers.name',
    'orders.customer_name',
    'payment_sessions.redirect_url',
  ])
    assert.ok(before.includes(column) || column.startsWith('payment_sessions'), `${column} tells of her before`)
  assert.ok((await sealedOf(store.id)).length > 1)

  dataOf(await api.delete(`/v1/customers/${customerId}`), 200)

  const left = (await found(store.id)).filter((column) => !column.startsWith('orders.'))
  assert.deepEqual(left, [])
  assert.deepEqual(await sealedOf(store.id), [])
  // What is left in the outbox went to the owner, of orders that were placed.
  const letters = (await lettersOf(store.id)).filter(({ recipient }) => recipient !== 'owner@example.com')
  assert.deepEqual(letters, [])
  const files = (await readdir(dataDir, { recursive: true, withFileTypes: true }).catch(() => [])).filter((file) =>
    file.isFile(),
  )
  for (const file of files) {
    const text = (await readFile(path.join(file.parentPath, file.name), 'latin1')).toLowerCase()
    assert.deepEqual(
      traces.filter((trace) => text.includes(trace.toLowerCase())),
      [],
      file.name,
    )
  }
  assert.equal((await api.get(`/v1/customers/${other.id}`)).data.email, 'bo@example.com')
  const replay = await api.post(
    '/v1/customers',
    { ...first, notes: 'zebra allergy', tax_id: 'XAXX010101000' },
    { headers: { 'idempotency-key': 'made' } },
  )
  assert.equal(replay.status, 409, 'it is not done again')
  assert.deepEqual(
    await db.rows(
      sql`
      select from audit_log
      where store_id = ${store.id}
        and records @> array[${toUuid('cus', customerId)}::uuid]
        and personal::text like '%before%'`,
    ),
    [],
  )
})

test('what another customer has by then under an address that was theirs stays', async () => {
  const shop = await setUp(await world.newStore())
  const { api } = shop
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const mine = dataOf(await api.post('/v1/customers', { name: 'Ana', email: 'shared@example.com' }), 201)
  const begin = async (name: string) =>
    dataOf(await shopperOf(world, shop).begin({ items, customer: { name, email: 'shared@example.com' } }), 201).id
  const early = await begin('Ana')
  world.clock.advance(60)
  dataOf(await api.patch(`/v1/customers/${mine.id}`, { email: 'ana@example.com' }), 200)
  world.clock.advance(60)
  dataOf(await api.post('/v1/customers', { name: 'Bo', email: 'shared@example.com' }), 201)
  const late = await begin('Bo')
  const kept = dataOf(await api.get(`/v1/customers/${mine.id}/data`), 200)
  assert.deepEqual(
    kept.checkouts.map(({ id }: { id: string }) => id),
    [early],
  )
  dataOf(await api.delete(`/v1/customers/${mine.id}`), 200)
  const nameOf = async (id: string) => dataOf(await api.get(`/v1/checkout-drafts/${id}`), 200).customer.name
  assert.deepEqual([await nameOf(early), await nameOf(late)], [null, 'Bo'])
})

test('every table with a field that is marked as personal is erased, or says why it stays', async () => {
  const root = new URL('../../', import.meta.url).pathname
  const tables = new Set<string>()
  for (const file of globSync('**/*.ts', { cwd: root })) {
    if (file.endsWith('.test.ts') || !/\bresource\('/.test(readFileSync(root + file, 'utf8'))) continue
    for (const found of Object.values(await import(`../../${file}`)) as any[]) {
      if (!found?.fields || typeof found.table !== 'string') continue
      if (personalNames(found.fields).length > 0) tables.add(found.table)
    }
  }
  assert.deepEqual(
    [...tables].filter((table) => !declared.find(({ name }) => name === table)?.store?.erasure),
    [],
  )
})
