// A job that works on what is due: a batch is claimed and committed, and then worked on outside any transaction.
import { claimFrom, type DueQueue } from '../../kit/database/due.ts'
import type { Database } from '../../kit/database/database.ts'
import { causeOfJob } from '../../kit/values/cause.ts'
import type { JobWork } from './jobs.ts'
import type { Log } from './log.ts'

type DueJob<Row> = {
  name: string
  size: number
  queue: DueQueue
  /** A row whose work fails is due again when its claim ends, and holds up no other. */
  work: (db: Database, row: Row) => Promise<unknown>
}

export function dueJob<Row extends object>({ db, log }: { db: Database; log: Log }, due: DueJob<Row>): JobWork {
  const { name, size, queue, work } = due
  const claim = claimFrom<Row>(queue)
  const ofJob = db.because(causeOfJob(name))
  const tryRow = (row: Row) =>
    work(ofJob, row).catch((error: unknown) => log.error({ err: error, job: name, row }, 'work that was due failed'))
  return {
    name,
    async run(tx) {
      const rows = await claim(tx, size)
      return { more: rows.length === size, afterwards: () => Promise.all(rows.map(tryRow)) }
    },
  }
}
