// Where rows are on several servers, an entry has what each of them has noted.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openServers } from '../../../test/servers.ts'
import { createKey } from '../../identity/apikeys/operations.ts'
import { createCustomer } from '../../commerce/customers/operations.ts'
import { openDatabase } from '../../kit/database/open.ts'
import { sql } from '../../kit/database/sql.ts'
import { causeOfJob } from '../../kit/values/cause.ts'
import { systemClock } from '../../kit/values/clock.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { createStore } from '../stores/operations.ts'
import { loadStore } from '../stores/store.ts'
import { journal, tables } from '../../developer/tables.ts'
import { readPendingChanges } from './journal.ts'

type Shop = { id: string; key: string; customer: string }

const shops: Shop[] = []
const servers = await openServers({ after }, ['customers', 'audit_log'], async (url) => {
  const db = openDatabase({ url, clock: systemClock, connections: 1 })
  for (const name of ['First', 'Second', 'Third']) {
    const id = await db.transaction((tx) =>
      createStore(tx, { name, currency: 'USD', timezone: 'UTC', country_code: 'US' }),
    )
    const store = (await loadStore(db, id))!
    const made = await db.ofStore(id).transaction(async (tx) => {
      const own = { name: 'Own', mode: 'live' as const, scopes: [], expires_at: null, is_active: true }
      const key = await createKey(tx, store, own)
      return { key: key.id, customer: await createCustomer(tx, store, { name: 'Ana', email: 'ana@example.com' }) }
    })
    shops.push({ id, key: toUuid('key', made.key)!, customer: toUuid('cus', made.customer.id)! })
  }
  await db.close()
  return { [shops[0]!.id]: 'one', [shops[1]!.id]: 'two', [shops[2]!.id]: 'two' }
})
const [first, second, third] = shops as [Shop, Shop, Shop]
const db = openDatabase({
  url: servers.front.url,
  clock: systemClock,
  connections: 2,
  isDistributed: true,
  journal,
}).because(causeOfJob('tidy up'))
after(() => db.close())

const all = [servers.front, servers.one, servers.two]
before(() => forget())

async function forget(): Promise<void> {
  for (const { rows } of all) await rows('truncate audit_unsealed')
  for (const { rows } of all.slice(1)) await rows('truncate audit_log')
}

type Entry = { store_id: string; tables: string[]; ids: string[]; personal: string[] }

/** The entries since the last call. What is in front of the servers never has one. */
async function entries(): Promise<Entry[]> {
  const found: Entry[] = []
  for (const { rows } of [servers.one, servers.two])
    found.push(
      ...(await rows(`
        select audit_log.store_id, records::text[] as ids,
          array(select entry ->> 'table' from json_array_elements(changes) as noted (entry)) as tables,
          array(select entry ->> 'id' from json_array_elements(personal) as noted (entry)) as personal
        from audit_log
        join audit_unsealed on audit_unsealed.store_id = audit_log.store_id and entry_id = id
        order by id`)),
    )
  await forget()
  return found.map((entry) => ({ ...entry, ids: entry.ids.toSorted() }))
}

const renamed = ({ id, customer }: Shop, name: string) =>
  sql`update customers set name = ${name} where store_id = ${id} and id = ${customer}`
const keyNamed = ({ key }: Shop, name: string) => sql`update api_keys set name = ${name} where id = ${key}`

test('an entry of a store has its key, changed in front, and its customer, changed on its server', async () => {
  await db.ofStore(first.id).transaction(async (tx) => {
    tx.later(keyNamed(first, 'Till'))
    tx.later(renamed(first, 'Bo'))
  })
  const ids = [first.customer, first.key].toSorted()
  const tables = ['customers', 'api_keys']
  assert.deepEqual(await entries(), [{ store_id: first.id, tables, ids, personal: [first.customer] }])
})

test('a key that changed alone, by a transaction of no store, is noted with its store', async () => {
  await db.transaction((tx) => tx.rows(keyNamed(second, 'Phone')))
  assert.deepEqual(await entries(), [{ store_id: second.id, tables: ['api_keys'], ids: [second.key], personal: [] }])
})

test('a transaction over several stores has an entry for each that it changed, and none for others', async () => {
  await db.transaction(async (tx) => {
    for (const shop of shops.slice(0, 2)) tx.later(renamed(shop, 'Cleo'))
    tx.later(keyNamed(second, 'Desk'))
    tx.later(sql`update customers set name = 'Dan' where store_id = ${third.id} and false`)
  })
  const ids = [second.customer, second.key].toSorted()
  assert.deepEqual(await entries(), [
    { store_id: first.id, tables: ['customers'], ids: [first.customer], personal: [first.customer] },
    { store_id: second.id, tables: ['customers', 'api_keys'], ids, personal: [second.customer] },
  ])
})

test('stores named together are told apart by the server that they share', async () => {
  await db.transaction((tx) =>
    tx.rows(sql`update customers set name = 'Eve' where store_id = any(${[second.id, third.id]})`),
  )
  const expected = [second, third].map(({ id, customer }) => {
    return { store_id: id, tables: ['customers'], ids: [customer], personal: [customer] }
  })
  const byStore = (all: Entry[]) => all.toSorted((one, other) => (one.store_id < other.store_id ? -1 : 1))
  assert.deepEqual(byStore(await entries()), byStore(expected))
})

test('a row that every server has is noted once', async () => {
  for (const name of ['one', 'two'])
    await servers.front.rows(
      `create foreign table stores_of_${name} (id text, name text) server ${name} options (table_name 'stores')`,
    )
  await db.ofStore(first.id).transaction(async (tx) => {
    tx.later(sql`update stores set name = 'Corner' where id = ${first.id}`)
    tx.later(sql`update stores_of_one set name = 'Corner' where id = ${first.id}`)
    tx.later(sql`update stores_of_two set name = 'Corner' where id = ${first.id}`)
    tx.later(renamed(first, 'Finn'))
  })
  assert.deepEqual(
    (await entries()).map(({ tables }) => tables),
    [['stores', 'customers']],
  )
})

test('a dry run reports the changes on all servers and leaves no entry', async () => {
  const known = await db.ofStore(first.id).dryRun(
    async (tx) => {
      tx.later(keyNamed(first, 'Nowhere'))
      tx.later(renamed(first, 'Gus'))
    },
    (tx) => readPendingChanges(tx, first.id),
  )
  assert.deepEqual(known.map(({ table }) => table).toSorted(), ['api_keys', 'customers'])
  assert.deepEqual(await entries(), [])
})

const audited = tables.filter(({ store }) => typeof store?.audit === 'object').map(({ name }) => name)

test('what the journal takes for audited is what has the triggers', async () => {
  const rows = await servers.front.rows(`
    select substr(proname, length('account_') + 1) as name from pg_trigger join pg_proc on pg_proc.oid = tgfoid
    where tgname = 'account_insert'`)
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), audited.toSorted())
})
