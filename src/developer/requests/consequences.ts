// Everything a request caused. Rows written by its transactions carry its id and lie within its time.
import type { Db } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { firstUuidAt, publicId } from '../../kit/values/ids.ts'
import { isAbout } from '../../tenancy/audit/history.ts'
import type { RowChange } from '../auditlog/rowchange.ts'
import { changesView } from '../auditlog/view.ts'
import { isHeld } from '../webhooks/delivery/log.ts'

export type RequestFacts = { store_id: string; id: string; request_id: string; created_at: Date; duration_ms: number }

type AttemptFact = { attempt: number; at: Date; duration_ms: number; status_code: number | null; error: string | null }

type DeliveryFact = {
  id: string
  webhook_id: string
  url: string
  status: string
  error: string | null
  next_attempt_at: Date | null
  attempts: AttemptFact[]
}

export type EventFact = {
  id: string
  sequence: number | null
  event: string
  event_id: string
  occurred_at: Date
  deliveries: DeliveryFact[]
}

const maxEvents = 100
const maxDeliveries = 200
const maxAttempts = 600
/** Transactions of a request lie within its time, give or take the difference between machines' clocks. */
const marginMs = 2000

function toRequestWindow({ created_at, duration_ms }: RequestFacts): [from: Date, to: Date] {
  const start = created_at.getTime()
  return [new Date(start - marginMs), new Date(start + duration_ms + marginMs)]
}

/** The events, oldest first, each with its deliveries and all attempts at them. */
export async function listRequestEvents(db: Db, request: RequestFacts): Promise<EventFact[]> {
  const [from, to] = toRequestWindow(request)
  const events = await db.rows<Omit<EventFact, 'deliveries'>>(sql`
    select events.id, event_numbers.sequence, events.event, events.event_id, events.occurred_at
    from events
    left join event_numbers on event_numbers.store_id = events.store_id and event_numbers.event_uuid = events.id
    where events.store_id = ${request.store_id}
      and events.id >= ${firstUuidAt(from)}
      and events.id < ${firstUuidAt(to)}
      and events.request_id = ${request.request_id}
    order by events.id
    limit ${raw(String(maxEvents))}`)
  const deliveries =
    events.length > 0
      ? await listEventDeliveries(
          db,
          request.store_id,
          events.map(({ id }) => id),
        )
      : []
  const byEvent = Map.groupBy(deliveries, ({ event_uuid }) => event_uuid)
  return events.map((event) => ({
    ...event,
    id: publicId('evt', event.id),
    deliveries: (byEvent.get(event.id) ?? []).map(({ event_uuid: _event, ...delivery }) => delivery),
  }))
}

type DeliveryRow = DeliveryFact & { event_uuid: string }

/** A delivery's ID begins with the time of its event, so each webhook's deliveries are found by their key. */
export async function listEventDeliveries(
  db: Db,
  storeId: string,
  eventIds: readonly string[],
): Promise<DeliveryRow[]> {
  const rows = await db.rows<DeliveryRow>(sql`
    select deliveries.id, deliveries.event_uuid, deliveries.webhook_id, webhooks.url, deliveries.error,
      case when ${isHeld} then 'held' else deliveries.status end as status,
      case when deliveries.status = 'pending' then deliveries.run_at end as next_attempt_at
    from unnest(${eventIds}::uuid[]) as wanted (id)
    join webhooks on webhooks.store_id = ${storeId}
    join deliveries on deliveries.store_id = ${storeId}
      and deliveries.webhook_id = webhooks.id
      and deliveries.id between ${edge('00000000-0000-0000-0000-000000000000')}
        and ${edge('ffffffff-ffff-ffff-ffff-ffffffffffff')}
      and deliveries.event_uuid = wanted.id
    order by deliveries.id
    limit ${raw(String(maxDeliveries))}`)
  const attempts = rows.length > 0 ? await listDeliveryAttempts(db, storeId, rows) : new Map()
  return rows.map((row) => ({
    ...row,
    id: publicId('dlv', row.id),
    webhook_id: publicId('wh', row.webhook_id),
    attempts: attempts.get(row.id) ?? [],
  }))
}

function edge(uuid: string): Sql {
  return sql`overlay(${uuid}::text placing left(wanted.id::text, 13) from 1)::uuid`
}

