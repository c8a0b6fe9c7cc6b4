// Everything a request caused. Rows written by its transactions carry its id and lie within its time.
import type { Db } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { firstUuidAt, publicId } from '../../kit/values/ids.ts'
import { isAbout } from '../../tenancy/audit/history.ts'
import type { RowChange } from '../../developer/auditlog/rowchange.ts'
import { changesView } from '../../developer/auditlog/view.ts'
import { listEventDeliveries, type DeliveryFact } from '../../developer/webhooks/delivery/ofevents.ts'

export type RequestFacts = { store_id: string; id: string; request_id: string; created_at: Date; duration_ms: number }

export type EventFact = {
  id: string
  sequence: number | null
  event: string
  event_id: string
  occurred_at: Date
  deliveries: DeliveryFact[]
}

const maxEvents = 100
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
