// Settings > Developers > Webhooks: the list, and one webhook with its state.
import { html } from 'hono/html'
import { entityPage, findRecord } from '../../../kit/declare/page.ts'
import { sql } from '../../../kit/database/sql.ts'
import { delivery } from '../../../developer/webhooks/delivery/log.ts'
import type { Examination } from '../../../developer/webhooks/examination/examine.ts'
import { eventTypes } from '../../../developer/webhooks/events.ts'
import { webhook } from '../../../developer/webhooks/webhook.ts'
import { endpoint } from '../../framework/api.ts'
import { chips, readFilterQuery } from '../../framework/filters.ts'
import { button, form } from '../../framework/form.ts'
import { emptyState, facts, foldedPanel, mark, panel } from '../../framework/parts.ts'
import type { ScreenAction, Html, FormInput, Screen, PageContext } from '../../framework/screen.ts'
import { failureReason, findingText } from './reasons.ts'
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

const examine: ScreenAction = {
  route: endpoint('POST /webhooks/{id}/examine'),
  done: 'webhook_examined',
  renderResult: examinationResult,
}

const tones = { active: 'good', paused: 'warn', disabled: 'bad' } as const

export const webhooks: Screen = {
  path,
  scope,
  title: 'webhooks',
  ...inSettings('developer', { text: 'webhooks_text', icon: 'webhook' }),
  actions: { create },
  async show(context) {
    const { db, store, t, rejection } = context
    const { query } = readFilterQuery(context, webhook, filters)
    const narrowed = chips(context, webhook, filters, query)
    const { data } = await entityPage(db, webhook, store, { ...query, page: 1, per_page: 100 })
    const none =
      narrowed.count > 0
        ? emptyState(t, 'nothing_found', 'nothing_found_text')
        : emptyState(t, 'webhooks_none', 'webhooks_none_text')
    const lines = data.map((one) => renderWebhookRow(context, one))
    const rows = html`<ul class="records" aria-label="${t('webhooks')}">${lines}</ul>`
    const isOpen = (data.length === 0 && narrowed.count === 0) || rejection !== null
    const formHtml = await form(context, { act: 'create', action: create, button: 'webhook_create' })
    return {
      content: html`${narrowed.html}${data.length === 0 ? none : rows}
${foldedPanel(t('webhook_new'), formHtml, { isOpen })}`,
    }
  },
}

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

export const webhookScreen: Screen = {
  path: `${path}/{id}`,
  scope,
  title: 'webhooks',
  section: 'settings',
  within: { path, title: 'webhooks' },
  params: { id: webhook },
  actions: {
    save,
    test,
    recover,
    examine,
    rotate: {
      route: endpoint('POST /webhooks/{id}/rotate-secret'),
      confirm: { title: 'secret_ask', text: 'secret_text', button: 'secret_rotate' },
      done: 'saved',
      renderResult: secretOnce,
    },
    on: { route: change, body: { is_active: true }, done: 'webhook_on' },
    off: { route: change, body: { is_active: false }, done: 'webhook_off' },
    delete: {
      route: endpoint('DELETE /webhooks/{id}'),
      confirm: { title: 'webhook_delete_ask', text: 'webhook_delete_text', button: 'webhook_delete' },
      done: 'webhook_deleted',
      to: () => path,
    },
  },
  async show(context) {
    const { db, store, t, base, ids, params } = context
    const { entity } = await findRecord(db, webhook, store.id, ids.id!)
    const all = html`<a class="button quiet" href="${base}${path}/${params.id!}/deliveries">${t('deliveries')}</a>`
    const editForm = await form(context, { act: 'save', action: save, button: 'save', values: entity })
    const testForm = await form(context, { act: 'test', action: test, button: 'webhook_test', isQuiet: true })
    const dayAgo = new Date(db.clock.now().getTime() - 24 * 3600 * 1000).toISOString()
    const values = { since: dayAgo }
    const recoverForm = await form(context, {
      act: 'recover',
      action: recover,
      button: 'webhook_recover',
      isQuiet: true,
      values,
    })
    return {
      title: new URL(entity.url).host,
      buttons: all,
      content: html`${healthPanel(context, entity, await lastFailure(context, entity))}
${panel(t('webhook_test'), testForm)}${examinePanel(context, entity)}
${panel(
  t('webhook_recover'),
  html`<p class="hint">${t('webhook_recover_text')}</p>
${recoverForm}`,
)}${panel(t('change'), editForm)}`,
    }
  },
}

