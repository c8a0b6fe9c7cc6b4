import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/database/sql.ts'
import { eventTypes } from '../../src/developer/webhooks/events.ts'
import type { Answer, Client } from '../client.ts'
import { assertAnswer, assertEvent } from '../document.ts'
import { ownDatabase } from '../database.ts'
import { askEveryRoute, oneOfEach } from '../everyroute.ts'
import { answering } from '../strangers.ts'
import { openWorld } from '../world.ts'

const world = await openWorld(
  {},
  {
    network: {
      resolver: {
        ...answering(['93.184.216.34']),
        resolveTxt: async () => [[(await shop.api.get('/v1/store/domain')).data.record.value]],
      },
    },
    // It takes a slug and a domain that other tests take too.
    database: await ownDatabase(),
  },
)
const shop = await world.newStore()

test('every route answers what the document says, and every event that comes of it has its declared body', async () => {
  const known = await oneOfEach(world, shop)
  let route = ''
  const wrong: string[] = []
  const check = (answer: Answer) => {
    try {
      const isJson = answer.headers.get('content-type')?.startsWith('application/json')
      if (isJson) assertAnswer(route.replace('/storefront', '/storefront/{slug}'), answer.status, answer.body)
    } catch (error) {
      wrong.push((error as Error).message)
    }
    return answer
  }
  const watched = watch(await shop.withKey({}), check)
  await askEveryRoute(world, { ...shop, withKey: async () => watched }, known, (begun) => (route = begun))
  assert.deepEqual([...new Set(wrong)], [])
  const events = await world.app.db.rows<{ event: string; body: string }>(sql`
    select event, body from events where store_id = ${shop.store.id}`)
  for (const { event, body } of events) assertEvent(event, JSON.parse(body))
  const seen = new Set(events.map(({ event }) => event))
  const unseen = eventTypes.filter((type) => !seen.has(type))
  // Jobs emit these: src/developer/webhooks/payloads.test.ts, src/extensions/downloads/downloads.test.ts.
  assert.deepEqual(unseen, ['checkout.abandoned', 'downloads.keys_missing'])
})

function watch(client: Client, check: (answer: Answer) => Answer): Client {
  return {
    url: client.url,
    key: client.key,
    get: async (...args) => check(await client.get(...args)),
    post: async (...args) => check(await client.post(...args)),
    patch: async (...args) => check(await client.patch(...args)),
    delete: async (...args) => check(await client.delete(...args)),
    send: async (...args) => check(await client.send(...args)),
  }
}
