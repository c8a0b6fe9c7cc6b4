import { table } from '../../tenancy/tables/table.ts'
import { buildWebhookSealContext } from './secrets.ts'
import { webhook } from './webhook.ts'

// A webhook that loses its secret is turned off.
export const webhooks = table(webhook, {
  counters: { webhooks: '' },
  audit: { noun: 'webhook', scope: 'webhooks' },
  unforked: 'webhooks of the original',
  sealed: {
    columns: ['secret', 'previous_secret'],
    context: (row) => buildWebhookSealContext(row.store_id!, row.id!),
    blank: 'empty',
    without: {
      secret: `''`,
      previous_secret: 'null',
      is_active: 'false',
      disabled_at: 'coalesce(disabled_at, updated_at)',
      disabled_reason: `coalesce(disabled_reason, 'manual')`,
    },
  },
})

export const webhookHealth = table('webhook_health', {
  audit: 'what deliveries have done',
  unforked: 'webhooks of the original',
})

export const deliveries = table('deliveries', {
  audit: 'what follows from events',
  unforked: 'log of webhooks',
  erasure: 'they are masked with their events',
})

export const attempts = table('attempts', { audit: 'what deliveries have done', unforked: 'log of webhooks' })
