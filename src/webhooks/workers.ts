// Workers that died: their connection's advisory lock is gone, and others claim what was theirs.
import type { Database } from '../kit/database/database.ts'
import { sql, type Sql } from '../kit/database/sql.ts'

/** The first number of each worker's lock; the second is the worker's own. */
export const lockOfWorkers = 1_937_010_530

const isWorkersLock = sql`
  locktype = 'advisory'
  and database = (select oid from pg_database where datname = current_database())
  and classid = ${lockOfWorkers}::bigint::oid
  and granted`

export async function hasOtherWorkers(db: Database, me: number): Promise<boolean> {
  const other = await db.one(sql`
    select
    from pg_locks
    where ${isWorkersLock}
      and objid <> ${me}::bigint::oid
    limit 1`)
  return other !== undefined
}

/** Numbers of workers that have receivers but no lock. */
export async function missingWorkers(db: Database): Promise<number[]> {
  const rows = await db.rows<{ worker: number }>(sql`
    select distinct claimed_by as worker
    from webhook_health
    where claimed_by is not null
      and claimed_until > ${db.clock.now()}
      and not exists (
        select from pg_locks
        where ${isWorkersLock}
          and objid = webhook_health.claimed_by::oid)`)
  return rows.map(({ worker }) => worker)
}

/** What dead workers had can be claimed now. Nobody knows which rows they had sent: the next claim counts the crash. */
export async function endClaimsOf(db: Database, workers: number[]): Promise<void> {
  await changeClaims(db, workers, sql`claimed_until = '-infinity'`)
}

/** What a worker had that stops in good order. */
export async function giveBackClaimsOf(db: Database, worker: number): Promise<void> {
  await changeClaims(db, [worker], sql`claimed_by = null`)
}

async function changeClaims(db: Database, workers: number[], change: Sql): Promise<void> {
  await db.rows(sql`
    with owned as (
      -- In the order in which claims and finished attempts lock them.
      select store_id, webhook_id
      from webhook_health
      where claimed_by = any(${workers}::int[])
      order by webhook_id
      for update
    )
    update webhook_health
    set ${change}
    from owned
    where webhook_health.store_id = owned.store_id
      and webhook_health.webhook_id = owned.webhook_id`)
}
