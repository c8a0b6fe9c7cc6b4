// A database of the last version 0.1 has the tables of the baseline and is adopted as it is, also when that is killed
// halfway; one that lacks migrations of it, and one of a newer version, are refused.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import path from 'node:path'
import pg from 'pg'
import { backup, restore } from '../src/platform/postgres/backup.ts'
import { applyMigration, makeRegister, migrate } from '../src/platform/postgres/migrate.ts'
import { provideDatabase } from '../src/platform/postgres/provide.ts'
import { newDatabase } from './database.ts'
import { formerMigrations } from './former.ts'
import { newDataDir, run, startServer } from './server.ts'
import { stoaOn } from './stoa.ts'

const SECRET_KEY = 'a-secret-key-of-the-last-version-for-tests-0123456789'
const former = formerMigrations()
const baseline = [
  '0001_platform',
  '0002_tenancy',
  '0003_identity',
  '0004_commerce',
  '0005_money',
  '0006_storefront',
  '0007_developer',
  '0008_dashboard',
]
const older =
  'This database is of an older version: it lacks 1 migrations of version 0.1, up to 0090_search_scripts. ' +
  'Run migrate of the last version 0.1 first, then of this one'

test('the migrations of version 0.1 made the same database as the baseline', async (t) => {
  const [last, fresh] = await Promise.all([formerDatabase(t), newDatabase(t)])
  assert.deepEqual((await migrate(last)).slice(0, baseline.length), baseline)
  const [one, other] = [await catalogOf(last), await catalogOf(fresh)]
  assert.ok(one.columns!.length > 1000 && one.constraints!.length > 1000 && one.triggers!.length > 200)
  for (const part of Object.keys(other)) assert.deepEqual(one[part], other[part], part)
  assert.deepEqual(await journalOf(last), await journalOf(fresh))
  assert.deepEqual(await migrate(last), [])
})

test('a database of version 0.1 with a store is adopted, also if a process is killed meanwhile', async (t) => {
  const url = await formerStore(t)
  const stoa = stoaOn({ DATABASE_URL: url, SECRET_KEY })
  const [before, journal] = [await countsOf(url), await journalOf(url)]
  assert.ok(before.orders! > 10 && journal.length === former.length)
  const lock = await holdJournal(t, url)
  const { child, ended } = stoa('migrate')
  await lock.isWaitedFor()
  child.kill('SIGKILL')
  await ended
  await lock.release()
  assert.deepEqual(await journalOf(url), journal)
  assert.deepEqual((await stoa.json('migrate')).applied.slice(0, baseline.length), baseline)
  assert.deepEqual({ ...(await countsOf(url)), ...before }, await countsOf(url))
  await agrees(t, url)
})

test('a backup of version 0.1 is restored as it is; an older one says which version restores it', async (t) => {
  const [last, url, empty] = await Promise.all([formerStore(t), newDatabase(t), newDatabase(t)])
  const folder = await newDataDir(t)
  const [file, olderFile] = [path.join(folder, 'last'), path.join(folder, 'older')]
  await backup(last, file, '')
  const [before, fresh] = [await countsOf(last), await catalogOf(url)]
  await restore(url, file)
  const counts = await countsOf(url)
  assert.deepEqual([{ ...counts, ...before }, await catalogOf(url)], [counts, fresh])
  assert.deepEqual(await journalOf(url), await journalOf(empty))
  await agrees(t, url)

  await query(last, `delete from migrations where name = '0090_search_scripts'`)
  await backup(last, olderFile, '')
  await assert.rejects(
    restore(empty, olderFile),
    /whose tables this version does not know. Restore it with that version/,
  )
})

test('an older database is refused with 78 and the version to run first; nothing of it is changed', async (t) => {
  const url = await formerDatabase(t, former.slice(0, -1))
  const [journal, catalog] = [await journalOf(url), await catalogOf(url)]
  const { code, error } = await stoaOn({ DATABASE_URL: url, SECRET_KEY }).refused('migrate')
  assert.deepEqual([code, error.code, error.message], [78, 'CONFIGURATION_ERROR', older])
  const env = { DATABASE_URL: url, SECRET_KEY, DATA_DIR: await newDataDir(t), DEMO: 'off', PORT: '0' }
  const server = await run('src/program/main.ts', [], { env }).ended
  assert.deepEqual([server.code, server.stderr.includes(older)], [78, true], server.stderr)
  assert.deepEqual([await journalOf(url), await catalogOf(url)], [journal, catalog])

  // The first versions had other names.
  await query(url, `truncate migrations; insert into migrations (name, checksum) values ('0001_stores', 'a')`)
  await assert.rejects(migrate(url), /lacks \d+ migrations of version 0\.1, up to 0090_search_scripts/)
})

