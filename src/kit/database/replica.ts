// One read replica: its name, its use, and how far it has replayed the primary's log.
import type pg from 'pg'
import { compile, raw, sql, type Sql } from './sql.ts'

/** `behind`: it had not replayed enough. `failed`: the primary repeated the read. */
type ReplicaUse = 'answered' | 'behind' | 'failed'

export type Replica = {
  readonly name: string
  readonly uses: Record<ReplicaUse, number>
  /** Why it is not used; null if it is. */
  readonly fault: string | null
  readonly pool: pg.Pool
}

/** A position, and the identity of the primary's database. */
export type Goal = readonly [position: string, identity: string]

const identity = raw(`
  (select system_identifier from pg_control_system())::text || '/' ||
    (select oid from pg_database where datname = current_database())`)

/** Behind all commits that anyone was told of; without synchronous commits they may not be written yet. */
export const positionOfPrimary = sql`
  select case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
    else pg_current_wal_lsn() end::text as position,
    ${identity} as identity`

export const progressSince = ([position, primary]: Goal): Sql => sql`
  select pg_is_in_recovery() and ${identity} = ${primary}::text as is_replica,
    coalesce(pg_last_wal_replay_lsn() >= ${position}::pg_lsn, false) as is_fresh,
    greatest(${position}::pg_lsn - pg_last_wal_replay_lsn(), 0)::float8 as bytes_behind`

/** Formats host and database without user and password. */
export function formatReplicaName(url: string): string {
  const { host, pathname, searchParams } = new URL(url)
  return `${host || (searchParams.get('host') ?? '')}${pathname}`
}

/** Bytes of the log that it has not replayed; null if it is unreachable. */
export async function bytesBehind({ pool }: Replica, goal: Goal): Promise<number | null> {
  // Unnamed: pg does not know which statements exchanges have prepared.
  const { text, values } = compile(progressSince(goal))
  const query = { text, values, query_timeout: 1000 }
  const { rows } = await pool.query<{ bytes_behind: number | null }>(query).catch(() => none)
  return rows[0]?.bytes_behind ?? null
}

const none = { rows: [] }
