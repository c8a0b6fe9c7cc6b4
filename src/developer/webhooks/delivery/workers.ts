// Detects live workers by the advisory lock of each one's connection, and releases the claims of dead ones.
import { byStore } from '../../../kit/database/bystore.ts'
import type { Database } from '../../../kit/database/database.ts'
import { runPipelined } from '../../../kit/database/pipelined.ts'
import { inReach, inStore, sql, type Sql } from '../../../kit/database/sql.ts'
import { lastDelivery } from '../webhook.ts'
import { buildDueDeliveries } from './claim.ts'
import { firstRoom } from './receiver.ts'

/** The first number of each worker's lock; the second is the worker's own. */
export const lockOfWorkers = 1_937_010_530

export async function livingWorkers(db: Database): Promise<number[]> {
  const rows = await db.rows<{ worker: number }>(sql`
    select objid::int as worker
    from pg_locks
    where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())
      and classid = ${lockOfWorkers}::bigint::oid
      and granted`)
  return rows.map(({ worker }) => worker)
}

/**
 * Claims of workers that died, or that ran out: behind a transaction pooler, where a connection has no lock of its own,
 * only these end. A worker's own go on, or it claims them again.
 */
export function lostClaims(me: number, living: readonly number[], now: Date): Sql {
  return sql`(claimed_by <> ${me} and (claimed_until <= ${now} or claimed_by <> all(${living}::int[])))`
}

export async function hasClaims(db: Database, which: Sql): Promise<boolean> {
  const claim = await db.one(sql`
    select from webhook_health where claimed_by is not null and ${which} and ${inReach('store_id')} limit 1`)
  return claim !== undefined
}

/** Releases these claims. Their last deliveries are unknown: those that would have gone first count a crash. */
export async function endClaims(db: Database, which: Sql): Promise<void> {
  const stores = await listClaimedStores(db, which)
  await runPipelined(db, async (tx) => {
    for (const storeId of stores) {
      tx.later(sql`
      select from webhook_health
      where ${isClaimed(storeId, which)}
      order by webhook_id
      for update`)
      tx.later(inStore(storeId, countCrashes(storeId, which, tx.now)))
      tx.later(inStore(storeId, free(isClaimed(storeId, which))))
    }
  })
}

/** Releases claims of this worker, which no other one locks. */
export async function giveBackClaims(db: Database, which: Sql): Promise<void> {
  await db.rows(free(sql`claimed_by is not null and ${which} and ${inReach('store_id')}`))
}

/** The stores of these claims. */
async function listClaimedStores(db: Database, which: Sql): Promise<string[]> {
  const claims = await db.rows<{ store_id: string }>(sql`
    select store_id
    from webhook_health
    where claimed_by is not null
      and ${which}
      and ${inReach('store_id')}`)
  return byStore(claims).map(([storeId]) => storeId)
}

const isClaimed = (storeId: string, which: Sql) => sql`webhook_health.store_id = ${storeId}
        and claimed_by is not null
        and ${which}`

function countCrashes(storeId: string, which: Sql, now: Date): Sql {
  return sql`
    update deliveries
    set crashes = deliveries.crashes + 1
    from webhook_health
    join webhooks on webhooks.store_id = ${storeId} and webhooks.id = webhook_health.webhook_id
    cross join lateral ${buildDueDeliveries(now, sql`${firstRoom}`)} as due
    where ${isClaimed(storeId, which)}
      and deliveries.store_id = ${storeId}
      and deliveries.webhook_id = due.webhook_id
      and deliveries.id = due.id`
}

/** Successes in a row are only in the log until then. */
function free(which: Sql): Sql {
  return sql`
    update webhook_health
    set claimed_by = null, last_delivery_at = ${lastDelivery('last_delivery_at')},
      last_delivery_status = ${lastDelivery('last_delivery_status')}
    where ${which}`
}
