// The orders of a signed-in shopper, or the page to sign in.
import { html } from 'hono/html'
import { publicId } from '../../../kit/values/ids.ts'
import { priceIn } from '../../../kit/values/prices.ts'
import { listOwnOrders, type OwnOrder } from '../../accounts/orders.ts'
import { pageLinks } from '../catalog/pagination.ts'
import { dateIn } from '../checkout/countries.ts'
import { orderPath } from '../checkout/orderlink.ts'
import type { Html, ShopContext, ShopResult } from '../frame/page.ts'
import { forShopper, requireAccounts, findCurrentShopper, type ShopperContext } from '../frame/shopper.ts'
import { buildHomePath } from '../frame/view.ts'
import { accountPage } from './layout.ts'
import { signInPage } from './signin.ts'

const showOwnOrders = forShopper(async (context) => {
  const { db, store, shopper, query } = context
  const list = await listOwnOrders(db, store, shopper, Math.trunc(Number(query.page)) || 1)
  return { page: accountPage(context, { place: '', content: orderList(context, list) }) }
})

export async function showAccount(context: ShopContext): Promise<ShopResult> {
  requireAccounts(context)
  return (await findCurrentShopper(context)) ? showOwnOrders(context) : { page: signInPage(context) }
}

function orderList(
  context: ShopperContext,
  { orders, ...position }: { orders: readonly OwnOrder[]; page: number; total_pages: number },
): Html {
  const { t } = context
  if (orders.length === 0) {
    return html`<p>${t('account_no_orders')}</p>
<p><a class="button" href="${buildHomePath(context)}">${t('continue_shopping')}</a></p>`
  }
  return html`<ul class="records">${orders.map((order) => orderRow(context, order))}</ul>
${pageLinks(context, position)}`
}

function orderRow(context: ShopperContext, order: OwnOrder): Html {
  const { t, root, language, store } = context
  const { id, order_number, status, payment_status, total, currency, created_at } = order
  const state = [formatOrderStatus(context, order), t(`payment_${payment_status}`)]
  const isUndone = status === 'cancelled' || status === 'returned'
  const href = root + orderPath(context, publicId('ord', id))
  return html`<li><a href="${href}">${t('order', { number: order_number })}</a>
<span class="soft">${dateIn(language, store, created_at)}</span>
<span>${isUndone ? state[0] : state.join(' · ')}</span>
<b>${priceIn(language, { ...store, currency })(Number(total))}</b></li>`
}

function formatOrderStatus({ t }: ShopperContext, { status, fulfillment_status }: OwnOrder): string {
  if (status === 'cancelled' || status === 'returned') return t(`account_${status}`)
  return fulfillment_status === 'fulfilled' ? t('account_shipped') : t(`status_${status}`)
}
