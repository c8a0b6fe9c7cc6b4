// Comments on orders: who writes, changes and deletes them, whom they mention, and what erasure leaves of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf } from '../../../../test/shop.ts'
import { letterTo } from '../../../../test/letters.ts'
import { newRole, personOf } from '../../../../test/people.ts'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'

// Its letters are read: the database is its own.
const world = await openWorld({}, { sweeps: true })
const { db } = world.app

async function open() {
  const shop = await world.newStore()
  const items = [{ product_name: 'Mug', unit_price: 20, quantity: 1 }]
  const order = dataOf(await shop.api.post('/v1/orders', { items, customer_email: 'ana@example.com' }), 201)
  const path = `/v1/orders/${order.id}/comments`
  const write = async (body: string, api = shop.api) => dataOf(await api.post(path, { body }), 201)
  return { shop, order, path, write }
}

/** A member of the store with this name; their public ID. */
async function memberOf(shop: TestStore, name: string, role: Parameters<typeof staffOf>[2] = 'staff') {
  const { userId } = await personOf(world, shop, role)
  await db.rows(sql`update users set name = ${name} where id = ${userId}`)
  return publicId('usr', userId)
}

async function eventsOf({ api }: TestStore): Promise<string[]> {
  return (await api.get('/v1/events')).data.map(({ event }: any) => event)
}

test('a comment is written, read, edited and deleted, with an event for each', async () => {
  const { shop, order, path, write } = await open()
  const before = (await eventsOf(shop)).length
  const first = await write('Call first')
  assert.deepEqual(
    [first.order_id, first.body, first.author_kind, first.mentions, first.edited_at],
    [order.id, 'Call first', 'key', [], null],
  )
  assert.match(first.author_id, /^key_/)
  assert.deepEqual(dataOf(await shop.api.get(`${path}/${first.id}`), 200), first)
  world.clock.advance(1)
  const second = await write('Sent by hand')
  const { data, body } = await shop.api.get(path)
  assert.deepEqual([data.map(({ id }: any) => id), body.pagination.total], [[second.id, first.id], 2])
  const edited = dataOf(await shop.api.patch(`${path}/${first.id}`, { body: 'Called' }), 200)
  assert.deepEqual([edited.body, edited.edited_at === null], ['Called', false])
  assert.deepEqual(dataOf(await shop.api.patch(`${path}/${first.id}`, { body: 'Called' }), 200), edited)
  dataOf(await shop.api.delete(`${path}/${first.id}`), 200)
  assert.equal((await shop.api.get(`${path}/${first.id}`)).status, 404)
  assert.deepEqual((await eventsOf(shop)).slice(before), [
    'order.commented',
    'order.commented',
    'order.updated',
    'order.updated',
  ])
})

test('a comment has 1 to 5,000 characters, and an order at most 1,000 comments', async () => {
  const { shop, path, order } = await open()
  for (const body of ['', 'x'.repeat(5001), undefined]) {
    assert.deepEqual(Object.keys(faultsOf(await shop.api.post(path, { body }))), ['body'])
  }
  dataOf(await shop.api.post(path, { body: 'x'.repeat(5000) }), 201)
  await db.rows(sql`
    insert into order_comments (store_id, id, order_id, body, author_kind, author_id, created_at, updated_at)
    select ${shop.store.id}, gen_random_uuid(), ${toUuid('ord', order.id)}::uuid, 'x', 'key', 'key',
      ${world.clock.now()}::timestamptz, ${world.clock.now()}::timestamptz
    from generate_series(1, 999)`)
  assert.deepEqual(Object.keys(faultsOf(await shop.api.post(path, { body: 'one more' }))), ['body'])
})

test('only its author, an owner or an admin changes or deletes a comment', async () => {
  const { shop, path, write } = await open()
  const comment = await write('Mine')
  const other = await shop.withKey({})
  for (const answer of [
    await other.patch(`${path}/${comment.id}`, { body: 'Yours' }),
    await other.delete(`${path}/${comment.id}`),
  ]) {
    assert.deepEqual([answer.status, answer.error.code], [403, 'SCOPE_INSUFFICIENT'])
  }
  const reader = await shop.withKey({ scopes: ['read:orders'] })
  assert.equal((await reader.get(path)).status, 200)
  assert.equal((await reader.post(path, { body: 'No' })).status, 403)
})

test('a comment is of its order: another order, and another store, do not have it', async () => {
  const { shop, write } = await open()
  const comment = await write('Here')
  const items = [{ product_name: 'Cup', unit_price: 2, quantity: 1 }]
  const second = dataOf(await shop.api.post('/v1/orders', { items }), 201)
  assert.equal((await shop.api.get(`/v1/orders/${second.id}/comments/${comment.id}`)).status, 404)
  const other = await world.newStore()
  assert.equal((await other.api.get(`/v1/orders/${comment.order_id}/comments`)).status, 404)
  assert.equal((await other.api.post(`/v1/orders/${comment.order_id}/comments`, { body: 'x' })).status, 404)
})

