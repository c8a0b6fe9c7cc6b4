// Returns on the page of an order: their state, and the way to request one.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import { readReturnable, type Returnable } from '../../../commerce/returns/returnable.ts'
import { orderReturn, type Return } from '../../../commerce/returns/return.ts'
import { orderPath } from './orderlink.ts'
import { hidden } from '../../../platform/pages/parts.ts'
import { dateIn } from './countries.ts'
import type { Html, ShopContext } from '../frame/page.ts'
import type { ShopMessageKey } from '../frame/messages.ts'

export type OrderReturns = { returns: Return[]; returnable: Returnable }

const all = { page: 1, per_page: 100, sort: 'created_at', order: 'asc' } as const

/** `id` is the order's uuid. */
export async function findReturns({ db, store }: ShopContext, id: string): Promise<OrderReturns> {
  const [{ data }, returnable] = await Promise.all([
    entityPage(db, orderReturn, store, all, sql`returns.order_id = ${id}`),
    readReturnable(db, store, id, db.clock.now()),
  ])
  return { returns: data, returnable }
}

export function returnsOf(context: ShopContext, order: Order, { returns, returnable }: OrderReturns): Html | '' {
  const { t, root, language, store } = context
  const { is_open, until } = returnable
  if (returns.length === 0 && !is_open) return ''
  const path = `${root}${orderPath(context, order.id)}/return`
  const request = is_open
    ? html`<p><a class="button quiet" href="${path}">${t('return_request')}</a></p>
<p class="soft">${t('return_until', { date: dateIn(language, store, until!) })}</p>`
    : ''
  return html`<section><h2>${t('returns')}</h2>${returns.map((one) => state(context, order, one))}${request}</section>`
}

function state(context: ShopContext, order: Order, record: Return): Html {
  const { t, language, store } = context
  const { status, created_at, instructions, decline_reason } = record
  const said = status === 'approved' ? instructions : status === 'declined' ? decline_reason : null
  const names = new Map(order.items.map(({ id, product_name, variant_name }) => [id, [product_name, variant_name]]))
  const pieces = record.items.map(
    ({ item_id, quantity }) => `${quantity} × ${(names.get(item_id) ?? []).filter(Boolean).join(' · ')}`,
  )
  return html`<p>${dateIn(language, store, created_at)} · ${t(stateText(record))}
${pieces.map((piece) => html`<br><span class="soft">${piece}</span>`)}</p>
${said ? html`<p class="pre">${said}</p>` : ''}${cancelButton(context, order, record)}`
}

function cancelButton(context: ShopContext, order: Order, { id, status, requested_by }: Return): Html | '' {
  if (status !== 'requested' || requested_by !== 'customer') return ''
  const { t, root } = context
  return html`<form method="post" action="${root}${orderPath(context, order.id)}/return/cancel" data-once>
${hidden('return_id', id)}<button class="quiet">${t('return_cancel')}</button></form>`
}

function stateText({ status, refund_id, exchange_order_id }: Return): ShopMessageKey {
  if (exchange_order_id) return 'return_is_exchanged'
  return refund_id ? 'return_is_refunded' : `return_is_${status}`
}
