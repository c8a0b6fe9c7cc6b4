// Deleting much without holding anything long: small statements, each in its own transaction, with a breath between.
// The one way in which jobs delete: a job is such rounds (platform/process/jobs.ts).
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Tx } from './database.ts'
import type { Sql } from './sql.ts'

/** Deletes at most `size` rows of what has ended by `now`, and returns one row for each. */
export type Deletion = (now: Date, size: number) => Sql

/** One transaction; `more`: there is work left for another. */
export type WorkRound = (tx: Tx) => Promise<{ more: boolean }>

/** Between two rounds. */
export const pauseMs = 10

/** Each round is one batch of one deletion; the next begins when a batch was not full, in the order of the list. */
export function deletionRounds(size: number, deletions: readonly Deletion[]): WorkRound {
  let step = 0
  return async (tx) => {
    const rows = await tx.rows(deletions[step]!(tx.now, size))
    const isFull = rows.length === size
    if (!isFull) step = (step + 1) % deletions.length
    return { more: isFull || step > 0 }
  }
}

/** Round after round, to the end; answers how long the longest took. */
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
