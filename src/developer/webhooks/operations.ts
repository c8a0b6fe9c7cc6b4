import type { Tx } from '../../kit/database/database.ts'
import { conflict, notFound } from '../../kit/values/errors.ts'
import type { Create, Patch } from '../../kit/declare/field.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { remove } from '../../kit/declare/remove.ts'
import { assignments, insertInto, type RecordOf } from '../../kit/declare/resource.ts'
import { json, type WriteResult } from '../../kit/declare/route.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { sql } from '../../kit/database/sql.ts'
import { lockSubscriptions } from '../../tenancy/events/appwebhooks.ts'
import type { EventType } from './events.ts'
import { deliveriesQueued } from '../../tenancy/events/topics.ts'
import { countNew, moveCounters, requireRoom } from '../../tenancy/plans/plan.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { requireAccess } from './access.ts'
import { newSecretText, overlapHours, sealSecret } from './secrets.ts'
import { webhook } from './webhook.ts'

type Subscription = { url: string; events: string[] }
type NewWebhook = Create<typeof webhook.fields> & { secret?: string }
type WebhookPatch = Patch<typeof webhook.fields> & { secret?: string }

/** The answer, and the one to a rotation, are the only ones with the secret. */
export async function createWebhook(
  tx: Tx,
  store: Store,
  { secret, ...values }: NewWebhook,
  { vault, client = null }: { vault: Vault; client?: string | null },
): Promise<WriteResult<object>> {
  lockSubscriptions(tx, store.id)
  await requireAccess(tx, { store_id: store.id, client_id: client, events: values.events as EventType[] })
  await requireRoom(tx, store, 'webhooks')
  await rejectRepeatedUrl(tx, store.id, values)
  const id = newUuid()
  const text = secret ?? newSecretText()
  // Events that came before are not for it.
  tx.runWaiting()
  tx.later(
    insertInto(webhook, values, {
      store_id: store.id,
      id,
      client_id: client,
      ...sealedSecret(vault, store.id, id, text),
      disabled_at: values.is_active ? null : tx.now,
      disabled_reason: values.is_active ? null : 'manual',
      created_at: tx.now,
      updated_at: tx.now,
    }),
  )
  tx.later(sql`insert into webhook_health (store_id, webhook_id) values (${store.id}, ${id})`)
  countNew(tx, store, 'webhooks')
  return withSecret(await findRecord(tx, webhook, store.id, id), text)
}

/**
 * A changed url, or is_active set to true, resets the health and sends held deliveries. A new secret keeps the previous
 * one for its overlap.
 */
export async function updateWebhook(
  tx: Tx,
  store: Store,
  id: string,
  { secret, ...values }: WebhookPatch,
  { vault, requireEvents }: { vault: Vault; requireEvents: (events: EventType[]) => void },
): Promise<WriteResult<object>> {
  const before = await lockWebhook(tx, store.id, id)
  if (Object.keys(values).length === 0 && secret === undefined) return findRecord(tx, webhook, store.id, id)
  const events = (values.events ?? before.events) as EventType[]
  requireEvents(events)
  if (values.is_active ?? before.is_active) {
    await requireAccess(tx, { store_id: store.id, client_id: before.client_id, events })
  }
  await rejectRepeatedUrl(tx, store.id, { ...before, ...values }, id)
  const isMoved = values.url !== undefined && values.url !== before.url
  if (isMoved || values.is_active) resetHealth(tx, store.id, id)
  tx.later(sql`
    update webhooks
    set ${assignments(webhook, values, {
      ...(secret === undefined
        ? {}
        : { ...rotatedSecrets(tx, before.secret), ...sealedSecret(vault, store.id, id, secret) }),
      ...(isMoved || values.is_active ? { paused_at: null } : {}),
      ...(values.is_active === true ? { disabled_at: null, disabled_reason: null } : {}),
      ...(values.is_active === false && before.is_active ? { disabled_at: tx.now, disabled_reason: 'manual' } : {}),
      updated_at: tx.now,
    })}
    where store_id = ${store.id}
      and id = ${id}`)
  return findRecord(tx, webhook, store.id, id)
}

/** Pending deliveries are dropped. The delivery log is kept for its 30 days. */
export async function deleteWebhook(tx: Tx, store: Store, id: string): Promise<void> {
  lockSubscriptions(tx, store.id)
  await remove(tx, webhook, store.id, id)
  moveCounters(tx, store.id, { webhooks: -1 })
}

/** Until its end, `overlapHours` from now, the old secret signs too. */
export async function rotateSecret(
  tx: Tx,
  store: Store,
  id: string,
  secret: string | undefined,
  vault: Vault,
): Promise<WriteResult<object>> {
  const before = await lockWebhook(tx, store.id, id)
  const text = secret ?? newSecretText()
  tx.later(sql`
    update webhooks
    set ${assignments(
      webhook,
      {},
      { ...rotatedSecrets(tx, before.secret), ...sealedSecret(vault, store.id, id, text), updated_at: tx.now },
    )}
    where store_id = ${store.id}
      and id = ${id}`)
  return withSecret(await findRecord(tx, webhook, store.id, id), text)
}

type LockedWebhook = Subscription & { is_active: boolean; secret: string; client_id: string | null }

async function lockWebhook(tx: Tx, storeId: string, id: string): Promise<LockedWebhook> {
  lockSubscriptions(tx, storeId)
  const before = await tx.one<LockedWebhook>(sql`
    select url, events, is_active, secret, client_id
    from webhooks
    where store_id = ${storeId}
      and id = ${id}
    for update`)
  if (!before) throw notFound(webhook.noun)
  return before
}

/** One event goes to one url once: two spellings of a url are one. */
async function rejectRepeatedUrl(tx: Tx, storeId: string, { url, events }: Subscription, own?: string): Promise<void> {
  const others = await tx.rows<Subscription & { id: string }>(sql`
    select id, url, events
    from webhooks
    where store_id = ${storeId}
      and events && ${events}::text[]`)
  const same = others.find((other) => other.id !== own && new URL(other.url).href === new URL(url).href)
  if (!same) return
  const event = events.find((name) => same.events.includes(name))
  throw conflict(`A webhook for ${url} already receives ${event}`)
}

function sealedSecret(vault: Vault, storeId: string, id: string, secret: string) {
  return { secret: sealSecret(vault, storeId, id, secret), secret_last4: secret.slice(-4) }
}

function rotatedSecrets(tx: Tx, current: string) {
  return { previous_secret: current, previous_secret_until: new Date(tx.now.getTime() + overlapHours * 3_600_000) }
}

/** Forgets its failures and wakes the workers. */
function resetHealth(tx: Tx, storeId: string, id: string): void {
  tx.later(sql`
    update webhook_health
    set consecutive_failures = 0, failing_since = null, probe_at = null
    where store_id = ${storeId}
      and webhook_id = ${id}`)
  tx.afterCommit(() => tx.bus.publish(deliveriesQueued, { storeId, webhookIds: [id] }))
}

function withSecret({ id, entity }: RecordOf<object>, secret: string): WriteResult<object> {
  return { id, json: json({ ...entity, secret }) }
}