test('@ and a name, a first name that only one has, or an email mention a member', async () => {
  const { shop, write } = await open()
  const ana = await memberOf(shop, 'Ana Torres')
  const ben = await memberOf(shop, 'Ben Ito')
  const other = await memberOf(shop, 'Ben Okoro')
  const { email } = (await db.one<{ email: string }>(sql`select email from users where id = ${toUuid('usr', ana)}`))!
  const mentionsOf = async (body: string) => (await write(body)).mentions.toSorted()
  assert.deepEqual(await mentionsOf('@ana torres, and @Ben Ito: look'), [ana, ben].toSorted())
  assert.deepEqual(await mentionsOf('(@Ana) please'), [ana])
  assert.deepEqual(await mentionsOf(`Ask @${email}.`), [ana])
  // Two are called Ben, an address is not a mention, and names end where they end.
  assert.deepEqual(await mentionsOf('@Ben, shop@ana.example, @Anabel'), [])
  assert.deepEqual(await mentionsOf('@ben okoro @BEN OKORO'), [other])
})

test('a mentioned member gets one email, its author none, and an edit only those that it adds', async () => {
  const { shop, order, path } = await open()
  const [ana, ben] = [await memberOf(shop, 'Ana Torres'), await memberOf(shop, 'Ben Ito')]
  const emailOf = async (id: string) =>
    (await db.one<{ email: string }>(sql`select email from users where id = ${toUuid('usr', id)}`))!.email
  const mailed = async () =>
    (await shop.api.get('/v1/mails?kind=order_mention&order=asc')).data.map(({ recipient }: any) => recipient)
  const { id } = dataOf(await shop.api.post(path, { body: '@Ana Torres @ana torres: look' }), 201)
  assert.deepEqual(await mailed(), [await emailOf(ana)])
  world.clock.advance(1)
  dataOf(await shop.api.patch(`${path}/${id}`, { body: '@Ana Torres @Ben Ito: look' }), 200)
  assert.deepEqual(await mailed(), [await emailOf(ana), await emailOf(ben)])
  const [mail] = (await shop.api.get('/v1/mails?kind=order_mention')).data
  assert.equal(mail.order_id, order.id)
  const [letter] = await letterTo(world.app, await emailOf(ben))
  assert.equal(letter!.subject, `You were mentioned on order ${order.order_number}`)
  assert.ok(letter!.text.includes(`/dashboard/${shop.store.id}/orders/${order.id}`), letter!.text)
  const own = await staffOf(world, [shop], 'staff')
  await db.rows(sql`update users set name = 'Cy Own' where id = ${own.userId}`)
  await own.post(`/${shop.store.id}/orders/${order.id}`, { act: 'comment', body: 'I, @Cy Own, did it' })
  assert.equal((await mailed()).length, 2)
})

test('members of another store, and members who cannot read orders, are not mentioned', async () => {
  const { shop, write } = await open()
  await memberOf(await world.newStore(), 'Cy Far')
  await memberOf(shop, 'Di Near', await roleOf(shop, ['read:products']))
  assert.deepEqual((await write('@Cy Far and @Di Near')).mentions, [])
})

async function roleOf(shop: TestStore, scopes: string[]): Promise<any> {
  const id = await newRole(world, shop, scopes)
  return { id: toUuid('role', id)!, name: 'Role', scopes }
}

test('an edit is undone to the letter, a new comment too; what is deleted is gone', async () => {
  const { shop, path, write } = await open()
  const { id } = await write('First')
  const edit = await shop.api.patch(`${path}/${id}`, { body: 'Second' })
  const undo = (answer: { headers: Headers }) =>
    shop.api.post(`/v1/changes/${answer.headers.get('x-request-id')}/revert`)
  dataOf(await undo(edit), 200)
  const undone = dataOf(await shop.api.get(`${path}/${id}`), 200)
  assert.deepEqual([undone.body, undone.edited_at], ['First', null])
  const made = await shop.api.post(path, { body: 'By mistake' })
  dataOf(await undo(made), 200)
  assert.equal((await shop.api.get(`${path}/${made.data.id}`)).status, 404)
  const gone = await shop.api.delete(`${path}/${id}`)
  assert.equal((await undo(gone)).status, 409)
  const kept = await db.rows<{ entry: string }>(sql`
    select personal::text as entry from audit_log where store_id = ${shop.store.id} and personal is not null`)
  assert.ok(kept.every(({ entry }) => !/First|Second|mistake/.test(entry)))
})

test('what is written about the orders of a customer is handed out to them, and erased with them', async () => {
  const { shop, order, path, write } = await open()
  await write('Ana rings at noon')
  const { data } = await shop.api.get(`/v1/customers/${order.customer_id}/data`)
  assert.deepEqual(
    data.comments.map(({ body }: any) => body),
    ['Ana rings at noon'],
  )
  dataOf(await shop.api.delete(`/v1/customers/${order.customer_id}`), 200)
  assert.deepEqual((await shop.api.get(path)).data, [])
  const rows = await db.rows<{ row: string }>(sql`
    select body as row from events where store_id = ${shop.store.id}
    union all
    select concat(changes, personal) from audit_log where store_id = ${shop.store.id}`)
  assert.ok(rows.every(({ row }) => !row.includes('rings at noon')))
})
