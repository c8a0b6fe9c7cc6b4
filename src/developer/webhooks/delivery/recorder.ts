// Writes finished attempts down, up to 200 at once: short statements in one exchange move the rows, the log and the
// health of their receivers.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../kit/database/database.ts'
import { hasLostRace, isDatabaseAway } from '../../../kit/database/errors.ts'
import { pipelined } from '../../../kit/database/pipelined.ts'
import { records, sql, type Sql } from '../../../kit/database/sql.ts'
import type { Log } from '../../../platform/process/log.ts'
import { keepAttempts } from './attempts.ts'
import type { ReceiverQueue } from './claim.ts'
import type { Attempt } from './delivery.ts'
import { changeStates, moveHealth, tally, type Health, type WebhookState } from './health.ts'

export type Finisher = {
  add(attempt: Attempt): void
  /** Resolves when everything that was added is written. */
  drained(): Promise<void>
  /** Drops attempts that are added or retried afterwards. */
  close(): void
}

type FinisherOptions = {
  db: Database
  me: number
  log: Log
  /** The claim to release once these attempts, the receiver's last, are recorded; null keeps it. */
  givenBackWith: (place: ReceiverQueue, attempts: readonly Attempt[]) => number | null
  /** They are in the database now, and the state of these webhooks has changed with them. */
  onWritten: (attempts: readonly Attempt[], changed: Map<string, WebhookState>) => void
}

const maxBatch = 200
const batchMs = 10
const retryMs = 250

export function openFinisher(options: FinisherOptions): Finisher {
  const waiting: Attempt[] = []
  const closing = new AbortController()
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isHurried = false

  const writeWhileMany = async () => {
    do await recordAttempts(options, waiting.splice(0, maxBatch), closing.signal)
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
    add(attempt) {
      if (closing.signal.aborted) return
      waiting.push(attempt)
      if (waiting.length >= maxBatch) begin()
      else if (!writing) wait()
    },
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

/** Again until it succeeds: while the database is away, so are the claims, so that no more can come to wait. */
async function recordAttempts(options: FinisherOptions, attempts: Attempt[], closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    try {
      const receivers = await finish(options, attempts)
      return options.onWritten(attempts, await changeStates(options.db, receivers))
    } catch (error) {
      if (isDatabaseAway(error) || hasLostRace(error)) await sleep(retryMs)
      else return await recordOneByOne(options, attempts, closing, error)
    }
  }
}

/** One row that cannot be written does not hold up the others. It stays known, so that it is not sent again. */
async function recordOneByOne(
  options: FinisherOptions,
  attempts: Attempt[],
  closing: AbortSignal,
  error: unknown,
): Promise<void> {
  if (attempts.length > 1) for (const attempt of attempts) await recordAttempts(options, [attempt], closing)
  else options.log.error({ err: error, delivery: attempts[0]!.id }, 'a delivery attempt could not be recorded')
}

function finish({ db, me, givenBackWith }: FinisherOptions, attempts: readonly Attempt[]): Promise<Health[]> {
  const byWebhook = Map.groupBy(attempts, ({ webhook_id }) => webhook_id)
  const changes = tally(attempts)
    .map((each) => ({ ...each, given_back: givenBackWith(each, byWebhook.get(each.webhook_id)!) }))
    .filter(({ last_delivery_at, given_back }) => last_delivery_at !== null || given_back !== null)
  // Their rows have an earlier attempt, which goes to the log.
  const repeated = attempts.filter(({ tries, at }) => tries > (at ? 1 : 0))
  return pipelined(db, async (tx) => {
    if (repeated.length > 0) tx.later(keepAttempts(stillPending(repeated)))
    tx.later(moveDeliveries(attempts))
    return changes.length > 0 ? tx.rows<Health>(moveHealth(me, changes)) : []
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
      deliveries.store_id = finished.store_id
      and deliveries.webhook_id = finished.webhook_id
      and deliveries.id = finished.id
      and deliveries.attempts = finished.before
      and deliveries.completed_at is null`

const { store_id, webhook_id, id, before } = rowColumns

function stillPending(attempts: readonly Attempt[]): Sql {
  return sql`${records('finished', { store_id, webhook_id, id, before }, attempts)}
    join deliveries on true
    where ${isStillPending}`
}

function moveDeliveries(attempts: readonly Attempt[]): Sql {
  return sql`
    update deliveries
    set status = finished.status, attempts = finished.attempts, tries = finished.tries, crashes = finished.crashes,
      urgent = finished.urgent, run_at = coalesce(finished.run_at, deliveries.run_at),
      completed_at = finished.completed_at, error = finished.error, attempted_at = finished.at,
      duration_ms = finished.duration_ms, url = finished.url, signature = finished.signature,
      status_code = finished.status_code, message = finished.message, response_body = finished.response_body,
      truncated = coalesce(finished.truncated, false)
    from ${records('finished', rowColumns, attempts)}
    where ${isStillPending}`
}
