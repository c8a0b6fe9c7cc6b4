// Writes finished attempts down, up to 200 at once: short statements in one exchange move the rows, the log and the
// health of their receivers.
import { setTimeout as sleep } from 'node:timers/promises'
import { byStore } from '../../../kit/database/bystore.ts'
import type { Database } from '../../../kit/database/database.ts'
import { hasLostRace, isDatabaseAway } from '../../../kit/database/errors.ts'
import { runPipelined } from '../../../kit/database/pipelined.ts'
import { bindStore, inStoreOfAll, records, sql, type Sql } from '../../../kit/database/sql.ts'
import type { Log } from '../../../platform/process/log.ts'
import { keepAttempts } from './attempts.ts'
import type { ReceiverQueue } from './claim.ts'
import type { Attempt } from './delivery.ts'
import { changeStates, moveHealth, tally, type Health, type WebhookState } from './health.ts'

export type AttemptRecorder = {
  add(attempt: Attempt): void
  /** Resolves when everything that was added is written. */
  drained(): Promise<void>
  /** Drops attempts that are added or retried afterwards. */
  close(): void
}

type FinisherOptions = {
  db: Database
  log: Log
  /** True if a mere success changes the receiver's health. */
  isNotable: (place: ReceiverQueue) => boolean
  /** Called once they are stored, with the written health and the state of these webhooks. */
  onWritten: (attempts: readonly Attempt[], health: readonly Health[], states: Map<string, WebhookState>) => void
}

type Recording = FinisherOptions & {
  closing: AbortSignal
  /** Writes these later, and others meanwhile. */
  postpone: (attempts: readonly Attempt[]) => void
}

const maxBatch = 200
const batchMs = 10
const retryMs = 250
const awayMs = 5000

export function openAttemptRecorder(options: FinisherOptions): AttemptRecorder {
  const waiting: Attempt[] = []
  const closing = new AbortController()
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isHurried = false

  const add = (attempt: Attempt) => {
    if (closing.signal.aborted) return
    waiting.push(attempt)
    if (waiting.length >= maxBatch) begin()
    else if (!writing) wait()
  }
  const postpone = (attempts: readonly Attempt[]) => void setTimeout(() => attempts.forEach(add), awayMs).unref()
  const recording = { ...options, closing: closing.signal, postpone }
  const writeWhileMany = async () => {
    do await recordAttempts(recording, waiting.splice(0, maxBatch))
    while (waiting.length >= maxBatch || (isHurried && waiting.length > 0))
    writing = undefined
    wait()
  }
  const begin = () => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length > 0) writing ??= writeWhileMany()
  }
  const wait = () => {
    if (waiting.length > 0) timer ??= setTimeout(begin, batchMs)
  }
  return {
    add,
    async drained() {
      isHurried = true
      begin()
      await writing
      isHurried = false
    },
    close() {
      closing.abort()
      waiting.length = 0
    },
  }
}

/** Retries until it succeeds: while the database is down, no further claims can add work. */
async function recordAttempts(recording: Recording, attempts: Attempt[]): Promise<void> {
  while (!recording.closing.aborted) {
    try {
      const health = await finish(recording, attempts)
      return recording.onWritten(attempts, health, await changeStates(recording.db, health))
    } catch (error) {
      if (recording.db.isDistributed && isDatabaseAway(error)) return await recordByStore(recording, attempts)
      if (isDatabaseAway(error) || hasLostRace(error)) await sleep(retryMs)
      else return await recordOneByOne(recording, attempts, error)
    }
  }
}

/** A server that is away holds up its stores only. */
async function recordByStore(recording: Recording, attempts: Attempt[]): Promise<void> {
  const stores = byStore(attempts)
  if (stores.length === 1) recording.postpone(attempts)
  else for (const [, own] of stores) await recordAttempts(recording, own)
}

/** A row that cannot be written does not hold up the others. It stays known, so that it is not sent again. */
async function recordOneByOne(recording: Recording, attempts: Attempt[], error: unknown): Promise<void> {
  if (attempts.length > 1) for (const attempt of attempts) await recordAttempts(recording, [attempt])
  else recording.log.error({ err: error, delivery: attempts[0]!.id }, 'a delivery attempt could not be recorded')
}

/** Usually one statement, if all succeeded at once, as before. */
async function finish({ db, isNotable }: FinisherOptions, attempts: readonly Attempt[]): Promise<Health[]> {
  const changes = tally(attempts).filter((each) => each.last_delivery_at && (!each.isPlain || isNotable(each)))
  // Their rows have an earlier attempt, which goes to the log.
  const repeats = attempts.filter(({ tries, at }) => tries > (at ? 1 : 0))
  if (changes.length === 0 && repeats.length === 0) return await db.rows(moveDeliveries(attempts))
  return await runPipelined(db, async (tx) => {
    for (const [storeId, own] of byStore(repeats)) tx.later(keepAttempts(stillPending(storeId, own)))
    tx.later(moveDeliveries(attempts))
    const health = byStore(changes).map(([storeId, own]) => tx.rows<Health>(moveHealth(storeId, own)))
    return (await Promise.all(health)).flat()
  })
}

// prettier-ignore
const rowColumns = {
  store_id: 'text', webhook_id: 'uuid', id: 'uuid', before: 'int', status: 'text', attempts: 'int', tries: 'int',
  crashes: 'int', urgent: 'boolean', run_at: 'timestamptz', completed_at: 'timestamptz', at: 'timestamptz',
  duration_ms: 'int', url: 'text', signature: 'text', status_code: 'int', error: 'text', message: 'text',
  response_body: 'text', truncated: 'boolean',
}

// Leaves rows alone that another process finished. The test is on `completed_at`, because with the status the planner
// would search each row in the index of all pending deliveries.
const isStillPending = sql`
      deliveries.webhook_id = finished.webhook_id
      and deliveries.id = finished.id
      and deliveries.attempts = finished.before
      and deliveries.completed_at is null`

const { webhook_id, id, before } = rowColumns

function stillPending(storeId: string, attempts: readonly Attempt[]): Sql {
  return sql`${records('finished', { webhook_id, id, before }, attempts)}
    join deliveries on deliveries.store_id = ${storeId}
    where ${isStillPending}`
}

function moveDeliveries(attempts: readonly Attempt[]): Sql {
  return inStoreOfAll(
    attempts,
    sql`
    update deliveries
    set status = finished.status, attempts = finished.attempts, tries = finished.tries, crashes = finished.crashes,
      urgent = finished.urgent, run_at = coalesce(finished.run_at, deliveries.run_at),
      completed_at = finished.completed_at, error = finished.error, attempted_at = finished.at,
      duration_ms = finished.duration_ms, url = finished.url, signature = finished.signature,
      status_code = finished.status_code, message = finished.message,
      response_body = case when deliveries.is_masked then null else finished.response_body end,
      truncated = coalesce(finished.truncated, false)
    from ${records('finished', rowColumns, attempts)}
    where deliveries.store_id = ${bindStore('finished.store_id')}
      and ${isStillPending}`,
  )
}
