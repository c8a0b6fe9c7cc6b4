// Access tokens of apps. An app sees and changes only the webhooks that it made, subscribes only to events whose data
// its token can read, and reads only those in the log. API keys and people with the webhooks scopes have all.
import type { Db, Tx } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import type { Route, RouteCall } from '../../kit/declare/route.ts'
import { conflict, notFound } from '../../kit/values/errors.ts'
import { eventLogScope } from '../../identity/apikeys/scopes.ts'
import { missingScope } from '../../tenancy/dispatch/errors.ts'
import { hasAccess } from '../../tenancy/events/appwebhooks.ts'
import { type EventType, eventTypes, declaredEvents } from './events.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { webhook } from './webhook.ts'

type EventReader = Pick<RouteCall<Store, {}, {}, {}>, 'actor' | 'scopes'>

/** The app that the caller acts for; null for an API key or a person. */
export function getClientId({ actor }: Pick<EventReader, 'actor'>): string | null {
  return actor.kind === 'client' ? actor.id : null
}

/** The condition for webhooks that the caller sees. */
export function isSeenBy(reader: Pick<EventReader, 'actor'>): Sql {
  const client = getClientId(reader)
  return client === null ? sql`true` : sql`webhooks.client_id = ${client}`
}

/** The types that the caller can read. */
export function readableEvents(reader: EventReader): readonly EventType[] {
  if (getClientId(reader) === null) return eventTypes
  return eventTypes.filter((event) => reader.scopes.has(declaredEvents[event].scope))
}

/** The condition for deliveries that the caller can read. */
export function isDeliveryReadBy(reader: EventReader): Sql {
  const events = readableEvents(reader)
  return events.length === eventTypes.length ? sql`true` : sql`deliveries.event = any(${events}::text[])`
}

/** Throws SCOPE_INSUFFICIENT for an event whose data the caller's token cannot read. */
export function requireReadable(reader: EventReader, events: readonly EventType[]): void {
  const readable = readableEvents(reader)
  const hiddenEvent = events.find((event) => !readable.includes(event))
  if (hiddenEvent) throw missingScope(declaredEvents[hiddenEvent].scope, { isToken: true })
}

/** Proposing changes of webhooks does not open the log. */
export function requireLog({ actor, scopes }: EventReader): void {
  if (actor.kind === 'user' || scopes.has(eventLogScope)) return
  throw missingScope('read:webhooks', { isToken: actor.kind === 'client' })
}

/** Routes below /webhooks/{id}: another app's webhook is unknown, and nothing is sent to one whose app lost access. */
export function guardWebhook(route: Route): Route {
  if (route.params?.id !== webhook) return route
  const isSending = route.method === 'POST' && !route.path.endsWith('/rotate-secret')
  const check = (db: Db, { store, params, actor }: any) =>
    requireWebhook(db, store, params.id, { client: getClientId({ actor }), isSending })
  const { prepare, run } = route
  return {
    ...route,
    ...(prepare && { prepare: (call: any) => check(call.db, call).then(() => prepare(call)) }),
    run: (call: any) => check(call.tx ?? call.db, call).then(() => run(call)),
  } as Route
}

async function requireWebhook(
  db: Db,
  store: Store,
  id: string,
  { client, isSending }: { client: string | null; isSending: boolean },
): Promise<void> {
  if (client === null && !isSending) return
  const row = await db.one<{ client_id: string | null; disabled_reason: string | null }>(sql`
    select client_id, disabled_reason
    from webhooks
    where store_id = ${store.id}
      and id = ${id}`)
  if (!row || (client !== null && row.client_id !== client)) throw notFound(webhook.noun)
  if (isSending && row.disabled_reason === 'access_revoked') throw accessEnded()
}

/** Throws CONFLICT if an app made the webhook and has no access, now that no grant can end before the commit. */
export async function requireAccess(
  tx: Tx,
  webhook: { store_id: string; client_id: string | null; events: EventType[] },
): Promise<void> {
  const { client_id } = webhook
  if (client_id !== null && !(await hasAccess(tx, { ...webhook, client_id }))) throw accessEnded()
}

function accessEnded(): Error {
  return conflict('The app that created this webhook no longer has access to the store')
}
