// No request reads a table of the stores row by row, nor rows of other stores: what each route sends is recorded, then
// planned by PostgreSQL as the app has it planned, in a database of a hundred stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { findOrdersBy } from '../src/dashboard/screens/search/search.ts'
import { loadDependencies } from '../src/tenancy/answers/dependencies.ts'
import { toSubjectSet, type Subject } from '../src/tenancy/answers/versions.ts'
import type { Store } from '../src/tenancy/stores/store.ts'
import { askEveryRoute, everyRoute, oneOfEach } from './everyroute.ts'
import { fill, tablesWith } from './filled.ts'
import { recordStatements } from './statements.ts'
import { answering } from './strangers.ts'
import { openWorld } from './world.ts'

// The database is its own: `sweeps` says so.
const world = await openWorld(
  {},
  {
    sweeps: true,
    network: {
      resolver: {
        ...answering(['93.184.216.34']),
        // What verifies a domain, whatever the domain.
        resolveTxt: async () => [[(await shop.api.get('/v1/store/domain')).data.record.value]],
      },
    },
  },
)
const url = world.app.db.pool.options.connectionString!
const client = new pg.Client({ connectionString: url, options: '-c jit=off' })
// It is cut when the database is dropped.
client.on('error', () => {})
await client.connect()

const recorded = recordStatements()
const shop = await world.newStore()
const known = await oneOfEach(world, shop)
await world.app.jobs.run('seal the audit log')
await shop.api.post('/v1/categories', { name: 'Not sealed yet' })
await fill(url, shop.store.id)
recorded.statements.clear()
recorded.begin('a rehearsal')
await shop.api.post('/v1/products', { name: 'Mug', price: 5 }, { headers: { prefer: 'dry-run' } })
await askEveryRoute(world, shop, known, recorded.begin)
recorded.begin('the search of the dashboard')
await findOrdersBy({ db: world.app.db, store: shop.store as Store }, '5512345678', [known.product.id], 6)

const tenantTables = new Set(await tablesWith(client, 'store_id'))
// Of a day that has no requests yet there is nothing to find.
const { rows: empty } = await client.query(
  `select relname as name from pg_class where relispartition and reltuples = 0`,
)
const emptyDays = new Set(empty.map(({ name }) => name))
const plans: { text: string; request: string; scans: Scan[] }[] = []
for (const [text, request] of recorded.statements) plans.push({ text, request, scans: scansOf(await planOf(text)) })

// Entered by what only one row of all stores has: a key's hash, a webhook's id.
const globallyUnique = new Set(['api_keys_hash', 'deliveries_due'])

test('every route of the table was asked', () => {
  assert.deepEqual(
    everyRoute.filter((route) => !recorded.routes.has(route)),
    [],
  )
})

test('no statement scans a table of the stores, and each index is entered by store_id', () => {
  const isWithinStore = ({ index, conditions }: Scan) =>
    globallyUnique.has(index) ||
    (conditions.length > 0 && conditions.every((condition) => /\bstore_id\b/.test(condition)))
  const wrong = plans.flatMap(({ text, request, scans }) =>
    scans
      .filter((scan) => tenantTables.has(scan.table) && !isWithinStore(scan))
      .map(({ node, table, index, conditions }) => `${request}: ${node} ${index} on ${table} (${conditions})\n${text}`),
  )
  assert.deepEqual(wrong, [])
})

test('the search for orders reads a few rows of an index for each kind of match', () => {
  const searches = plans.filter(
    ({ text }) =>
      /union all/.test(text) && /\border_items\b.*\bsku\b/s.test(text) && !/\bshort|stock_quantity < 0/.test(text),
  )
  assert.ok(searches.length > 0)
  for (const { text, scans } of searches) {
    const indexes = new Set(scans.map(({ index }) => index))
    assert.ok(
      scans.every(({ index }) => index !== ''),
      text,
    )
    assert.ok(indexes.has('order_items_sku'), [...indexes].join())
  }
  const all = searches.flatMap(({ scans }) => scans.map(({ index }) => index))
  for (const index of ['orders_phone', 'order_items_product']) assert.ok(all.includes(index), index)
})

