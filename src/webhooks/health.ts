// The health of a receiver, from what its deliveries came to.
import type { Done } from './deliver.ts'

export type State = 'active' | 'paused' | 'disabled'

export type Health = {
  state: State
  /** Exhausted deliveries since the last success. */
  failures: number
  failingSince: Date | null
}

const leastFailures = 20
const pausedAfterMs = 10 * 60_000
const disabledAfterMs = 24 * 3_600_000

/** Twenty failures in a row over ten minutes pause it, over a day disable it; one success ends a pause. */
export function nextState({ state, failures, failingSince }: Health, now: Date): State {
  if (state === 'disabled') return 'disabled'
  if (failures === 0 || !failingSince) return 'active'
  const failingMs = now.getTime() - failingSince.getTime()
  if (failures >= leastFailures && failingMs >= disabledAfterMs) return 'disabled'
  return state === 'paused' || (failures >= leastFailures && failingMs >= pausedAfterMs) ? 'paused' : 'active'
}

/** What a batch of finished attempts does to the health of one webhook. */
export type Tally = {
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
}

/**
 * In the order of the webhooks' ids; what is still to be tried changes nothing. What a person asked for never counts,
 * but a test that succeeds enables.
 */
export function tally(batch: readonly Done[]): Tally[] {
  const tallies = new Map<string, Tally>()
  for (const done of batch) {
    const own = tallies.get(done.webhook_id) ?? none(done)
    tallies.set(done.webhook_id, own)
    if (!done.completed_at) continue
    own.last_delivery_at = done.completed_at
    own.last_delivery_status = done.status
    const isSuccess = done.status === 'delivered'
    const counts = done.trigger === 'event' || done.trigger === 'recovery'
    if (isSuccess && done.trigger === 'test') own.turned = 'enabled'
    if (counts && done.status_code === 410) own.turned = 'gone'
    if (isSuccess && (counts || done.trigger === 'test')) {
      Object.assign(own, { reset: true, failures: 0, first_failure_at: null })
    }
    if (counts && done.status === 'failed') {
      own.failures++
      own.first_failure_at ??= done.completed_at
    }
  }
  return [...tallies.values()].sort((a, b) => (a.webhook_id < b.webhook_id ? -1 : 1))
}

function none({ store_id, webhook_id }: Done): Tally {
  return {
    store_id,
    webhook_id,
    reset: false,
    failures: 0,
    first_failure_at: null,
    last_delivery_at: null,
    last_delivery_status: null,
    turned: null,
  }
}
