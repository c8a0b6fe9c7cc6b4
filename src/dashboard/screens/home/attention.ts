// What waits for somebody: each is counted by an index that holds nothing else.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import type { Fields } from '../../../kit/declare/field.ts'
import type { ResourceOf } from '../../../kit/declare/resource.ts'
import { mail } from '../../../tenancy/emails/mail.ts'
import { payment } from '../../../money/payments/payment.ts'
import { countLowStock } from '../../../money/reports/lowstock.ts'
import { webhook } from '../../../developer/webhooks/webhook.ts'
import type { Html, Visit } from '../../framework/page.ts'
import { mark, panel } from '../../framework/parts.ts'
import type { Word } from '../../framework/words.ts'

type Line = { word: Word; to: string; count: number }
type Kind = { scope: string; lines: (visit: Visit) => Promise<Line[]> }

// prettier-ignore
const kinds: Kind[] = [
  { scope: 'read:orders', lines: async (visit) => [
    { word: 'attention_payments', to: '/orders?payment_status=pending',
      count: await total(visit, payment, { needs_review: true }) },
    { word: 'attention_mails', to: '/settings/mail/log?status=failed',
      count: await total(visit, mail, { status: 'failed', kind: 'all' }) },
  ] },
  { scope: 'read:products', lines: async ({ db, store }) => {
    const { few, sold_out } = await countLowStock(db, store.id)
    return [
      { word: 'attention_stock', to: '/products?stock_status=low_stock', count: few },
      { word: 'attention_sold_out', to: '/products?stock_status=out_of_stock', count: sold_out },
    ]
  } },
  { scope: 'read:webhooks', lines: async (visit) => [
    { word: 'attention_webhooks', to: '/settings/developer/webhooks', count: await failingWebhooks(visit) },
  ] },
]

export async function needsAttention(visit: Visit): Promise<Html> {
  const { say, role, base } = visit
  const open = kinds.filter(({ scope }) => mayUse(role, scope))
  const lines = (await Promise.all(open.map(({ lines }) => lines(visit)))).flat().filter(({ count }) => count > 0)
  const rows = lines.map(
    ({ word, to, count }) => html`<li><a href="${base}${to}">${say(word)}</a> ${mark(String(count), 'warn')}</li>`,
  )
  const drawn = rows.length === 0 ? html`<p>${say('attention_none')}</p>` : html`<ul class="attention">${rows}</ul>`
  return panel(say('attention'), drawn)
}

async function total<F extends Fields>(
  { db, store }: Visit,
  resource: ResourceOf<F>,
  filters: Record<string, unknown>,
): Promise<number> {
  const query = { page: 1, per_page: 1, sort: 'created_at', order: 'desc', ...filters } as const
  return (await entityPage(db, resource, store, query)).pagination.total
}

/** A store has few. */
async function failingWebhooks({ db, store }: Visit): Promise<number> {
  const query = { page: 1, per_page: 100, sort: 'created_at', order: 'desc' } as const
  const { data } = await entityPage(db, webhook, store, query)
  return data.filter(({ status, disabled_reason, consecutive_failures }) => {
    const isOff = status === 'disabled' && disabled_reason !== 'manual'
    return isOff || status === 'paused' || (status === 'active' && consecutive_failures > 0)
  }).length
}
