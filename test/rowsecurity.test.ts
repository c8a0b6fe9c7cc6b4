// The second line behind composite keys: with the setting of another store no statement answers a row.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { recordsOf, nounOfPrefix } from './records.ts'
import { answering } from './strangers.ts'
import { databaseUrl } from './database.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ ROW_SECURITY: 'on' }, { network: { resolver: answering(['93.184.216.34']) } })
const shop = await world.newStore()
const other = await world.newStore()
const records = recordsOf(world, shop)
for (const noun of nounOfPrefix.values()) await records(noun)

const client = new pg.Client({ connectionString: databaseUrl() })
await client.connect()
after(() => client.end())
const { rows: tables } = await client.query<{ name: string; key: string }>(`
  select c.relname as name, case c.relname when 'stores' then 'id' else 'store_id' end as key
  from pg_class as c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition
    and (c.relname = 'stores' or exists (select from pg_attribute where attrelid = c.oid and attname = 'store_id'))`)
await client.query('set role stoa_tenant')

const countFor = async (storeId: string, { name, key }: { name: string; key: string }) => {
  await client.query(`select set_config('stoa.store_id', $1, false)`, [storeId])
  const { rows } = await client.query(`select count(*)::int from ${name} where ${key} = $1`, [shop.store.id])
  return rows[0].count as number
}

test("every table of stores' rows has its policy, and shows another store nothing", async () => {
  assert.ok(tables.length > 20)
  let seen = 0
  for (const table of tables) {
    const own = await countFor(shop.store.id, table)
    assert.equal(await countFor('*', table), own, table.name)
    assert.equal(await countFor(other.store.id, table), 0, table.name)
    assert.equal(await countFor('', table), 0, table.name)
    if (own > 0) seen++
  }
  assert.ok(seen > 12, `${seen} tables have rows of the store`)
})

test('a row of another store can be neither written nor changed nor deleted', async () => {
  await client.query(`select set_config('stoa.store_id', $1, false)`, [other.store.id])
  const insertion = client.query(
    `
    insert into categories (store_id, id, name, slug) values ($1, gen_random_uuid(), 'Theirs', 'theirs')`,
    [shop.store.id],
  )
  await assert.rejects(insertion, { code: '42501' })
  assert.equal((await client.query('update products set price = 1 where store_id = $1', [shop.store.id])).rowCount, 0)
  assert.equal((await client.query('delete from products where store_id = $1', [shop.store.id])).rowCount, 0)
})

test('what is read and written by one store stays within it, whatever the statement says', async () => {
  const { rows } = world.app.db.ofStore(other.store.id)
  const query = { strings: ['select id from products'], values: [], isSql: true } as const
  assert.deepEqual(await rows(query), [])
  assert.ok((await world.app.db.ofStore(shop.store.id).rows(query)).length > 0)
  await world.app.db.ofStore(other.store.id).transaction(async (tx) => assert.deepEqual(await tx.rows(query), []))
})
