// Payments of an order that somebody should look at: what happened, and what is known of a dispute.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import type { Payment } from '../../../money/payments/payment.ts'
import { button } from '../../framework/form.ts'
import type { Html, Visit } from '../../framework/page.ts'
import { mark, panel } from '../../framework/parts.ts'
import type { Whole } from './whole.ts'

export function troubles(visit: Visit, { payments }: Whole): Html | '' {
  const shown = payments.filter(({ needs_review, disputes }) => needs_review || disputes.length > 0)
  if (shown.length === 0) return ''
  const rows = shown.map(
    (payment) => html`<li><div>${reasonOf(visit, payment)}${disputesOf(visit, payment)}</div>
${seen(visit, payment)}</li>`,
  )
  return panel(visit.say('payment_attention'), html`<ul class="rows">${rows}</ul>`)
}

function reasonOf({ say }: Visit, { needs_review, trouble }: Payment): Html | '' {
  return needs_review && trouble ? html`<p>${say(`trouble_${trouble}`)}</p>` : ''
}

function disputesOf({ say, price, when }: Visit, { disputes }: Payment): Html[] {
  const tones = { needs_response: 'bad', under_review: 'warn', won: 'good', lost: 'bad' } as const
  return disputes.map(({ status, amount, reason, evidence_due_at, closed_at }) => {
    const due = evidence_due_at && !closed_at ? say('dispute_due', { date: when(evidence_due_at) }) : null
    return html`<p>${mark(say(`dispute_${status}`), tones[status])} ${price(amount)}</p>
<p class="hint">${[reason, due].filter(Boolean).join(' · ')}</p>`
  })
}

function seen(visit: Visit, { id, needs_review }: Payment): Html | '' {
  if (!needs_review || !mayUse(visit.role, 'write:orders')) return ''
  return button(visit, { act: 'seen', fixed: { payment: id }, text: 'payment_seen' })
}
