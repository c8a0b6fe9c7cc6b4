// License keys: pasted by the merchant, and each handed out once.
import type { Db, Tx } from '../../kit/database/database.ts'
import { inStore, sql, type Sql } from '../../kit/database/sql.ts'
import { json } from '../../kit/declare/route.ts'
import type { Json } from '../../kit/declare/resource.ts'
import { conflict, invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { newUuidAt } from '../../kit/values/ids.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { isRevoked, key, maxKeyLength, maxKeysAtOnce, type NewKeys } from './download.ts'
import { downloadFaults } from './errors.ts'
import { listSellableFaults } from './files.ts'

const maxKeysPerProduct = 100_000

/** Adds those that are new, and hands out what orders wait for. `product_id` is a uuid. */
export async function addKeys(tx: Tx, store: Store, body: NewKeys): Promise<Json<object>> {
  const { product_id, variant_id = null } = body
  const lines = readLines(body.keys)
  const faults = await listSellableFaults(tx, store.id, body)
  if (faults.length > 0) throw invalid(...faults)
  await requireRoom(tx, store.id, product_id, lines.length)
  const keys = [...new Set(lines)]
  const ids = keys.map((_, position) => newUuidAt(tx.now, position))
  const added = await tx.rows<{ id: string }>(sql`
    insert into downloads_keys (store_id, id, product_id, variant_id, key, created_at)
    select ${store.id}, id, ${product_id}::uuid, ${variant_id}::uuid, key, ${tx.now}::timestamptz
    from unnest(${ids}::uuid[], ${keys}::text[]) as pasted (id, key)
    on conflict do nothing
    returning id`)
  const waiting = sql`downloads_grants.product_id = ${product_id}::uuid and downloads_grants.missing_keys > 0`
  const handedOut = await handOutMissing(tx, store.id, waiting)
  return json({ added: added.length, repeated: lines.length - added.length, handed_out: handedOut })
}

function readLines(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length === 0) throw invalid(fault('keys', generalFaults.blank))
  if (lines.length > maxKeysAtOnce)
    throw invalid(fault('keys', downloadFaults.download_too_many_keys, { limit: maxKeysAtOnce }))
  if (lines.some((line) => line.length > maxKeyLength))
    throw invalid(fault('keys', downloadFaults.download_key_too_long, { limit: maxKeyLength }))
  return lines
}

async function requireRoom(db: Db, storeId: string, productId: string, more: number): Promise<void> {
  const row = await db.one<{ count: number }>(sql`
    select count(*)::int as count
    from downloads_keys
    where store_id = ${storeId}
      and product_id = ${productId}::uuid`)
  if (row!.count + more <= maxKeysPerProduct) return
  const values = { owner: 'a product', limit: maxKeysPerProduct, things: 'license keys' }
  throw invalid(fault('keys', generalFaults.one_too_many, values))
}

/** Removes a key that nobody has. */
export async function deleteKey(tx: Tx, store: Store, id: string): Promise<void> {
  const row = await tx.one<{ is_free: boolean }>(sql`
    select grant_id is null as is_free
    from downloads_keys
    where store_id = ${store.id}
      and id = ${id}
    for update`)
  if (!row) throw notFound(key.noun)
  if (!row.is_free) throw conflict('The key was handed out')
  tx.later(sql`
    delete from downloads_keys
    where store_id = ${store.id}
      and id = ${id}`)
}

/** Keys of the variant come first, then those of every variant. */
const passes = [
  { pool: sql`downloads_grants.variant_id`, isOfPool: sql`downloads_keys.variant_id = need.pool` },
  { pool: sql`null::uuid`, isOfPool: sql`downloads_keys.variant_id is null` },
] as const

/**
 * Hands out keys that nobody has to these grants, the oldest first. Keys that another transaction is handing out are
 * skipped, so that nobody waits and none is given twice.
 */
function handOut(tx: Tx, storeId: string, which: Sql): void {
  for (const pass of passes) tx.later(buildHandOut(tx.now, storeId, which, pass))
}

