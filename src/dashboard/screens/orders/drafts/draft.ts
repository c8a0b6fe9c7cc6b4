// One draft order: its link, its order, changes since it was priced, and its form.
import { html } from 'hono/html'
import { historyLink } from '../../audit/history.ts'
import { mayUse } from '../../../../identity/accounts/roles.ts'
import { listDraftChanges, quoteRow, type DraftChange } from '../../../../commerce/draftorders/changes.ts'
import { draftOrder, type DraftItem, type DraftOrder } from '../../../../commerce/draftorders/draftorder.ts'
import { findDraftRow } from '../../../../storefront/checkout/draftorders/link.ts'
import { endpoint } from '../../../framework/api.ts'
import { fieldError } from '../../../framework/errors.ts'
import { placeBelow } from '../../../framework/placement.ts'
import { record } from '../../../framework/record.ts'
import type { Html, PageContext } from '../../../framework/screen.ts'
import { notice } from '../../../../platform/pages/parts.ts'
import { formatItemTitle } from '../address.ts'
import { findItemPictures, renderItem } from '../itempictures.ts'
import { completePanel, isSent, linkActions, linkPanel, linkState, revokeLink, showLink } from './actions.ts'
import { drafts, draftState } from './drafts.ts'
import { draftEditor, saveAction } from './form.ts'
import { limits } from './items.ts'

const isOpen = ({ status }: DraftOrder) => status !== 'completed'
const isEdited = (draft: DraftOrder, { role }: PageContext) => isOpen(draft) && mayUse(role, 'write:orders')

const save = saveAction(endpoint('PATCH /draft-orders/{id}'), 'draft_saved')

// prettier-ignore
export const draftScreen = record({
  path: '/orders/drafts/{id}', ...placeBelow(drafts), title: 'draft_order', resource: draftOrder, limits,
  metadata: 'PATCH /draft-orders/{id}',
  actions: {
    save,
    ...linkActions,
    duplicate: {
      route: endpoint('POST /draft-orders/{id}/duplicate'), done: 'draft_duplicated',
      to: ({ id }: DraftOrder) => `/orders/drafts/${id}`,
    },
    delete: {
      route: endpoint('DELETE /draft-orders/{id}'), done: 'draft_deleted', to: () => '/orders/drafts',
      confirm: { title: 'draft_delete_ask', text: 'draft_delete_text', button: 'delete' },
    },
  },
  name: ({ draft_number: number }, { t }) => t('draft_title', { number }),
  buttons: [
    { title: 'more', opens: 'menu', buttons: [
      historyLink,
      { act: 'duplicate', text: 'duplicate', leaves: true },
      { ...showLink, when: isEdited },
      { ...revokeLink, when: (one, context) => isEdited(one, context) && isSent(one) },
      { act: 'delete', text: 'delete', kind: 'quiet danger', leaves: true },
    ] },
    { ...completePanel, when: isEdited },
    { ...linkPanel, when: isEdited },
  ],
  marks: [draftState, ({ created_at }, { formatTime }) => formatTime(created_at), linkState],
  lead: [(context, one) => isOpen(one) ? renderDraftChanges(context, one) : renderPlacedOrder(context, one)],
  main: [
    (context, one, version) => isEdited(one, context) ? draftEditor(context, save, one, version) : '',
    { when: (one, context) => !isEdited(one, context), title: 'items', lead: itemsTable, facts: [
      ['subtotal', ({ subtotal }, { price }) => price(subtotal)],
      ['discount', ({ discount_amount: amount }, { price }) => amount > 0 ? price(-amount) : null],
      ['discount_codes', ({ discount_codes: codes }) => codes.join(', ') || null],
      ['shipping', ({ shipping_cost }, { price }) => price(shipping_cost)],
      ['tax', ({ tax_amount: amount }, { price }) => amount > 0 ? price(amount) : null],
      ['total', ({ total }, { price }) => price(total)],
      ['email', 'customer_email'],
      'customer_notes',
    ] },
  ],
})

function renderPlacedOrder({ t, base }: PageContext, { order_id }: DraftOrder): Html {
  return notice('done', html`<p>${t('draft_became')} <a href="${base}/orders/${order_id}">${t('view_order')}</a></p>`)
}

/** Shows changes since the draft was priced, and what prevents its order. */
async function renderDraftChanges(context: PageContext, { blocked_at }: DraftOrder): Promise<Html> {
  const { db, store, ids, t, formatTime } = context
  const row = (await findDraftRow(db, store.id, ids.id!))!
  const quote = await quoteRow(db, store, row)
  const changes = listDraftChanges(row, quote)
  const [prices, obstacles] = [changes.filter(({ to }) => to !== null), changes.filter(({ to }) => to === null)]
  const blockNote = blocked_at ? html`<p>${t('draft_blocked_at', { when: formatTime(blocked_at) })}</p>` : ''
  const items = quote.items
  return html`${
    obstacles.length > 0 || blocked_at
      ? notice('error', html`${blockNote}${changeList(context, t('draft_obstacles'), obstacles, items)}`)
      : ''
  }
${prices.length > 0 ? notice('warning', changeList(context, t('draft_changed'), prices, items)) : ''}`
}

function changeList(
  context: PageContext,
  title: string,
  changes: readonly DraftChange[],
  items: readonly DraftItem[],
): Html | '' {
  if (changes.length === 0) return ''
  return html`<p>${title}</p><ul>${changes.map((change) => html`<li>${changeText(context, change, items)}</li>`)}</ul>`
}

function changeText(context: PageContext, change: DraftChange, items: readonly DraftItem[]): string {
  const { t, price } = context
  const { field: name, from, to } = change
  const [, at] = /^items\.(\d+)\./.exec(name) ?? []
  const item = at === undefined ? undefined : items[Number(at)]
  const about = item
    ? formatItemTitle({ ...item, product_name: item.product_name ?? '' })
    : t(labels[name.replace(/\.\d+$/, '')] ?? 'draft_order')
  if (from !== null && to !== null) return t('draft_change', { name: about, from: price(from), to: price(to) })
  return `${about}: ${fieldError(context, change)}`
}

const labels: Record<
  string,
  'subtotal' | 'discount' | 'shipping' | 'tax' | 'total' | 'customer_name' | 'shipping_address'
> = {
  subtotal: 'subtotal',
  discount_amount: 'discount',
  discount_code: 'discount',
  discount_codes: 'discount',
  discount_value: 'discount',
  shipping_cost: 'shipping',
  tax_amount: 'tax',
  total: 'total',
  customer_id: 'customer_name',
  shipping_address: 'shipping_address',
}

async function itemsTable(context: PageContext, { items }: DraftOrder): Promise<Html> {
  const { t, price } = context
  const pictures = await findItemPictures(context, items)
  const rows = (items as DraftItem[]).map(
    (item) => html`<tr><td>${renderItem(context, item, pictures, [item.variant_name, item.sku])}</td>
<td class="number">${item.quantity} × ${price(item.price!)}</td>
<td class="number">${price(item.total_price!)}</td></tr>`,
  )
  return html`<table class="plain" aria-label="${t('items')}"><tbody>${rows}</tbody></table>`
}