test('a database of a newer version is refused', async (t) => {
  const url = await newDatabase(t)
  await query(url, `insert into migrations (name, checksum) values ('9999_later', 'a')`)
  await assert.rejects(migrate(url), /this database has migration 9999_later of a newer version of Stoa/)
})

test('an embedded database of version 0.1 is adopted by the start of a server; an older one ends it', async (t) => {
  const dataDir = await newDataDir(t)
  await (await startServer(dataDir)).end()
  await onEmbedded(dataDir, async (url) => {
    await query(url, 'drop schema public cascade; create schema public')
    await makeFormer(url, former)
  })
  const server = await startServer(dataDir)
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  await server.end()
  await onEmbedded(dataDir, async (url) => {
    const names = (await journalOf(url)).map(({ name }) => name)
    assert.deepEqual(names.slice(0, baseline.length), baseline)
    await query(url, 'truncate migrations')
    for (const { name, checksum } of former.slice(0, -1)) await register(url, name, checksum)
  })
  const env = { DATA_DIR: dataDir, DEMO: 'off', PORT: '0' }
  const { code, stderr } = await run('src/program/main.ts', [], { env }).ended
  assert.deepEqual([code, stderr.includes(older)], [78, true], stderr)
})

/** Every rule of records and ledger holds. */
async function agrees(t: TestContext, url: string): Promise<void> {
  const stoa = stoaOn({ DATABASE_URL: url, SECRET_KEY, DATA_DIR: await newDataDir(t) })
  const findings: { name: string; ok: boolean; detail: string }[] = JSON.parse(
    (await stoa('doctor', '--json').ended).stdout,
  ).findings
  for (const name of ['migrations', 'schema', 'records', 'ledger', 'stored secrets']) {
    const finding = findings.find((one) => one.name === name)
    assert.ok(finding?.ok, `${name}: ${finding?.detail}`)
  }
  assert.equal((await stoa.json('audit', 'verify')).ok, true)
}

/** A database as version 0.1 left it. */
async function formerDatabase(t: TestContext, migrations = former): Promise<string> {
  const url = await newDatabase(t, { migrated: false })
  await makeFormer(url, migrations)
  return url
}

async function makeFormer(url: string, migrations: typeof former): Promise<void> {
  const client = await connect(url)
  await makeRegister(client)
  for (const migration of migrations) await applyMigration(client, migration)
  await client.end()
}

/** The same with the rows of the demo store, as its tables can have them. */
async function formerStore(t: TestContext): Promise<string> {
  const [url, filled] = [await formerDatabase(t), await newDatabase(t)]
  await stoaOn({ DATABASE_URL: filled, SECRET_KEY, DATA_DIR: await newDataDir(t) }).json('demo')
  const [source, target] = [await connect(filled), await connect(url)]
  await target.query('set session_replication_role = replica')
  for (const { table, columns } of await listColumns(target)) {
    const { rows } = await source.query(`select coalesce(json_agg(own), '[]')::text as text from ${table} as own`)
    await target.query(`delete from ${table}`)
    await target.query(
      `insert into ${table} (${columns}) overriding system value
      select ${columns} from json_populate_recordset(null::${table}, $1)`,
      [rows[0].text],
    )
  }
  await Promise.all([source.end(), target.end()])
  return url
}

/** The columns that can be written, of each table but the journal and what servers tell of themselves. */
async function listColumns(client: pg.Client): Promise<{ table: string; columns: string }[]> {
  const { rows } = await client.query(`
    select relname as table, string_agg(attname, ', ') as columns
    from pg_class
    join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
    where relnamespace = 'public'::regnamespace and relkind = 'r' and not relispartition and relname <> 'migrations'
    group by relname`)
  return rows
}

async function onEmbedded(dataDir: string, work: (url: string) => Promise<void>): Promise<void> {
  const { url, release } = await provideDatabase({ dataDir, databaseUrl: null })
  await work(url)
  await release()
}

