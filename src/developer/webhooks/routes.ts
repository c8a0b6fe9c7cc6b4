import type { Vault } from '../../kit/values/secrets.ts'
import type { GuardedFetch } from '../../platform/outbound/fetch.ts'
import { fault, type Fault, generalFaults } from '../../kit/values/faults.ts'
import { set } from '../../kit/declare/composites.ts'
import { choice, integer, time } from '../../kit/declare/scalars.ts'
import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { buildRouteVerbs } from '../../kit/declare/route.ts'
import { recordSecurityEvent } from '../../tenancy/audit/operations.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { find, page } from '../../kit/declare/page.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { publicId } from '../../kit/values/ids.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { purgedRefusal } from '../../tenancy/events/bounds.ts'
import { eventTypes, getEventFeature, type EventType } from './events.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import {
  getClientId,
  guardWebhook,
  isDeliveryReadBy,
  isSeenBy,
  readableEvents,
  requireLog,
  requireReadable,
} from './access.ts'
import { delivery, deliveryDetail, requireDelivery, findDelivery } from './delivery/log.ts'
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from './operations.ts'
import { recover, redeliver, replay, testWebhook, type ReplayWindow } from './delivery/resend.ts'
import { newSecret, newWebhook, webhook, webhookPatch, webhookWithSecret } from './webhook.ts'
import { webhookFaults } from './errors.ts'

export type WebhookDeps = { vault: Vault; guardedFetch: GuardedFetch }

const { get, act } = buildRouteVerbs<Store, WebhookDeps>('Webhooks')

const read = 'read:webhooks'
const write = 'write:webhooks'

const webhooks = buildCrudRoutes<Store, WebhookDeps>('Webhooks')(webhook, { path: '/webhooks', read, write })

const sequence = () => integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

// prettier-ignore
const window = createBody({
  from:          time().describe('Start of the time window'),
  to:            time().describe('End of the time window'),
  from_sequence: sequence().describe('First sequence number to replay, as an alternative to a time window'),
  to_sequence:   sequence().describe('Last sequence number. Defaults to the end of the log'),
  events:        set(choice(eventTypes), { min: 1, max: eventTypes.length, unique: true })
    .describe('Event types to replay'),
}, [
  { fields: ['from', 'to', 'from_sequence', 'to_sequence'], check: oneWindow },
  {
    fields: ['from', 'to'],
    check: ({ from, to }) => (from > to ? fault('to', webhookFaults.ends_before_from) : null),
  },
  {
    fields: ['from_sequence', 'to_sequence'],
    check: ({ from_sequence: first, to_sequence: last }) =>
      (first > last ? fault('to_sequence', generalFaults.too_small, { limit: first }) : null),
  },
])

/** A window of time or of numbers. */
function oneWindow(body: Record<string, unknown>): Fault[] {
  const times = ['from', 'to'] as const
  if (body.from_sequence !== undefined) {
    return times.filter((name) => body[name] !== undefined).map((name) => fault(name, webhookFaults.either_window))
  }
  return [
    ...times.filter((name) => body[name] === undefined).map((name) => fault(name, generalFaults.required)),
    ...(body.to_sequence === undefined ? [] : [fault('to_sequence', webhookFaults.needs_sequence)]),
  ]
}

const failedSince = createBody({
  since: time().required().describe('Failed deliveries created since this time are sent again'),
})

const test = createBody({ event: choice(eventTypes) })

const queuedResponse = {
  type: 'object',
  properties: { queued: { type: 'integer', minimum: 0, examples: [12] } },
  required: ['queued'],
}

const rules = { feature: getRequiredWebhookFeature, isConfidential: true, outside: unreachable }

/** Enabling resets the health, even if it is already enabled. */
function isTroubled({ status, consecutive_failures }: Record<string, unknown>): boolean {
  return status === 'paused' || consecutive_failures !== 0
}

