// One time for all nodes: that of the database server. A node whose own clock is off, or is set while it runs, takes
// over nothing that others have claimed, and claims nothing for longer than it means to.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { systemClock, type Clock } from '../../kit/values/clock.ts'
import type { Log } from '../process/log.ts'
import { faultOfClock } from './suitability.ts'

type SharedClock = Clock & {
  /** Adjusts the clock, now and every ten seconds from then on. Between them it goes on by elapsed time. */
  follow(db: Pick<Db, 'one'>): Promise<void>
  adjust(db: Pick<Db, 'one'>): Promise<void>
  close(): void
}

const everyMs = 10_000
/** Claims last for seconds: smaller differences do no harm. */
const toleranceMs = 100

export function openSharedClock(log: Log, machine: Clock = systemClock): SharedClock {
  let startMs = machine.now().getTime() - machine.elapsedMs()
  let fault: string | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const nowMs = () => startMs + machine.elapsedMs()

  async function adjust(db: Pick<Db, 'one'>) {
    const earliest = nowMs()
    const row = await db.one<{ now: Date }>(sql`select clock_timestamp() as now`)
    const latest = nowMs()
    // The server read its clock between these two.
    const serverMs = row!.now.getTime()
    if (serverMs < earliest - toleranceMs) startMs += serverMs - earliest
    if (serverMs > latest + toleranceMs) startMs += serverMs - latest
    report(faultOfClock((machine.now().getTime() - nowMs()) / 1000))
  }
  function report(current: string | null) {
    if (current && !fault) log.warn(current)
    if (!current && fault) log.info("the clock of this machine agrees with the database server's again")
    fault = current
  }
  async function follow(db: Pick<Db, 'one'>) {
    await adjust(db).catch(() => {})
    if (!isClosed) timer = setTimeout(() => void follow(db), everyMs).unref()
  }
  return {
    now: () => new Date(nowMs()),
    elapsedMs: () => machine.elapsedMs(),
    adjust,
    follow,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
