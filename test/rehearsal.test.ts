// Every write of the route table is rehearsed and then done: the rehearsal leaves nothing, and the write does what the
// rehearsal said.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../src/kit/database/database.ts'
import { sql } from '../src/kit/database/sql.ts'
import { publicId } from '../src/kit/values/ids.ts'
import { routes } from '../src/developer/routes.ts'
import type { Answer, Client } from './client.ts'
import { askEveryRoute, oneOfEach } from './everyroute.ts'
import { differing, fingerprintOf } from './fingerprint.ts'
import { answering } from './strangers.ts'
import { madeReady } from './uploads.ts'
import { openWorld } from './world.ts'

const resolver = {
  ...answering(['93.184.216.34']),
  // What verifies a domain, whatever the domain.
  resolveTxt: async () => [[(await shop.api.get('/v1/store/domain')).data.record.value]],
}
const world = await openWorld({}, { sweeps: true, network: { resolver } })
const { db } = world.app
const shop = await world.newStore()
const known = await oneOfEach(world, shop)

type Init = { body?: string | Uint8Array; headers?: Record<string, string> }

/** A client that rehearses each write of /v1 before it does it, and compares the two. */
function rehearsing(api: Client, rehearsed: Set<string>, current: () => string): Client {
  const send: Client['send'] = async (method, path, init = {}) => {
    if (method === 'GET' || !path.startsWith('/v1/')) return api.send(method, path, init)
    rehearsed.add(current())
    return rehearsedFirst(api, method, path, init)
  }
  const withBody =
    (method: string) =>
    (path: string, body: unknown = {}, { headers = {} }: { headers?: Record<string, string> } = {}) =>
      send(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } })
  return {
    ...api,
    send,
    post: withBody('POST'),
    patch: withBody('PATCH'),
    delete: (path, extra = {}) => send('DELETE', path, extra),
  }
}

async function rehearsedFirst(api: Client, method: string, path: string, init: Init): Promise<Answer> {
  const name = `${method} ${path}`
  const headers = { ...init.headers, prefer: 'dry-run' }
  const before = await fingerprintOf(db)
  const rehearsal = await api.send(method, path, { ...init, headers })
  assert.deepEqual(differing(before, await fingerprintOf(db)), [], `${name} left something`)
  assert.equal(rehearsal.headers.get('preference-applied'), 'dry-run', name)
  // All that it does, it does elsewhere.
  if (path.endsWith('/examine')) {
    assert.deepEqual([rehearsal.status, rehearsal.error.details[0].field], [422, 'Prefer'])
    return api.send(method, path, init)
  }
  assert.equal(rehearsal.headers.get('location'), null)
  assert.equal(rehearsal.headers.get('etag'), null)
  const had = await logged(db)
  const answer = await api.send(method, path, init)
  assert.equal(rehearsal.status, answer.status, `${name} ${JSON.stringify(rehearsal.body)}`)
  assert.equal(answer.headers.get('preference-applied'), null)
  if (answer.status >= 300) return answer
  const told = rehearsal.body.rehearsal
  const has = await logged(db)
  const { data: entries } = await api.get(`/v1/audit?request_id=${answer.headers.get('x-request-id')}`)
  assert.deepEqual(
    unnamed({
      data: rehearsal.data,
      events: told.events,
      deliveries: told.deliveries,
      mails: told.mails,
      stock: told.stock_movements,
      changes: told.changes,
    }),
    unnamed({ data: answer.data, ...newIn(had, has), changes: entries[0]?.changes ?? [] }),
    name,
  )
  assert.deepEqual(told.withheld, [])
  // Its sizes are made behind the answer.
  if (path === '/v1/media') await madeReady(api, answer.data.id)
  return answer
}

type Logged = Record<'events' | 'deliveries' | 'mails' | 'stock', { id: string; row: object }[]>

/** What a rehearsal tells of, as the tables have it. */
async function logged(db: Database): Promise<Logged> {
  const rows = (query: ReturnType<typeof sql>) => db.rows<{ id: string; row: any }>(query)
  const [events, deliveries, mails, stock] = await Promise.all([
    rows(sql`select id, json_build_object('event', event, 'body', body::json) as row from events order by id`),
    rows(sql`
      select id || status || run_at as id, json_build_object('webhook_id', webhook_id, 'event', event) as row
      from deliveries where status = 'pending' order by deliveries.id`),
    rows(sql`
      select id, json_build_object('kind', kind, 'recipient', recipient, 'language', language) as row
      from mails order by id`),
    rows(sql`
      select id, json_build_object('product_id', product_id, 'variant_id', variant_id, 'quantity', quantity,
        'stock_after', stock_after, 'reason', reason) as row
      from inventory_transactions order by id`),
  ])
  for (const { row } of deliveries) row.webhook_id = publicId('wh', row.webhook_id)
  for (const { row } of stock) row.product_id = publicId('prod', row.product_id)
  return { events, deliveries, mails, stock }
}

function newIn(had: Logged, has: Logged): Record<string, object[]> {
  return Object.fromEntries(
    Object.entries(has).map(([name, rows]) => {
      const before = new Set(had[name as keyof Logged].map(({ id }) => id))
      return [name, rows.filter(({ id }) => !before.has(id)).map(({ row }) => row)]
    }),
  )
}

// Public ids, uuids, secrets, what makes a slug unique, and the signature of a link.
const random = new RegExp(
  [
    /\b[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/,
    /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/,
    /\b[0-9a-f]{64}\b/,
    /\bwk_test_\w{40}\b/,
    /(?<=-)[0-9a-f]{6}\b/,
    /(?<=\/pay\/dord_\w{26}\.)[\w-]{43}/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)
const times = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|\+00:00)/g

/** Ids, secrets and times by when they first appear: those that are made anew differ from one run to the next. */
function unnamed(value: object): object {
  const names = new Map<string, string>()
  const name = (found: string) => {
    if (!names.has(found)) names.set(found, `#${names.size}`)
    return names.get(found)!
  }
  return JSON.parse(
    JSON.stringify(value)
      .replace(random, name)
      .replace(times, '(time)')
      .replace(/(?<="(?:\w+_)?(?:secret|key)_last4":")[^"]+/g, '(last)'),
  )
}

test('what a rehearsal tells is what the request then does, and it leaves the database as it was', async (t) => {
  const rehearsed = new Set<string>()
  let [current, count] = ['', 0]
  const withKey: typeof shop.withKey = async (options) =>
    rehearsing(await shop.withKey(options), rehearsed, () => {
      count++
      return current
    })
  await askEveryRoute(world, { ...shop, withKey }, known, (route) => {
    current = route
  })
  const writes = routes.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} /v1${path}`)
  assert.deepEqual([...rehearsed].toSorted(), writes.toSorted())
  t.diagnostic(JSON.stringify({ rehearsals: count, operations: writes.length }))
})
