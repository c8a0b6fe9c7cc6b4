// A PATCH that sends back what was read: every PATCH of the route table whose path can be read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/database/sql.ts'
import { oneRecord } from '../../src/kit/declare/conditions.ts'
import { routes } from '../../src/developer/routes.ts'
import { pathOf, recordsOf } from '../records.ts'
import { answering } from '../strangers.ts'
import { openWorld, type TestStore } from '../world.ts'

const world = await openWorld({}, { network: { resolver: answering(['93.184.216.34']) } })

/** What must be in the body is a movement, e.g. of stock. */
const patches = routes.filter(
  (route) => route.method === 'PATCH' && oneRecord(route, routes).isAnswered && !route.body!.schema.required,
)

async function traces({ store }: TestStore): Promise<object[]> {
  return world.app.db.rows(sql`
    select (select count(*)::int from events where store_id = ${store.id}) as events,
      (select count(*)::int from audit_log where store_id = ${store.id}) as entries`)
}

test('there are many of them', () => assert.ok(patches.length > 30))

for (const route of patches) {
  test(`PATCH ${route.path}: what was read changes nothing, and nothing tells of it`, async () => {
    const shop = await world.newStore()
    const path = await pathOf(route, recordsOf(world, shop))
    const part = route.path.slice(oneRecord(route, routes).read!.path.length)
    const readPath = path.slice(0, path.length - part.length)
    const before = await shop.api.get(readPath)
    const tracesBefore = await traces(shop)
    world.clock.advance(10)
    for (const body of [before.data, {}]) {
      const answer = await shop.api.patch(path, body)
      assert.equal(answer.status, 200, JSON.stringify(answer.error))
      assert.deepEqual(answer.data, before.data)
      assert.equal(answer.headers.get('etag'), before.headers.get('etag'))
    }
    assert.equal((await shop.api.get(readPath)).headers.get('etag'), before.headers.get('etag'))
    assert.deepEqual(await traces(shop), tracesBefore)
  })
}