test('no statement scans the table of stores', () => {
  const wrong = plans.filter(({ scans }) => scans.some(({ table, index }) => table === 'stores' && index === ''))
  assert.deepEqual(
    wrong.map(({ request, text }) => `${request}\n${text}`),
    [],
  )
})

test('the tables are large enough for the plans to mean something', async () => {
  const { rows } = await client.query(`
    select relname as table
    from pg_class
    where relkind = 'r'
      and reltuples < 500
      and relname not in ('store_counters', 'event_logs', 'forks')`)
  const small = new Set(rows.map(({ table }) => table))
  const planned = new Set(plans.flatMap(({ scans }) => scans).map(({ table }) => table))
  assert.deepEqual(
    [...planned].filter((table) => tenantTables.has(table) && small.has(table)),
    [],
  )
  for (const table of ['products', 'orders', 'customers', 'checkouts', 'deliveries']) assert.ok(planned.has(table))
})

test('each table that a statement of a kept answer reads moves a version that it depends on', async () => {
  const dependenceOf = await loadDependencies(world.app.db)
  const { rows: triggers } = await client.query<{ table: string; subject: Subject }>(`
    select relname as table, substr(tgname, 8) as subject
    from pg_trigger
    join pg_class on pg_class.oid = tgrelid
    where tgname ~ '^follow_[a-z]+$'
    union all
    select 'stores', 'settings'`)
  const kept = plans.flatMap(({ text, scans }) => {
    const dependence = dependenceOf({ text, values: [] })
    return dependence ? [{ text, scans, ...dependence }] : []
  })
  assert.ok(kept.length > 100)
  const wrong = kept.filter(({ scans, subjects }) =>
    scans.some(({ table }) => !triggers.some((one) => one.table === table && subjects & toSubjectSet(one.subject))),
  )
  assert.deepEqual(
    wrong.map(({ text, scans }) => `${text} reads ${scans.map(({ table }) => table)}`),
    [],
  )
})

test('every foreign key can be followed backwards by an index', async () => {
  const { rows } = await client.query(`
    select conname as name
    from pg_constraint
    where contype = 'f'
      and not exists (
        select from pg_index
        where indrelid = conrelid
          and (indkey::int2[])[0:cardinality(conkey) - 1] @> conkey)
    order by conname`)
  // Only the deletion of a plan, or of a user who invited, would follow them.
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['invitations_invited_by_fkey', 'stores_plan_id_fkey'],
  )
})

/** How a statement reads a table; without an index that it names, `index` is empty. */
type Scan = { node: string; table: string; index: string; conditions: string[] }

async function planOf(text: string): Promise<any> {
  const { rows } = await client.query(`explain (generic_plan, format json) ${text}`)
  return rows[0]['QUERY PLAN'][0].Plan
}

function scansOf(plan: any): Scan[] {
  const { 'Node Type': node, 'Relation Name': relation = '', 'Index Name': index = '', Plans: parts = [] } = plan
  const table = relation.replace(/_\d{8}$/, '') // a partition's is its table's
  const below = parts.flatMap(scansOf)
  if (emptyDays.has(relation)) return below
  switch (node) {
    case 'Seq Scan':
    case 'Sample Scan':
    case 'Tid Scan':
      return [{ node, table, index, conditions: [] }, ...below]
    case 'Index Scan':
    case 'Index Only Scan':
      return [{ node, table, index, conditions: [plan['Index Cond'] ?? ''] }, ...below]
    case 'Bitmap Heap Scan':
      return [{ node, table, index, conditions: bitmapsOf(plan).map(conditionOf) }, ...below]
    default:
      return below
  }
}

/** Not what its filter asks of other tables. */
function bitmapsOf({ Plans: parts = [] }: any): any[] {
  return parts.filter((part: any) => ['Outer', 'Member'].includes(part['Parent Relationship']))
}

/** Of bitmaps laid over each other one within the store is enough, of those joined each must be. */
function conditionOf(plan: any): string {
  const parts = bitmapsOf(plan).map(conditionOf)
  switch (plan['Node Type']) {
    case 'BitmapAnd':
      return parts.join(' and ')
    case 'BitmapOr':
      return parts.find((part) => !/\bstore_id\b/.test(part)) ?? parts.join(' or ')
    default:
      return plan['Index Cond'] ?? ''
  }
}
