// One attempt at one delivery: checked against the plan, signed, sent, judged.
import { LRUCache } from 'lru-cache'
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { Clock } from '../../../kit/values/clock.ts'
import { publicId } from '../../../kit/values/ids.ts'
import type { Vault } from '../../../kit/values/secrets.ts'
import { hasAccess } from '../../../tenancy/events/appwebhooks.ts'
import { getEventFeature, type EventType } from '../events.ts'
import type { GuardedFetch, ExchangeResult } from '../../../platform/outbound/fetch.ts'
import type { Log } from '../../../platform/process/log.ts'
import { openSecret } from '../secrets.ts'
import { maxBodyLength } from './attempts.ts'
import { decide } from './verdict.ts'
import type { Attempt, ReceiverClaim, Delivery } from './delivery.ts'
import { attemptSeconds, blockedAttempts } from './metrics.ts'
import { signedHeaders } from '../../../platform/outbound/signature.ts'

export type DeliveryDeps = {
  clock: Clock
  /** The time for the receiver, which compares signatures with its own clock: not that of a fork. */
  signingClock?: Clock
  vault: Vault
  guardedFetch: GuardedFetch
  log: Log
}

const timeoutMs = 15_000
// A delivery that this many workers had without recording an attempt probably crashes them.
const maxCrashes = 20
const postponedMs = 60_000

export async function attempt(delivery: Delivery, claim: ReceiverClaim, deps: DeliveryDeps): Promise<Attempt> {
  const refusal = getSendRefusal(delivery, claim)
  if (refusal) return { ...base(delivery), ...refusal, completed_at: deps.clock.now() }
  const at = deps.clock.now()
  const body = delivery.body!
  const signedAt = (deps.signingClock ?? deps.clock).now()
  const headers = buildDeliveryHeaders(delivery, body, claim, signedAt, deps.vault)
  const outcome = await deps.guardedFetch.post(claim.url, { body, headers, lane: delivery.webhook_id, timeoutMs })
  observe(delivery, outcome, deps.log)
  return {
    ...base(delivery),
    ...toAttemptResult(outcome),
    ...stateAfter(delivery, outcome, deps.clock.now()),
    attempts: delivery.attempts + 1,
    tries: delivery.tries + 1,
    at,
    duration_ms: outcome.durationMs,
    url: claim.url,
    signature: headers['X-Webhook-Signature']!,
  }
}

/** After an internal error, which counts like a crash: retried in a minute, and eventually given up. */
export function postpone(delivery: Delivery, now: Date): Attempt {
  const run_at = new Date(now.getTime() + postponedMs)
  return { ...base(delivery), run_at, crashes: delivery.crashes + 1, urgent: delivery.urgent }
}

/** An app's access may have ended since the claim, so it is checked before each attempt. */
export async function mayBeSent(db: Db, { store_id, webhook_id, client_id }: ReceiverClaim): Promise<boolean> {
  if (client_id === null) return true
  const webhook = await db.one<{ events: EventType[] }>(sql`
    select events
    from webhooks
    where store_id = ${store_id}
      and id = ${webhook_id}
      and disabled_reason is distinct from 'access_revoked'`)
  return webhook !== undefined && hasAccess(db, { store_id, client_id, ...webhook })
}

export function withoutAccess(delivery: Delivery, now: Date): Attempt {
  return { ...base(delivery), status: 'skipped', error: 'access_revoked', completed_at: now }
}

/** The reason why nothing may be sent, otherwise null. The plan is the store's current one. */
function getSendRefusal({ event, crashes, body }: Delivery, { features }: ReceiverClaim) {
  const feature = getEventFeature(event)
  if (feature && !features.includes(feature)) return { status: 'skipped', error: 'skipped_plan' } as const
  if (crashes >= maxCrashes) return { status: 'failed', error: 'abandoned' } as const
  return body === null ? ({ status: 'failed', error: 'expired' } as const) : null
}

function buildDeliveryHeaders(
  delivery: Delivery,
  body: string,
  claim: ReceiverClaim,
  at: Date,
  vault: Vault,
): Record<string, string> {
  const { id, event, trigger, sequence } = delivery
  const signed = { id: publicId('dlv', id), event, body, sequence, timestamp: Math.floor(at.getTime() / 1000) }
  const previous = claim.previous_secret && openCachedSecret(claim, claim.previous_secret, vault)
  const headers = signedHeaders(signed, openCachedSecret(claim, claim.secret, vault), previous)
  return trigger === 'test' ? { ...headers, 'X-Webhook-Test': 'true' } : headers
}

function observe({ id }: Delivery, outcome: ExchangeResult, log: Log): void {
  attemptSeconds.observe(outcome.durationMs / 1000)
  if (outcome.ok) return
  if (outcome.error === 'BLOCKED_ADDRESS') blockedAttempts.inc()
  // Only the operator may see the resolved address.
  const { error, detail } = outcome
  log.debug({ delivery: publicId('dlv', id), error, detail }, 'a webhook could not be called')
}

function stateAfter({ tries }: Delivery, outcome: ExchangeResult, now: Date): Partial<Attempt> {
  const verdict = decide(tries + 1, outcome)
  if (verdict.status !== 'pending') return { status: verdict.status, completed_at: now }
  return { status: 'pending', run_at: new Date(now.getTime() + verdict.delayMs), urgent: true }
}

/** The receiver is untrusted: its answer is truncated, and characters that PostgreSQL cannot store are replaced. */
function toAttemptResult(outcome: ExchangeResult): Partial<Attempt> {
  if (!outcome.ok) return { error: outcome.error, message: outcome.message }
  const { status, body } = outcome
  return {
    status_code: status,
    response_body: body.slice(0, maxBodyLength).replaceAll('\0', '\ufffd').toWellFormed(),
    truncated: outcome.truncated || body.length > maxBodyLength,
  }
}

function base({ body: _body, ...delivery }: Delivery): Attempt {
  return { ...delivery, before: delivery.attempts, status: 'pending', crashes: 0, urgent: false }
}

const openSecrets = new LRUCache<string, string>({ max: 2000 })

function openCachedSecret({ store_id, webhook_id }: ReceiverClaim, ciphertext: string, vault: Vault): string {
  const secret = openSecrets.get(ciphertext) ?? openSecret(vault, store_id, webhook_id, ciphertext)
  openSecrets.set(ciphertext, secret)
  return secret
}
