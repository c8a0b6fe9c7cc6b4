// The deliveries of a webhook, and one delivery with its request and attempts.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { delivery, findDelivery } from '../../../developer/webhooks/delivery/log.ts'
import { webhook } from '../../../developer/webhooks/webhook.ts'
import { endpoint } from '../../framework/api.ts'
import { list } from '../../framework/list.ts'
import { mark } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { ScreenAction, PageContext } from '../../framework/screen.ts'
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

// prettier-ignore
export const deliveryScreen = record({
  path: `${path}/deliveries/{deliveryId}`, scope, title: 'delivery', section: 'settings',
  within: { path: `${path}/deliveries`, title: 'deliveries' },
  params: { id: webhook }, resource: delivery, read: loadDelivery, actions: { resend },
  name: ({ event }) => event,
  // A pending delivery is sent without help.
  buttons: [{ act: 'resend', text: 'resend', when: ({ status }) => status !== 'pending' }],
  main: [
    { title: 'state', facts: [
      ['status', ({ status }, { t }) => mark(t(`delivery_${status}`), tones[status])],
      ['reason', (one, { t }) => failureReason(t, { ...one, status_code: null })],
      ['event_of', ({ event_id }, context) => subjectLink(context, event_id)],
      ['webhook_url', ({ request: { url } }) => html`<code>${url}</code>`],
      ['request_one', ({ request_id }, context) => request_id && requestLink(context, request_id)],
    ] },
    { title: 'attempts', content: attempts },
    { title: 'request', content: request },
  ],
})

async function loadDelivery({ db, store, ids }: PageContext): Promise<DeliveryRecord> {
  return JSON.parse(await findDelivery(db, store.id, ids.id!, ids.deliveryId!))
}

function attempts({ t, formatTime }: PageContext, { attempts: all }: DeliveryRecord) {
  const rows = all.map(
    ({ attempt, at, response_body, ...result }) => html`<li><div><p>${attempt}.
${result.status_code ? statusMark(result.status_code) : failureReason(t, result)}</p>
<p class="hint">${formatTime(at)}</p>${response_body ? html`<pre tabindex="0"><code>${response_body}</code></pre>` : ''}
</div></li>`,
  )
  return rows.length === 0 ? html`<p>${t('attempts_none')}</p>` : html`<ul class="rows">${rows}</ul>`
}

function statusMark(status: number) {
  return mark(String(status), status < 300 ? 'good' : 'bad')
}

function request(_: PageContext, { request: { headers, body } }: DeliveryRecord) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return html`<pre tabindex="0"><code>${lines.join('\n')}

${body}</code></pre>`
}
