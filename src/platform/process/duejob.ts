// A job that works on due rows: it claims a batch, commits, and then works outside any transaction.
import { claimFrom, type DueQueue } from '../../kit/database/due.ts'
import type { Database } from '../../kit/database/database.ts'
import { causeOfJob } from '../../kit/values/cause.ts'
import type { JobWork } from './jobs.ts'
import type { Log } from './log.ts'

type DueJob<Row> = {
  name: string
  size: number
  queue: DueQueue
  /** If the work fails, the row is due again when its claim ends, and other rows go on. */
  work: (db: Database, row: Row) => Promise<unknown>
}

export function dueJob<Row extends object>({ db, log }: { db: Database; log: Log }, due: DueJob<Row>): JobWork {
  const { name, size, queue, work } = due
  const claim = claimFrom<Row>(queue)
  const ofJob = db.because(causeOfJob(name))
  const tryRow = (row: Row) =>
    work(ofJob, row).catch((error: unknown) => log.error({ err: error, job: name, row }, 'scheduled work failed'))
  return {
    name,
    due: [queue],
    async run(tx) {
      const rows = await claim(tx, size)
      return { more: rows.length === size, afterwards: () => Promise.all(rows.map(tryRow)) }
    },
  }
}
