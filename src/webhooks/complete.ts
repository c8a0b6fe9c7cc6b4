// Writes finished attempts down in small batches: one statement moves deliveries, log and the receivers' health.
import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway } from '../kit/database/errors.ts'
import type { Database } from '../kit/database/database.ts'
import { records, sql } from '../kit/database/sql.ts'
import type { Log } from '../platform/process/log.ts'
import { keepAttempts, overwritten } from './attempts.ts'
import type { Done } from './deliver.ts'
import { nextState, tally, type State, type Tally } from './health.ts'
import { changeState } from './states.ts'

export type Completer = {
  add(done: Done): void
  /** Resolves when everything that was added is written. */
  drained(): Promise<void>
  /** What is added or tried afterwards is dropped. */
  close(): void
}

const maximumBatch = 200
const batchMs = 10
const retryMs = 250

/**
 * `finishedBy`: the receivers that need not be this worker's any longer once a batch is written, with their last claim.
 * `onWritten` gets what is in the database now, and the webhooks whose state changed with it.
 */
export function completer({
  db,
  me,
  log,
  finishedBy,
  onWritten,
}: {
  db: Database
  me: number
  log: Log
  finishedBy: (batch: readonly Done[]) => Map<string, number>
  onWritten: (batch: Done[], changed: Map<string, State>) => void
}): Completer {
  const waiting: Done[] = []
  const closing = new AbortController()
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isHurried = false

  const desk = { db, me, log, finishedBy, onWritten, closing: closing.signal }
  const write = async () => {
    do await writeDown(desk, waiting.splice(0, maximumBatch))
    while (waiting.length >= maximumBatch || (isHurried && waiting.length > 0))
    writing = undefined
    wait()
  }
  const begin = () => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length > 0) writing ??= write()
  }
  const wait = () => {
    if (waiting.length > 0) timer ??= setTimeout(begin, batchMs)
  }
  return {
    add(done) {
      if (closing.signal.aborted) return
      waiting.push(done)
      if (waiting.length >= maximumBatch) begin()
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

type Desk = Pick<Parameters<typeof completer>[0], 'db' | 'me' | 'log' | 'finishedBy' | 'onWritten'> & {
  closing: AbortSignal
}

/** Again until it succeeds: while the database is away, so are the claims, so that no more can come to wait. */
async function writeDown(desk: Desk, batch: Done[]): Promise<void> {
  const { db, me, closing, finishedBy, onWritten } = desk
  while (!closing.aborted) {
    try {
      const changes = changesOf(batch, finishedBy(batch))
      return onWritten(batch, await changeStates(db, await db.rows<Touched>(statement(me, batch, changes))))
    } catch (error) {
      if (isWorthRepeating(error)) await sleep(retryMs)
      else return await writeOneByOne(desk, batch, error)
    }
  }
}

/** One row that cannot be written does not hold up the others. It stays known, so that it is not sent again. */
async function writeOneByOne(desk: Desk, batch: Done[], error: unknown): Promise<void> {
  if (batch.length > 1) for (const done of batch) await writeDown(desk, [done])
  else desk.log.error({ err: error, delivery: batch[0]!.id }, 'an attempt could not be written down')
}

function isWorthRepeating(error: unknown): boolean {
  return isDatabaseAway(error) || ((error as { code?: string }).code ?? '').startsWith('40')
}

/** What a crash leaves undone here, the next batch of the same webhook does. */
async function changeStates(db: Database, touched: Touched[]): Promise<Map<string, State>> {
  const now = db.clock.now()
  const changed = touched.filter((row) => stateAfter(row, now) !== row.state)
  if (changed.length === 0) return new Map()
  await db.transaction(async (tx) => {
    for (const row of changed) changeState(tx, row, stateAfter(row, now), row.turned === 'gone' ? 'gone' : 'failing')
  })
  return new Map(changed.map((row) => [row.webhook_id, stateAfter(row, now)]))
}

type Touched = {
  store_id: string
  webhook_id: string
  state: State
  consecutive_failures: number
  failing_since: Date | null
  turned: Tally['turned']
}

function stateAfter({ state, consecutive_failures, failing_since, turned }: Touched, now: Date): State {
  if (turned === 'gone') return 'disabled'
  if (turned === 'enabled') return 'active'
  return nextState({ state, failures: consecutive_failures, failingSince: failing_since }, now)
}

type Change = Tally & { finished_claim: number | null }

function changesOf(batch: readonly Done[], finished: Map<string, number>): Change[] {
  return tally(batch)
    .map((own) => ({ ...own, finished_claim: finished.get(own.webhook_id) ?? null }))
    .filter((own) => own.last_delivery_at !== null || own.finished_claim !== null)
}

const doneColumns = {
  store_id: 'text',
  webhook_id: 'uuid',
  id: 'uuid',
  before: 'int',
  status: 'text',
  attempts: 'int',
  tries: 'int',
  crashes: 'int',
  urgent: 'boolean',
  run_at: 'timestamptz',
  completed_at: 'timestamptz',
  at: 'timestamptz',
  duration_ms: 'int',
  url: 'text',
  signature: 'text',
  status_code: 'int',
  error: 'text',
  message: 'text',
  response_body: 'text',
  truncated: 'boolean',
}

const changeColumns = {
  store_id: 'text',
  webhook_id: 'uuid',
  reset: 'boolean',
  failures: 'int',
  first_failure_at: 'timestamptz',
  last_delivery_at: 'timestamptz',
  last_delivery_status: 'text',
  turned: 'text',
  finished_claim: 'int',
}

// A row that another process has finished meanwhile (attempts) stays as it is.
function statement(me: number, batch: Done[], changes: Change[]) {
  return sql`
    with done as (
      select done.*, own.place
      from ${records('done', doneColumns, batch)}
      cross join lateral (
        select ctid as place, status
        from deliveries
        where store_id = done.store_id
          and webhook_id = done.webhook_id
          and id = done.id
        limit 1) as own
      -- Here, not in the look-up, which the planner would make by the index of all that is pending.
      where own.status = 'pending'
    ), finished as (
      update deliveries
      set status = done.status, attempts = done.attempts, tries = done.tries, crashes = done.crashes,
        urgent = done.urgent, run_at = coalesce(done.run_at, deliveries.run_at), completed_at = done.completed_at,
        error = done.error, attempted_at = done.at, duration_ms = done.duration_ms, url = done.url,
        signature = done.signature, status_code = done.status_code, message = done.message,
        response_body = done.response_body, truncated = coalesce(done.truncated, false)
      from done
      where deliveries.ctid = done.place
        and deliveries.attempts = done.before
      returning done.webhook_id, ${overwritten}
    ), past as (
      ${keepAttempts('finished')}
    ), locked as (
      -- In one order everywhere: batches of several processes may have the same webhooks.
      select changes.*
      from ${records('changes', changeColumns, changes)}
      join webhook_health as health on health.store_id = changes.store_id and health.webhook_id = changes.webhook_id
      where changes.webhook_id in (select webhook_id from finished)
      order by changes.webhook_id
      for update of health
    ), moved as (
      update webhook_health as health
      set consecutive_failures = locked.failures + case when reset then 0 else health.consecutive_failures end,
        failing_since = coalesce(case when reset then null else health.failing_since end, locked.first_failure_at),
        last_delivery_at = coalesce(locked.last_delivery_at, health.last_delivery_at),
        last_delivery_status = coalesce(locked.last_delivery_status, health.last_delivery_status),
        -- Given back, unless it was claimed again meanwhile.
        claimed_by = case when claimed_by = ${me} and claim = locked.finished_claim then null else claimed_by end
      from locked
      where health.store_id = locked.store_id
        and health.webhook_id = locked.webhook_id
      returning health.store_id, health.webhook_id, health.consecutive_failures, health.failing_since, locked.turned
    )
    select moved.*,
      case when not webhooks.is_active then 'disabled'
           when webhooks.paused_at is not null then 'paused'
           else 'active' end as state
    from moved
    join webhooks on webhooks.store_id = moved.store_id and webhooks.id = moved.webhook_id`
}