/** Attempts of each delivery, oldest first. The latest is in the delivery's own row. */
async function listDeliveryAttempts(
  db: Db,
  storeId: string,
  deliveries: readonly { id: string; webhook_id: string }[],
): Promise<Map<string, AttemptFact[]>> {
  const [webhooks, ids] = [deliveries.map(({ webhook_id }) => webhook_id), deliveries.map(({ id }) => id)]
  const rows = await db.rows<AttemptFact & { delivery_id: string }>(sql`
    select made.*
    from unnest(${webhooks}::uuid[], ${ids}::uuid[]) as wanted (webhook_id, id)
    cross join lateral (
      select id as delivery_id, attempts as attempt, attempted_at as at, duration_ms, status_code, error
      from deliveries
      where store_id = ${storeId}
        and deliveries.webhook_id = wanted.webhook_id
        and deliveries.id = wanted.id
        and attempted_at is not null
      union all
      select delivery_id, attempt, at, duration_ms, status_code, error
      from attempts
      where store_id = ${storeId}
        and delivery_id = wanted.id) as made
    order by made.delivery_id, made.attempt
    limit ${raw(String(maxAttempts))}`)
  const byDelivery = Map.groupBy(rows, ({ delivery_id }) => delivery_id)
  return new Map(
    [...byDelivery].map(
      ([id, attempts]) => [id, attempts.map(({ delivery_id: _delivery, ...attempt }) => attempt)] as const,
    ),
  )
}

export type ChangeFact = {
  audit_id: string
  resource: string
  id: string
  change: 'made' | 'changed' | 'gone'
  fields: string[]
}

const maxEntries = 50
const maxChanges = 500

/** Changed fields by the audit log, without values. */
export async function listRequestChanges(db: Db, request: RequestFacts): Promise<ChangeFact[]> {
  const entries = await db.rows<{ id: string; changes: RowChange[] }>(sql`
    select id, changes
    from audit_log
    where ${ofRequest(request)}
    order by id
    limit ${raw(String(maxEntries))}`)
  return entries.flatMap(({ id, changes }) => changedBy(publicId('aud', id), changes)).slice(0, maxChanges)
}

/** Its entries in the audit log. */
function ofRequest(request: RequestFacts): Sql {
  const [from, to] = toRequestWindow(request)
  return sql`store_id = ${request.store_id}
      and request_id = ${request.request_id}
      and coalesce(request_uuid, ${request.id}) = ${request.id}
      and id >= ${firstUuidAt(from)}
      and id < ${firstUuidAt(to)}`
}

export type JobFact = { job: string; created_at: Date; changes: ChangeFact[] }

const maxJobs = 50

/** Later work of jobs on the changed records, such as sending a refund to the provider. */
export async function listRequestJobs(db: Db, request: RequestFacts): Promise<JobFact[]> {
  const changesOfRequest = sql`array(
        select distinct unnest(records)
        from audit_log
        where ${ofRequest(request)}
        limit ${raw(String(maxChanges))})`
  const entries = await db.rows<{ id: string; operation: string; created_at: Date; changes: RowChange[] }>(sql`
    select id, operation, created_at, changes
    from audit_log
    where store_id = ${request.store_id}
      and actor_kind = 'job'
      and id >= ${firstUuidAt(request.created_at)}
      and ${isAbout(request.store_id, changesOfRequest)}
    order by id
    limit ${raw(String(maxJobs))}`)
  return entries.map(({ id, operation, created_at, changes }) => ({
    job: operation,
    created_at,
    changes: changedBy(publicId('aud', id), changes).slice(0, maxChanges),
  }))
}

function changedBy(audit_id: string, changes: readonly RowChange[]): ChangeFact[] {
  return changesView(changes).map(({ resource, id, before, after, masked }) => ({
    audit_id,
    resource,
    id,
    change: before === null ? 'made' : after === null ? 'gone' : 'changed',
    fields: [...new Set([...Object.keys(after ?? before ?? {}), ...masked])].sort(),
  }))
}

export type MailFact = {
  id: string
  kind: string
  status: string
  attempts: number
  error: string | null
  created_at: Date
  sent_at: Date | null
}

const maxMails = 100

export async function listRequestMails(db: Db, request: RequestFacts): Promise<MailFact[]> {
  const [from, to] = toRequestWindow(request)
  const rows = await db.rows<MailFact>(sql`
    select id, kind, status, attempts, error, created_at, sent_at
    from mails
    where store_id = ${request.store_id}
      and created_at >= ${from}
      and created_at < ${to}
      and request_id = ${request.request_id}
    order by created_at, id
    limit ${raw(String(maxMails))}`)
  return rows.map((row) => ({ ...row, id: publicId('mail', row.id) }))
}
