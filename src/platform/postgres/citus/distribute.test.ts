// On a stand-in for Citus (test/citus/standin.sql), which refuses what Citus 14 refuses.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { placement } from '../../../developer/tables.ts'
import { newCluster, type Cluster } from '../../../../test/citus/cluster.ts'
import { newDatabase } from '../../../../test/database.ts'
import { formerMigrations } from '../../../../test/former.ts'
import { newDataDir } from '../../../../test/server.ts'
import { stoaOn } from '../../../../test/stoa.ts'
import { applyMigration, makeRegister, migrateAndDistribute } from '../migrate.ts'
import { scheduleFor } from '../migrations.ts'
import { listDriftedTables } from '../schema.ts'
import { beginSequential, distribute } from './distribute.ts'

// What Citus knows.
const registered = Object.fromEntries(Object.entries(placement).filter(([, place]) => place !== 'unregistered'))
const distributed = Object.keys(placement).filter((table) => placement[table] === 'distributed')

test('an empty database is migrated, and each table moves to its place', async (t) => {
  const cluster = await newCluster(t, { migrated: false })
  const { applied, moved } = await migrateAndDistribute(cluster.url, placement, { distributes: true })
  assert.equal(applied[0], '0001_platform')
  assert.deepEqual(moved.toSorted(), Object.keys(registered).toSorted())
  assert.deepEqual(await placesIn(cluster), registered)
  const calls = (await cluster.calls()).filter((call) => !call.startsWith('function'))
  const [plans, stores, first, ...others] = calls
  assert.deepEqual(
    [plans, stores, first],
    ['reference plans', 'reference stores', 'distribute store_counters by store_id with default'],
  )
  assert.deepEqual(
    others.filter((call) => call.startsWith('distribute')).toSorted(),
    distributed
      .filter((table) => table !== 'store_counters')
      .map((table) => `distribute ${table} by store_id with store_counters`)
      .toSorted(),
  )
})

test('a filled database keeps its rows, keys, triggers and policies; the functions reach all nodes', async (t) => {
  const cluster = await newCluster(t)
  await stoaOn({ DATABASE_URL: cluster.url, DATA_DIR: await newDataDir(t) }).json('demo')
  const before = [await schemaOf(cluster.url), await rowsIn(cluster)]
  assert.ok(before[1]!.filter(({ count }: any) => count > 0).length > 20)
  await migrateAndDistribute(cluster.url, placement, { distributes: true })
  assert.deepEqual([await schemaOf(cluster.url), await rowsIn(cluster)], before)
  assert.deepEqual(await withClient(cluster.url, listDriftedTables), [])
  const calls = await cluster.calls()
  for (const name of ['move_version(text,text)', 'account_products()', 'store_words(text,text)'])
    assert.ok(calls.includes(`function ${name}`), name)
})

test('a repetition finds nothing to do, with or without the option', async (t) => {
  const cluster = await newCluster(t)
  await migrateAndDistribute(cluster.url, placement, { distributes: true })
  await cluster.calls()
  const nothing = { applied: [], moved: [] }
  assert.deepEqual(await migrateAndDistribute(cluster.url, placement, { distributes: true }), nothing)
  assert.deepEqual(await migrateAndDistribute(cluster.url, placement), nothing)
  assert.deepEqual(await cluster.calls(), [])
})

test('later migrations of a distributed database: new tables move in the transaction that makes them', async (t) => {
  const cluster = await newCluster(t)
  await migrateAndDistribute(cluster.url, placement, { distributes: true })
  await cluster.calls()
  const stoa = stoaOn({ DATABASE_URL: cluster.url, EXTENSIONS: await newExtension(t) })
  const { applied, distributed: moved } = await stoa.json('migrate')
  assert.deepEqual([applied, moved], [['notes/0001_pages'], ['notes_pages']])
  assert.ok((await cluster.calls()).includes('distribute notes_pages by store_id with store_counters'))
  assert.deepEqual(await placesIn(cluster), { ...registered, notes_pages: 'distributed' })
  assert.deepEqual(await withClient(cluster.url, listDriftedTables), [])
})

test('a table that somebody has put elsewhere moves to its place', async (t) => {
  const cluster = await newCluster(t)
  await migrateAndDistribute(cluster.url, placement, { distributes: true })
  const schema = await schemaOf(cluster.url)
  await cluster.calls()
  await cluster.run(`update citus.pg_dist_partition set colocationid = 7 where logicalrelid = 'mails'::regclass`)
  await cluster.run(`insert into citus.pg_dist_partition values ('write_probes'::regclass, 'n', null, 0, 's')`)
  await cluster.run(
    `update citus.pg_dist_partition set partmethod = 'n', repmodel = 't' where logicalrelid = 'pages'::regclass`,
  )
  assert.deepEqual((await migrateAndDistribute(cluster.url, placement)).moved, ['mails', 'pages', 'write_probes'])
  assert.deepEqual(await cluster.calls(), [
    'undistribute mails',
    'distribute mails by store_id with store_counters',
    'undistribute pages',
    'distribute pages by store_id with store_counters',
    'undistribute write_probes',
  ])
  assert.deepEqual([await placesIn(cluster), await schemaOf(cluster.url)], [registered, schema])
})

