// Writes finished attempts down in small batches: one statement moves deliveries, log and the receivers' health.
import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway, type Database } from '../kit/database.ts'
import { sql } from '../kit/sql.ts'
import type { Log } from '../platform/log.ts'
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
const batchMs = 3
const retryMs = 250

/** `onWritten` gets what is in the database now, and the webhooks whose state changed with it. */
export function completer({ db, me, log, onWritten }: {
  db: Database
  me: number
  log: Log
  onWritten: (batch: Done[], changed: Map<string, State>) => void
}): Completer {
  const waiting: Done[] = []
  const closing = new AbortController()
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  const write = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maximumBatch)
      onWritten(batch, await writeDown({ db, me, log, closing: closing.signal }, batch))
    }
    writing = undefined
  }
  const begin = () => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length > 0) writing ??= write()
  }
  return {
    add(done) {
      if (closing.signal.aborted) return
      waiting.push(done)
      if (waiting.length >= maximumBatch) begin()
      else if (!writing) timer ??= setTimeout(begin, batchMs)
    },
    async drained() {
      begin()
      await writing
    },
    close() {
      closing.abort()
      waiting.length = 0
    },
  }
}

/** Again until it succeeds: while the database is away, so are the claims, so that no more can come to wait. */
async function writeDown(desk: Desk, batch: Done[]): Promise<Map<string, State>> {
  while (!desk.closing.aborted) {
    try {
      return await changeStates(desk.db, await desk.db.rows<Touched>(statement(desk.me, batch, tally(batch))))
    } catch (error) {
      if (isWorthRepeating(error)) await sleep(retryMs)
      else return await writeOneByOne(desk, batch, error)
    }
  }
  return new Map()
}

type Desk = { db: Database; me: number; log: Log; closing: AbortSignal }

/** One row that cannot be written does not hold up the others. Its claim ends by itself; the twentieth is the last. */
async function writeOneByOne(desk: Desk, batch: Done[], error: unknown): Promise<Map<string, State>> {
  const [first, ...others] = batch
  if (others.length === 0) {
    desk.log.error({ err: error, delivery: first!.id }, 'an attempt could not be written down')
    return new Map()
  }
  const changed = new Map<string, State>()
  for (const done of batch) (await writeDown(desk, [done])).forEach((state, id) => changed.set(id, state))
  return changed
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

// A row that another process took over meanwhile (claimed_by) or finished (attempts) stays as it is.
function statement(me: number, batch: Done[], tallies: Tally[]) {
  return sql`
    with done as (
      select done.*, own.place
      from json_to_recordset(${JSON.stringify(batch)}::json) as done (
        store_id text, id uuid, webhook_id uuid, before int, status text, attempts int, tries int, urgent boolean,
        run_at timestamptz, completed_at timestamptz, status_code int, error text, at timestamptz, duration_ms int,
        url text, signature text, message text, response_body text, truncated boolean)
      cross join lateral (
        select ctid as place
        from deliveries
        where store_id = done.store_id
          and id = done.id
          and status = 'pending'
          and attempts = done.before
          and (claimed_by = ${me} or claimed_by is null)
        limit 1) as own
    ), finished as (
      update deliveries
      set status = done.status, attempts = done.attempts, tries = done.tries, urgent = done.urgent,
        run_at = done.run_at, completed_at = done.completed_at,
        status_code = case when done.at is null then deliveries.status_code else done.status_code end,
        error = case when done.at is null then coalesce(done.error, deliveries.error) else done.error end,
        claims = case when done.at is null then deliveries.claims else 0 end, claimed_by = null
      from done
      where deliveries.ctid = done.place
      returning done.*
    ), logged as (
      insert into attempts (store_id, delivery_id, attempt, at, duration_ms, url, signature, status_code, error,
        message, response_body, truncated)
      select store_id, id, attempts, at, duration_ms, url, signature, status_code, error,
        message, response_body, truncated
      from finished
      where at is not null
    ), tallies as (
      select * from json_to_recordset(${JSON.stringify(tallies)}::json) as tallies (
        store_id text, webhook_id uuid, reset boolean, failures int, first_failure_at timestamptz,
        last_delivery_at timestamptz, last_delivery_status text, turned text)
      where webhook_id in (select webhook_id from finished)
    ), locked as (
      -- In one order everywhere: batches of several processes may have the same webhooks.
      select tallies.*
      from tallies
      join webhook_health as health on health.store_id = tallies.store_id and health.webhook_id = tallies.webhook_id
      order by tallies.webhook_id
      for update of health
    ), moved as (
      update webhook_health
      set consecutive_failures = locked.failures + case when reset then 0 else webhook_health.consecutive_failures end,
        failing_since =
          coalesce(case when reset then null else webhook_health.failing_since end, locked.first_failure_at),
        last_delivery_at = locked.last_delivery_at, last_delivery_status = locked.last_delivery_status
      from locked
      where webhook_health.store_id = locked.store_id
        and webhook_health.webhook_id = locked.webhook_id
      returning webhook_health.store_id, webhook_health.webhook_id, webhook_health.consecutive_failures,
        webhook_health.failing_since, locked.turned
    )
    select moved.*,
      case when not webhooks.is_active then 'disabled'
           when webhooks.paused_at is not null then 'paused'
           else 'active' end as state
    from moved
    join webhooks on webhooks.store_id = moved.store_id and webhooks.id = moved.webhook_id`
}
