// What has happened to an order, the newest first.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { button } from '../../framework/form.ts'
import type { Whole } from './whole.ts'
import type { Html, Visit } from '../../framework/page.ts'
import { panel } from '../../framework/parts.ts'
import { wordIn } from '../../framework/words.ts'

type Happening = { at: Date | string; text: Html | string; more?: Html | string; button?: Html | '' }

export function timeline(visit: Visit, whole: Whole): Html {
  const all = [
    ...ofOrder(visit, whole),
    ...ofMoney(visit, whole),
    ...ofParcels(visit, whole),
    ...ofMails(visit, whole),
    ...ofEvents(visit, whole),
  ]
  const sorted = all.sort((a, b) => new Date(b.at).getTime() - new Date(a.at).getTime())
  const rows = sorted.map(
    ({ at, text, more, button: action }) => html`<li><p>${text}</p>
<p class="hint"><time datetime="${new Date(at).toISOString()}">${visit.when(at)}</time>
${more ? html`· ${more}` : ''}</p>
${action ?? ''}</li>`,
  )
  return panel(visit.say('timeline'), html`<ol class="timeline">${rows}</ol>`)
}

function ofOrder({ say }: Visit, { record }: Whole): Happening[] {
  const { created_at, completed_at, cancelled_at, cancel_reason } = record
  const why = cancel_reason ? { more: wordIn(say, `cancel_reason_${cancel_reason}`, cancel_reason) } : {}
  return [
    { at: created_at, text: say('happened_placed') },
    ...(completed_at ? [{ at: completed_at, text: say('happened_completed') }] : []),
    ...(cancelled_at ? [{ at: cancelled_at, text: say('happened_undone'), ...why }] : []),
  ]
}

function ofMoney({ say, price }: Visit, { payments, refunds }: Whole): Happening[] {
  const moved = payments.flatMap(({ method, provider, events }) =>
    events
      .filter(({ kind }) => kind !== 'heard')
      .map(({ kind, amount, reason, created_at }) => ({
        at: created_at,
        text: `${wordIn(say, `payment_event_${kind}`, kind)} ${price(amount)}`,
        more: [wordIn(say, `method_${method}`, method ?? provider), reason].filter(Boolean).join(' · '),
      })),
  )
  const back = refunds.map(({ amount, status, reason, created_at }) => ({
    at: created_at,
    text: `${say('happened_refund')} ${price(amount)}`,
    more: [wordIn(say, `refund_status_${status}`, status), reason].filter(Boolean).join(' · '),
  }))
  return [...moved, ...back]
}

function ofParcels({ say }: Visit, { fulfillments }: Whole): Happening[] {
  return fulfillments.map(({ carrier, tracking_number, shipped_at }) => ({
    at: shipped_at,
    text: say('happened_sent'),
    more: [carrier, tracking_number].filter(Boolean).join(' '),
  }))
}

function ofMails(visit: Visit, { mails }: Whole): Happening[] {
  const { say, role } = visit
  return mails.map(({ id, kind, status, recipient, created_at, error }) => ({
    at: created_at,
    text: `${say('happened_mail')}: ${wordIn(say, `mail_${kind}`, kind)}`,
    more: [recipient, wordIn(say, `mail_status_${status}`, status), error].filter(Boolean).join(' · '),
    button: mayUse(role, 'write:orders')
      ? button(visit, { act: 'resend', fixed: { mail: id }, text: 'resend', kind: 'link' })
      : '',
  }))
}

/** Who may see webhooks sees where each event was sent. */
function ofEvents({ say, base, role }: Visit, { events }: Whole): Happening[] {
  const maySee = mayUse(role, 'read:webhooks')
  return events.map(({ event, occurred_at, deliveries }) => {
    const sent = deliveries.map(({ id, webhook_id, host, status }) => {
      const to = `${base}/settings/developer/webhooks/${webhook_id}/deliveries/${id}`
      return html`<br><a href="${to}">${host}: ${say(`delivery_${status}`)}</a>`
    })
    return {
      at: occurred_at,
      text: html`<code>${event}</code>`,
      ...(maySee && sent.length > 0 ? { more: html`${sent}` } : {}),
    }
  })
}
