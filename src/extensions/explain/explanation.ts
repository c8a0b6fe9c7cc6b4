// The explanation of a request, as answered.
import { complete, list } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { resource } from '../../kit/declare/resource.ts'
import { choice, decimal, id, integer, text, time, url } from '../../kit/declare/scalars.ts'
import { eventTypes } from '../../developer/webhooks/events.ts'
import { mail } from '../../tenancy/emails/mail.ts'
import { delivery } from '../../developer/webhooks/delivery/log.ts'
import { attempt } from '../../developer/webhooks/delivery/attempts.ts'
import { nounNames } from '../../developer/auditlog/nouns.ts'
import { checkNames } from './checks.ts'
import { request } from '../../developer/requests/request.ts'

// prettier-ignore
const optionalText = complete(pick(request.fields, [
  'id', 'request_id', 'method', 'route', 'path', 'credential', 'status', 'duration_ms', 'is_rehearsal',
  'tool', 'agent', 'created_at',
]))

// prettier-ignore
const check = complete({
  check:   choice(checkNames).describe('Name of the check'),
  outcome: choice(['passed', 'refused', 'not_reached']),
  reason:  text({ max: 1000 }).nullable(),
})

// prettier-ignore
const database = complete({
  statements:  list(text(), { max: 50 }).describe('Summary of each statement, in order')
    .example(['begin', 'insert products', 'commit']),
  count:       integer({ min: 0 }).describe('Number of statements'),
  round_trips: integer({ min: 0 }).describe('Number of round trips; independent statements share one'),
  duration_ms: decimal({ min: 0 }).describe('Total duration of the round trips in milliseconds'),
})

// prettier-ignore
const change = complete({
  audit_id: id('aud').describe('ID of the audit log entry that contains the values'),
  resource: choice(nounNames),
  id:       text().example('prod_01j4ppgy1yf81r8stpc70j8epm'),
  change:   choice(['made', 'changed', 'gone']).describe('What happened to the record'),
  fields:   list(text(), { max: 200 }).describe('Names of the fields that changed'),
})

// prettier-ignore
const job = complete({
  job:        text().example('ask for refunds').describe('Name of the background job'),
  created_at: time(),
  changes:    list(change, { max: 500 }),
})

const attemptAtDelivery = complete(pick(attempt.fields, ['attempt', 'at', 'duration_ms', 'status_code', 'error']))

// prettier-ignore
const deliveryOfEvent = complete({
  id:              id('dlv'),
  webhook_id:      id('wh'),
  url:             url(),
  status:          delivery.fields.status,
  error:           delivery.fields.error,
  next_attempt_at: time().nullable().describe('Time of the next attempt; null if none is due'),
  attempts:        list(attemptAtDelivery, { max: 600 }).describe('Attempts'),
})

// prettier-ignore
const event = complete({
  id:          id('evt'),
  sequence:    integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).nullable()
    .describe('Sequence number in the event log'),
  event:       choice(eventTypes),
  event_id:    text().describe('ID of the affected record'),
  occurred_at: time(),
  deliveries:  list(deliveryOfEvent, { max: 200 }).describe('Webhook deliveries of the event'),
})

// prettier-ignore
const mailOfRequest = complete(pick(mail.fields, [
  'id', 'kind', 'status', 'attempts', 'error', 'created_at', 'sent_at',
]))

// prettier-ignore
export const explanation = resource('requests', {
  request:  optionalText,
  checks:   list(check, { max: checkNames.length }).describe('Checks in the order they are made'),
  database: database.nullable().describe('Database work of a write; null for a read'),
  changes:  list(change, { max: 500 }).describe('Records created, changed or deleted by the request'),
  events:   list(event, { max: 100 }).describe('Events caused by the request, with every delivery attempt'),
  mails:    list(mailOfRequest, { max: 100 }).describe('Emails caused by the request'),
  jobs:     list(job, { max: 50 }).describe('Later changes to the same records by background jobs'),
}, {}, { noun: 'Explanation' }).entity
