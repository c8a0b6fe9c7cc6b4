import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { newDatabase } from '../../../test/database.ts'
import { migrate } from './migrate.ts'
import { listDriftedTables } from './schema.ts'

test('triggers that were dropped are made again by the next migration, though their function remains', async (t) => {
  const url = await newDatabase(t)
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  await client.query(`
    drop trigger account_update on products;
    drop trigger account_insert on customers;
    drop trigger account_insert on orders;
    drop trigger account_update on orders;
    drop trigger account_delete on orders;
    alter table pages add column tone text`)
  assert.deepEqual(await listDriftedTables(client), ['customers', 'orders', 'pages', 'products'])
  assert.deepEqual(await migrate(url), [])
  assert.deepEqual(await listDriftedTables(client), ['pages'])
  const { rows } = await client.query(
    `select prosrc ~ 'new.tone' as knows from pg_proc where proname = 'account_pages'`,
  )
  assert.deepEqual(rows, [{ knows: true }])
  await client.end()
})
