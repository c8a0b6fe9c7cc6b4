// Summaries by email: what a member chose, once for a burst, and nothing that they cannot see.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { letterTo } from '../../../test/letters.ts'
import { newRole } from '../../../test/people.ts'
import { dataOf } from '../../../test/shop.ts'
import { staffOf, type Staff } from '../../../test/staff.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'

// Its letters are read: the database is its own.
const world = await openWorld({}, { sweeps: true })
const items = [{ product_name: 'Mug', unit_price: 20, quantity: 1 }]
const low = { name: 'Cup', price: 5, track_inventory: true, low_stock_threshold: 3, stock_quantity: 2 }

async function choose(who: Staff, { store }: TestStore, mailed_kinds: string[]): Promise<void> {
  const { status } = await who.post(`/${store.id}/notifications`, { act: 'choose', kinds: ['order'], mailed_kinds })
  assert.equal(status, 303)
}

const place = async ({ api }: TestStore) => dataOf(await api.post('/v1/orders', { items }), 201)

async function recipientsAfter(seconds: number, { api }: TestStore): Promise<string[]> {
  world.clock.advance(seconds)
  await world.app.jobs.run('email summaries')
  const mails = dataOf(await api.get('/v1/mails?kind=team_summary&order=asc'), 200)
  return mails.map(({ recipient }: any) => recipient)
}

const emailOf = async ({ userId }: Staff) =>
  (await world.app.db.one<{ email: string }>(sql`select email from users where id = ${userId}`))!.email

test('what a burst brings is one email, ten minutes after the last at the earliest', async () => {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], 'staff')
  const email = await emailOf(ana)
  await place(shop)
  world.clock.advance(1)
  await choose(ana, shop, ['order', 'low_stock'])
  world.clock.advance(1)
  const [first, second] = [await place(shop), await place(shop)]
  dataOf(await shop.api.post('/v1/products', low), 201)
  assert.deepEqual(await recipientsAfter(60, shop), [])
  assert.deepEqual(await recipientsAfter(600, shop), [email])
  const [letter] = await letterTo(world.app, email)
  assert.match(letter!.subject, /^What’s new at /)
  for (const number of [first, second]) assert.ok(letter!.text.includes(`#${number.order_number}`), letter!.text)
  assert.match(letter!.text, /New orders:\n +2: /)
  assert.match(letter!.text, /1: Cup/)
  assert.ok(letter!.text.includes(`/dashboard/${shop.store.id}/notifications`))

  assert.deepEqual(await recipientsAfter(600, shop), [email], 'nothing has happened since')
  await place(shop)
  assert.deepEqual(await recipientsAfter(60, shop), [email])
  assert.deepEqual(await recipientsAfter(600, shop), [email, email])
})

test('a member gets what they chose and may see, and nothing by default or after they leave', async () => {
  const shop = await world.newStore()
  const stockReader = toUuid('role', await newRole(world, shop, ['read:store', 'read:products']))!
  const [silent, ben] = [await staffOf(world, [shop], 'staff'), await staffOf(world, [shop], 'staff')]
  const packer = await staffOf(world, [shop], { id: stockReader })
  const gone = await staffOf(world, [shop], 'staff')
  await choose(ben, shop, ['low_stock'])
  await choose(packer, shop, ['order'])
  await choose(gone, shop, ['order'])
  world.clock.advance(1)
  await place(shop)
  const { id: storeId } = shop.store
  await world.app.db.rows(sql`delete from members where store_id = ${storeId} and user_id = ${gone.userId}`)
  assert.deepEqual(await recipientsAfter(600, shop), [])
  dataOf(await shop.api.post('/v1/products', low), 201)
  assert.deepEqual(await recipientsAfter(600, shop), [await emailOf(ben)])
  await choose(ben, shop, [])
  dataOf(await shop.api.post('/v1/products', { ...low, name: 'Pot' }), 201)
  assert.equal((await recipientsAfter(600, shop)).length, 1)
  assert.ok(silent)
})

test('a member who turned mentions off is not emailed about one, and one who did not is', async () => {
  const shop = await world.newStore()
  const [off, on] = [await staffOf(world, [shop], 'staff'), await staffOf(world, [shop], 'staff')]
  await choose(off, shop, ['order'])
  const { id } = await place(shop)
  const body = `Look, @${await emailOf(off)} and @${await emailOf(on)}`
  dataOf(await shop.api.post(`/v1/orders/${id}/comments`, { body }), 201)
  const mails = dataOf(await shop.api.get('/v1/mails?kind=order_mention'), 200)
  assert.deepEqual(
    mails.map(({ recipient }: any) => recipient),
    [await emailOf(on)],
  )
})
