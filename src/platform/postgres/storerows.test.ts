import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { newDatabase, ownDatabase } from '../../../test/database.ts'
import { movedTables, tables as declaredTables } from '../../developer/tables.ts'
import { createDemo } from '../../demo/firststore.ts'
import { brokenReference, fixFormats, readRows, storeTables, withoutTriggers, writeRows } from './storerows.ts'

const { url, drop } = await ownDatabase()
const client = await connect(url)
after(async () => {
  await client.end()
  await drop()
})

test('every table with rows of stores moves with its store or has a reason to stay', async () => {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p')
      and not relispartition
      and (relname = 'stores' or exists (
        select from pg_attribute where attrelid = pg_class.oid and attname = 'store_id'))
    order by relname`)
  const declared = declaredTables.filter(({ store }) => store).map(({ name }) => name)
  assert.deepEqual(
    declared.toSorted(),
    rows.map(({ name }) => name),
  )
  const tables = await storeTables(client, movedTables)
  assert.deepEqual(tables.map(({ table }) => table).toSorted(), movedTables.toSorted())
})

test('a table that moves comes after those that it refers to, all of which move', async () => {
  const tables = (await storeTables(client, movedTables)).map(({ table }) => table)
  const { rows } = await client.query<{ from: string; to: string }>(`
    select own.relname as from, other.relname as to
    from pg_constraint
    join pg_class as own on own.oid = conrelid
    join pg_class as other on other.oid = confrelid
    where contype = 'f' and conparentid = 0`)
  const wrong = rows.filter(
    ({ from, to }) =>
      to !== 'plans' && tables.includes(from) && from !== to && tables.indexOf(to) > tables.indexOf(from) - 1,
  )
  const missing = rows.filter(({ from, to }) => to !== 'plans' && tables.includes(from) && !tables.includes(to))
  assert.deepEqual([wrong, missing], [[], []])
})

test('rows of a store, and of no other, are the same in another database', async (t) => {
  const demo = { secretKey: 'a key of the tests, 32 characters', baseUrl: 'https://shop.example' }
  const { id } = await createDemo(url, demo)
  await createDemo(url, demo)
  const target = await connect(await newDatabase(t))
  const tables = await storeTables(client, movedTables)
  await client.query('begin isolation level repeatable read read only')
  await target.query('begin')
  await Promise.all([fixFormats(client), fixFormats(target)])
  const enable = await withoutTriggers(target, tables)
  let rows = 0
  for (const table of tables) rows += await writeRows(target, table, readRows(client, table, id))
  await enable()
  assert.equal(await brokenReference(target, id, movedTables), null)
  assert.ok(rows > 1000)
  for (const table of tables) {
    const read = async (from: pg.Client) => Buffer.concat(await Array.fromAsync(readRows(from, table, id))).toString()
    const [before, now] = [await read(client), await read(target)]
    assert.equal(now, before, table.table)
    assert.ok(
      before.split('\n').every((line) => line === '' || line.split('\t')[0] === id),
      table.table,
    )
  }
  await client.query('commit')
  await assert.rejects(target.query('delete from customers'), /violates foreign key/, 'references are checked again')
  await target.end()
})

test('a row that refers to none is found after a copy', async () => {
  const { id } = await createDemo(url, {
    secretKey: 'a key of the tests, 32 characters',
    baseUrl: 'https://shop.example',
  })
  await client.query('begin')
  await withoutTriggers(client, await storeTables(client, movedTables))
  await client.query('delete from orders where store_id = $1', [id])
  assert.match((await brokenReference(client, id, movedTables)) ?? 'none', /_order_id_fkey$/)
  await client.query('rollback')
})

async function connect(to: string): Promise<pg.Client> {
  const opened = new pg.Client({ connectionString: to })
  await opened.connect()
  return opened
}
