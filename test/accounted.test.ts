// The audit log misses nothing: every table of stores' rows has its triggers or a reason why not, and every request
// that writes is in it.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { listFieldNames, personalNames } from '../src/kit/declare/row.ts'
import { raw, sql } from '../src/kit/database/sql.ts'
import { unnamed } from '../src/kit/values/cause.ts'
import { toUuid } from '../src/kit/values/ids.ts'
import { tables as declared } from '../src/developer/tables.ts'
import { getTableNoun } from '../src/developer/auditlog/nouns.ts'
import type { PersonalCells, RowChange } from '../src/developer/auditlog/rowchange.ts'
import { buildOperationId } from '../src/http/openapi/names.ts'
import { routes } from '../src/developer/routes.ts'
import { storefrontRoutes } from '../src/http/storefrontroutes.ts'
import { askEveryRoute, oneOfEach } from './everyroute.ts'
import { answering } from './strangers.ts'
import { openWorld } from './world.ts'

const world = await openWorld(
  {},
  {
    network: {
      resolver: {
        ...answering(['93.184.216.34']),
        resolveTxt: async () => [[(await shop.api.get('/v1/store/domain')).data.record.value]],
      },
    },
  },
)
const shop = await world.newStore()
const { db } = world.app

type Trigger = { table: string; triggers: number; columns: string[]; arguments: string | null; body: string | null }

const tables = await db.rows<Trigger>(sql`
  select relname as table,
    (select count(*) from pg_trigger where tgrelid = own.oid and tgname like 'account_%') as triggers,
    (select array_agg(attname::text) from pg_attribute where attrelid = own.oid and attnum > 0 and not attisdropped)
      as columns,
    (select min(encode(tgargs, 'escape')) from pg_trigger
      where tgrelid = own.oid and tgname like 'account_%') as arguments,
    (select min(prosrc) from pg_trigger join pg_proc on pg_proc.oid = tgfoid
      where tgrelid = own.oid and tgname like 'account_%') as body
  from pg_class as own
  where relnamespace = 'public'::regnamespace
    and relkind in ('r', 'p')
    and not relispartition
    and (relname = 'stores'
      or exists (select from pg_attribute where attrelid = own.oid and attname = 'store_id' and not attisdropped))
  order by relname`)

const audited = tables.filter(({ triggers }) => triggers > 0)
const rowsBefore = await rowsOf(shop.store.id)
const [lastBefore] = await db.rows<{ id: string }>(sql`
  select id from audit_log where store_id = ${shop.store.id} order by id desc limit 1`)

test('every table of stores has the triggers of the audit log, or a reason why it has none', () => {
  assert.deepEqual(
    tables.filter(({ triggers }) => triggers === 0).map(({ table }) => table),
    declared
      .filter(({ store }) => typeof store?.audit === 'string')
      .map(({ name }) => name)
      .sort(),
  )
  const others = tables.filter(({ triggers }) => triggers !== 0 && triggers !== 3)
  assert.deepEqual(others, [])
  const unnamed = tables.filter(({ table, triggers }) => triggers > 0 && getTableNoun(table).name === table)
  assert.deepEqual(unnamed, [])
})

// The name of a file, the merchant's own addresses, and numbers that open nothing.
const harmlessOf: Record<string, string[]> = {
  api_keys: ['secret_last4'],
  media: ['hash'],
  stores: ['reply_to_email', 'notification_email'],
  shipping_rates: ['quote_secret_last4'],
  webhooks: ['secret_last4', 'previous_secret_until'],
}

// Pages of the provider that name the payer; no field of a resource.
const undeclared: Record<string, string[]> = { payment_sessions: ['return_url', 'redirect_url'] }

/** What a trigger is told: the key, the columns that it leaves out, those of which it tells the name. */
function argumentsOf({ arguments: text }: Trigger) {
  const [key, hidden, secret, keeps] = text!.split('\\000') as [string, string, string, string]
  const list = (array: string) => array.slice(1, -1).split(',').filter(Boolean)
  return { key, hidden: list(hidden), secret: list(secret), keeps: keeps.startsWith('t') }
}

test('the triggers withhold exactly the columns that are declared as personal or secret', () => {
  for (const trigger of audited) {
    const { table, columns } = trigger
    const { key, hidden, secret } = argumentsOf(trigger)
    const named = [key, ...hidden, ...secret].filter(
      (name) => !['store_id', 'updated_at', 'search_text'].includes(name),
    )
    assert.deepEqual(
      named.filter((name) => !columns.includes(name)),
      [],
      table,
    )
    const { fields } = getTableNoun(table)
    const declared = [...personalNames(fields), ...listFieldNames(fields, ({ isSecret }) => isSecret)]
    const sealed = columns.filter((name) => /hash|secret|token|password/.test(name))
    const withheld = [...declared.filter((name) => columns.includes(name)), ...sealed, ...(undeclared[table] ?? [])]
    const harmless = harmlessOf[table] ?? []
    assert.deepEqual(secret.sort(), [...new Set(withheld)].filter((name) => !harmless.includes(name)).sort(), table)
  }
})

