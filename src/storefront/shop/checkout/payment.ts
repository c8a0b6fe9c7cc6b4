// The page to which a payment provider sends shoppers back. Its URL does not prove payment, so the
// provider is asked.
import { html } from 'hono/html'
import { notFound } from '../../../kit/values/errors.ts'
import type { Settlement } from '../../checkout/settlement/outcome.ts'
import { ownsSession, sessionOfLink } from '../../checkout/settlement/returnlink.ts'
import { settleForShopper } from '../../checkout/settlement/settle.ts'
import { orderPath } from './orderlink.ts'
import { renderWaitingPage } from './pay.ts'
import type { Html, ShopResult, ShopContext } from '../frame/page.ts'
import { note } from '../frame/view.ts'

export async function showPayment(context: ShopContext): Promise<ShopResult> {
  const { db, store, deps, params, cookies, query } = context
  const id = sessionOfLink(deps.vault, store.id, params.link!)
  if (!id) throw notFound('Payment')
  // The order contains the buyer's address, so a forwarded link shows nothing and triggers nothing.
  if (!(await ownsSession(db, store, id, cookies.checkout))) return { status: 403, page: foreignPage(context) }
  const settlement = await settleForShopper(db, store, id, deps)
  switch (settlement.outcome) {
    case 'placed':
      return { to: orderPath(context, settlement.order.id), cookies: { cart: null } }
    case 'waiting':
      return query.cancelled ? { page: cancelledPage(context, settlement) } : renderWaitingPage(context)
    case 'unpaid':
      return { page: retryPage(context, 'payment_failed_text') }
    case 'returned':
      return { page: retryPage(context, settlement.isBack ? 'payment_returned_text' : 'payment_returning_text') }
  }
}

function foreignPage(context: ShopContext): Html {
  const { t } = context
  return note(context, { title: t('payment_foreign'), text: t('payment_foreign_text') })
}

/** The shopper canceled at the provider: the payment may be continued. */
function cancelledPage(context: ShopContext, { next }: Extract<Settlement, { outcome: 'waiting' }>): Html {
  const { t, root } = context
  const more = html`${next ? html`<p><a class="button" href="${next}">${t('go_on_paying')}</a></p>` : ''}
<p><a class="button${next ? ' quiet' : ''}" href="${root}/checkout">${t('try_again')}</a></p>`
  return note(context, { title: t('payment_not_made'), text: t('payment_failed_text'), more })
}

type PaymentMessage = 'payment_failed_text' | 'payment_returned_text' | 'payment_returning_text'

function retryPage(context: ShopContext, text: PaymentMessage): Html {
  const { t, root } = context
  const more = html`<p><a class="button" href="${root}/checkout">${t('try_again')}</a></p>`
  const title = t(text === 'payment_failed_text' ? 'payment_not_made' : 'payment_returned')
  return note(context, { title, text: t(text), more })
}
