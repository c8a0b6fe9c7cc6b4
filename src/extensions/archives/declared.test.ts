// Every declared column with values that its field does not allow: an archive with one is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { ownDatabase } from '../../../test/database.ts'
import { nounOfPrefix, recordsOf } from '../../../test/records.ts'
import { openWorld } from '../../../test/world.ts'
import type { FieldSpec, JsonSchema } from '../../kit/declare/field.ts'
import { withClient } from '../../platform/postgres/client.ts'
import { brokenReference } from '../../platform/postgres/storerows.ts'
import { movedTables } from '../../developer/tables.ts'
import { declaredTables, refusedValue } from './declared.ts'
import { brokenRule } from './rules.ts'

const database = await ownDatabase()
const world = await openWorld({}, { database, sweeps: true })
const shop = await world.newStore()
const { id: storeId } = shop.store
const of = recordsOf(world, shop)
for (const noun of nounOfPrefix.values()) await of(noun)

test('a value that its field does not allow is refused, in every column of every declared table', async () => {
  const accepted: string[] = []
  let tried = 0
  await withClient(database.url, 'test', async (client) => {
    await client.query("begin; set local session_replication_role = 'replica'")
    assert.equal((await brokenRule(client, storeId)) ?? (await refusedValue(client, storeId)), null)
    for (const { name: table, fields } of declaredTables) {
      const columns = await columnsOf(client, table)
      for (const [name, field] of Object.entries(fields)) {
        const type = columns.get(name)
        if (!type || field.spec.expression) continue
        for (const value of badValues(field.spec, type)) {
          tried++
          if (!(await isRefused(client, table, name, value))) accepted.push(`${table}.${name} ${value}`)
        }
      }
    }
    await client.query('rollback')
  })
  assert.deepEqual(accepted, [])
  assert.ok(tried > 300, String(tried))
})

async function columnsOf(client: pg.Client, table: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select attname as name, atttypid::regtype::text as type from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  )
  return new Map(rows.map(({ name, type }) => [name, type]))
}

/** As SQL. */
function badValues({ schema }: FieldSpec, type: string): string[] {
  const { enum: choices, minimum, maxLength = 0 } = schema as JsonSchema & { minimum?: number; maxLength?: number }
  switch (type) {
    case 'text':
      return [...(choices ? [`'nonsense'`] : []), ...(maxLength ? [`repeat('x', ${maxLength + 1})`] : [])]
    case 'integer':
    case 'numeric':
      return minimum === undefined ? [] : [String(minimum - 1)]
    case 'json':
    case 'jsonb':
      return [`'42'`, `'[[[1]]]'`]
    case 'text[]':
      return [`array[repeat('x', 100000)]`]
    default:
      return []
  }
}

async function isRefused(client: pg.Client, table: string, column: string, value: string): Promise<boolean> {
  const owner = table === 'stores' ? 'id' : 'store_id'
  await client.query('savepoint forged')
  try {
    const { rowCount } = await client.query(`update ${table} set ${column} = ${value} where ${owner} = $1`, [storeId])
    assert.ok(rowCount! > 0, `no row of ${table}`)
    return ((await brokenRule(client, storeId)) ?? (await refusedValue(client, storeId, [table]))) !== null
  } catch (error) {
    if ((error as { code?: string }).code === undefined) throw error
    return true
  } finally {
    await client.query('rollback to savepoint forged')
  }
}

test('an ID that names nothing of the store is refused, wherever one table refers to another', async () => {
  await withClient(database.url, 'test', async (client) => {
    await client.query("begin; set local session_replication_role = 'replica'")
    const { rows } = await client.query<{ table: string; column: string; type: string }>(
      `select conrelid::regclass::text as table, attname as column, atttypid::regtype::text as type
      from pg_constraint
      join pg_attribute on attrelid = conrelid and attnum = any(conkey)
      where contype = 'f' and conrelid::regclass::text = any($1) and attname <> 'store_id'`,
      [movedTables],
    )
    assert.ok(rows.length > 30)
    for (const { table, column, type } of rows) {
      await client.query('savepoint forged')
      const other = type === 'uuid' ? 'gen_random_uuid()' : `'nothing'`
      const owner = table === 'stores' ? 'id' : 'store_id'
      const one = `ctid = (select ctid from ${table} where ${owner} = $1 and ${column} is not null limit 1)`
      const { rowCount } = await client
        .query(`update ${table} set ${column} = ${other} where ${one}`, [storeId])
        .catch(() => ({ rowCount: 0 }))
      if (rowCount) assert.notEqual(await brokenReference(client, storeId, movedTables), null, `${table}.${column}`)
      await client.query('rollback to savepoint forged')
    }
    await client.query('rollback')
  })
})

/** Moved tables whose rows are read by their types, checks and references alone, by the reason. */
// prettier-ignore
const undeclared: Record<string, string[]> = {
  'rules.ts reads them': ['store_slugs', 'category_slugs', 'product_slugs', 'collection_slugs'],
  'numbers that the store can be asked to count again': [
    'store_counters', 'policy_uses', 'product_words', 'listed_products', 'listed_customers', 'listed_orders',
    'listed_checkouts', 'scarce_products', 'sales_by_day', 'sales_by_period', 'sales_days', 'sales_sums', 'tax_by_day',
    'event_logs', 'event_numbers', 'webhook_health',
  ],
  'work for jobs': [
    'unnumbered_events', 'audit_unsealed', 'unsummed', 'unsummed_days', 'unsummed_categories', 'media_changes',
    'import_pictures',
  ],
  'which row belongs to which': [
    'refund_items', 'collection_products', 'media_uses', 'discount_uses', 'fulfillment_items', 'agent_orders',
  ],
  'secrets of shoppers, by their hashes': ['shopper_passkeys', 'shopper_sessions', 'mail_refusals'],
  'logs, which are only shown': [
    'events', 'deliveries', 'attempts', 'inventory_transactions', 'disputes', 'imports', 'import_images',
    'payment_events', 'order_edits', 'audit_chains', 'audit_log', 'audit_records', 'audit_seals',
    'security_events', 'idempotency_keys', 'customer_merges',
  ],
  'read like the body of a request when they are carried out': ['proposals', 'import_rows'],
}

test('every moved table is declared, or named here with the reason', () => {
  const named = [...declaredTables.map(({ name }) => name), ...Object.values(undeclared).flat()]
  assert.deepEqual(named.toSorted(), movedTables.toSorted())
})