test('the triggers tell of every other column, those of later migrations too', () => {
  for (const trigger of audited) {
    const { hidden, secret } = argumentsOf(trigger)
    const isTold = (name: string) => {
      const rows = secret.includes(name)
        ? [`if new.${name} is not null`, `if old.${name} is not null`]
        : [`'${name}', new.${name}`, `'${name}', old.${name}`]
      const pair = new RegExp(`if new\\.${name}(::text)? is distinct from old\\.${name}(::text)? then`)
      return rows.every((told) => trigger.body!.includes(told)) && pair.test(trigger.body!)
    }
    const untold = trigger.columns.filter((name) => !hidden.includes(name) && !isTold(name))
    assert.deepEqual(untold, [], trigger.table)
  }
})

// Pages, jobs and commands too.
test('audited tables are written by transactions only, of databases that keep a log', () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const names = audited.map(({ table }) => table).join('|')
  const write = `(?:insert into|update|delete from) (?:${names})\\b`
  const wrong = globSync('src/**/*.ts', { cwd: root, exclude: ['src/**/*.test.ts'] }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const asked = [...text.matchAll(/(\w+)\.(?:rows|one|texts)(?:<[^(]*>)?\(\s*sql`([^`]*)/g)]
    const outside = asked.filter(([, of, statement]) => of !== 'tx' && new RegExp(write).test(statement!))
    const opened = [...text.matchAll(/ openDatabase\(\{([^}]*)\}/g)].filter(([, given]) => !/\bjournal\b/.test(given!))
    return [...outside, ...opened].map(([found]) => `${file}: ${found}`)
  })
  // A hidden column.
  assert.deepEqual(
    wrong.filter((found) => !/update api_keys\s+set last_used_at = /.test(found)),
    [],
  )
})

// What of the merchant's these change nothing of.
const changeNothing = [
  'POST /v1/customer-groups/preview',
  'POST /v1/discounts/validate',
  'POST /v1/store/shipping-rates/preview',
  'PATCH /v1/payments/{id}', // What is no longer to be looked at was not.
  'POST /v1/mails/{id}/resend',
  'POST /v1/orders/{id}/payment-link',
  'POST /v1/store/payment-methods/{id}/test',
  'POST /v1/imports',
  'PATCH /v1/imports/{id}',
  'POST /v1/imports/{id}/start',
  'POST /v1/imports/{id}/stop',
  'POST /v1/imports/{id}/undo',
  'POST /v1/imports/{id}/retry-images',
  'POST /v1/backinstock/requests',
  'DELETE /v1/backinstock/requests/{id}',
  'POST /v1/proposals',
  'POST /v1/proposals/{id}/refuse',
  'POST /v1/webhooks/{id}/test',
  'POST /v1/webhooks/{id}/examine',
  'POST /v1/webhooks/{id}/recover',
  'POST /v1/webhooks/{id}/replay',
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver',
  'POST /storefront/checkouts',
  'POST /storefront/messages',
  'PATCH /storefront/checkouts/{token}',
]

// The log names the operation that was proposed.
const approval = 'POST /v1/proposals/{id}/approve'

test('every request that changes something is in the log under its operation, with who sent it', async () => {
  const known = await oneOfEach(world, shop)
  const [made] = await db.rows<{ last: string }>(sql`
    select id as last from audit_log where store_id = ${shop.store.id} order by id desc limit 1`)
  const asked: string[] = []
  await askEveryRoute(world, shop, known, (route) => {
    if (!route.startsWith('GET')) asked.push(route)
  })
  const operations = new Map(
    [
      ...routes.map((route) => ({ ...route, at: '/v1' })),
      ...storefrontRoutes.map((route) => ({ ...route, at: '/storefront' })),
    ].map((route) => [`${route.method} ${route.at}${route.path}`, buildOperationId(route)]),
  )
  const logged = await db.rows<{ operation: string; actors: string[]; requests: number; count: number }>(sql`
    select operation, array_agg(distinct actor_kind || ' ' || (actor_id like 'key_%')) as actors,
      count(distinct request_id) as requests, count(*) as count
    from audit_log
    where store_id = ${shop.store.id}
      and id > ${made!.last}
      and operation <> ${unnamed.operation}
    group by operation`)
  const seen = new Map(logged.map((row) => [row.operation, row]))
  const missing = [...new Set(asked)].filter((route) => !seen.has(operations.get(route)!))
  assert.deepEqual(missing.sort(), [...changeNothing, approval].sort())
  for (const { operation, actors, requests } of logged) {
    const isShopper = operation === 'completeCheckout'
    const isJob = operation === 'make sizes of pictures'
    assert.deepEqual(actors, [isShopper ? 'system false' : isJob ? 'job false' : 'key true'], operation)
    assert.ok(isJob || requests > 0, operation)
  }
  const approved = await db.rows(sql`
    select operation, proposal_id, proposed_by like 'key:key_%' as has_proposer
    from audit_log
    where store_id = ${shop.store.id}
      and proposal_id is not null`)
  const proposal_id = toUuid('prop', known.proposal.id)
  assert.deepEqual(approved, [{ operation: 'createCategory', proposal_id, has_proposer: true }])
})