for (const [at, call] of Object.entries({
  'at the first function': 'function refuse(text)',
  'at the first table': 'reference plans',
  'in the middle': 'distribute orders by store_id with store_counters',
  'at the last table': 'local signing_keys',
}))
  test(`killed ${at}, it leaves nothing behind, and the next run does all of it`, async (t) => {
    const cluster = await newCluster(t)
    const schema = await schemaOf(cluster.url)
    const stoa = stoaOn({ DATABASE_URL: cluster.url })
    const pause = await cluster.pause(call)
    const { child, ended } = stoa('migrate', '--distribute')
    await pause.reached()
    child.kill('SIGKILL')
    await ended
    await pause.resume()
    const { distributed: moved } = await stoa.json('migrate', '--distribute')
    // Its calls are all that there were: those of the first run are gone with their transaction.
    const calls = await cluster.calls()
    assert.equal(calls.filter((each) => each === call).length, 1)
    assert.equal(moved.length, Object.keys(registered).length)
    assert.deepEqual([await placesIn(cluster), await schemaOf(cluster.url)], [registered, schema])
  })

test('a distributed database of version 0.1 is adopted as it is', async (t) => {
  const cluster = await newCluster(t, { migrated: false })
  await withClient(cluster.url, async (client) => {
    await makeRegister(client)
    for (const migration of formerMigrations()) await applyMigration(client, migration)
    await beginSequential(client)
    await distribute(client, placement)
    await client.query('commit')
  })
  await cluster.calls()
  const { applied, moved } = await migrateAndDistribute(cluster.url, placement)
  const { current } = await scheduleFor(new Map())
  // Those of later migrations.
  const later = [
    'listed_customers',
    'listed_products',
    'listed_orders',
    'unsummed_categories',
    'listed_checkouts',
    'import_pictures',
    'downloads_settings',
    'downloads_files',
    'downloads_grants',
    'downloads_keys',
    'downloads_leftovers',
    'custom_fields',
    'customer_notes',
    'marketing_consents',
    'customer_merges',
    'backinstock_settings',
    'backinstock_requests',
  ]
  assert.deepEqual([applied, moved], [current.map(({ name }) => name), later])
  assert.deepEqual(await placesIn(cluster), registered)
  assert.deepEqual((await migrateAndDistribute(cluster.url, placement)).applied, [])
})

test('killed within a later migration, the next run applies it and moves its tables', async (t) => {
  const cluster = await newCluster(t)
  await migrateAndDistribute(cluster.url, placement, { distributes: true })
  const stoa = stoaOn({ DATABASE_URL: cluster.url, EXTENSIONS: await newExtension(t) })
  const pause = await cluster.pause('distribute notes_pages by store_id with store_counters')
  const { child, ended } = stoa('migrate')
  await pause.reached()
  child.kill('SIGKILL')
  await ended
  await pause.resume()
  const { applied, distributed: moved } = await stoa.json('migrate')
  assert.deepEqual([applied, moved], [['notes/0001_pages'], ['notes_pages']])
  assert.deepEqual(await placesIn(cluster), { ...registered, notes_pages: 'distributed' })
})

test('of two at once, the second says that it waits, and finds nothing to do', async (t) => {
  const cluster = await newCluster(t)
  const stoa = stoaOn({ DATABASE_URL: cluster.url })
  const pause = await cluster.pause('reference stores')
  const first = stoa('migrate', '--distribute')
  await pause.reached()
  const second = stoa('migrate', '--distribute')
  await new Promise((waits) => second.child.stderr.once('data', waits))
  await pause.resume()
  const [one, other] = await Promise.all([first.ended, second.ended])
  assert.deepEqual([one.code, other.code], [0, 0])
  assert.match(one.stdout, /^Distributed plans, stores, store_counters, /)
  assert.equal(other.stdout, 'The database is up to date\n')
  assert.equal(other.stderr, 'Another migration of this database is running. Waiting for it to finish\n')
})

