// Deleting much without holding anything long: small statements, each in its own transaction, with a breath between.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './database.ts'
import type { Sql } from './sql.ts'

export type Batches = { deleted: number; longestMs: number }

const pauseMs = 10

/** `batch` deletes at most `size` rows and returns one row for each; the first that finds fewer is the last. */
export async function inBatches(db: Database, size: number, batch: (size: number) => Sql): Promise<Batches> {
  const done = { deleted: 0, longestMs: 0 }
  for (;;) {
    const startedAt = performance.now()
    const rows = await db.transaction((tx) => tx.rows(batch(size)))
    done.deleted += rows.length
    done.longestMs = Math.max(done.longestMs, performance.now() - startedAt)
    if (rows.length < size) return done
    await sleep(pauseMs)
  }
}
