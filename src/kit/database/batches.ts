// Deletes many rows in small statements, each in its own transaction, with a pause between. All jobs that delete use
// it; platform/process/jobs.ts runs the rounds.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Tx } from './database.ts'
import { inReach, join, raw, sql, type Sql } from './sql.ts'

/** Deletes at most `size` rows that have ended by `now`, and returns one row for each. */
export type Deletion = (now: Date, size: number) => Sql

/**
 * Rows that no column says have ended, because other rows decide: each round looks at the next of them, so that its
 * cost does not grow with those that are kept.
 */
export type Walk = {
  /** It needs an index on (created_at), or one that is partial with `among`. */
  table: string
  among: (now: Date) => Sql
  /** Looked up for each row (hasRow): a join might read all of the other table. */
  hasEnded: Sql
}

/** One transaction; `more` asks for another round. */
export type WorkRound = (tx: Tx) => Promise<{ more: boolean }>

/** The pause between two rounds. */
export const pauseMs = 10

/** Each round is one batch of one deletion; the next begins when a batch was not full, in the order of the list. */
export function deletionRounds(size: number, deletions: readonly (Deletion | Walk)[]): WorkRound {
  const batches = deletions.map((one) => (typeof one === 'function' ? deleting(one, size) : walking(one)))
  let step = 0
  return async (tx) => {
    const isFull = await batches[step]!(tx)
    if (!isFull) step = (step + 1) % batches.length
    return { more: isFull || step > 0 }
  }
}

/** The columns that identify a row of a table, and their types. */
export type RowKey = Record<string, string>

type Expiry = {
  table: string
  key: RowKey
  /** It has an index on (created_at). */
  hasEnded: (now: Date) => Sql
}

/** Deletes what has ended in a table of all stores, the oldest first. */
export function expiryRounds(size: number, { table, key, hasEnded }: Expiry): WorkRound {
  return async (tx) => {
    const old = await tx.rows<Record<string, unknown>>(sql`
      select ${raw(Object.keys(key).join(', '))}
      from ${raw(table)}
      where ${hasEnded(tx.now)}
        and ${inReach('store_id')}
      order by created_at
      limit ${raw(String(size))}`)
    deleteRows(tx, table, key, old)
    return { more: old.length === size }
  }
}

/** Deletes rows that were found before, of any store, by their keys. */
export function deleteRows(tx: Tx, table: string, key: RowKey, rows: readonly Record<string, unknown>[]): void {
  if (rows.length === 0) return
  const names = Object.keys(key)
  const arrays = names.map((name) => sql`${rows.map((row) => row[name])}::${raw(key[name]!)}[]`)
  tx.later(sql`
    delete from ${raw(table)}
    using unnest(${join(arrays, ', ')}) as old (${raw(names.join(', '))})
    where ${raw(names.map((name) => `${table}.${name} = old.${name}`).join('\n      and '))}
      and ${inReach(`${table}.store_id`)}`)
}

/** Answers whether there may be more to delete now. */
type Batch = (tx: Tx) => Promise<boolean>

function deleting(deletion: Deletion, size: number): Batch {
  return async (tx) => (await tx.rows(deletion(tx.now, size))).length === size
}

const walkSize = 1000
const beginning = { created_at: new Date(0), id: '' }

/** A round that deleted nothing is the last; the next run continues there, and starts over after the last row. */
function walking({ table, among, hasEnded }: Walk): Batch {
  let after = beginning
  return async (tx) => {
    const seen = await tx.rows<typeof beginning & { has_ended: boolean }>(sql`
      select id, created_at, ${hasEnded} as has_ended
      from ${raw(table)}
      where ${among(tx.now)}
        and created_at >= ${after.created_at}
        and (created_at, id) > (${after.created_at}, ${after.id})
      order by created_at, id
      limit ${raw(String(walkSize))}`)
    after = seen.length === walkSize ? seen.at(-1)! : beginning
    const ended = seen.filter(({ has_ended }) => has_ended).map(({ id }) => id)
    if (ended.length === 0) return false
    const gone = await tx.rows(sql`
      delete from ${raw(table)}
      where id = any(array(
        select id
        from ${raw(table)}
        where id = any(${ended})
          and ${hasEnded}
        for update skip locked))
      returning id`)
    return after !== beginning && gone.length > 0
  }
}

/** Runs rounds until none is left, and returns the duration of the longest. */
export async function runRounds(db: Database, round: WorkRound): Promise<{ longestMs: number }> {
  let longestMs = 0
  for (;;) {
    const startedAt = performance.now()
    const { more } = await db.transaction(round)
    longestMs = Math.max(longestMs, performance.now() - startedAt)
    if (!more) return { longestMs }
    await sleep(pauseMs)
  }
}
