// The delivery log: deliveries as a list, and one with the request and answer of each attempt.
import type { Db } from '../../../kit/database/database.ts'
import { notFound } from '../../../kit/values/errors.ts'
import { many, object } from '../../../kit/declare/composites.ts'
import { derive, field, type Entity } from '../../../kit/declare/field.ts'
import { choice, flag, id, integer, text, time } from '../../../kit/declare/scalars.ts'
import { filter, resource, type Json, type RecordOf } from '../../../kit/declare/resource.ts'
import { json } from '../../../kit/declare/route.ts'
import { hasRow, raw, sql, bindStore, type Sql } from '../../../kit/database/sql.ts'
import { eventTypes } from '../events.ts'
import { attempt, buildAttemptsQuery, maxBodyLength } from './attempts.ts'
import { contractHeaders } from '../../../platform/outbound/signature.ts'

const statuses = ['pending', 'held', 'delivered', 'failed', 'skipped'] as const

export const isByHand = raw(`deliveries.trigger in ('manual', 'test')`)

/** Waiting deliveries of a paused or disabled webhook are held: none is rewritten when that changes. */
export const isHeld = sql`(deliveries.status = 'pending' and not (deliveries.urgent and ${isByHand}) and ${hasRow(sql`
  from webhooks
  where webhooks.store_id = ${bindStore('deliveries.store_id')}
    and webhooks.id = deliveries.webhook_id
    and (not webhooks.is_active or webhooks.paused_at is not null and not deliveries.urgent)`)})`

/** The same for a list: one query finds the webhooks that hold deliveries. */
function isHeldIn(storeId: string): Sql {
  const those = (which: Sql) => sql`deliveries.webhook_id = any(array(
    select id
    from webhooks
    where store_id = ${storeId}
      and ${which}))`
  return sql`(deliveries.status = 'pending' and not (deliveries.urgent and ${isByHand})
    and (${those(sql`not is_active`)} or not deliveries.urgent and ${those(sql`paused_at is not null`)}))`
}

// prettier-ignore
export const delivery = resource('deliveries', {
  id:            id('dlv').readonly(),
  webhook_id:    id('wh').readonly(),
  event:         choice(eventTypes).readonly(),
  event_id:      derive(text({ max: 64 }), ofEvent('event_id')).describe('ID of the affected record'),
  sequence:      derive(integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), sql`(
    select sequence from event_numbers
    where event_numbers.store_id = ${bindStore('deliveries.store_id')}
      and event_numbers.event_uuid = deliveries.event_uuid)`)
    .nullable().describe('Sequence number in the event log; null for a test'),
  request_id:    derive(text({ max: 128 }), ofEvent('request_id')).nullable()
    .describe('X-Request-Id of the request that caused the event'),
  trigger:       choice(['event', 'manual', 'recovery', 'test']).readonly().describe('What caused the delivery'),
  status:        derive(choice(statuses), sql`case when ${isHeld} then 'held' else deliveries.status end`),
  attempt_count: derive(integer({ min: 0 }), raw('deliveries.attempts')).describe('Number of attempts so far'),
  status_code:   integer({ min: 100, max: 999 }).nullable().readonly().describe('HTTP status of the last response'),
  error:         text({ max: 64 }).nullable().readonly().example('TIMEOUT')
    .describe('Error code of the last attempt; null if there was none'),
  message:       text({ max: 255 }).nullable().readonly().describe('Description of the error')
    .example('The connection was refused.'),
  next_attempt_at: derive(time(),
    raw(`case when deliveries.status = 'pending' then deliveries.run_at end`)).nullable()
      .describe('Time of the next attempt; null if none is due'),
  completed_at:  time().nullable().readonly(),
  created_at:    time().readonly().sortable('id').describe('Time the event occurred'),
}, {
  status: filter(choice(statuses), (status, { store_id }) =>
    status === 'held' ? isHeldIn(store_id)
    : status === 'pending' ? sql`deliveries.status = 'pending' and not ${isHeldIn(store_id)}`
    : raw(`deliveries.status = '${status}'`)),
  event: filter(choice(eventTypes), (event) => sql`deliveries.event = ${event}`),
}, { noun: 'Delivery' })

