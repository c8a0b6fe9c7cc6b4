// The health of a receiver, from what its deliveries come to: twenty failures in a row over ten minutes pause it, over
// a day disable it, 410 disables it at once; one success ends a pause, a test that succeeds enables it again.
import { byStore } from '../../../kit/database/bystore.ts'
import type { Database, Tx } from '../../../kit/database/database.ts'
import { inReach, raw, records, sql, type Sql } from '../../../kit/database/sql.ts'
import type { Attempt } from './delivery.ts'

export type WebhookState = 'active' | 'paused' | 'disabled'

/** The health of one webhook after its attempts were counted. */
export type Health = {
  store_id: string
  webhook_id: string
  state: WebhookState
  /** Exhausted deliveries since the last success, and when the first of them was. */
  consecutive_failures: number
  failing_since: Date | null
  turned: HealthTally['turned']
}

const minFailures = 20
const pausedAfterMs = 10 * 60_000
const disabledAfterMs = 24 * 3_600_000
const probeEveryMs = 60_000

export function nextState(health: Omit<Health, 'store_id' | 'webhook_id'>, now: Date): WebhookState {
  const { state, turned, consecutive_failures: failures, failing_since } = health
  if (turned) return turned === 'gone' ? 'disabled' : 'active'
  if (state === 'disabled') return 'disabled'
  if (failures === 0 || failing_since === null) return 'active'
  const failingMs = now.getTime() - failing_since.getTime()
  if (failures >= minFailures && failingMs >= disabledAfterMs) return 'disabled'
  if (failures >= minFailures && failingMs >= pausedAfterMs) return 'paused'
  return state
}

/** The effect of some attempts on the health of one webhook. */
export type HealthTally = {
  store_id: string
  webhook_id: string
  /** There was a success: `failures` counts from it. */
  reset: boolean
  failures: number
  first_failure_at: Date | null
  last_delivery_at: Date | null
  last_delivery_status: string | null
  /** It answered 410, or a test succeeded: the last of the two. */
  turned: 'gone' | 'enabled' | null
  /** All attempts delivered events: nothing new after an earlier success. */
  isPlain: boolean
}

/** Deliveries that will be retried change nothing. */
export function tally(attempts: readonly Attempt[]): HealthTally[] {
  return [...Map.groupBy(attempts, ({ webhook_id }) => webhook_id).values()].map((own) => {
    const { store_id, webhook_id } = own[0]!
    const attempts = own.filter(({ completed_at }) => completed_at)
    const last = attempts.at(-1)
    const lastSuccess = attempts.findLastIndex(isRecovery)
    const failures = attempts.slice(lastSuccess + 1).filter(isFailure)
    const turning = attempts.findLast((attempt) => isEnabling(attempt) || isGone(attempt))
    return {
      store_id,
      webhook_id,
      reset: lastSuccess >= 0,
      failures: failures.length,
      first_failure_at: failures[0]?.completed_at ?? null,
      last_delivery_at: last?.completed_at ?? null,
      last_delivery_status: last?.status ?? null,
      turned: turning ? (isGone(turning) ? 'gone' : 'enabled') : null,
      isPlain: attempts.every(({ trigger, status }) => trigger === 'event' && status === 'delivered'),
    }
  })
}

// Manual deliveries never count, but a successful test is a recovery.
const counts = ({ trigger }: Attempt) => trigger === 'event' || trigger === 'recovery'
const isEnabling = ({ trigger, status }: Attempt) => trigger === 'test' && status === 'delivered'
const isRecovery = (attempt: Attempt) => isEnabling(attempt) || (counts(attempt) && attempt.status === 'delivered')
const isFailure = (attempt: Attempt) => counts(attempt) && attempt.status === 'failed'
const isGone = (attempt: Attempt) => counts(attempt) && attempt.status_code === 410

// prettier-ignore
const changeColumns = {
  webhook_id: 'uuid', reset: 'boolean', failures: 'int', first_failure_at: 'timestamptz',
  last_delivery_at: 'timestamptz', last_delivery_status: 'text', turned: 'text',
}

