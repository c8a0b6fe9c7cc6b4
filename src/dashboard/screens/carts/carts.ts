// The list of abandoned checkouts, with their total and the recovered revenue.
import { html } from 'hono/html'
import { draft, type CheckoutDraft } from '../../../storefront/checkout/cart/draft.ts'
import { sumUpRecovery } from '../../../storefront/checkout/cart/summary.ts'
import { list } from '../../framework/list.ts'
import { mark, percentText } from '../../framework/parts.ts'
import type { Html, PageContext } from '../../framework/screen.ts'

export const draftTones = { active: 'plain', abandoned: 'warn', recovered: 'good', expired: 'plain' } as const
export const recoveryMailTones = {
  none: 'plain',
  queued: 'plain',
  sent: 'good',
  withheld: 'plain',
  failed: 'bad',
} as const

// prettier-ignore
export const carts = list({
  path: '/carts', section: 'carts', scope: 'read:checkout_drafts', feature: 'abandoned_checkouts', title: 'carts',
  resource: draft,
  columns: [
    { title: 'customer', csv: ({ customer }) => customer?.email ?? customer?.phone ?? null,
      cell: (row, { base }) => html`<a class="main" href="${base}/carts/${row.id}">${formatShopperName(row)}</a>
<span class="narrow hint">${row.items.length > 0 ? row.items[0]!.product_name : ''}</span>` },
    { title: 'items', isWide: true, csv: ({ items }) => items.reduce((sum, { quantity }) => sum + quantity, 0),
      cell: ({ items }) => itemsText(items) },
    { title: 'abandoned_at', isWide: true, csv: ({ abandoned_at }) => abandoned_at?.toISOString() ?? null,
      cell: ({ abandoned_at, created_at }, { formatTime }) => formatTime(abandoned_at ?? created_at) },
    { title: 'step', isWide: true, csv: ({ step }) => step, cell: ({ step }, { t }) => t(`reached_${step}`) },
    { title: 'recovery_mail', isWide: true, csv: ({ recovery_mail }) => recovery_mail,
      cell: ({ recovery_mail: state }, { t }) => mark(t(`recovery_mail_${state}`), recoveryMailTones[state]) },
    { title: 'status', csv: ({ status }) => status,
      cell: ({ status }, { t }) => mark(t(`draft_status_${status}`), draftTones[status]) },
    { title: 'total', isNumber: true, cell: ({ total }, { price }) => price(total), csv: ({ total }) => total },
  ],
  filters: [{ name: 'status', words: 'draft_status' }, { name: 'email' }],
  empty: { title: 'carts_none', text: 'carts_none_text' },
  lead: recoverySums,
})

export function formatShopperName({ customer }: Pick<CheckoutDraft, 'customer'>): string {
  return customer?.name ?? customer?.email ?? customer?.phone ?? '–'
}

function itemsText(items: CheckoutDraft['items']): string {
  const [first, ...others] = items
  if (!first) return '–'
  return `${first.quantity} × ${first.product_name}${others.length > 0 ? ` + ${others.length}` : ''}`
}

async function recoverySums({ db, store, t, price, language }: PageContext): Promise<Html> {
  const sums = await sumUpRecovery(db, store)
  const { abandoned_count, open_count, open_total, recovered_count, recovered_revenue, recovery_rate } = sums
  const figure = (term: string, value: string, note: string) =>
    html`<div><dt>${term}</dt><dd><strong>${value}</strong> <span class="hint">${note}</span></dd></div>`
  const rate = recovery_rate === null ? '–' : percentText(language, recovery_rate)
  return html`<section class="panel" aria-label="${t('carts_sums')}"><dl class="figures">
${figure(t('recovered_revenue'), price(recovered_revenue), t('carts_count', { count: recovered_count }))}
${figure(t('open_total'), price(open_total), t('carts_count', { count: open_count }))}
${figure(t('recovery_rate'), rate, t('carts_of', { count: abandoned_count }))}</dl></section>`
}
