// What a delivery costs, by counts: an event, and a receiver that this process already delivers to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newProduct, subscribed, until } from '../../../../test/deliveries.ts'
import { ownDatabase } from '../../../../test/database.ts'
import { testAuthority } from '../../../../test/receiver.ts'
import { openWorld } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'

const environment = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }
const database = await ownDatabase()
const world = await openWorld(environment, { database, network: { ca: testAuthority.ca }, delivers: true })
const { db } = world.app

/** The place of the receiver's health changes with each update, `position` with each event that had to wait. */
async function written(storeId: string): Promise<object> {
  const row = await db.one<object>(sql`
    select health.ctid::text as place, health.xmin::text as writer, health.claim,
      (select last_value from unnumbered_events_position_seq) as position
    from webhook_health as health
    where store_id = ${storeId}`)
  return row!
}

test('success after success writes no health, claims nothing, and numbers the event with its commit', async () => {
  const store = await subscribed(world)
  const settle = async (count: number) => {
    const path = `${store.path}/deliveries?status=delivered`
    await until(async () => (await store.api.get(path)).data.length === count)
  }
  await newProduct(store)
  await settle(1)
  const before = await written(store.store.id)
  for (let count = 2; count <= 11; count++) {
    world.clock.advance(1)
    await newProduct(store)
    await settle(count)
    const [{ data: hook }, { data: log }] = await Promise.all([
      store.api.get(store.path),
      store.api.get(`${store.path}/deliveries`),
    ])
    assert.deepEqual([hook.last_delivery_at, hook.last_delivery_status], [log[0].completed_at, 'delivered'])
  }
  assert.deepEqual(await written(store.store.id), before)
  assert.deepEqual(
    store.shop.received.map(({ headers }) => Number(headers['x-webhook-sequence'])),
    Array.from({ length: 11 }, (_, index) => index + 1),
  )
})
