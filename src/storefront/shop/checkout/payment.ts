// Where a payment provider sends its shoppers back to. What the address says of the payment is not believed: the
// provider is asked. It needs no script: a page that waits loads itself again.
import { html } from 'hono/html'
import { notFound } from '../../../kit/values/errors.ts'
import type { Settlement } from '../../checkout/settlement/outcome.ts'
import { ownsSession, sessionOfLink } from '../../checkout/settlement/returnlink.ts'
import { settlePayment } from '../../checkout/settlement/settle.ts'
import { markReturnShown } from '../../../money/payments/session.ts'
import { orderPath } from './orderlink.ts'
import type { Html, Reply, Visit } from '../frame/page.ts'
import { note } from '../frame/view.ts'

const waitSeconds = 5

export async function showPayment(visit: Visit): Promise<Reply> {
  const { db, store, tools, params, cookies, query } = visit
  const id = sessionOfLink(tools.vault, store.id, params.link!)
  if (!id) throw notFound('Payment')
  // The order tells where its buyer lives: whoever was sent the link learns nothing, and sets off nothing.
  if (!(await ownsSession(db, store, id, cookies.checkout))) return { status: 403, page: foreign(visit) }
  const settled = await settlePayment(db, store, id, tools)
  if (settled.outcome === 'returned') await db.transaction(async (tx) => markReturnShown(tx, store.id, id))
  switch (settled.outcome) {
    case 'placed':
      return { to: orderPath(visit, settled.order.id), cookies: { cart: null } }
    case 'waiting':
      return query.cancelled ? { page: left(visit, settled) } : { page: waiting(visit), headers: soon(visit) }
    case 'unpaid':
      return { page: again(visit, 'payment_failed_text') }
    case 'returned':
      return { page: again(visit, settled.isBack ? 'payment_returned_text' : 'payment_returning_text') }
  }
}

function foreign(visit: Visit): Html {
  const { say } = visit
  return note(visit, { title: say('payment_foreign'), text: say('payment_foreign_text') })
}

function soon({ here }: Visit): Record<string, string> {
  return { refresh: `${waitSeconds}; url=${here}` }
}

function waiting(visit: Visit): Html {
  const { say, here } = visit
  const more = html`<p><a class="button" href="${here}">${say('look_again')}</a></p>`
  return note(visit, { title: say('payment_waiting'), text: say('payment_waiting_text'), more })
}

/** The shopper turned back: what was begun can be gone on with. */
function left(visit: Visit, { next }: Extract<Settlement, { outcome: 'waiting' }>): Html {
  const { say, root } = visit
  const more = html`${next ? html`<p><a class="button" href="${next}">${say('go_on_paying')}</a></p>` : ''}
<p><a class="button${next ? ' quiet' : ''}" href="${root}/checkout">${say('try_again')}</a></p>`
  return note(visit, { title: say('payment_not_made'), text: say('payment_failed_text'), more })
}

type Text = 'payment_failed_text' | 'payment_returned_text' | 'payment_returning_text'

function again(visit: Visit, text: Text): Html {
  const { say, root } = visit
  const more = html`<p><a class="button" href="${root}/checkout">${say('try_again')}</a></p>`
  const title = say(text === 'payment_failed_text' ? 'payment_not_made' : 'payment_returned')
  return note(visit, { title, text: say(text), more })
}
