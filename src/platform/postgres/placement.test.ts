import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { ownDatabase } from '../../../test/database.ts'
import { placement } from '../../developer/tables.ts'

const { url, drop } = await ownDatabase()
const client = new pg.Client({ connectionString: url })
await client.connect()
after(async () => {
  await client.end()
  await drop()
})

test('every table has a place, and what is distributed has a store', async () => {
  const { rows } = await client.query<{ name: string; store: string | null }>(`
    select relname as name, attname as store
    from pg_class
    left join pg_attribute on attrelid = pg_class.oid and attname = 'store_id' and attnotnull
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`)
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), Object.keys(placement).toSorted())
  const without = rows.filter(({ name, store }) => placement[name] === 'distributed' && !store)
  assert.deepEqual(without, [])
})

test('a table refers only to rows that its server has', async () => {
  const { rows } = await client.query<{ name: string; from: string; to: string }>(`
    select conname as name, own.relname as from, other.relname as to
    from pg_constraint
    join pg_class as own on own.oid = conrelid
    join pg_class as other on other.oid = confrelid
    where contype = 'f' and conparentid = 0`)
  const wrong = rows.filter(({ from, to }) => placement[to] !== 'reference' && placement[to] !== placement[from])
  assert.deepEqual(wrong, [])
})

test('what is distributed is unique within its store only', async () => {
  const { rows } = await client.query<{ name: string; table: string }>(`
    select own.relname as name, tables.relname as table
    from pg_index
    join pg_class as own on own.oid = indexrelid
    join pg_class as tables on tables.oid = indrelid
    where indisunique
      and not tables.relispartition
      and not exists (
        select from pg_attribute
        where attrelid = indrelid and attname = 'store_id' and attnum = any(indkey::int2[]))`)
  assert.deepEqual(
    rows.filter(({ table }) => placement[table] === 'distributed'),
    [],
  )
})
