// The timeline of an order, newest first.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { button } from '../../framework/form.ts'
import { actorText } from '../audit/actors.ts'
import { auditPath, auditScope } from '../audit/audit.ts'
import { listFields } from '../audit/sentences.ts'
import { commentEntries, commentForm } from './comments.ts'
import type { OrderDetails } from './orderdetails.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { panel } from '../../framework/parts.ts'
import { messageOr } from '../../framework/messages.ts'

type TimelineEntry = { at: Date | string; text: Html | string; more?: Html | string; button?: Html | '' }

export async function timeline(context: PageContext, whole: OrderDetails): Promise<Html> {
  const all: TimelineEntry[] = [
    ...(await commentEntries(context, whole)),
    ...orderEntries(context, whole),
    ...moneyEntries(context, whole),
    ...fulfillmentEntries(context, whole),
    ...returnEntries(context, whole),
    ...mailEntries(context, whole),
    ...changeEntries(context, whole),
    ...eventEntries(context, whole),
  ]
  const entries = all.sort((a, b) => new Date(b.at).getTime() - new Date(a.at).getTime())
  const rows = entries.map(
    ({ at, text, more, button: action }) => html`<li><p>${text}</p>
<p class="hint"><time datetime="${new Date(at).toISOString()}">${context.formatTime(at)}</time>
${more ? html`· ${more}` : ''}</p>
${action ?? ''}</li>`,
  )
  return panel(context.t('timeline'), html`${await commentForm(context, whole)}<ol class="timeline">${rows}</ol>`)
}

function orderEntries({ t }: PageContext, { record }: OrderDetails): TimelineEntry[] {
  const { created_at, completed_at, cancelled_at, cancel_reason } = record
  const why = cancel_reason ? { more: messageOr(t, `cancel_reason_${cancel_reason}`, cancel_reason) } : {}
  return [
    { at: created_at, text: t('happened_placed') },
    ...(completed_at ? [{ at: completed_at, text: t('happened_completed') }] : []),
    ...(cancelled_at ? [{ at: cancelled_at, text: t('happened_undone'), ...why }] : []),
  ]
}

function moneyEntries({ t, price }: PageContext, { payments, refunds }: OrderDetails): TimelineEntry[] {
  const paymentEntries = payments.flatMap(({ method, provider, events }) =>
    events.flatMap(({ kind, amount, reason, created_at }) => {
      if (kind === 'heard') return []
      const more = [messageOr(t, `method_${method}`, method ?? provider), reason].filter(Boolean).join(' · ')
      return [{ at: created_at, text: t(`payment_event_${kind}`, { amount: price(amount) }), more }]
    }),
  )
  const refundEntries = refunds.map(({ amount, status, reason, created_at }) => ({
    at: created_at,
    text: t('happened_refund', { amount: price(amount) }),
    more: [messageOr(t, `refund_status_${status}`, status), reason].filter(Boolean).join(' · '),
  }))
  return [...paymentEntries, ...refundEntries]
}

function fulfillmentEntries({ t }: PageContext, { fulfillments }: OrderDetails): TimelineEntry[] {
  return fulfillments.map(({ carrier, tracking_number, shipped_at }) => ({
    at: shipped_at,
    text: t('happened_sent'),
    more: [carrier, tracking_number].filter(Boolean).join(' '),
  }))
}

function returnEntries({ t, base }: PageContext, { returns }: OrderDetails): TimelineEntry[] {
  const moments = ['approved', 'declined', 'received', 'closed', 'cancelled'] as const
  return returns.flatMap((one) => {
    const { id, number, created_at } = one
    const link = html`<a href="${base}/returns/${id}">${t('return_short', { number })}</a>`
    const statusEntries = moments.flatMap((status) => {
      const at = one[`${status}_at`]
      return at ? [{ at, text: html`${link}: ${t(`return_status_${status}`)}` }] : []
    })
    const isRequest = one.requested_by === 'customer'
    return [
      ...(isRequest ? [{ at: created_at, text: html`${link}: ${t('return_status_requested')}` }] : []),
      ...statusEntries,
    ]
  })
}

function mailEntries(context: PageContext, { mails, letters }: OrderDetails): TimelineEntry[] {
  const { t, role } = context
  return mails.map(({ id, kind, status, recipient, created_at, error }) => ({
    at: created_at,
    text: mailText(t, kind, letters.get(id)),
    more: [recipient, messageOr(t, `mail_status_${status}`, status), error].filter(Boolean).join(' · '),
    button: mayUse(role, 'write:orders')
      ? button(context, { act: 'resend', fixed: { mail: id }, text: 'resend', kind: 'link' })
      : '',
  }))
}

/** The email of an extension has the name that its extension gives the letter, or says only whose it is. */
function mailText(t: PageContext['t'], kind: string, letter: string | undefined): string {
  const name = kind === 'extension' ? messageOr(t, `mail_${letter}`, '') : messageOr(t, `mail_${kind}`, kind)
  return name ? t('happened_mail', { name }) : t('mail_extension')
}

/** Fields whose changes other entries tell. */
const toldFields = [
  'updated_at',
  'status',
  'payment_status',
  'fulfillment_status',
  'completed_at',
  'cancelled_at',
  'cancel_reason',
  'captured_amount',
  'refunded_amount',
]

/** Sentences of the audit log, each with a link to its entry, where it can be undone. */
function changeEntries({ t, language, base, price }: PageContext, { record, changes: { list, names } }: OrderDetails) {
  return list.flatMap(({ id, actor, created_at, changes, reverted_by }): TimelineEntry[] => {
    const own = changes.find((change) => change.id === record.id)
    if (!own?.before || !own.after) return []
    const { name } = actorText(t, actor, names)
    const fields = [...Object.keys(own.after), ...own.masked].filter((field) => !toldFields.includes(field))
    const [before, after] = [own.before.total, own.after.total].map(Number)
    if (fields.length === 0) return []
    const added = changes.filter((one) => one.resource === 'order_item' && one.before === null)
    const text = fields.includes('total')
      ? t('happened_edited', { name, before: price(before!), after: price(after!) })
      : t('happened_changed', { name, fields: listFields(t, language, fields) })
    const more = [
      ...added.map(({ after: item }) => `+ ${item!.product_name as string}`),
      ...(reverted_by ? [t('audit_undone')] : []),
    ]
    const entry = html`<a href="${base}${auditPath}/${id}">${text}</a>`
    return [{ at: created_at, text: entry, ...(more.length > 0 ? { more: more.join(' · ') } : {}) }]
  })
}

/** Events that no other entry shows. People who may read webhooks also see the deliveries of each event. */
function eventEntries({ t, base, role }: PageContext, { events }: OrderDetails): TimelineEntry[] {
  const maySee = mayUse(role, 'read:webhooks')
  const isTold = mayUse(role, auditScope)
  const own = events.filter(
    ({ event, deliveries }) => (event === 'order.updated' && !isTold) || (maySee && deliveries.length > 0),
  )
  return own.map(({ event, occurred_at, deliveries }) => {
    const links = deliveries.map(({ id, webhook_id, host, status }) => {
      const to = `${base}/settings/developer/webhooks/${webhook_id}/deliveries/${id}`
      return html`<br><a href="${to}">${host}: ${t(`delivery_${status}`)}</a>`
    })
    return {
      at: occurred_at,
      text: messageOr(t, `happened_${event.replace('.', '_')}`, event),
      ...(maySee && links.length > 0 ? { more: html`${links}` } : {}),
    }
  })
}
