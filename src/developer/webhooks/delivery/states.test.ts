import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countOf, finished, newProduct, subscribed, until, type Subscribed } from '../../../../test/deliveries.ts'
import { running } from '../../../../test/strangers.ts'
import { testAuthority } from '../../../../test/receiver.ts'
import { openWorld } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'
import { emit } from '../../../tenancy/events/emit.ts'
import { setPlan } from '../../../tenancy/stores/operations.ts'
import { declaredEvents } from '../events.ts'

const world = await openWorld(
  { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  { network: { ca: testAuthority.ca }, delivers: true },
)
const hours = (count: number) => count * 3600

async function recordOf({ api, path }: Subscribed) {
  return (await api.get(path)).data
}

/** Products until the webhook has so many failures in a row. */
async function fail(one: Subscribed, count: number): Promise<void> {
  const before = (await recordOf(one)).consecutive_failures
  for (let index = 0; index < count; index++) await newProduct(one)
  await until(async () => (await recordOf(one)).consecutive_failures === before + count)
}

/** A webhook that has failed 20 times over 10 minutes. */
async function paused(): Promise<Subscribed> {
  const one = await subscribed(world)
  one.shop.answer = () => ({ status: 400 })
  await fail(one, 20)
  assert.equal((await recordOf(one)).status, 'active')
  world.clock.advance(600)
  await fail(one, 1)
  // The state follows the count in a transaction of its own.
  await until(async () => (await recordOf(one)).status === 'paused')
  return one
}

test('20 failures in a row over 10 minutes pause a webhook; the first success lets go what was held', async () => {
  const one = await paused()
  const { status, is_active, consecutive_failures, last_delivery_status } = await recordOf(one)
  assert.deepEqual([status, is_active, consecutive_failures, last_delivery_status], ['paused', true, 21, 'failed'])
  for (let index = 0; index < 5; index++) await newProduct(one)
  assert.deepEqual([await countOf(one, 'status=held'), await countOf(one, 'status=pending')], [5, 0])
  const received = one.shop.received.length
  one.shop.answer = () => ({ status: 500 })
  world.clock.advance(60)
  await one.shop.waitFor(received + 3)
  await until(async () => (await countOf(one, 'status=failed')) === 22)
  const tried = new Set(one.shop.received.slice(received).map(({ headers }) => headers['x-webhook-id']))
  assert.equal(tried.size, 1, 'the oldest alone was tried')
  one.shop.answer = () => ({ status: 200 })
  world.clock.advance(60)
  await one.shop.waitFor(received + 7)
  await until(async () => (await countOf(one, 'status=delivered')) === 4)
  const after = await recordOf(one)
  assert.deepEqual([after.status, after.consecutive_failures], ['active', 0])
})

test('24 hours without a success disable it: nothing is queued until a test succeeds', async () => {
  const one = await paused()
  await newProduct(one)
  world.clock.advance(hours(24))
  await until(async () => (await recordOf(one)).status === 'disabled')
  const record = await recordOf(one)
  assert.deepEqual([record.is_active, record.disabled_reason], [false, 'failing'])
  assert.ok(record.disabled_at)
  const queued = await countOf(one)
  await newProduct(one)
  assert.equal(await countOf(one), queued)
  const failing = await one.api.post(`${one.path}/test`)
  await until(async () => (await one.api.get(`${one.path}/deliveries/${failing.data.id}`)).data.status === 'failed')
  assert.equal((await recordOf(one)).status, 'disabled')
  one.shop.answer = () => ({ status: 204 })
  await one.api.post(`${one.path}/test`)
  await until(async () => (await recordOf(one)).status === 'active')
  const enabled = await recordOf(one)
  assert.deepEqual([enabled.is_active, enabled.disabled_at, enabled.disabled_reason], [true, null, null])
  assert.equal(enabled.consecutive_failures, 0)
  await newProduct(one)
  assert.equal((await finished(one)).status, 'delivered')
})

test('a webhook that fails for a day with fewer than 20 deliveries stays active', async () => {
  const one = await subscribed(world)
  one.shop.answer = () => ({ status: 400 })
  await fail(one, 10)
  world.clock.advance(hours(48))
  await fail(one, 9)
  assert.equal((await recordOf(one)).status, 'active')
  await fail(one, 1)
  await until(async () => (await recordOf(one)).status === 'disabled')
})

test('410 disables at once; a click enables, and what waited goes out', async () => {
  const one = await subscribed(world)
  one.shop.answer = () => ({ status: 410 })
  await newProduct(one)
  await until(async () => (await recordOf(one)).status === 'disabled')
  assert.equal((await recordOf(one)).disabled_reason, 'gone')
  one.shop.answer = () => ({ status: 200 })
  await one.api.patch(one.path, { is_active: true })
  await newProduct(one)
  assert.equal((await finished(one)).status, 'delivered')
})

test('deliveries that wait while a webhook is switched off go out when it is switched on', async () => {
  const one = await subscribed(world)
  one.shop.answer = () => ({ status: 503 })
  await newProduct(one)
  await one.shop.waitFor(1)
  await one.api.patch(one.path, { is_active: false })
  one.shop.answer = () => ({ status: 200 })
  await one.api.patch(one.path, { is_active: true })
  assert.equal((await finished(one)).status, 'delivered')
})

test('a webhook that is switched off gets no more retries; they go on when it is switched on', async () => {
  const one = await subscribed(world)
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  one.shop.answer = async () => (await held, { status: 503 })
  await newProduct(one)
  await one.shop.waitFor(1)
  await one.api.patch(one.path, { is_active: false })
  release()
  await until(async () => (await countOf(one, 'status=held')) === 1)
  assert.equal(await countOf(one, 'status=pending'), 0)
  world.clock.advance(10)
  const witness = await running()
  await one.api.post('/v1/webhooks', { url: witness.url, events: ['product.created'] })
  await newProduct(one)
  await witness.waitFor(1)
  assert.equal(one.shop.received.length, 1)
  await one.api.patch(one.path, { is_active: true })
  await one.shop.waitFor(2)
  world.clock.advance(10)
  await one.shop.waitFor(3)
  await until(async () => (await countOf(one, 'status=failed')) === 1)
})

test('manual resends do not count as failures', async () => {
  const one = await subscribed(world)
  one.shop.answer = () => ({ status: 400 })
  await fail(one, 1)
  const { id } = await finished(one)
  await one.api.post(`${one.path}/deliveries/${id}/redeliver`)
  await one.shop.waitFor(2)
  await until(async () => (await one.api.get(`${one.path}/deliveries/${id}`)).data.status === 'failed')
  assert.equal((await recordOf(one)).consecutive_failures, 1)
})

test('after 24 hours only the new secret signs', async () => {
  const one = await subscribed(world)
  await one.api.post(`${one.path}/rotate-secret`)
  world.clock.advance(hours(24) - 60)
  await newProduct(one)
  await one.shop.waitFor(1)
  world.clock.advance(61)
  await newProduct(one)
  const signatures = (await one.shop.waitFor(2)).map(({ headers }) => headers)
  assert.ok(signatures[0]!['x-webhook-signature-previous'])
  assert.equal(signatures[1]!['x-webhook-signature-previous'], undefined)
  assert.doesNotMatch(String(signatures[1]!['webhook-signature']), / /)
})

test('deliveries of checkout.abandoned pause while the plan lacks the feature, and say so', async () => {
  const one = await subscribed(world, ['checkout.abandoned', 'product.created'], { plan: 'growth' })
  const { subjectId, payload } = declaredEvents['checkout.abandoned'].sample
  const abandon = () =>
    world.app.db.transaction(async (tx) => emit(tx, one.store, 'checkout.abandoned', subjectId, payload))
  await world.app.db.transaction((tx) => setPlan(tx, one.store.id, 'starter'))
  await abandon()
  const skipped = await finished(one)
  assert.deepEqual([skipped.status, skipped.error, skipped.attempt_count], ['skipped', 'skipped_plan', 0])
  assert.equal(one.shop.received.length, 0)
  await newProduct(one)
  await one.shop.waitFor(1)
  assert.equal((await recordOf(one)).consecutive_failures, 0)
  await world.app.db.transaction((tx) => setPlan(tx, one.store.id, 'growth'))
  await abandon()
  await one.shop.waitFor(2)
  await one.api.post(`${one.path}/deliveries/${skipped.id}/redeliver`)
  const [, , again] = await one.shop.waitFor(3)
  assert.equal(again!.headers['x-webhook-id'], skipped.id)
})

test('what a deleted webhook leaves in the queue is swept away', async () => {
  const one = await subscribed(world)
  await one.api.patch(one.path, { is_active: false })
  await one.api.patch(one.path, { is_active: true })
  one.shop.answer = () => 'hang'
  for (let index = 0; index < 12; index++) await newProduct(one)
  await one.shop.waitFor(8)
  await one.api.delete(one.path)
  await world.app.jobs.run('drop old deliveries')
  const left = await world.app.db.rows(sql`
    select id
    from deliveries
    where store_id = ${one.store.id}
      and status = 'pending'`)
  assert.deepEqual(left, [])
  await one.shop.close()
})

test('events, deliveries and attempts are kept for 30 days', async () => {
  const one = await subscribed(world)
  await newProduct(one)
  const { id } = await finished(one)
  await one.api.post(`${one.path}/deliveries/${id}/redeliver`)
  assert.equal((await finished(one)).attempts.length, 2)
  const counts = async () =>
    (await world.app.db.one<{ counts: number[] }>(sql`
    select json_build_array(
      (select count(*) from events where store_id = ${one.store.id}),
      (select count(*) from deliveries where store_id = ${one.store.id}),
      (select count(*) from attempts where store_id = ${one.store.id})) as counts`))!.counts
  world.clock.advance(hours(30 * 24) - 60)
  await world.app.jobs.run('drop old deliveries')
  assert.deepEqual(await counts(), [1, 1, 1])
  world.clock.advance(120)
  await world.app.jobs.run('drop old deliveries')
  assert.deepEqual(await counts(), [0, 0, 0])
  assert.equal((await one.api.get(one.path)).status, 200)
})