test('the log replayed over the store as it was gives the store as it is: every table, cascades too', async () => {
  const entries = await db.rows<{ changes: RowChange[]; personal: PersonalCells[] | null }>(sql`
    select changes, personal
    from audit_log
    where store_id = ${shop.store.id}
      and id > ${lastBefore!.id}
    order by id`)
  const changes = entries.flatMap((entry) => entry.changes)
  const records = new Map(rowsBefore)
  for (const change of changes) replay(records, change)
  const actual = await rowsOf(shop.store.id)
  assert.deepEqual([...records.keys()].sort(), [...actual.keys()].sort())
  for (const [key, row] of actual) assert.deepEqual(records.get(key), row, key)
  const personal = await personalOf(shop.store.id)
  const told: Rows = new Map()
  for (const { id, after } of entries.flatMap((entry) => entry.personal ?? [])) {
    told.set(id, { ...told.get(id), ...after })
  }
  assert.ok(personal.size > 0)
  for (const [id, row] of personal) assert.deepEqual({ ...row, ...told.get(id) }, row, id)
  for (const [id, row] of personal) {
    const known = Object.keys(row).filter((name) => row[name] !== null)
    assert.deepEqual(
      known.filter((name) => !(name in (told.get(id) ?? {}))),
      [],
      id,
    )
  }
  const changed = new Set(changes.map(({ table }) => table))
  const untouched = audited.map(({ table }) => table).filter((table) => !changed.has(table))
  // Pages and commands write these.
  assert.deepEqual(untouched, ['app_policies', 'members', 'roles'])
})

type Rows = Map<string, Record<string, unknown>>

/** What the log can tell of every row of a store. */
async function rowsOf(storeId: string): Promise<Rows> {
  const rows: Rows = new Map()
  for (const trigger of audited) {
    const { key, hidden, secret } = argumentsOf(trigger)
    const whose = raw(trigger.table === 'stores' ? 'id' : 'store_id')
    const found = await db.rows<{ row: Record<string, unknown> }>(sql`
      select to_json(own) as row from ${raw(trigger.table)} as own where own.${whose} = ${storeId}`)
    for (const { row } of found) {
      const cells = Object.entries(row).filter(([name]) => ![...hidden, ...secret].includes(name))
      rows.set(recordOf({ table: trigger.table, id: String(row[key]), cells: row }), Object.fromEntries(cells))
    }
  }
  return rows
}

/** Values of rows that the log keeps where they can be erased, by the id of the record. */
async function personalOf(storeId: string): Promise<Rows> {
  const rows: Rows = new Map()
  for (const trigger of audited.filter((one) => argumentsOf(one).keeps)) {
    const { key, secret } = argumentsOf(trigger)
    const found = await db.rows<{ row: Record<string, unknown> }>(sql`
      select to_json(own) as row from ${raw(trigger.table)} as own where store_id = ${storeId}`)
    for (const { row } of found) rows.set(String(row[key]), Object.fromEntries(secret.map((name) => [name, row[name]])))
  }
  return rows
}

/** A product is in several collections, an item in several fulfillments, refunds and returns. */
function recordOf({ table, id, cells }: { table: string; id: string; cells: Record<string, unknown> }): string {
  const parts = {
    collection_products: 'collection_id',
    fulfillment_items: 'fulfillment_id',
    refund_items: 'refund_id',
    return_items: 'return_id',
  }
  return [table, id, cells[parts[table as keyof typeof parts]]].join(' ')
}

function replay(records: Rows, { table, id, before, after }: RowChange): void {
  const record = recordOf({ table, id, cells: (after ?? before)! })
  const row = records.get(record) ?? null
  assert.equal(row === null, before === null, record)
  for (const [name, cell] of Object.entries(before ?? {})) assert.deepEqual(row![name], cell, `${record} ${name}`)
  if (after === null) records.delete(record)
  else records.set(record, { ...row, ...after })
}
