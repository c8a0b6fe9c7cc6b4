// An import can do what its credential can, as long as it has it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../kit/database/sql.ts'
import { newUuid, publicId, toUuid } from '../../../kit/values/ids.ts'
import type { Actor } from '../../../kit/values/actor.ts'
import { assertAccounted, previewed, remarksOf, settled } from '../../../../test/imports.ts'
import { newRole } from '../../../../test/people.ts'
import { dataOf } from '../../../../test/shop.ts'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const { db } = world.app

const products = ['name,price', ...Array.from({ length: 40 }, (_, n) => `Mug ${n},5`)].join('\n')

/** Each begins the import, and ends before its work has begun. */
const ends: Record<string, (shop: TestStore, begin: (actor?: Actor) => Promise<unknown>) => Promise<unknown>> = {
  async 'a key that is deactivated'(shop, begin) {
    await begin()
    await db.rows(sql`update api_keys set is_active = false where store_id = ${shop.store.id}`)
  },
  async 'a key that expires'(shop, begin) {
    await begin()
    const past = new Date(world.clock.now().getTime() - 1000)
    await db.rows(sql`update api_keys set expires_at = ${past} where store_id = ${shop.store.id}`)
  },
  async 'a key that loses its scope'(shop, begin) {
    await begin()
    await db.rows(sql`update api_keys set scopes = '{read:products}' where store_id = ${shop.store.id}`)
  },
  async 'a key that is deleted'(shop, begin) {
    await begin()
    await db.rows(sql`delete from api_keys where store_id = ${shop.store.id}`)
  },
  async 'a person who leaves'(shop, begin) {
    const { userId } = await staffOf(world, [shop])
    await begin({ kind: 'user', id: publicId('usr', userId) })
    await db.rows(sql`delete from members where store_id = ${shop.store.id} and user_id = ${userId}`)
  },
  async 'a person whose role cannot write such records'(shop, begin) {
    const role = toUuid('role', await newRole(world, shop, ['write:customers']))!
    const { userId } = await staffOf(world, [shop], { id: role })
    await begin({ kind: 'user', id: publicId('usr', userId) })
  },
  async 'an app without a grant'(_, begin) {
    await begin({ kind: 'client', id: 'app', user: publicId('usr', newUuid()) })
  },
}

for (const [who, end] of Object.entries(ends)) {
  for (const [status, kept] of [
    ['running', 0],
    ['undoing', 40],
  ] as const) {
    test(`an import that is ${status} stops with ${who}`, async () => {
      const shop = await world.newStore()
      const reader = await staffOf(world, [shop])
      const api = await shop.withKey({})
      const { id } = await previewed(world, api, products, { kind: 'products' })
      if (status === 'undoing') {
        dataOf(await api.post(`/v1/imports/${id}/start`, {}), 200)
        await settled(world, api, id)
      }
      await end(shop, async (actor) => {
        dataOf(await api.post(`/v1/imports/${id}/${status === 'running' ? 'start' : 'undo'}`, {}), 200)
        if (!actor) return
        await db.rows(sql`
          update imports
          set actor = ${JSON.stringify(actor)}
          where store_id = ${shop.store.id}
            and id = ${toUuid('imp', id)}`)
      })
      await world.app.jobs.run('import')
      const other = await shop.withKey({})
      const stopped = await settled(world, other, id)
      assert.deepEqual([stopped.status, stopped.rows_created], ['stopped', kept])
      assert.match(stopped.error, /no longer has access/)
      assert.equal((await other.get('/v1/products/count')).data.count, kept)
      assert.match((await reader.get(`/${shop.store.id}/settings/imports/${id}`)).text, /no longer has access/)
      // Who has access goes on with it.
      dataOf(await other.post(`/v1/imports/${id}/start`, {}), 200)
      const done = await settled(world, other, id)
      assert.deepEqual([done.status, done.rows_created, done.error], ['completed', 40, null])
    })
  }
}

test('the writes of an import count toward the limit of its key, and it stops there', async () => {
  const shop = await world.newStore()
  const api = await shop.withKey({ policy: { max_per_day: 30 } })
  const { id } = await previewed(world, api, products, { kind: 'products' })
  dataOf(await api.post(`/v1/imports/${id}/start`, {}), 200)
  const stopped = await settled(world, api, id)
  // Sending the file and starting the import are two of them.
  assert.deepEqual([stopped.status, stopped.rows_created], ['stopped', 28])
  assert.match(stopped.error, /limited to 30 writes per day/)
  assertAccounted(stopped)
  world.clock.advance(24 * 3600)
  dataOf(await api.post(`/v1/imports/${id}/start`, {}), 200)
  assert.deepEqual((await settled(world, api, id)).rows_created, 40)
})

test("an order beyond its key's amount is rejected, and the others are imported", async () => {
  const shop = await world.newStore()
  const api = await shop.withKey({ policy: { max_amount: 100 } })
  const file = 'order_number,item_name,item_price\n1,Mug,100\n2,Safe,100.01\n3,Cup,5\n'
  const { id } = await previewed(world, api, file, { kind: 'orders' })
  dataOf(await api.post(`/v1/imports/${id}/start`, {}), 200)
  const done = await settled(world, api, id)
  assert.deepEqual([done.status, done.rows_created, done.rows_rejected], ['completed', 2, 1])
  const [[line, outcome, , message]] = (await remarksOf(api, id)) as [[number, string, string | null, string]]
  assert.deepEqual([line, outcome], [3, 'rejected'])
  assert.match(message, /limited to 100 per order or refund/)
})