test('a cluster that is not fit is refused before anything changes, with all that is wrong', async (t) => {
  const cluster = await newCluster(t, { migrated: false })
  const refused = async (change: string, ...expected: string[]) => {
    await cluster.run('begin')
    await cluster.run(change)
    await cluster.run('commit')
    const { code, error } = await stoaOn({ DATABASE_URL: cluster.url }).refused('migrate', '--distribute')
    assert.deepEqual([code, error.code], [78, 'CONFIGURATION_ERROR'])
    assert.deepEqual(error.message.split('\n  '), ['The database cannot be distributed:', ...expected])
    assert.deepEqual(await cluster.run(`select to_regclass('migrations') as register`), [{ register: null }])
  }
  await refused(
    `update citus.installed set version = '13.2.0'`,
    'DATABASE_URL has Citus 13.2.0; Stoa requires 14.0 or later',
  )
  await refused(
    `update citus.installed set version = '14.0.0'; update citus.pg_dist_local_group set groupid = 2`,
    'DATABASE_URL points to a worker of the cluster. Point it to the coordinator',
  )
  await refused(
    `update citus.pg_dist_local_group set groupid = 0; update citus.pg_dist_node set is_down = nodeid = 3`,
    'node two:5432 is down. Its stores are unavailable until it is back',
  )
  await refused(
    `update citus.pg_dist_node set is_down = false, unsafe_triggers = case nodeid when 2 then 'off' else 'on' end`,
    'citus.enable_unsafe_triggers is not on on one:5432. ' +
      'Run there: alter system set citus.enable_unsafe_triggers = on; select pg_reload_conf()',
  )
  await refused(
    `delete from citus.pg_dist_node where groupid = 0; update citus.pg_dist_node set shouldhaveshards = false`,
    `the coordinator is not registered. Run: select citus_set_coordinator_host('its address')`,
    `no node takes rows. Run: select citus_add_node('address of a worker', 5432)`,
    'citus.enable_unsafe_triggers is not on on one:5432. ' +
      'Run there: alter system set citus.enable_unsafe_triggers = on; select pg_reload_conf()',
  )
})

test('PostgreSQL without Citus, and a replica, are refused', async (t) => {
  const url = await newDatabase(t, { migrated: false })
  const { error } = await stoaOn({ DATABASE_URL: url }).refused('migrate', '--distribute')
  assert.match(
    error.message,
    /the database does not have the extension citus\. Run on the coordinator: create extension/,
  )
  const cluster = await newCluster(t, { migrated: false })
  // In front of the function of PostgreSQL.
  await cluster.run(`create function citus.pg_is_in_recovery() returns boolean language sql as 'select true'`)
  await cluster.run(
    `alter database ${new URL(cluster.url).pathname.slice(1)} set search_path = public, citus, pg_catalog`,
  )
  const answer = await stoaOn({ DATABASE_URL: cluster.url }).refused('migrate', '--distribute')
  assert.match(answer.error.message, /points to a replica, or to a server that is still recovering: it is read-only\./)
})

test('a node that fails in the middle undoes everything', async (t) => {
  const cluster = await newCluster(t)
  const pause = await cluster.pause('distribute orders by store_id with store_counters')
  const run = migrateAndDistribute(cluster.url, placement, { distributes: true })
  run.catch(() => {})
  await pause.reached()
  await cluster.run('update citus.pg_dist_node set is_down = nodeid = 2')
  await pause.resume()
  await assert.rejects(run, /connection to the remote node failed/)
  assert.deepEqual(await placesIn(cluster), {})
  await cluster.run('update citus.pg_dist_node set is_down = false')
  await migrateAndDistribute(cluster.url, placement, { distributes: true })
  assert.deepEqual(await placesIn(cluster), registered)
})

test('a database with the tables of others is refused by their name', async (t) => {
  const cluster = await newCluster(t)
  await cluster.run('create table invoices (id int)')
  await assert.rejects(
    migrateAndDistribute(cluster.url, placement, { distributes: true }),
    /the table invoices is not one of Stoa/,
  )
  assert.deepEqual(await placesIn(cluster), {})
})

/** The folder of an extension whose migration makes a table of stores. */
async function newExtension(t: TestContext): Promise<string> {
  const folder = path.join(await newDataDir(t), 'notes')
  await mkdir(path.join(folder, 'migrations'), { recursive: true })
  const files = {
    'package.json': JSON.stringify({ type: 'module', version: '1.0.0' }),
    'index.js': `export const extension = ({ table }) => ({
      name: 'notes', migrations: new URL('migrations/', import.meta.url),
      tables: [table('notes_pages', { audit: 'none' })] })`,
    'migrations/0001_pages.sql': 'create table notes_pages (store_id text not null, primary key (store_id))',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
  return folder
}

async function placesIn({ run }: Cluster): Promise<Record<string, string>> {
  const rows = await run(`
    select logicalrelid::text as name,
      case when partmethod = 'h' then 'distributed' when repmodel = 't' then 'reference' else 'local' end as place
    from citus.pg_dist_partition`)
  return Object.fromEntries(rows.map(({ name, place }) => [name, place]))
}

/** Keys, triggers and policies. */
function schemaOf(url: string): Promise<string[]> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ line: string }>(`
      select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) as line from pg_constraint
      where connamespace = 'public'::regnamespace
      union all
      select pg_get_triggerdef(pg_trigger.oid) from pg_trigger where not tgisinternal
      union all
      select concat_ws(' ', polrelid::regclass, polname) from pg_policy
      order by line`)
    // A trigger that is made again has fewer parentheses in its condition.
    return rows.map(({ line }) => line.replace(/[()]/g, '')).toSorted()
  })
}

async function rowsIn({ run }: Cluster): Promise<Record<string, any>[]> {
  const counts = distributed.map((table) => `select '${table}' as name, count(*)::int as count from ${table}`)
  return run(`${counts.join(' union all ')} order by name`)
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
