// Counts of records that need attention; each is read from a partial index.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import type { Fields } from '../../../kit/declare/field.ts'
import type { ResourceOf } from '../../../kit/declare/resource.ts'
import { mail } from '../../../tenancy/emails/mail.ts'
import { payment } from '../../../money/payments/payment.ts'
import { countLowStock } from '../../../money/reports/lowstock.ts'
import { webhook } from '../../../developer/webhooks/webhook.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { mark, panel } from '../../framework/parts.ts'
import type { MessageKey } from '../../framework/messages.ts'

type AttentionItem = { word: MessageKey; to: string; count: number }
type AttentionSource = { scope: string; load: (context: PageContext) => Promise<AttentionItem[]> }

// prettier-ignore
const sources: AttentionSource[] = [
  { scope: 'read:orders', load: async (context) => [
    { word: 'attention_payments', to: '/orders?payment_status=pending',
      count: await countOf(context, payment, { needs_review: true }) },
    { word: 'attention_mails', to: '/settings/mail/log?status=failed',
      count: await countOf(context, mail, { status: 'failed', kind: 'all' }) },
  ] },
  { scope: 'read:products', load: async ({ db, store }) => {
    const { few, sold_out } = await countLowStock(db, store.id)
    return [
      { word: 'attention_stock', to: '/products?stock_status=low_stock', count: few },
      { word: 'attention_sold_out', to: '/products?stock_status=out_of_stock', count: sold_out },
    ]
  } },
  { scope: 'read:webhooks', load: async (context) => [
    { word: 'attention_webhooks', to: '/settings/developer/webhooks', count: await failingWebhooks(context) },
  ] },
]

export async function needsAttention(context: PageContext): Promise<Html> {
  const { t, role, base } = context
  const open = sources.filter(({ scope }) => mayUse(role, scope))
  const lines = (await Promise.all(open.map(({ load: lines }) => lines(context))))
    .flat()
    .filter(({ count }) => count > 0)
  const rows = lines.map(
    ({ word, to, count }) => html`<li><a href="${base}${to}">${t(word)}</a> ${mark(String(count), 'warn')}</li>`,
  )
  const content = rows.length === 0 ? html`<p>${t('attention_none')}</p>` : html`<ul class="attention">${rows}</ul>`
  return panel(t('attention'), content)
}

async function countOf<F extends Fields>(
  { db, store }: PageContext,
  resource: ResourceOf<F>,
  filters: Record<string, unknown>,
): Promise<number> {
  const query = { page: 1, per_page: 1, sort: 'created_at', order: 'desc', ...filters } as const
  return (await entityPage(db, resource, store, query)).pagination.total
}

/** Reads all webhooks, of which a store has few. */
async function failingWebhooks({ db, store }: PageContext): Promise<number> {
  const query = { page: 1, per_page: 100, sort: 'created_at', order: 'desc' } as const
  const { data } = await entityPage(db, webhook, store, query)
  return data.filter(({ status, disabled_reason, consecutive_failures }) => {
    const isOff = status === 'disabled' && disabled_reason !== 'manual'
    return isOff || status === 'paused' || (status === 'active' && consecutive_failures > 0)
  }).length
}
