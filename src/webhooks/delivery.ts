// The log: deliveries as a list, and one with what was sent and answered at each attempt.
import type { Db } from '../kit/database/database.ts'
import { notFound } from '../kit/values/errors.ts'
import { derived, type JsonSchema } from '../kit/declare/field.ts'
import { choice, id, integer, text, time } from '../kit/declare/scalars.ts'
import { filter, resource, type Json } from '../kit/declare/resource.ts'
import { json } from '../kit/declare/route.ts'
import { hasRow, raw, sql, type Sql } from '../kit/database/sql.ts'
import { eventTypes } from '../events/emit.ts'
import { attemptsOf } from './attempts.ts'
import { contractHeaders } from './signature.ts'

const statuses = ['pending', 'held', 'delivered', 'failed', 'skipped'] as const

/** Waiting deliveries of a paused or disabled webhook are held: none is rewritten when that changes. */
export const isHeld = sql`(deliveries.status = 'pending' and not deliveries.urgent and ${hasRow(sql`
  from webhooks
  where webhooks.store_id = deliveries.store_id
    and webhooks.id = deliveries.webhook_id
    and (webhooks.paused_at is not null or not webhooks.is_active)`)})`

/** The same for a list: which webhooks hold is asked once, not for each of its rows. */
function isHeldIn(storeId: string): Sql {
  return sql`(deliveries.status = 'pending' and not deliveries.urgent and deliveries.webhook_id = any(array(
    select id
    from webhooks
    where store_id = ${storeId}
      and (paused_at is not null or not is_active))))`
}

// prettier-ignore
export const delivery = resource('deliveries', {
  id:            id('dlv').readonly(),
  webhook_id:    id('wh').readonly(),
  event:         choice(eventTypes).readonly(),
  event_id:      derived(text({ max: 64 }), ofEvent('event_id')).describe('The id of what the event is about'),
  trigger:       choice(['event', 'manual', 'recovery', 'test']).readonly(),
  status:        derived(choice(statuses), sql`case when ${isHeld} then 'held' else deliveries.status end`),
  attempt_count: derived(integer({ min: 0 }), raw('deliveries.attempts')),
  status_code:   integer({ min: 100, max: 999 }).nullable().readonly().describe('What the receiver answered last'),
  error:         text({ max: 64 }).nullable().readonly().example('TIMEOUT').describe('Why the last attempt failed'),
  next_attempt_at: derived(time(),
    raw(`case when deliveries.status = 'pending' then deliveries.run_at end`)).nullable(),
  completed_at:  time().nullable().readonly(),
  created_at:    time().readonly().sortable('id').describe('When the event happened that it tells of'),
}, {
  status: filter(choice(statuses), (wanted, { store_id }) =>
    wanted === 'held' ? isHeldIn(store_id)
    : wanted === 'pending' ? sql`deliveries.status = 'pending' and not ${isHeldIn(store_id)}`
    : raw(`deliveries.status = '${wanted}'`)),
  event: filter(choice(eventTypes), (wanted) => sql`deliveries.event = ${wanted}`),
}, { noun: 'Delivery' })

function ofEvent(column: string): Sql {
  return sql`(
    select ${raw(`events.${column}`)} from events
    where events.store_id = deliveries.store_id and events.id = deliveries.event_uuid)`
}

// prettier-ignore
const attempt: JsonSchema = {
  title: 'Delivery attempt',
  type: 'object',
  properties: {
    attempt:       { type: 'integer', minimum: 1, examples: [1] },
    at:            { type: 'string', format: 'date-time' },
    duration_ms:   { type: 'integer', minimum: 0, examples: [84] },
    status_code:   { type: ['integer', 'null'], examples: [503] },
    error:         {
      type: ['string', 'null'],
      description: 'TIMEOUT, DNS, TLS, REFUSED, RESET, BLOCKED_ADDRESS or BAD_RESPONSE',
    },
    message:       { type: ['string', 'null'], description: 'The error in words' },
    response_body: { type: ['string', 'null'], description: 'Its first 4,096 characters, as text' },
    truncated:     { type: 'boolean', description: 'Whether the receiver answered more than response_body shows' },
  },
  required: ['attempt', 'at', 'duration_ms', 'status_code', 'error', 'message', 'response_body', 'truncated'],
}

// prettier-ignore
const request: JsonSchema = {
  type: 'object',
  description: 'What was sent last, or will be sent first',
  properties: {
    method:  { type: 'string', const: 'POST' },
    url:     { type: 'string' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    body:    { type: 'string', description: 'The exact bytes, as text' },
  },
  required: ['method', 'url', 'headers', 'body'],
}

const response: JsonSchema = {
  type: ['object', 'null'],
  description: 'What was answered last',
  properties: { status_code: { type: 'integer' }, body: { type: 'string' }, truncated: { type: 'boolean' } },
  required: ['status_code', 'body', 'truncated'],
}

export const deliveryDetail: JsonSchema = {
  ...delivery.entity,
  title: 'Delivery with attempts',
  properties: {
    ...(delivery.entity.properties as object),
    request,
    response,
    attempts: { type: 'array', items: attempt },
  },
  required: [...(delivery.entity.required as string[]), 'request', 'response', 'attempts'],
}

type Attempt = {
  attempt: number
  at: Date
  duration_ms: number
  status_code: number | null
  error: string | null
  message: string | null
  response_body: string | null
  truncated: boolean
}
type Sent = { url: string; signature: string | null }

const maximumShown = 100

/** One delivery, or NOT_FOUND. */
export async function deliveryOf(db: Db, storeId: string, webhookId: string, id: string): Promise<Json<object>> {
  const [row] = await db.texts(sql`
    select ${delivery.columns}
    from deliveries
    where store_id = ${storeId}
      and webhook_id = ${webhookId}
      and id = ${id}`)
  if (!row) throw notFound(delivery.noun)
  return delivery.serialise(row)
}

/** One delivery of a webhook with its newest attempts, oldest first. */
export async function findDelivery(
  db: Db,
  storeId: string,
  webhookId: string,
  deliveryId: string,
): Promise<Json<object>> {
  const [found, source, attempts] = await Promise.all([
    deliveryOf(db, storeId, webhookId, deliveryId),
    db.one<{ url: string; body: string }>(sql`
      select webhooks.url, ${ofEvent('body')} as body
      from deliveries
      join webhooks on webhooks.store_id = deliveries.store_id and webhooks.id = deliveries.webhook_id
      where deliveries.store_id = ${storeId}
        and deliveries.webhook_id = ${webhookId}
        and deliveries.id = ${deliveryId}`),
    db.rows<Attempt & Sent>(sql`${attemptsOf(storeId, webhookId, deliveryId)}
      limit ${raw(String(maximumShown))}`),
  ])
  // Its webhook was deleted.
  if (!source) throw notFound(delivery.noun)
  const record = JSON.parse(found) as { id: string; event: string }
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
    attempts: attempts.reverse().map(({ url: _url, signature: _signature, ...attempt }) => attempt),
  })
}

function sentHeaders(of: { id: string; event: string }, at: Date, signature: string): Record<string, string> {
  return contractHeaders({ ...of, timestamp: Math.floor(at.getTime() / 1000) }, signature)
}
