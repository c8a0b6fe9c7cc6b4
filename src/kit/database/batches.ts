// Deletes many rows in small statements, each in its own transaction, with a pause between. All jobs that delete use
// it; platform/process/jobs.ts runs the rounds.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Tx } from './database.ts'
import type { Sql } from './sql.ts'

/** Deletes at most `size` rows that have ended by `now`, and returns one row for each. */
export type Deletion = (now: Date, size: number) => Sql

/** One transaction; `more` asks for another round. */
export type WorkRound = (tx: Tx) => Promise<{ more: boolean }>

/** The pause between two rounds. */
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
