// stoa doctor: one line for each thing that can be wrong, and what to do.
import { statfs } from 'node:fs/promises'
import { systemClock } from '../kit/clock.ts'
import { openDatabase, type Db } from '../kit/database.ts'
import { raw, sql, type Sql } from '../kit/sql.ts'
import { pendingMigrations } from '../platform/migrate.ts'
import { placeOf, type Provided } from '../platform/provide.ts'
import { faultOfKeyFile } from '../platform/secretkey.ts'
import type { Config } from '../config.ts'
import type { Outcome } from './session.ts'

type Finding = { name: string; ok: boolean; detail: string }

// Counter → the rows that it counts.
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

export async function examine(config: Config, provided: Provided): Promise<Outcome> {
  const findings: Finding[] = [{ name: 'configuration', ok: true, detail: 'every variable is as it must be' }]
  const pending = await pendingMigrations(provided.url).catch((error: Error) => error)
  findings.push(migrationsFinding(pending))
  if (Array.isArray(pending) && pending.length === 0) {
    const db = openDatabase({ url: provided.url, clock: systemClock, connections: 1, settings: ['statement_timeout=600000'] })
    try {
      findings.push(await databaseFinding(db, provided), await countersFinding(db), await stockFinding(db))
    } finally {
      await db.close()
    }
  }
  if (!config.SECRET_KEY) findings.push(keyFinding(await faultOfKeyFile(config.DATA_DIR)))
  if (!config.DATABASE_URL) findings.push(await spaceFinding(config.DATA_DIR))
  const lines = findings.map(({ name, ok, detail }) => `${ok ? 'ok   ' : 'wrong'}  ${name}: ${detail}`)
  return { json: { ok: findings.every(({ ok }) => ok), findings }, text: lines.join('\n'), failed: findings.some(({ ok }) => !ok) }
}

function migrationsFinding(pending: string[] | Error): Finding {
  if (pending instanceof Error) return { name: 'migrations', ok: false, detail: pending.message }
  const ok = pending.length === 0
  return { name: 'migrations', ok, detail: ok ? 'all applied' : `${pending.join(', ')} missing. Type: npm run -s stoa -- migrate` }
}

async function databaseFinding(db: Db, { url }: Provided): Promise<Finding> {
  const row = await db.one<{ server_version: string }>(sql`show server_version`)
  const version = row!.server_version
  const ok = Number.parseInt(version, 10) >= 15
  return { name: 'database', ok, detail: `PostgreSQL ${version} at ${placeOf(url)}${ok ? '' : '; Stoa needs 15 or later'}` }
}

async function countersFinding(db: Db): Promise<Finding> {
  const differs = Object.entries(counters).map(([counter, rows]): Sql => sql`
    select store_id || ' ' || ${counter} as wrong
    from store_counters
    where ${raw(counter)} <> (select count(*) from ${raw(rows)} store_id = store_counters.store_id)`)
  const found = (await Promise.all(differs.map((query) => db.rows<{ wrong: string }>(query)))).flat().map(({ wrong }) => wrong)
  const ok = found.length === 0
  return { name: 'counters', ok, detail: ok ? 'equal the rows that they count' : `differ from their rows: ${found.slice(0, 10).join(', ')}. Please report it` }
}

async function stockFinding(db: Db): Promise<Finding> {
  const found = (await Promise.all([
    differing(db, raw('products'), raw('product_id')),
    differing(db, raw('variants'), raw('variant_id')),
  ])).flat()
  const ok = found.length === 0
  return { name: 'stock', ok, detail: ok ? 'equals the sum of its transactions' : `differs for ${found.join(', ')}. Please report it` }
}

/** Items whose stock is not the sum of the transactions that name them; a product's include its variants'. */
async function differing(db: Db, items: Sql, named: Sql): Promise<string[]> {
  const rows = await db.rows<{ item: string }>(sql`
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

function keyFinding(fault: string | null | undefined): Finding {
  if (fault === undefined) return { name: 'secret key', ok: true, detail: 'none yet; the first start makes it' }
  return { name: 'secret key', ok: fault === null, detail: fault === null ? 'only its owner can read it' : `${fault}. Type: chmod 600` }
}

const leastFreeBytes = 1024 ** 3

async function spaceFinding(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir)
  const free = bavail * bsize
  const ok = free >= leastFreeBytes
  return { name: 'disk', ok, detail: `${(free / 1024 ** 3).toFixed(1)} GiB free${ok ? '' : ': make room, a full disk stops every write'}` }
}
