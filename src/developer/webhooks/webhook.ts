import { set } from '../../kit/declare/composites.ts'
import { derive } from '../../kit/declare/field.ts'
import { choice, flag, id, integer, text, time } from '../../kit/declare/scalars.ts'
import { withOneTimeValues } from '../../kit/declare/onetime.ts'
import { integrationFields, integrationFilters } from '../../kit/declare/metadata.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { createBody, patchBody } from '../../kit/declare/shape.ts'
import { raw, sql, bindStore, type Sql } from '../../kit/database/sql.ts'
import { eventTypes } from './events.ts'

// prettier-ignore
export const webhook = resource('webhooks', {
  id:                   id('wh').readonly(),
  url:                  text({ min: 1, max: 2048 }).required().example('https://example.com/hooks/stoa')
    .describe('HTTPS URL that receives the events'),
  events:               set(choice(eventTypes), { min: 1, max: eventTypes.length, unique: true }).required()
    .describe('Event types to receive'),
  description:          text({ max: 500 }).nullable().example('Stock sync'),
  ...integrationFields(),
  client_id:            text({ max: 2048 }).nullable().readonly().example('client_4fZ0q7Yb2mKc9sXw')
    .describe('ID of the OAuth client that created it; null for an API key or a person'),
  is_active:            flag().default(true),
  status:               derive(choice(['active', 'paused', 'disabled']), sql`
    case when not webhooks.is_active then 'disabled'
         when webhooks.paused_at is not null then 'paused'
         else 'active' end`),
  secret_last4:         text({ max: 8 }).readonly().example('9f3c').describe('Last four characters of the secret'),
  consecutive_failures: derive(integer({ min: 0 }), sql`coalesce(${health(raw('consecutive_failures'))}, 0)`)
    .describe('Number of failed deliveries since the last success'),
  last_delivery_at:     derive(time(), health(lastDelivery('last_delivery_at'))).nullable()
    .describe('Time the last delivery ended'),
  last_delivery_status: derive(choice(['delivered', 'failed', 'skipped']),
    health(lastDelivery('last_delivery_status'))).nullable().describe('Result of the last delivery'),
  disabled_at:          time().nullable().readonly()
    .describe('Time the webhook was disabled; null while it is enabled'),
  disabled_reason:      choice(['manual', 'failing', 'gone', 'access_revoked']).nullable().readonly()
    .describe('Why the webhook was disabled'),
  created_at:           time().readonly().sortable(),
  updated_at:           time().readonly().sortable(),
}, {
  is_failing: filter(flag().describe('Whether its last delivery failed, or failures have paused or disabled it'),
    (isFailing) => (isFailing ? failingCondition : sql`not (${failingCondition})`)),
  ...integrationFilters('webhooks'),
}, { noun: 'Webhook' })

const failingCondition = sql`case when webhooks.is_active
      then webhooks.paused_at is not null or coalesce(${health(raw('consecutive_failures'))}, 0) > 0
      else webhooks.disabled_reason is distinct from 'manual' end`

function health(value: Sql): Sql {
  return sql`(
    select ${value} from webhook_health
    where webhook_health.store_id = ${bindStore('webhooks.store_id')} and webhook_health.webhook_id = webhooks.id)`
}

const secret = () => text({ min: 16, max: 128 }).describe('Signing secret. Generated if omitted; returned only once')

/** Selects from the end of the log: rows of webhook_health do not contain repeated successes. */
export function lastDelivery(column: 'last_delivery_at' | 'last_delivery_status'): Sql {
  return sql`coalesce((
    select ${raw(column)}
    from (
      select completed_at as last_delivery_at, status as last_delivery_status
      from deliveries
      where deliveries.store_id = ${bindStore('webhook_health.store_id')}
        and deliveries.webhook_id = webhook_health.webhook_id
      order by deliveries.id desc
      limit 20) as newest
    where newest.last_delivery_at >= coalesce(webhook_health.last_delivery_at, '-infinity')
    order by newest.last_delivery_at desc
    limit 1), webhook_health.${raw(column)})`
}

export const newWebhook = createBody({ ...webhook.fields, secret: secret() })
export const webhookPatch = patchBody({ ...webhook.fields, secret: secret() })
export const newSecret = createBody({ secret: secret() })

/** The record of a create or rotate answer: the only ones that show the secret. */
export const webhookWithSecret = withOneTimeValues(webhook.entity, 'Webhook with secret', {
  secret: { type: 'string', minLength: 16, maxLength: 128 },
})
