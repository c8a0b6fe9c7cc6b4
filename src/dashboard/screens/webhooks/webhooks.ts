// Settings > Developers > Webhooks: the list, and one webhook with its state.
import { html } from 'hono/html'
import { entityPage } from '../../../kit/declare/page.ts'
import { sql } from '../../../kit/database/sql.ts'
import { delivery } from '../../../developer/webhooks/delivery/log.ts'
import { eventTypes } from '../../../developer/webhooks/events.ts'
import { webhook } from '../../../developer/webhooks/webhook.ts'
import { endpoint } from '../../framework/api.ts'
import { chips, readFilterQuery } from '../../framework/filters.ts'
import { mark } from '../../framework/parts.ts'
import { record, type RecordProps } from '../../framework/record.ts'
import { recordRows } from '../../framework/recordrows.ts'
import type { ScreenAction, Html, FormInput, PageContext } from '../../framework/screen.ts'
import { failureReason } from './reasons.ts'
import { inSettings } from '../../framework/placement.ts'

type WebhookRecord = NonNullable<typeof webhook.type>

const path = '/settings/developer/webhooks'
const scope = 'read:webhooks'
const filters = [{ name: 'is_failing' }]
const events = () => eventTypes.map((name) => [name, name] as const)

const inputs: FormInput[] = [
  { name: 'url', label: 'webhook_url', hint: 'webhook_url_hint' },
  { name: 'description', label: 'description' },
  { name: 'events', label: 'events', as: 'boxes', options: events },
]

const create: ScreenAction = {
  route: endpoint('POST /webhooks'),
  inputs,
  done: 'webhook_made',
  renderResult: secretOnce,
}
const change = endpoint('PATCH /webhooks/{id}')
const save: ScreenAction = { route: change, inputs, done: 'saved' }
const test: ScreenAction = {
  route: endpoint('POST /webhooks/{id}/test'),
  inputs: [{ name: 'event', label: 'event', options: events }],
  done: 'webhook_tested',
}

const recover: ScreenAction = {
  route: endpoint('POST /webhooks/{id}/recover'),
  inputs: [{ name: 'since', label: 'recover_since' }],
  done: 'webhook_recovered',
}

const tones = { active: 'good', paused: 'warn', disabled: 'bad' } as const

type Webhooks = { all: WebhookRecord[]; narrowed: ReturnType<typeof chips> }

// prettier-ignore
export const webhooks = record({
  path, scope, title: 'webhooks', ...inSettings('developer', { text: 'webhooks_text', icon: 'webhook' }),
  actions: { create },
  read: listWebhooks,
  main: [
    webhookList,
    { title: 'webhook_new', isOpen: ({ all, narrowed }) => all.length + narrowed.count === 0,
      form: { act: 'create', button: 'webhook_create' } },
  ],
})

async function listWebhooks(context: PageContext): Promise<Webhooks> {
  const { query } = readFilterQuery(context, webhook, filters)
  const { data } = await entityPage(context.db, webhook, context.store, { ...query, page: 1, per_page: 100 })
  return { all: data, narrowed: chips(context, webhook, filters, query) }
}

async function webhookList(context: PageContext, { all, narrowed }: Webhooks): Promise<Html> {
  const none = narrowed.count > 0 ? (['nothing_found', 'nothing_found_text'] as const) : noWebhooks
  return html`${narrowed.html}${await recordRows({ label: 'webhooks', none, row: renderWebhookRow })(context, all)}`
}

const noWebhooks = ['webhooks_none', 'webhooks_none_text'] as const

function renderWebhookRow({ t, base }: PageContext, record: WebhookRecord): Html {
  const { id, url, events: subscribedEvents, description } = record
  return html`<li><div><p><a class="main" href="${base}${path}/${id}">${url}</a> ${stateMark(t, record)}</p>
<p class="hint">${[description, subscribedEvents.join(', ')].filter(Boolean).join(' · ')}</p></div></li>`
}

/** Marks an active webhook whose last deliveries failed. */
function stateMark(t: PageContext['t'], { status, consecutive_failures }: WebhookRecord): Html {
  const isFailing = status === 'active' && consecutive_failures > 0
  return isFailing ? mark(t('webhook_failing'), 'bad') : mark(t(`webhook_${status}`), tones[status])
}

