// The list of draft orders.
import { html } from 'hono/html'
import { mayUse } from '../../../../identity/accounts/roles.ts'
import { draftOrder, draftStatuses, type DraftOrder } from '../../../../commerce/draftorders/draftorder.ts'
import { addressWith } from '../../../../platform/pages/address.ts'
import { attributes } from '../../../../platform/pages/parts.ts'
import { list } from '../../../framework/list.ts'
import { mark } from '../../../framework/parts.ts'
import { statusMark } from '../../../framework/statuses.ts'
import type { Html, PageContext } from '../../../framework/screen.ts'

// prettier-ignore
export const drafts = list({
  path: '/orders/drafts', section: 'orders', nav: {}, scope: 'read:orders', title: 'drafts', resource: draftOrder,
  columns: [
    { title: 'draft_number', csv: ({ draft_number }) => draft_number,
      cell: (one, context) => html`
<a class="main whole" href="${context.base}/orders/drafts/${one.id}">${one.draft_number}</a>
<span class="narrow hint">${nameBuyer(one, context)}</span>` },
    { title: 'created_at', sort: 'created_at', isWide: true, csv: ({ created_at }) => created_at.toISOString(),
      cell: ({ created_at: at }, { formatShortTime: format }) =>
        html`<time datetime="${at.toISOString()}">${format(at)}</time>` },
    { title: 'customer_name', isWide: true, cell: renderBuyer,
      csv: ({ customer_name, customer_email }) => customer_name ?? customer_email },
    { title: 'status', csv: ({ status }) => status, cell: draftState },
    { title: 'item_count', isWide: true, isNumber: true, cell: ({ item_count }) => String(item_count) },
    { title: 'total', isNumber: true, cell: ({ total }, { price }) => price(total), csv: ({ total }) => total },
  ],
  filters: [{ name: 'status', words: 'draft_order' }, { name: 'customer_id', isChip: true }],
  empty: {
    title: 'drafts_none', text: 'drafts_none_text',
    first: { path: '/orders/drafts/new', button: 'draft_new', scope: 'write:orders' },
  },
  lead: async (context) => tabs(context),
  buttons: ({ t, base, role }) =>
    mayUse(role, 'write:orders') ? html`<a class="button" href="${base}/orders/drafts/new">${t('draft_new')}</a>` : '',
})

function nameBuyer({ customer_name, customer_email }: DraftOrder, { t }: PageContext): string {
  return customer_name ?? customer_email ?? t('draft_nobody')
}

function renderBuyer(draft: DraftOrder, context: PageContext): Html {
  const goods = draft.items.flatMap(({ product_name }) => product_name ?? []).slice(0, 3)
  return html`${nameBuyer(draft, context)} <small class="hint">${goods.join(', ')}</small>`
}

/** A customer who could not pay has the highest priority. */
export function draftState({ status, blocked_at }: DraftOrder, { t }: PageContext): Html {
  return html`${statusMark(t, 'draft_order', status)}${blocked_at ? html` ${mark(t('draft_blocked'), 'bad')}` : ''}`
}

function tabs({ t, here, base }: PageContext): Html {
  const current = new URL(here, 'http://here').searchParams.get('status') ?? ''
  const tab = (status: string, text: string) => {
    const to = addressWith(`${base}/orders/drafts`, { status: status || null })
    return html`<li><a href="${to}"${attributes({ 'aria-current': current === status && 'page' })}>${text}</a></li>`
  }
  return html`<nav class="pages" aria-label="${t('views')}"><ul>${tab('', t('view_all'))}
${draftStatuses.map((status) => tab(status, t(`draft_order_${status}`)))}</ul></nav>`
}