/** The reason of the last failed delivery, with a link to it. Null if a delivery has succeeded since. */
async function lastFailure({ db, store, t, base, ids }: PageContext, one: WebhookRecord): Promise<Html | null> {
  if (one.consecutive_failures === 0 && one.last_delivery_status !== 'failed') return null
  const query = { status: 'failed', sort: 'created_at', order: 'desc', page: 1, per_page: 1 } as const
  const { data } = await entityPage(db, delivery, store, query, sql`deliveries.webhook_id = ${ids.id}`)
  const [failed] = data
  return failed === undefined
    ? null
    : html`<a href="${base}${path}/${one.id}/deliveries/${failed.id}">${failureReason(t, failed) ?? failed.event}</a>`
}

function examinePanel(context: PageContext, { url }: WebhookRecord): Html {
  const { t } = context
  return panel(
    t('webhook_examine'),
    html`<p class="hint">${t('webhook_examine_text')}</p>
${button(context, { act: 'examine', fixed: { label: url }, text: 'webhook_examine', kind: 'quiet' })}`,
  )
}

function healthPanel(context: PageContext, one: WebhookRecord, failure: Html | null): Html {
  const { t, formatTime } = context
  const { status, is_active, disabled_reason, consecutive_failures, last_delivery_at, secret_last4, url } = one
  const why = disabled_reason ? t(`webhook_why_${disabled_reason}`) : null
  const fixed = { label: url }
  return panel(
    t('state'),
    html`${facts([
      [t('status'), stateMark(t, one)],
      [t('reason'), why],
      [t('failures'), consecutive_failures > 0 ? String(consecutive_failures) : null],
      [t('last_failure'), failure],
      [t('last_delivery'), last_delivery_at ? formatTime(last_delivery_at) : t('never')],
      [t('secret'), html`<code>…${secret_last4}</code>`],
    ])}
<div class="pair next">
${is_active && status === 'active' ? '' : button(context, { act: 'on', fixed, text: 'switch_on' })}
${is_active ? button(context, { act: 'off', fixed, text: 'switch_off' }) : ''}
${button(context, { act: 'rotate', fixed, text: 'secret_rotate' })}
${button(context, { act: 'delete', fixed, text: 'webhook_delete', kind: 'quiet danger' })}</div>`,
  )
}

function examinationResult({ t, here }: PageContext, { verdict, findings, probes }: Examination): Html {
  const passed = String(probes.filter((probe) => probe.passed).length)
  const error = probes[0]?.error ?? null
  const rows = findings.map((each) => html`<li><p>${findingText(t, each, error)}</p></li>`)
  return html`<section class="panel"><h2>${t(`examined_${verdict}`)}</h2>
<p class="hint">${t('examined_count', { passed, count: String(probes.length) })}</p>
${rows.length === 0 ? '' : html`<ul class="rows">${rows}</ul>`}
<p><a class="button" href="${here}">${t('back')}</a></p></section>`
}

function secretOnce({ t, base }: PageContext, { id, secret }: { id: string; secret: string }): Html {
  return html`<div class="panel"><h2>${t('secret_made')}</h2><p>${t('secret_once')}</p>
<copy-text class="secret" label="${t('copy')}" done="${t('copied')}"><code>${secret}</code></copy-text>
<p><a class="button" href="${base}${path}/${id}">${t('key_kept')}</a></p></div>`
}