function buildHandOut(now: Date, storeId: string, which: Sql, { pool, isOfPool }: (typeof passes)[number]): Sql {
  return sql`
    with wanted as materialized (
      select downloads_grants.id, downloads_grants.product_id, ${pool} as pool, downloads_grants.created_at,
        downloads_grants.item_id, downloads_grants.variant_id,
        downloads_grants.units - (
          select count(*)
          from downloads_keys
          where downloads_keys.store_id = ${storeId}
            and downloads_keys.grant_id = downloads_grants.id) as missing
      from downloads_grants
      where downloads_grants.store_id = ${storeId}
        and downloads_grants.file_id is null
        and ${which}
    ), need as (
      select product_id, pool, sum(missing) as count
      from wanted
      where missing > 0
      group by product_id, pool
    ), free as materialized (
      select need.product_id, need.pool, taken.id
      from need
      cross join lateral (
        select downloads_keys.id
        from downloads_keys
        where downloads_keys.store_id = ${storeId}
          and downloads_keys.product_id = need.product_id
          and ${isOfPool}
          and downloads_keys.grant_id is null
        order by downloads_keys.id
        limit need.count
        for update skip locked
      ) as taken
    ), numbered as (
      select id, product_id, pool, row_number() over (partition by product_id, pool order by id) as place
      from free
    ), spans as (
      select id, product_id, pool, missing,
        sum(missing) over (partition by product_id, pool 
          order by created_at, item_id, variant_id, id) as last
      from wanted
      where missing > 0
    )
    update downloads_keys
    set grant_id = spans.id, handed_out_at = ${now}::timestamptz
    from numbered
    join spans on spans.product_id = numbered.product_id
      and spans.pool is not distinct from numbered.pool
      and numbered.place > spans.last - spans.missing
      and numbered.place <= spans.last
    where downloads_keys.store_id = ${storeId}
      and downloads_keys.id = numbered.id
      and downloads_keys.grant_id is null`
}

/** Hands out keys for the grants that this transaction has made. What is missing then, the job notes. */
export function handOutOfOrders(tx: Tx, storeId: string, orderIds: readonly (string | null)[]): void {
  const own = sql`downloads_grants.order_id = any(${orderIds}::uuid[])
        and downloads_grants.created_at = ${tx.now}
        and downloads_grants.due_at is not null`
  handOut(tx, storeId, own)
}

/**
 * Hands out what grants miss, and notes what they still miss. Returns how many keys came that had been missing; their
 * buyers get an email.
 */
export async function handOutMissing(tx: Tx, storeId: string, which: Sql): Promise<number> {
  const waiting = await tx.rows<{ id: string }>(
    inStore(
      storeId,
      sql`
    select downloads_grants.id
    from downloads_grants
    where downloads_grants.store_id = ${storeId}
      and downloads_grants.file_id is null
      and not ${isRevoked}
      and ${which}
    order by downloads_grants.created_at, downloads_grants.id
    limit 1000
    for update`,
    ),
  )
  if (waiting.length === 0) return 0
  const ids = waiting.map(({ id }) => id)
  handOut(tx, storeId, sql`downloads_grants.id = any(${ids}::uuid[])`)
  const counted = await tx.rows<{ gained: number }>(sql`
    update downloads_grants
    set missing_keys = now_missing,
        due_at = case when missing_keys > now_missing then ${tx.now}::timestamptz else due_at end
    from (
      select own.id, own.missing_keys as before,
        greatest(own.units - count(downloads_keys.id), 0)::int as now_missing
      from downloads_grants as own
      left join downloads_keys on downloads_keys.store_id = ${storeId}
        and downloads_keys.grant_id = own.id
      where own.store_id = ${storeId}
        and own.id = any(${ids}::uuid[])
      group by own.id, own.units, own.missing_keys
    ) as counted
    where downloads_grants.store_id = ${storeId}
      and downloads_grants.id = counted.id
    returning counted.before - counted.now_missing as gained`)
  return counted.reduce((sum, { gained }) => sum + Math.max(gained, 0), 0)
}

/** Keys that are left, by variant; null is for every variant. */
export async function countKeys(
  db: Db,
  storeId: string,
  productId: string,
): Promise<{ variant_id: string | null; free: number; handed_out: number }[]> {
  return db.rows(sql`
    select variant_id, count(*) filter (where grant_id is null)::int as free, count(grant_id)::int as handed_out
    from downloads_keys
    where store_id = ${storeId}
      and product_id = ${productId}::uuid
    group by variant_id
    order by variant_id nulls first`)
}