const unguardedRoutes = [
  webhooks.list({ run: ({ db, store, query, actor }) => page(db, webhook, store, query, isSeenBy({ actor })) }),
  webhooks.create(
    ({ tx, store, body, vault, ...caller }) => {
      requireReadable(caller, body.events as EventType[])
      return createWebhook(tx, store, body, { vault, client: getClientId(caller) })
    },
    { ...rules, body: newWebhook, returns: webhookWithSecret },
  ),
  webhooks.get(),
  webhooks.update(
    ({ tx, store, params, body, vault, ...caller }) => {
      const { actor } = caller
      if (body.secret !== undefined) noteSecret(tx, 'webhook_secret_set', { store, actor, id: params.id })
      const requireEvents = (events: EventType[]) => requireReadable(caller, events)
      return updateWebhook(tx, store, params.id, body, { vault, requireEvents })
    },
    { ...rules, body: webhookPatch, runsUnchanged: isTroubled },
  ),
  webhooks.remove(({ tx, store, params }) => deleteWebhook(tx, store, params.id)),
  act('/webhooks/{id}/rotate-secret', {
    scope: write,
    params: { id: webhook },
    body: newSecret,
    isConfidential: true,
    returns: webhookWithSecret,
    summary: "Rotate a webhook's secret",
    run: ({ tx, store, params, body, vault, actor }) => {
      noteSecret(tx, 'webhook_secret_rotated', { store, actor, id: params.id })
      return rotateSecret(tx, store, params.id, body.secret, vault)
    },
  }),
  act('/webhooks/{id}/test', {
    scope: write,
    params: { id: webhook },
    body: test,
    returns: delivery.entity,
    summary: 'Send a test event',
    run: ({ tx, store, params, body }) => testWebhook(tx, store, params.id, body.event),
  }),
  act('/webhooks/{id}/replay', {
    scope: write,
    params: { id: webhook },
    body: window,
    returns: queuedResponse,
    refuses: [purgedRefusal],
    summary: 'Replay events by time or sequence',
    run: ({ tx, store, params, body, ...caller }) => {
      const { events } = body as ReplayWindow
      if (events) requireReadable(caller, events)
      return replay(tx, store, params.id, { ...(body as ReplayWindow), readable: readableEvents(caller) })
    },
  }),
  act('/webhooks/{id}/recover', {
    scope: write,
    params: { id: webhook },
    body: failedSince,
    returns: queuedResponse,
    summary: 'Resend failed deliveries',
    run: ({ tx, store, params, body, ...caller }) =>
      recover(tx, store, params.id, { since: body.since, isReadable: isDeliveryReadBy(caller) }),
  }),
  get('/webhooks/{id}/deliveries', {
    scope: read,
    params: { id: webhook },
    query: delivery.query,
    returns: delivery.entity,
    list: true,
    summary: "List a webhook's deliveries of the last 30 days",
    async run({ db, store, params, query, ...caller }) {
      requireLog(caller)
      await find(db, webhook, store.id, params.id)
      const isOfWebhook = sql`deliveries.webhook_id = ${params.id}`
      return page(db, delivery, store, query, isOfWebhook, isDeliveryReadBy(caller))
    },
  }),
  get('/webhooks/{id}/deliveries/{deliveryId}', {
    scope: read,
    params: { id: webhook, deliveryId: delivery },
    returns: deliveryDetail,
    summary: 'Get a delivery with its request and response',
    async run({ db, store, params, ...caller }) {
      requireLog(caller)
      await requireReadableDelivery(db, store, params, caller)
      return findDelivery(db, store.id, params.id, params.deliveryId)
    },
  }),
  act('/webhooks/{id}/deliveries/{deliveryId}/redeliver', {
    scope: write,
    params: { id: webhook, deliveryId: delivery },
    returns: delivery.entity,
    summary: 'Resend a delivery',
    async run({ tx, store, params, ...caller }) {
      await requireReadableDelivery(tx, store, params, caller)
      return redeliver(tx, store, params.id, params.deliveryId)
    },
  }),
]

export const routes = unguardedRoutes.map(guardWebhook)

async function requireReadableDelivery(
  db: Db,
  store: Store,
  { id, deliveryId }: { id: string; deliveryId: string },
  caller: { actor: Actor; scopes: ReadonlySet<string> },
): Promise<void> {
  if (getClientId(caller) === null) return
  const { entity } = await requireDelivery(db, store.id, id, deliveryId)
  requireReadable(caller, [entity.event])
}

function getRequiredWebhookFeature({ events }: Record<string, unknown>): string | null {
  if (!Array.isArray(events)) return null
  return events.map((event) => getEventFeature(String(event))).find((feature) => feature) ?? null
}

/** https, without user or fragment, and no address that is not public: names are resolved. */
async function unreachable({ url }: Record<string, unknown>, { guardedFetch }: WebhookDeps): Promise<Fault[]> {
  const reason = typeof url === 'string' ? await guardedFetch.resolveCheck(url) : null
  return reason === null ? [] : [{ field: 'url', ...reason }]
}

function noteSecret(
  tx: Tx,
  event: 'webhook_secret_set' | 'webhook_secret_rotated',
  { store, actor, id }: { store: Store; actor: Actor; id: string },
): void {
  recordSecurityEvent(tx, { event, actor, store: store.id, subject: publicId('wh', id) })
}
