// Explains a request: its checks, its statements, and everything it caused.
import type { Db } from '../../kit/database/database.ts'
import { and, sql, type Sql } from '../../kit/database/sql.ts'
import { notFound } from '../../kit/values/errors.ts'
import { publicId, toUuid } from '../../kit/values/ids.ts'
import { listCheckOutcomes, type Check } from './checks.ts'
import {
  listRequestChanges,
  listRequestEvents,
  listRequestJobs,
  listRequestMails,
  type ChangeFact,
  type JobFact,
  type EventFact,
  type MailFact,
} from './consequences.ts'
import { request } from '../../developer/requests/request.ts'

type ExplainedRequest = { statements: string[]; count: number; round_trips: number; duration_ms: number }

type RequestRecord = {
  id: string
  store_id: string
  request_id: string
  method: string
  route: string
  path: string
  credential: string | null
  status: number
  error: { code: string; message: string } | null
  duration_ms: number
  is_rehearsal: boolean
  tool: string | null
  agent: string | null
  created_at: Date
  trace: ExplainedRequest | null
}

export type Explanation = {
  request: Omit<RequestRecord, 'store_id' | 'error' | 'trace'>
  checks: Check[]
  database: ExplainedRequest | null
  changes: ChangeFact[]
  events: EventFact[]
  mails: MailFact[]
  jobs: JobFact[]
}

export async function explain(db: Db, storeId: string, id: string): Promise<Explanation> {
  const row = await db.one<RequestRecord>(sql`
    select id, store_id, request_id, method, route, path, credential, status, error, duration_ms::float8 as duration_ms,
      is_rehearsal, tool, agent, created_at, trace
    from requests
    where store_id = ${storeId}
      and id = ${id}`)
  if (!row) throw notFound(request.noun)
  const { store_id: _, error, trace, ...facts } = row
  const [changes, events, mails, jobs] = await Promise.all([
    listRequestChanges(db, row),
    listRequestEvents(db, row),
    listRequestMails(db, row),
    listRequestJobs(db, row),
  ])
  const view = { ...facts, id: publicId('req', row.id) }
  return { request: view, checks: listCheckOutcomes(error), database: trace, changes, events, mails, jobs }
}

/** Finds a request by its log id or by a caller's own X-Request-Id; the newest wins. */
export function newestWith(
  db: Db,
  storeId: string | undefined,
  id: string,
): Promise<{ store_id: string; uuid: string } | undefined> {
  const ofStore = storeId === undefined ? [] : [sql`store_id = ${storeId}`]
  return db.one(sql`
    select store_id, id as uuid
    from requests
    where ${and([...ofStore, sql`(request_id = ${id} or id = ${toUuid('req', id)}::uuid)`])}
    order by id desc
    limit 1`)
}

// prettier-ignore
const causeQueries = {
  evt:  sql`select store_id, request_id, null::uuid as uuid, occurred_at as at from events where id = `,
  dlv:  sql`select deliveries.store_id, events.request_id, null::uuid as uuid, events.occurred_at as at
            from deliveries
            join events on events.store_id = deliveries.store_id and events.id = deliveries.event_uuid
            where deliveries.id = `,
  aud:  sql`select store_id, request_id, request_uuid as uuid, created_at as at from audit_log where id = `,
  mail: sql`select store_id, request_id, null::uuid as uuid, created_at as at from mails where id = `,
} satisfies Record<string, Sql>

/** The request that caused the record with this ID: an event, a delivery, an audit entry or an email. */
export async function requestBehind(
  db: Db,
  storeId: string | undefined,
  id: string,
): Promise<{ store_id: string; uuid: string } | undefined> {
  const prefix = (Object.keys(causeQueries) as (keyof typeof causeQueries)[]).find((name) => id.startsWith(`${name}_`))
  if (!prefix) return undefined
  const uuid = toUuid(prefix, id)
  const ofStore = storeId === undefined ? sql`true` : sql`requests.store_id = ${storeId}`
  return db.one(sql`
    select requests.store_id, requests.id as uuid
    from (${causeQueries[prefix]}${uuid}::uuid) as effect
    join requests on requests.store_id = effect.store_id
      and (requests.id = effect.uuid or (effect.uuid is null and requests.request_id = effect.request_id))
      and requests.created_at <= effect.at
    where ${ofStore}
    order by requests.id desc
    limit 1`)
}
