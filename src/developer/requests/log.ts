// The log of requests is written beside them: rows wait in memory and go to the database together, about once a second.
// Rows beyond the limit, while the database is slow or away, are dropped and counted.
import { Counter } from 'prom-client'
import type { Database, Tx } from '../../kit/database/database.ts'
import { hasNoPartition, isDatabaseAway } from '../../kit/database/errors.ts'
import { join, raw, sql } from '../../kit/database/sql.ts'
import type { Log } from '../../platform/process/log.ts'
import { metrics } from '../../platform/process/metrics.ts'
import { makeDays } from './days.ts'

export type RequestLog = {
  /** Costs the request one object and nothing else. */
  add(row: RequestRow): void
  /** Writes periodically from now on. */
  start(): void
  /** Writes the waiting rows. */
  flush(): Promise<void>
  /** Writes the waiting rows if it can, and accepts no more. */
  close(): Promise<void>
}

/** The columns of a row and their types, in the order in which they are sent. */
const columns = {
  store_id: 'text',
  id: 'uuid',
  request_id: 'text',
  method: 'text',
  route: 'text',
  path: 'text',
  query: 'text',
  credential: 'text',
  status: 'smallint',
  code: 'text',
  error: 'json',
  duration_ms: 'numeric',
  bytes_in: 'int',
  bytes_out: 'int',
  request_body: 'json',
  answer_body: 'json',
  trace: 'json',
  is_rehearsal: 'boolean',
  tool: 'text',
  agent: 'text',
  created_at: 'timestamptz',
} as const

type LogColumn = keyof typeof columns
type LogCell = {
  text: string
  uuid: string
  json: string
  smallint: number
  numeric: number
  int: number
  timestamptz: Date
  boolean: boolean
}
type Nullable = 'query' | 'tool' | 'agent' | 'credential' | 'code' | 'error' | 'request_body' | 'answer_body' | 'trace'

export type RequestRow = {
  [K in LogColumn]: LogCell[(typeof columns)[K]] | (K extends Nullable ? null : never)
}

const everyMs = 1000
const maxBatch = 1000
/** About 20 MB with bodies. */
const maxWaiting = 10_000

const droppedCounter = new Counter({
  name: 'requests_unlogged_total',
  help: 'Requests missing from the request log because it was overloaded or the database was unreachable',
  registers: [metrics],
})

export function openRequestLog({ db, log }: { db: Database; log: Log }): RequestLog {
  const waiting: RequestRow[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let isClosed = false

  const write = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch)
      try {
        droppedCounter.inc(batch.length - (await insert(db, batch)))
      } catch (error) {
        // Rows that fit are retried in a second.
        if (isDatabaseAway(error)) return
        droppedCounter.inc(batch.length)
        log.error({ err: error, requests: batch.length }, 'requests could not be logged')
      }
      waiting.splice(0, batch.length)
    }
  }
  const flush = () =>
    (writing ??= write().finally(() => {
      writing = undefined
    }))
  return {
    add(row) {
      if (isClosed || waiting.length >= maxWaiting) return droppedCounter.inc()
      waiting.push(row)
      if (timer && waiting.length === maxBatch) void flush()
    },
    start() {
      timer = setInterval(() => void flush(), everyMs).unref()
    },
    flush,
    async close() {
      clearInterval(timer)
      isClosed = true
      await flush()
      droppedCounter.inc(waiting.length)
    },
  }
}

/** Returns the number of written rows. A job creates the days ahead; the very first requests come before it. */
async function insert(db: Database, rows: readonly RequestRow[]): Promise<number> {
  const write = async (some: readonly RequestRow[]) => {
    await db.transaction(async (tx) => insertRows(tx, some))
    return some.length
  }
  try {
    return await write(rows)
  } catch (error) {
    if (!hasNoPartition(error)) throw error
    // After a machine slept, some rows may belong to a day whose partition is gone.
    const since = await db.transaction(makeDays)
    return write(rows.filter(({ created_at }) => created_at >= since))
  }
}

/**
 * A list of each column: PostgreSQL reads them in half the time that records take it. Rows of a batch whose outcome
 * was never heard may be there.
 */
function insertRows(tx: Tx, rows: readonly RequestRow[]): void {
  const names = Object.keys(columns) as LogColumn[]
  const lists = names.map((name) => sql`${rows.map((row) => row[name])}::${raw(columns[name])}[]`)
  // A crash of PostgreSQL may take the log of its last moments.
  tx.later(sql`set local synchronous_commit = off`)
  tx.later(sql`
    insert into requests (${raw(names.join(', '))})
    select * from unnest(${join(lists, ', ')})
    on conflict do nothing`)
}
