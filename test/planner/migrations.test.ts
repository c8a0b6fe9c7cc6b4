// Migrations of a distributed database: what a new table cannot do in the step that makes it.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { parseSync } from 'libpg-query'
import pg from 'pg'
import { placement } from '../../src/developer/tables.ts'
import { isConcurrent, listIndexStatements } from '../../src/platform/postgres/concurrentindexes.ts'
import { databaseUrl } from '../database.ts'
import { nodesOf, type Node } from './tree.ts'

const folder = new URL('../../migrations/', import.meta.url)
const files = readdirSync(folder).filter((file) => /^\d{4}_\w+\.sql$/.test(file))
/** No database was distributed before. */
const firstDistributed = '0009'
/** Earlier ones were applied in transactions. */
const firstConcurrent = '0130'
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8')

const client = new pg.Client({ connectionString: databaseUrl() })
await client.connect()
after(() => client.end())

test('a new table gets its keys to tables of stores in the next migration: by then it is where they are', () => {
  const wrong = files
    .filter((file) => file >= firstDistributed)
    .flatMap((file) => keysTooEarly(read(file)).map((key) => `${file}: ${key}`))
  assert.deepEqual(wrong, [])
})

test('such a key is found in each form', () => {
  const early = keysTooEarly(`
    create table wishes (
      store_id text not null references stores (id),
      id uuid not null references products (id),
      primary key (store_id, id),
      foreign key (store_id, id) references orders (store_id, id) on delete cascade);
    alter table wishes add constraint wishes_buyer foreign key (store_id, id) references customers (store_id, id)`)
  assert.deepEqual(early, ['wishes to products', 'wishes to orders', 'wishes to customers'])
  const later = 'alter table wishes add foreign key (store_id, id) references orders (store_id, id)'
  assert.deepEqual(keysTooEarly(later), [])
})

test('no key of tables of stores sets a part of itself null: whoever deletes the other row does', async () => {
  const { rows } = await client.query<{ name: string; table: string }>(`
    select conname as name, conrelid::regclass::text as table
    from pg_constraint
    where contype = 'f' and (confdeltype in ('n', 'd') or confupdtype <> 'a')`)
  assert.deepEqual(
    rows.filter(({ table }) => placement[table] === 'distributed'),
    [],
  )
})

test('the names of constraints leave room for the number of a part, or they would be cut', async () => {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and length(relname) > 54
    union all
    select conname from pg_constraint where connamespace = 'public'::regnamespace and length(conname) > 54`)
  assert.deepEqual(rows, [])
})

test('an index on a table that has rows is built while others write', () => {
  const wrong = files.filter((file) => file >= firstConcurrent).flatMap((file) => listBlockingBuilds(read(file)))
  assert.deepEqual(wrong, [])
  for (const file of files) {
    const [name, text] = [file.replace('.sql', ''), read(file)]
    if (isConcurrent({ name, text, checksum: '' })) listIndexStatements({ name, text, checksum: '' })
  }
})

test('such a build is found unless its file is marked or makes the table', () => {
  const text = 'create table wishes (id uuid); create index wishes_id on wishes (id); create index extra on orders (id)'
  assert.deepEqual(listBlockingBuilds(text), ['extra on orders'])
  assert.deepEqual(listBlockingBuilds(`-- concurrently\n${text}`), [])
})

/** Indexes of tables that the text does not make, in a transaction. */
function listBlockingBuilds(text: string): string[] {
  if (isConcurrent({ name: '', text, checksum: '' })) return []
  const { statements, tables } = parse(text)
  return statements.flatMap(({ IndexStmt: index }) =>
    index && !tables.has(index.relation.relname) ? [`${index.idxname} on ${index.relation.relname}`] : [],
  )
}

function parse(text: string): { statements: Node[]; tables: ReadonlySet<string> } {
  const statements: Node[] = parseSync(text).stmts!.map(({ stmt }: Node) => stmt)
  const names = statements.flatMap(({ CreateStmt: table }) => (table ? [table.relation.relname as string] : []))
  return { statements, tables: new Set(names) }
}

/** Foreign keys of tables that the same text makes. */
function keysTooEarly(text: string): string[] {
  const { statements, tables } = parse(text)
  return statements.flatMap((statement) => {
    const { relation } = statement.CreateStmt ?? statement.AlterTableStmt ?? {}
    if (!relation || !tables.has(relation.relname)) return []
    return [...nodesOf(statement, 'Constraint')]
      .filter(({ contype, pktable }) => contype === 'CONSTR_FOREIGN' && placement[pktable.relname] === 'distributed')
      .map(({ pktable }) => `${relation.relname} to ${pktable.relname}`)
  })
}