/** The first update of a store: counts. Returns `Health`. */
export function moveHealth(storeId: string, changes: readonly HealthTally[]): Sql {
  return sql`
    with changes as (
      select changes.*
      from ${records('changes', changeColumns, changes)}
      join webhook_health as health on health.store_id = ${storeId} and health.webhook_id = changes.webhook_id
      order by changes.webhook_id
      for update of health
    )
    update webhook_health as health
    set consecutive_failures = changes.failures + case when reset then 0 else health.consecutive_failures end,
      failing_since = coalesce(case when reset then null else health.failing_since end, changes.first_failure_at),
      last_delivery_at = coalesce(changes.last_delivery_at, health.last_delivery_at),
      last_delivery_status = coalesce(changes.last_delivery_status, health.last_delivery_status)
    from changes
    join webhooks on webhooks.store_id = ${storeId} and webhooks.id = changes.webhook_id
    where health.store_id = ${storeId}
      and health.webhook_id = changes.webhook_id
    returning health.store_id, health.webhook_id, health.consecutive_failures, health.failing_since, changes.turned,
      case when not webhooks.is_active then 'disabled'
           when webhooks.paused_at is not null then 'paused'
           else 'active' end as state`
}

/** Writes the state where it changed. If a crash prevents that, the next attempt does it. */
export async function changeStates(db: Database, receivers: readonly Health[]): Promise<Map<string, WebhookState>> {
  const now = db.clock.now()
  const changes = receivers
    .map((health) => ({ health, state: nextState(health, now) }))
    .filter(({ health, state }) => state !== health.state)
  if (changes.length > 0) {
    await db.transaction(async (tx) => changes.forEach(({ health, state }) => changeState(tx, health, state)))
  }
  return new Map(changes.map(({ health, state }) => [health.webhook_id, state]))
}

/** The second update. Held deliveries are not touched: they wait, and go when the webhook is active. */
function changeState(tx: Tx, { store_id, webhook_id, turned }: Health, state: WebhookState): void {
  const reason = turned === 'gone' ? 'gone' : 'failing'
  const changes: Record<WebhookState, Sql> = {
    active: sql`is_active = true, paused_at = null, disabled_at = null, disabled_reason = null`,
    paused: sql`paused_at = ${tx.now}`,
    disabled: sql`is_active = false, paused_at = null, disabled_at = ${tx.now}, disabled_reason = ${reason}`,
  }
  tx.later(sql`
    update webhooks
    set ${changes[state]}, updated_at = ${tx.now}
    where store_id = ${store_id}
      and id = ${webhook_id}
      and ${raw(state === 'active' ? `disabled_reason is distinct from 'access_revoked'` : 'is_active')}`)
  tx.later(sql`
    update webhook_health
    set probe_at = ${state === 'paused' ? new Date(tx.now.getTime() + probeEveryMs) : null}
    where store_id = ${store_id}
      and webhook_id = ${webhook_id}`)
}

/** Tries the oldest delivery of a paused webhook each minute; urgent ones are not held. */
export async function probePaused(db: Database): Promise<void> {
  const due = await db.rows<{ store_id: string }>(sql`
    select store_id
    from webhook_health
    where probe_at <= ${db.clock.now()}
      and ${inReach('store_id')}`)
  if (due.length === 0) return
  await db.transaction((tx) => Promise.all(byStore(due).map(([storeId]) => probe(tx, storeId))))
}

async function probe(tx: Tx, storeId: string): Promise<void> {
  const due = await tx.rows<{ webhook_id: string }>(sql`
    select webhook_id
    from webhook_health
    where store_id = ${storeId}
      and probe_at <= ${tx.now}
    order by webhook_id
    for update skip locked`)
  const isDue = sql`webhook_health.store_id = ${storeId}
      and webhook_health.webhook_id = any(${due.map(({ webhook_id }) => webhook_id)}::uuid[])`
  tx.later(sql`
    update webhook_health
    set probe_at = ${new Date(tx.now.getTime() + probeEveryMs)}
    where ${isDue}`)
  tx.later(sql`
    update deliveries
    set urgent = true
    from webhook_health
    cross join lateral (
      select id
      from deliveries
      where store_id = ${storeId}
        and webhook_id = webhook_health.webhook_id
        and status = 'pending'
        and not urgent
      order by run_at
      limit 1) as oldest
    where ${isDue}
      and deliveries.store_id = ${storeId}
      and deliveries.webhook_id = webhook_health.webhook_id
      and deliveries.id = oldest.id`)
}
