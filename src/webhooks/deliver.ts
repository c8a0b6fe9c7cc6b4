// One attempt at one delivery: checked against the plan, signed, sent, judged.
import { publicId } from '../kit/values/ids.ts'
import type { Vault } from '../kit/values/secrets.ts'
import type { Clock } from '../kit/values/clock.ts'
import type { GuardedFetch, Outcome } from '../platform/outbound/fetch.ts'
import type { Log } from '../platform/process/log.ts'
import type { Claimed, Receiver } from './claim.ts'
import { decide } from './decide.ts'
import { attemptSeconds, blocked } from './metrics.ts'
import { openSecret } from './secrets.ts'
import { signedHeaders } from './signature.ts'
import { featureOfEvent } from './webhook.ts'

/** What is written down: the delivery's new state and, where `at` is set, the attempt. */
export type Done = {
  store_id: string
  id: string
  webhook_id: string
  event: string
  trigger: Claimed['trigger']
  /** The attempts that the delivery must have had, else somebody else has finished it meanwhile. */
  before: number
  status: 'pending' | 'delivered' | 'failed' | 'skipped'
  attempts: number
  tries: number
  crashes: number
  urgent: boolean
  /** While pending. */
  run_at?: Date
  completed_at?: Date
  status_code?: number
  error?: string
  at?: Date
  duration_ms?: number
  url?: string
  signature?: string
  message?: string
  response_body?: string
  truncated?: boolean
}

export type Means = { clock: Clock; vault: Vault; guardedFetch: GuardedFetch; log: Log }

const timeoutMs = 15_000
const maximumShown = 4096
// A row that so many workers may have had without an attempt being written down takes them down.
const maximumCrashes = 20
const postponedMs = 60_000

export async function deliver(claimed: Claimed, receiver: Receiver, means: Means): Promise<Done> {
  const { clock, vault, guardedFetch, log } = means
  const end = (status: 'skipped' | 'failed', error: string): Done => ({
    ...base(claimed, receiver),
    status,
    error,
    completed_at: clock.now(),
  })
  if (!isAllowed(claimed, receiver)) return end('skipped', 'skipped_plan')
  if (claimed.crashes >= maximumCrashes) return end('failed', 'abandoned')
  if (claimed.body === null) return end('failed', 'expired')
  const at = clock.now()
  const id = publicId('dlv', claimed.id)
  const signed = { id, event: claimed.event, body: claimed.body, timestamp: Math.floor(at.getTime() / 1000) }
  const { url, secret, previous_secret } = receiver
  const current = secretOf(receiver, secret, vault)
  const previous = previous_secret === null ? null : secretOf(receiver, previous_secret, vault)
  const headers = signedHeaders(signed, current, previous)
  if (claimed.trigger === 'test') headers['X-Webhook-Test'] = 'true'
  const outcome = await guardedFetch.post(url, { body: claimed.body, headers, lane: claimed.webhook_id, timeoutMs })
  attemptSeconds.observe(outcome.durationMs / 1000)
  if (!outcome.ok) {
    if (outcome.error === 'BLOCKED_ADDRESS') blocked.inc()
    // Only the operator reads which address it was.
    log.debug({ delivery: id, error: outcome.error, detail: outcome.detail }, 'a webhook could not be called')
  }
  return {
    ...after(claimed, receiver, outcome, clock.now()),
    at,
    duration_ms: outcome.durationMs,
    url,
    signature: headers['X-Webhook-Signature'],
  }
}

/** After a fault of ours, which counts like a crash: tried again in a minute, and given up after some. */
export function postponed(claimed: Claimed, receiver: Receiver, now: Date): Done {
  const run_at = new Date(now.getTime() + postponedMs)
  return { ...base(claimed, receiver), run_at, crashes: claimed.crashes + 1, urgent: claimed.urgent }
}

function after(claimed: Claimed, receiver: Receiver, outcome: Outcome, now: Date): Done {
  const tries = claimed.tries + 1
  const verdict = decide(tries, outcome)
  const answered = outcome.ok
    ? {
        status_code: outcome.status,
        response_body: shown(outcome.body),
        truncated: outcome.truncated || outcome.body.length > maximumShown,
      }
    : { error: outcome.error, message: outcome.message }
  return {
    ...base(claimed, receiver),
    ...answered,
    attempts: claimed.attempts + 1,
    tries,
    status: verdict.status,
    ...(verdict.status === 'pending'
      ? { run_at: new Date(now.getTime() + verdict.delayMs), urgent: true }
      : { completed_at: now }),
  }
}

function base({ id, webhook_id, event, trigger, attempts, tries }: Claimed, { store_id }: Receiver): Done {
  return {
    store_id,
    id,
    webhook_id,
    event,
    trigger,
    before: attempts,
    status: 'pending',
    attempts,
    tries,
    crashes: 0,
    urgent: false,
  }
}

/** Whether the store's plan has what the event needs, now. */
function isAllowed({ event }: Claimed, { features }: Receiver): boolean {
  const feature = featureOfEvent[event]
  return feature === undefined || features.includes(feature)
}

/** Data of a stranger: cut, and without what PostgreSQL's text cannot hold. */
function shown(body: string): string {
  return body.slice(0, maximumShown).replaceAll('\0', '\ufffd').toWellFormed()
}

const opened = new Map<string, string>()
const maximumOpened = 2000

function secretOf({ store_id, webhook_id }: Receiver, sealed: string, vault: Vault): string {
  const known = opened.get(sealed)
  if (known !== undefined) return known
  const secret = openSecret(vault, store_id, webhook_id, sealed)
  if (opened.size >= maximumOpened) opened.delete(opened.keys().next().value!)
  opened.set(sealed, secret)
  return secret
}