function ofEvent(column: string): Sql {
  return sql`(
    select ${raw(`events.${column}`)} from events
    where events.store_id = ${bindStore('deliveries.store_id')} and events.id = deliveries.event_uuid)`
}

// prettier-ignore
const request = object({
  method:  choice(['POST']).required(),
  url:     text({ max: 2048 }).required(),
  headers: field<Record<string, string>>({
    schema: { type: 'object', additionalProperties: { type: 'string' } } }).required().describe('HTTP headers'),
  body:    text({ max: 1_048_576 }).required().describe('Exact request body, as text'),
})

// prettier-ignore
const response = object({
  status_code: integer({ min: 100, max: 999 }).required().describe('HTTP status code'),
  body:        text({ max: maxBodyLength }).required().describe('First 4,096 characters of the response body'),
  truncated:   flag().required().describe('Whether the body is cut off'),
})

const detail = resource(
  'deliveries',
  {
    ...delivery.fields,
    request: request.readonly().describe('Last request sent, or the one to be sent'),
    response: response.nullable().readonly().describe('Last response; null if there is none'),
    attempts: many(attempt).describe('Attempts'),
  },
  {},
  { noun: 'Delivery', title: 'Delivery with attempts' },
)
export const deliveryDetail = detail.entity

type SentRequestRow = Entity<typeof attempt.fields> & { url: string; signature: string | null }

const maxAttempts = 100

/** One delivery, or NOT_FOUND. */
export async function requireDelivery(
  db: Db,
  storeId: string,
  webhookId: string,
  id: string,
): Promise<RecordOf<Entity<typeof delivery.fields>>> {
  const [row] = await db.texts(sql`
    select ${delivery.columns}
    from deliveries
    where store_id = ${storeId}
      and webhook_id = ${webhookId}
      and id = ${id}`)
  if (!row) throw notFound(delivery.noun)
  return delivery.record(row)
}

/** One delivery of a webhook with its newest attempts, oldest first. */
export async function findDelivery(
  db: Db,
  storeId: string,
  webhookId: string,
  deliveryId: string,
): Promise<Json<object>> {
  const [{ entity: record }, source, attempts] = await Promise.all([
    requireDelivery(db, storeId, webhookId, deliveryId),
    db.one<{ url: string; body: string }>(sql`
      select webhooks.url, ${ofEvent('body')} as body
      from deliveries
      join webhooks on webhooks.store_id = deliveries.store_id and webhooks.id = deliveries.webhook_id
      where deliveries.store_id = ${storeId}
        and deliveries.webhook_id = ${webhookId}
        and deliveries.id = ${deliveryId}`),
    db.rows<SentRequestRow>(sql`
      select ${attempt.columns}, attempts.url, attempts.signature
      from ${buildAttemptsQuery(storeId, webhookId, deliveryId)}
      order by attempt desc
      limit ${raw(String(maxAttempts))}`),
  ])
  // Its webhook was deleted.
  if (!source) throw notFound(delivery.noun)
  const [last] = attempts
  return json({
    ...record,
    request: {
      method: 'POST',
      url: last?.url ?? source.url,
      headers: last?.signature ? sentHeaders(record, last.at, last.signature) : {},
      body: source.body,
    },
    response: last?.status_code
      ? { status_code: last.status_code, body: last.response_body ?? '', truncated: last.truncated }
      : null,
    attempts: attempts.reverse().map(({ url: _url, signature: _signature, ...own }) => own),
  })
}

type DeliveryFacts = { id: string; event: string; sequence: number | null }

function sentHeaders(of: DeliveryFacts, at: Date, signature: string): Record<string, string> {
  return contractHeaders({ ...of, timestamp: Math.floor(at.getTime() / 1000) }, signature)
}
