// The deliveries of a webhook, and one delivery with its request and attempts.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { delivery, findDelivery } from '../../../developer/webhooks/delivery/log.ts'
import { webhook } from '../../../developer/webhooks/webhook.ts'
import { endpoint } from '../../framework/api.ts'
import { button } from '../../framework/form.ts'
import { list } from '../../framework/list.ts'
import { facts, mark, panel } from '../../framework/parts.ts'
import type { ScreenAction, Screen, PageContext } from '../../framework/screen.ts'
import { failureReason } from './reasons.ts'
import { requestLink, subjectLink } from '../developer/links.ts'

const path = '/settings/developer/webhooks/{id}'
const scope = 'read:webhooks'

const resend: ScreenAction = {
  route: endpoint('POST /webhooks/{id}/deliveries/{deliveryId}/redeliver'),
  done: 'delivery_resent',
  conflict: 'delivery_waits',
}

const resendAll: ScreenAction = { ...resend, perRecord: 'deliveryId', done: 'deliveries_resent' }

const tones = { pending: 'plain', held: 'warn', delivered: 'good', failed: 'bad', skipped: 'warn' } as const

// prettier-ignore
export const deliveries = list({
  path: `${path}/deliveries`, section: 'settings', scope, title: 'deliveries', resource: delivery,
  params: { id: webhook },
  within: { path, title: 'webhooks' },
  narrow: ({ ids }) => sql`deliveries.webhook_id = ${ids.id}`,
  columns: [
    { title: 'event', csv: ({ event }) => event,
      cell: ({ id, event, event_id }, { base, params }) => html`
<a class="main" href="${base}/settings/developer/webhooks/${params.id!}/deliveries/${id}">${event}</a>
<small>${event_id}</small>` },
    { title: 'status', cell: ({ status }, { t }) => mark(t(`delivery_${status}`), tones[status]),
      csv: ({ status }) => status },
    { title: 'answered', isWide: true, csv: ({ status_code, error }) => status_code ?? error,
      cell: (record, { t }) => failureReason(t, record) ?? String(record.status_code ?? '–') },
    { title: 'attempts', isWide: true, isNumber: true, cell: ({ attempt_count }) => String(attempt_count) },
    { title: 'created_at', sort: 'created_at', isWide: true, csv: ({ created_at }) => created_at.toISOString(),
      cell: ({ created_at }, { formatTime }) => formatTime(created_at) },
  ],
  filters: [{ name: 'status', words: 'delivery' }, { name: 'event' }],
  bulk: { act: 'resend_all', action: resendAll, button: 'resend',
    nameOf: ({ event, event_id }) => `${event} ${event_id}` },
  empty: { title: 'deliveries_none', text: 'deliveries_none_text' },
})

type DeliveryRecord = {
  event: string
  event_id: string
  request_id: string | null
  status: keyof typeof tones
  request: { url: string; headers: Record<string, string>; body: string }
  error: string | null
  message: string | null
  attempts: {
    attempt: number
    at: string
    status_code: number | null
    error: string | null
    message: string | null
    response_body?: string
  }[]
}

export const deliveryScreen: Screen = {
  path: `${path}/deliveries/{deliveryId}`,
  scope,
  title: 'delivery',
  section: 'settings',
  within: { path: `${path}/deliveries`, title: 'deliveries' },
  params: { id: webhook, deliveryId: delivery },
  actions: { resend },
  async show(context) {
    const { db, store, t, ids } = context
    const record: DeliveryRecord = JSON.parse(await findDelivery(db, store.id, ids.id!, ids.deliveryId!))
    const about = facts([
      [t('status'), mark(t(`delivery_${record.status}`), tones[record.status])],
      [t('reason'), failureReason(t, { ...record, status_code: null })],
      [t('event_of'), subjectLink(context, record.event_id)],
      [t('webhook_url'), html`<code>${record.request.url}</code>`],
      [t('request_one'), record.request_id && requestLink(context, record.request_id)],
    ])
    return {
      title: record.event,
      // A pending delivery is sent without help.
      buttons: record.status === 'pending' ? '' : button(context, { act: 'resend', text: 'resend' }),
      content: html`${panel(t('state'), about)}${attempts(context, record)}${request(context, record)}`,
    }
  },
}

function attempts({ t, formatTime }: PageContext, record: DeliveryRecord) {
  const rows = record.attempts.map(
    ({ attempt, at, response_body, ...result }) => html`<li><div><p>${attempt}.
${result.status_code ? statusMark(result.status_code) : failureReason(t, result)}</p>
<p class="hint">${formatTime(at)}</p>${response_body ? html`<pre tabindex="0"><code>${response_body}</code></pre>` : ''}
</div></li>`,
  )
  const none = html`<p>${t('attempts_none')}</p>`
  return panel(t('attempts'), rows.length === 0 ? none : html`<ul class="rows">${rows}</ul>`)
}

function statusMark(status: number) {
  return mark(String(status), status < 300 ? 'good' : 'bad')
}

function request({ t }: PageContext, { request: { headers, body } }: DeliveryRecord) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return panel(
    t('request'),
    html`<pre tabindex="0"><code>${lines.join('\n')}

${body}</code></pre>`,
  )
}
