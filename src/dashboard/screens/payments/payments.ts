// The list of payments, with open captures, disputes and reviews.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { payment, type Payment } from '../../../commerce/payments/payment.ts'
import { endpoint } from '../../framework/api.ts'
import { button, mayDo } from '../../framework/form.ts'
import { list } from '../../framework/list.ts'
import { messageOr } from '../../framework/messages.ts'
import { mark } from '../../framework/parts.ts'
import type { Html, PageContext, ScreenAction } from '../../framework/screen.ts'

const markReviewed: ScreenAction = {
  route: endpoint('PATCH /payments/{id}'),
  body: { needs_review: false },
  done: 'saved',
}

type ListedPayment = Payment & { order_number: number | null; customer_name: string | null }

/** Adds the number and the customer of each order. */
async function withOrders({ db, store }: PageContext, payments: Payment[]): Promise<ListedPayment[]> {
  const ids = payments.flatMap(({ order_id }) => (order_id ? [toUuid('ord', order_id)] : []))
  const orders = await db.rows<{ id: string; order_number: number; customer_name: string | null }>(sql`
    select id, order_number, customer_name
    from orders
    where store_id = ${store.id}
      and id = any(${ids}::uuid[])`)
  const byId = new Map(orders.map((one) => [one.id, one]))
  return payments.map((payment) => {
    const own = payment.order_id ? byId.get(toUuid('ord', payment.order_id)!) : undefined
    return { ...payment, order_number: own?.order_number ?? null, customer_name: own?.customer_name ?? null }
  })
}

// prettier-ignore
const tones = {
  pending: 'plain', requires_action: 'plain', processing: 'plain', authorized: 'warn', captured: 'good', failed: 'bad',
  cancelled: 'plain', expired: 'plain',
} as const

// prettier-ignore
export const payments = list<typeof payment.fields, ListedPayment>({
  path: '/payments', section: 'orders', nav: {}, scope: 'read:orders', title: 'payments', resource: payment,
  more: withOrders,
  actions: { seen: markReviewed },
  columns: [
    { title: 'order', cell: orderLink, csv: ({ order_number }) => order_number },
    { title: 'created_at', sort: 'created_at', isWide: true, csv: ({ created_at }) => created_at.toISOString(),
      cell: ({ created_at: at }, { formatShortTime: format }) =>
        html`<time datetime="${at.toISOString()}">${format(at)}</time>` },
    { title: 'status', cell: state, csv: ({ status }) => status },
    { title: 'amount', isNumber: true, cell: ({ amount }, { price }) => price(amount), csv: ({ amount }) => amount },
  ],
  filters: [
    { name: 'status', words: 'payment_is' },
    { name: 'needs_capture' },
    { name: 'needs_response' },
    { name: 'needs_review' },
  ],
  empty: { title: 'payments_none', text: 'payments_none_text' },
})

function orderLink({ order_id, order_number, customer_name }: ListedPayment, { base }: PageContext): Html | string {
  if (!order_id) return '–'
  return html`<a class="main whole" href="${base}/orders/${order_id}">#${order_number}</a>
<small>${customer_name ?? ''}</small>`
}

/** Shows the method, the reason for a review, and the deadline of a dispute. */
function state(
  { id, status, method, provider, disputes, needs_review, trouble }: ListedPayment,
  context: PageContext,
): Html {
  const { t, formatTime } = context
  const open = disputes.filter((one) => one.status === 'needs_response')
  const dispute = open.map(
    ({ evidence_due_at: due }) => html`${mark(t('dispute_needs_response'), 'bad')}
${due ? html`<small>${t('dispute_due', { date: formatTime(due) })}</small>` : ''}`,
  )
  const review = needs_review && trouble && open.length === 0 ? html`<small>${t(`trouble_${trouble}`)}</small>` : ''
  const resolve =
    needs_review && mayDo(context, markReviewed)
      ? button(context, { act: 'seen', fixed: { id }, text: 'payment_seen' })
      : ''
  return html`${mark(t(`payment_is_${status}`), tones[status])} ${dispute}
<small>${method ? messageOr(t, `method_${method}`, method) : provider}</small>${review}${resolve}`
}