const label = ({ url }: WebhookRecord) => url

// prettier-ignore
export const webhookProps: RecordProps<typeof webhook.fields, WebhookRecord & { failure: Html | null }> = {
  path: `${path}/{id}`, scope, title: 'webhooks', section: 'settings', within: { path, title: 'webhooks' },
  resource: webhook, more: withLastFailure,
  metadata: 'PATCH /webhooks/{id}',
  actions: {
    save, test, recover,
    rotate: {
      route: endpoint('POST /webhooks/{id}/rotate-secret'), done: 'saved', renderResult: secretOnce,
      confirm: { title: 'secret_ask', text: 'secret_text', button: 'secret_rotate' },
    },
    on: { route: change, body: { is_active: true }, done: 'webhook_on' },
    off: { route: change, body: { is_active: false }, done: 'webhook_off' },
    delete: {
      route: endpoint('DELETE /webhooks/{id}'), done: 'webhook_deleted', to: () => path,
      confirm: { title: 'webhook_delete_ask', text: 'webhook_delete_text', button: 'webhook_delete' },
    },
  },
  name: ({ url }) => new URL(url).host,
  buttons: [{ to: ({ id }) => `${path}/${id}/deliveries`, text: 'deliveries' }],
  main: [
    { title: 'state', facts: [
      ['status', (one, { t }) => stateMark(t, one)],
      ['reason', ({ disabled_reason: why }, { t }) => why && t(`webhook_why_${why}`)],
      ['failures', ({ consecutive_failures: count }) => count > 0 ? String(count) : null],
      ['last_failure', ({ failure }) => failure],
      ['last_delivery', ({ last_delivery_at: at }, { t, formatTime }) => at ? formatTime(at) : t('never')],
      ['secret', ({ secret_last4 }) => html`<code>…${secret_last4}</code>`],
    ], buttons: [
      { act: 'on', label, text: 'switch_on', when: ({ is_active, status }) => !is_active || status !== 'active' },
      { act: 'off', label, text: 'switch_off', when: ({ is_active }) => is_active },
      { act: 'rotate', label, text: 'secret_rotate' },
      { act: 'delete', label, text: 'webhook_delete', kind: 'quiet danger' },
    ] },
    { title: 'webhook_test', form: { act: 'test', button: 'webhook_test', isQuiet: true } },
    { title: 'webhook_recover', hint: 'webhook_recover_text',
      form: { act: 'recover', button: 'webhook_recover', isQuiet: true, values: sinceYesterday } },
    // Without the version, because each delivery changes it.
    { title: 'change', form: { act: 'save', values: (one) => one } },
  ],
}

export const webhookScreen = record(webhookProps)

function sinceYesterday(_: unknown, { db }: PageContext) {
  return { since: new Date(db.clock.now().getTime() - 24 * 3600 * 1000).toISOString() }
}

/** Adds the reason of the last failed delivery, with a link to it, unless a delivery has succeeded since. */
async function withLastFailure({ db, store, t, base, ids }: PageContext, one: WebhookRecord) {
  if (one.consecutive_failures === 0 && one.last_delivery_status !== 'failed') return { ...one, failure: null }
  const query = { status: 'failed', sort: 'created_at', order: 'desc', page: 1, per_page: 1 } as const
  const { data } = await entityPage(db, delivery, store, query, sql`deliveries.webhook_id = ${ids.id}`)
  const [last] = data
  const failure =
    last && html`<a href="${base}${path}/${one.id}/deliveries/${last.id}">${failureReason(t, last) ?? last.event}</a>`
  return { ...one, failure: failure ?? null }
}

function secretOnce({ t, base }: PageContext, { id, secret }: { id: string; secret: string }): Html {
  return html`<div class="panel"><h2>${t('secret_made')}</h2><p>${t('secret_once')}</p>
<copy-text class="secret" label="${t('copy')}" done="${t('copied')}"><code>${secret}</code></copy-text>
<p><a class="button" href="${base}${path}/${id}">${t('key_kept')}</a></p></div>`
}
