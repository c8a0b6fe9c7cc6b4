// stoa doctor: one line for each thing that can be wrong, and what to do.
import { statfs } from 'node:fs/promises'
import pg from 'pg'
import { compile, join, raw, sql, type Sql } from '../kit/database/sql.ts'
import { pendingMigrations } from '../platform/postgres/migrate.ts'
import { faultOfKey } from '../platform/postgres/canary.ts'
import { placeOf, type Provided } from '../platform/postgres/provide.ts'
import { faultOfKeyFile, keyFile } from '../platform/process/secretkey.ts'
import type { Config } from '../config.ts'
import type { Outcome } from './session.ts'

type Finding = { name: string; ok: boolean; detail: string }

// Counter → the rows that it counts.
// prettier-ignore
const counters: Record<string, string> = {
  products_active:   `products where product_status = 'active' and`,
  products_draft:    `products where product_status = 'draft' and`,
  products_archived: `products where product_status = 'archived' and`,
  categories:        'categories where',
  discounts:         'discounts where',
  customers:         'customers where',
  orders:            'orders where',
  webhooks:          'webhooks where',
  api_keys:          'api_keys where is_active and',
  staff:             'members where',
}

/** `provided` may be the reason why there is no database: what does not need one is looked at all the same. */
export async function examine(config: Config, provided: Provided | Error): Promise<Outcome> {
  const findings: Finding[] = [{ name: 'configuration', ok: true, detail: 'every variable is as it must be' }]
  if (provided instanceof Error) findings.push({ name: 'database', ok: false, detail: provided.message })
  else findings.push(...(await databaseFindings(config, provided)))
  if (!config.SECRET_KEY) findings.push(await found('secret key', keyFinding(config.DATA_DIR)))
  if (!config.DATABASE_URL) findings.push(await found('disk', spaceFinding(config.DATA_DIR)))
  const lines = findings.map(({ name, ok, detail }) => `${ok ? 'ok   ' : 'wrong'}  ${name}: ${detail}`)
  const ok = findings.every((finding) => finding.ok)
  return { json: { ok, findings }, text: lines.join('\n'), failed: !ok }
}

/** What cannot be looked at is wrong too. */
function found(name: string, finding: Promise<Finding>): Promise<Finding> {
  return finding.catch((error: Error) => ({ name, ok: false, detail: error.message || String(error) }))
}

// Each question looks at whole tables, which in a large database takes longer than a request may.
type Ask = <T>(query: Sql) => Promise<T[]>

async function databaseFindings(config: Config, { url }: Provided): Promise<Finding[]> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'stoa doctor',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => {})
  const ask: Ask = async (query) => (await client.query(compile(query))).rows
  const place = config.DATABASE_URL ? placeOf(url) : config.DATA_DIR
  try {
    await client.connect()
    const database = await versionFinding(ask, place)
    const migrations = await found('migrations', migrationsFinding(url))
    if (!migrations.ok) return [database, migrations]
    return [
      database,
      migrations,
      await found('counters', countersFinding(ask)),
      await found('stock', stockFinding(ask)),
      await found('stored secrets', secretsFinding(config, url)),
    ]
  } catch (error) {
    const reason = (error as Error).message || String(error)
    return [{ name: 'database', ok: false, detail: `${place} cannot be used: ${reason}` }]
  } finally {
    await client.end().catch(() => {})
  }
}

async function versionFinding(ask: Ask, place: string): Promise<Finding> {
  const [row] = await ask<{ server_version: string }>(sql`show server_version`)
  const version = row!.server_version
  const ok = Number.parseInt(version, 10) >= 15
  return { name: 'database', ok, detail: `PostgreSQL ${version} at ${place}${ok ? '' : '; Stoa needs 15 or later'}` }
}

async function migrationsFinding(url: string): Promise<Finding> {
  const pending = await pendingMigrations(url)
  const ok = pending.length === 0
  const detail = ok ? 'all applied' : `${pending.join(', ')} missing. Type: npm run -s stoa -- migrate`
  return { name: 'migrations', ok, detail }
}

async function countersFinding(ask: Ask): Promise<Finding> {
  const differs = Object.entries(counters).map(
    ([counter, rows]): Sql => sql`
    select store_id || ' ' || ${counter} as wrong
    from store_counters
    where ${raw(counter)} <> (select count(*) from ${raw(rows)} store_id = store_counters.store_id)`,
  )
  const found = (await ask<{ wrong: string }>(join(differs, '\nunion all\n'))).map(({ wrong }) => wrong)
  const ok = found.length === 0
  const detail = ok
    ? 'equal the rows that they count'
    : `differ from their rows: ${found.slice(0, 10).join(', ')}. Please report it`
  return { name: 'counters', ok, detail }
}

async function stockFinding(ask: Ask): Promise<Finding> {
  const found = [
    ...(await differing(ask, raw('products'), raw('product_id'))),
    ...(await differing(ask, raw('variants'), raw('variant_id'))),
  ]
  const ok = found.length === 0
  const detail = ok ? 'equals the sum of its transactions' : `differs for ${found.join(', ')}. Please report it`
  return { name: 'stock', ok, detail }
}

/** Items whose stock is not the sum of the transactions that name them; a product's include its variants'. */
async function differing(ask: Ask, items: Sql, named: Sql): Promise<string[]> {
  const rows = await ask<{ item: string }>(sql`
    select items.store_id || ' ' || items.id as item
    from ${items} as items
    left join (
      select store_id, ${named} as id, sum(quantity) as quantity
      from inventory_transactions
      group by store_id, ${named}
    ) as moved using (store_id, id)
    where items.stock_quantity <> coalesce(moved.quantity, 0)
    limit 10`)
  return rows.map(({ item }) => item)
}

/** A node with another key than the others cannot sign, nor read what they sealed. */
async function secretsFinding(config: Config, url: string): Promise<Finding> {
  const name = 'stored secrets'
  const fault = await faultOfKey(url, config)
  if (fault === null) return { name, ok: true, detail: 'none yet' }
  return {
    name,
    ok: fault === '',
    detail: fault || `${config.SECRET_KEY ? 'SECRET_KEY' : keyFile(config.DATA_DIR)} opens them`,
  }
}

async function keyFinding(dataDir: string): Promise<Finding> {
  const fault = await faultOfKeyFile(dataDir)
  if (fault === undefined) return { name: 'secret key', ok: true, detail: 'none yet; the first start makes it' }
  const detail = fault === null ? 'only its owner can read it' : `${fault}. Type: chmod 600`
  return { name: 'secret key', ok: fault === null, detail }
}

const leastFreeBytes = 1024 ** 3

async function spaceFinding(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir)
  const free = bavail * bsize
  const ok = free >= leastFreeBytes
  const advice = ok ? '' : ': make room, a full disk stops every write'
  return { name: 'disk', ok, detail: `${(free / 1024 ** 3).toFixed(1)} GiB free${advice}` }
}
