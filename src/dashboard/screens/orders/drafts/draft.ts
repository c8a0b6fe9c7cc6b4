// One draft order: its link, its order, changes since it was priced, and its form.
import { html } from 'hono/html'
import { historyLink } from '../../audit/history.ts'
import { mayUse } from '../../../../identity/accounts/roles.ts'
import { buildEtag } from '../../../../kit/declare/conditions.ts'
import { findRecord } from '../../../../kit/declare/page.ts'
import { listDraftChanges, quoteRow, type DraftChange } from '../../../../commerce/draftorders/changes.ts'
import { draftOrder, type DraftItem, type DraftOrder } from '../../../../commerce/draftorders/draftorder.ts'
import { findDraftRow } from '../../../../storefront/checkout/draftorders/link.ts'
import { endpoint } from '../../../framework/api.ts'
import { fieldError } from '../../../framework/errors.ts'
import { button } from '../../../framework/form.ts'
import { placeBelow } from '../../../framework/placement.ts'
import { facts, panel } from '../../../framework/parts.ts'
import type { Html, PageContext, Screen } from '../../../framework/screen.ts'
import { notice } from '../../../../platform/pages/parts.ts'
import { formatItemTitle } from '../address.ts'
import { completePanel, linkActions, linkPanel } from './actions.ts'
import { drafts, draftState } from './drafts.ts'
import { draftForm, saveAction } from './form.ts'
import { limits } from './items.ts'

const save = saveAction(endpoint('PATCH /draft-orders/{id}'), 'draft_saved')

export const draftScreen: Screen = {
  path: '/orders/drafts/{id}',
  ...placeBelow(drafts),
  title: 'draft_order',
  params: { id: draftOrder },
  limits,
  actions: {
    save,
    ...linkActions,
    duplicate: {
      route: endpoint('POST /draft-orders/{id}/duplicate'),
      done: 'draft_duplicated',
      to: ({ id }: DraftOrder) => `/orders/drafts/${id}`,
    },
    delete: {
      route: endpoint('DELETE /draft-orders/{id}'),
      confirm: { title: 'draft_delete_ask', text: 'draft_delete_text', button: 'delete' },
      done: 'draft_deleted',
      to: () => '/orders/drafts',
    },
  },
  async show(context) {
    const { db, store, ids, t, role, formatTime } = context
    const { entity, json } = await findRecord(db, draftOrder, store.id, ids.id!)
    const mayWrite = mayUse(role, 'write:orders')
    const isOpen = entity.status !== 'completed'
    const edit =
      mayWrite && isOpen ? await draftForm(context, { action: save, record: entity, version: buildEtag(json) }) : null
    const act = mayWrite && isOpen ? html`${await linkPanel(context, entity)}${await completePanel(context)}` : ''
    return {
      title: entity.customer_name ?? entity.customer_email ?? t('draft_order'),
      buttons: html`${historyLink(context)}${mayWrite ? writeButtons(context) : ''}`,
      content: html`<p class="states">${draftState(entity, context)}
<span class="hint">${formatTime(entity.created_at)}</span></p>
${isOpen ? await renderDraftChanges(context, entity) : renderPlacedOrder(context, entity)}
<div class="columns"><div>${edit ? html`<div class="panel" id="draft">${edit}</div>` : summary(context, entity)}</div>
<div>${act}</div></div>`,
    }
  },
}

function writeButtons(context: PageContext): Html {
  return html`${button(context, { act: 'duplicate', text: 'duplicate', leaves: true })}
${button(context, { act: 'delete', text: 'delete', kind: 'quiet danger', leaves: true })}`
}

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
  const blocked = blocked_at ? html`<p>${t('draft_blocked_at', { when: formatTime(blocked_at) })}</p>` : ''
  const items = quote.items
  return html`${
    obstacles.length > 0 || blocked_at
      ? notice('error', html`${blocked}${changeList(context, t('draft_obstacles'), obstacles, items)}`)
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
    : t(labels[name] ?? 'draft_order')
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
  discount_value: 'discount',
  shipping_cost: 'shipping',
  tax_amount: 'tax',
  total: 'total',
  customer_id: 'customer_name',
  shipping_address: 'shipping_address',
}

function summary({ t, price }: PageContext, draft: DraftOrder): Html {
  const { items, subtotal, discount_amount, shipping_cost, tax_amount, total, customer_email, customer_notes } = draft
  const rows = items.map(({ product_name, variant_name, quantity, ...item }) => {
    const { total_price } = item as unknown as DraftItem
    const title = formatItemTitle({ product_name: product_name ?? '', variant_name: variant_name ?? null })
    return html`<tr><td>${quantity} × ${title}</td><td class="number">${price(total_price!)}</td></tr>`
  })
  return panel(
    t('items'),
    html`<table class="plain" aria-label="${t('items')}"><tbody>${rows}</tbody></table>${facts([
      [t('subtotal'), price(subtotal)],
      [t('discount'), discount_amount > 0 ? price(-discount_amount) : null],
      [t('shipping'), price(shipping_cost)],
      [t('tax'), tax_amount > 0 ? price(tax_amount) : null],
      [t('total'), price(total)],
      [t('email'), customer_email],
      [t('customer_notes'), customer_notes],
    ])}`,
  )
}
