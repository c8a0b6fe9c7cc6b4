// A store that is much larger than the others has plans for its size.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { newDatabase } from '../../../test/database.ts'
import { tablesWith } from '../../../test/filled.ts'
import { migrate } from './migrate.ts'

test('plans are made for the largest store, not for the average of all', async (t) => {
  const url = await newDatabase(t)
  const client = new pg.Client({ connectionString: url, options: '-c session_replication_role=replica' })
  // It is cut when the database is dropped.
  client.on('error', () => {})
  await client.connect()
  await client.query(`
    insert into categories (store_id, id, name, name_key, slug, created_at, updated_at)
    select 'store ' || greatest(store, 0), gen_random_uuid(), n, gen_random_uuid(), gen_random_uuid(), now(), now()
    from generate_series(-300, 300) as store
    cross join generate_series(1, 30) as n;
    analyze categories`)
  const planOf = async (text: string) => {
    const { rows } = await client.query(`explain (generic_plan, format json) ${text}`)
    return rows[0]['QUERY PLAN'][0].Plan
  }
  const { 'Plan Rows': expected } = await planOf('select from categories where store_id = $1')
  assert.ok(expected > 4000, `${expected} rows`) // of 9,030; on average a store has 60
  const page = await planOf(`
    select name
    from categories
    where store_id = $1
      and id = any(array(select id from categories where store_id = $1 order by created_at limit 25))`)
  assert.match(
    JSON.stringify(page),
    /"Index Name":"categories_pkey","Relation Name":"categories","Alias":"categories",/,
  )
})

test('a database from before learns it when it is migrated, and every table of stores has it', async (t) => {
  const url = await newDatabase(t)
  const client = new pg.Client({ connectionString: url })
  // It is cut when the database is dropped.
  client.on('error', () => {})
  await client.connect()
  await client.query('alter table orders alter column store_id reset (n_distinct)')
  await migrate(url)
  const { rows } = await client.query(`
    select attrelid::regclass::text as name
    from pg_attribute
    where attname = 'store_id'
      and attoptions = '{n_distinct=4}'`)
  const known = new Set(rows.map(({ name }) => name))
  const tables = await tablesWith(client, 'store_id')
  const { rows: partitioned } = await client.query(`select relname as name from pg_class where relkind = 'p'`)
  const others = new Set(partitioned.map(({ name }) => name))
  assert.deepEqual(
    tables.filter((name) => !known.has(name) && !others.has(name)),
    [],
  )
})