async function register(url: string, name: string, checksum: string): Promise<void> {
  await query(url, `insert into migrations (name, checksum) values ('${name}', '${checksum}')`)
}

/** Keeps the journal from being written until it is released. */
async function holdJournal(t: TestContext, url: string) {
  const client = await connect(url)
  const release = () => client.end()
  t.after(release)
  await client.query('begin; lock table migrations in share mode')
  const waiting = `select from pg_locks where relation = 'migrations'::regclass and not granted`
  return {
    release,
    async isWaitedFor() {
      for (let tries = 0; (await client.query(waiting)).rowCount === 0; tries++) {
        assert.ok(tries < 600, 'nobody waits for the journal')
        await sleep(50)
      }
    },
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = await connect(url)
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

const journalOf = (url: string) =>
  query<{ name: string; checksum: string }>(url, 'select name, checksum from migrations order by name')

async function countsOf(url: string): Promise<Record<string, number>> {
  const tables = await query<{ name: string }>(
    url,
    `select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and not relispartition
      and relname not in ('migrations', 'write_probes', 'job_runs', 'canary')`,
  )
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as count from ${name}`)
  const rows = await query<{ name: string; count: number }>(url, counts.join(' union all '))
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

/** All that PostgreSQL knows of the schema, part by part as lines, and the rows that migrations insert. */
async function catalogOf(url: string): Promise<Record<string, string[]>> {
  const parts: [string, string[]][] = []
  for (const [name, text] of Object.entries(catalog)) {
    const rows = await query<Record<string, unknown>>(url, text)
    // An argument of the audit triggers of products, a boolean, was written in another way.
    const lines = rows.map((row) =>
      Object.values(row)
        .join(' | ')
        .replaceAll(/'false'|(?<=\\000)false(?=\\000)/g, "'f'"),
    )
    parts.push([name, lines.map((line) => line.replaceAll(/(?<=\\000)f(?=\\000)/g, "'f'"))])
  }
  return Object.fromEntries(parts)
}

const own = `'public'::regnamespace`
const catalog = {
  relations: `
    select relkind, relname, relpersistence, relrowsecurity, relforcerowsecurity, reloptions, relreplident, amname,
      relacl::text
    from pg_class left join pg_am on pg_am.oid = relam where relnamespace = ${own} order by relkind, relname`,
  // In their order.
  columns: `
    select relname, row_number() over (partition by relname order by attnum) as place, attname,
      format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid), attidentity, attgenerated, attstorage,
      attcompression, attcollation, attoptions, attacl::text, col_description(pg_class.oid, attnum)
    from pg_class
    join pg_attribute on attrelid = pg_class.oid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = ${own} and attnum > 0 and not attisdropped and relkind in ('r', 'p', 'v', 'm')
    order by relname, place`,
  constraints: `
    select conrelid::regclass::text as name, conname, contype, pg_get_constraintdef(oid), condeferrable, condeferred,
      convalidated
    from pg_constraint where connamespace = ${own} order by name, conname`,
  indexes: `
    select pg_get_indexdef(indexrelid) as text, indisunique, indisprimary, indisvalid, indisclustered, indisreplident
    from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = ${own} order by text`,
  triggers: `
    select tgrelid::regclass::text as name, tgname, pg_get_triggerdef(oid), tgenabled
    from pg_trigger where not tgisinternal order by name, tgname`,
  functions: `
    select pg_proc.oid::regprocedure::text as name, pg_get_functiondef(pg_proc.oid), proacl::text, procost, prorows,
      provolatile, proparallel, prosecdef, proconfig::text, obj_description(pg_proc.oid, 'pg_proc')
    from pg_proc
    where pronamespace = ${own}
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
    order by name`,
  policies: `
    select polrelid::regclass::text as name, polname, polpermissive, polcmd, polroles::text,
      pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)
    from pg_policy order by name, polname`,
  sequences: 'select sequencename, data_type, increment_by from pg_sequences order by sequencename',
  extensions: 'select extname, extversion from pg_extension order by extname',
  others: `
    select 'type', typname as name from pg_type where typnamespace = ${own} and typtype in ('d', 'e', 'r')
    union all
    select 'statistics', stxname from pg_statistic_ext
    union all
    select 'rule', rulename from pg_rules where schemaname = 'public'
    order by name`,
  privileges: `select nspacl::text from pg_namespace where oid = ${own}`,
  plans: 'select * from plans order by id',
}
