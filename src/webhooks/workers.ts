// Workers that died: their connection's advisory lock is gone, and what they had claimed goes back to the queue.
import type { Database } from '../kit/database.ts'
import { sql } from '../kit/sql.ts'

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

/** Numbers of workers that hold rows but no lock. */
export async function missingWorkers(db: Database): Promise<number[]> {
  const rows = await db.rows<{ worker: number }>(sql`
    select distinct claimed_by as worker
    from deliveries
    where claimed_by is not null
      and not exists (
        select from pg_locks
        where ${isWorkersLock}
          and objid = deliveries.claimed_by::oid)`)
  return rows.map(({ worker }) => worker)
}

/** First in the queue again, as if never tried: nobody knows whether they were. */
export async function freeRowsOf(db: Database, workers: number[]): Promise<void> {
  await db.rows(sql`
    update deliveries
    set claimed_by = null, run_at = created_at
    where claimed_by = any(${workers}::int[])
      and status = 'pending'`)
}

/** After an answer to a claim was lost: rows in our name that we do not know. */
export async function freeUnknownRows(db: Database, me: number, known: string[]): Promise<void> {
  await db.rows(sql`
    update deliveries
    set claimed_by = null, run_at = created_at
    where claimed_by = ${me}
      and status = 'pending'
      and id <> all(${known}::uuid[])`)
}

