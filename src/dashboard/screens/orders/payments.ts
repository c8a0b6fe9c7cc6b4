// Payments of an order that need review, and disputes.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import type { Payment } from '../../../money/payments/payment.ts'
import { button } from '../../framework/form.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { mark, panel } from '../../framework/parts.ts'
import type { OrderDetails } from './orderdetails.ts'

export function paymentReviews(context: PageContext, { payments }: OrderDetails): Html | '' {
  const open = payments.filter(({ needs_review, disputes }) => needs_review || disputes.length > 0)
  if (open.length === 0) return ''
  const rows = open.map(
    (payment) => html`<li><div>${reasonOf(context, payment)}${disputesOf(context, payment)}</div>
${markSeenButton(context, payment)}</li>`,
  )
  return panel(context.t('payment_attention'), html`<ul class="rows">${rows}</ul>`)
}

function reasonOf({ t }: PageContext, { needs_review, trouble }: Payment): Html | '' {
  return needs_review && trouble ? html`<p>${t(`trouble_${trouble}`)}</p>` : ''
}

function disputesOf({ t, price, formatTime }: PageContext, { disputes }: Payment): Html[] {
  const tones = { needs_response: 'bad', under_review: 'warn', won: 'good', lost: 'bad' } as const
  return disputes.map(({ status, amount, reason, evidence_due_at, closed_at }) => {
    const due = evidence_due_at && !closed_at ? t('dispute_due', { date: formatTime(evidence_due_at) }) : null
    return html`<p>${mark(t(`dispute_${status}`), tones[status])} ${price(amount)}</p>
<p class="hint">${[reason, due].filter(Boolean).join(' · ')}</p>`
  })
}

function markSeenButton(context: PageContext, { id, needs_review }: Payment): Html | '' {
  if (!needs_review || !mayUse(context.role, 'write:orders')) return ''
  return button(context, { act: 'seen', fixed: { payment: id }, text: 'payment_seen' })
}
