// One request: its checks, SQL statements, and the changes, events, emails and jobs that followed.
import { html } from 'hono/html'
import { findRecord } from '../../../kit/declare/page.ts'
import type { Check } from '../../../developer/requests/checks.ts'
import type { ChangeFact, JobFact, EventFact, MailFact } from '../../../developer/requests/consequences.ts'
import { explain, type Explanation } from '../../../developer/requests/explain.ts'
import { request, requestDetail } from '../../../developer/requests/request.ts'
import { icon } from '../../framework/icons.ts'
import { facts, mark, panel } from '../../framework/parts.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { messageOr, type MessageKey } from '../../framework/messages.ts'
import { auditLink, deliveryLink, eventLink, recordLink, requestsPath, statusMark } from './links.ts'
import { requests } from './requests.ts'
import { placeBelow } from '../../framework/placement.ts'

export const requestScreen: Screen = {
  path: `${requestsPath}/{id}`,
  ...placeBelow(requests),
  title: 'request_one',
  params: { id: request },
  async show(context) {
    const { db, store, ids } = context
    const [explanation, { entity }] = await Promise.all([
      explain(db, store.id, ids.id!),
      findRecord(db, requestDetail, store.id, ids.id!),
    ])
    const { checks, changes, events, mails, jobs } = explanation
    const { method, path } = explanation.request
    const parts: [MessageKey, Html[]][] = [
      ['changes', changes.map((change) => changeRow(context, change))],
      ['events', events.map((event) => eventRow(context, event))],
      ['mails', mails.map((mail) => mailRow(context, mail))],
      ['jobs', jobs.map((job) => jobRow(context, job))],
    ]
    return {
      title: `${method} ${path}`,
      content: html`${about(context, explanation)}
<div class="columns even">${panel(context.t('checks'), checkList(context, checks))}${bodies(context, entity)}</div>
${parts.map(([word, rows]) => panel(context.t(word), listOrNone(context, rows)))}`,
    }
  },
}

function about({ t, formatExactTime }: PageContext, { request: record, database }: Explanation): Html {
  const { id, request_id, route, status, credential, duration_ms, is_rehearsal, tool, agent, created_at } = record
  const queries = database && t('database_asked', { count: database.count, trips: database.round_trips })
  return panel(
    t('state'),
    html`${facts([
      [t('answered'), statusMark(status)],
      [t('created_at'), formatExactTime(created_at)],
      [t('took'), `${duration_ms} ms`],
      [t('asked_by'), credential ? html`<code>${credential}</code>` : (agent ?? t('a_shopper'))],
      [t('request_route'), html`<code>${route}</code>`],
      [t('request_tool'), tool && html`<code>${tool}</code>`],
      [t('request_id'), html`<code>${request_id === id ? id : `${id} · ${request_id}`}</code>`],
      [t('rehearsed'), is_rehearsal ? mark(t('rehearsed_text'), 'plain') : null],
      [t('database'), queries && `${queries}, ${database!.duration_ms} ms`],
    ])}
${
  database
    ? html`<details class="more"><summary>${t('statements')}</summary>
<ol>${database.statements.map((statement) => html`<li><code>${statement}</code></li>`)}</ol></details>`
    : ''
}`,
  )
}

const signs = { passed: 'done', refused: 'failed', not_reached: 'open' } as const

function checkList({ t }: PageContext, checks: readonly Check[]): Html {
  const items = checks.map(
    ({ check, outcome, reason }) => html`<li class="${outcome}">${icon(signs[outcome])}
<div><p>${t(`check_${check}`)} <span class="hint">${t(`check_is_${outcome}`)}</span></p>
${reason ? html`<p class="fault">${reason}</p>` : ''}</div></li>`,
  )
  return html`<ol class="checks">${items}</ol>`
}

type RequestBodies = Record<'error' | 'request_body' | 'answer_body', object | null>

function bodies({ t }: PageContext, { error, request_body, answer_body }: RequestBodies): Html {
  const parts = [
    [t('was_sent'), request_body],
    [t('was_answered'), error ?? answer_body],
  ] as const
  const present = parts.filter(([, body]) => body)
  const none = html`<p class="hint">${t('bodies_none')}</p>`
  const blocks = present.map(
    ([title, body]) => html`<h3>${title}</h3><pre tabindex="0"><code>${JSON.stringify(body, null, 2)}</code></pre>`,
  )
  return panel(t('bodies'), html`${present.length === 0 ? none : blocks}`)
}

function listOrNone({ t }: PageContext, all: readonly Html[]): Html {
  return all.length === 0 ? html`<p class="hint">${t('came_nothing')}</p>` : html`<ul class="rows">${all}</ul>`
}

function changeRow(context: PageContext, { audit_id, resource, id, change, fields }: ChangeFact): Html {
  const name = messageOr(context.t, `record_${resource}`, resource)
  const which = change === 'changed' ? `${fields.join(', ')} · ` : ''
  return html`<li><div><p>${context.t(`has_${change}`)} ${name} ${recordLink(context, resource, id)}</p>
<p class="hint">${which}${auditLink(context, audit_id)}</p></div></li>`
}

function eventRow(context: PageContext, event: EventFact): Html {
  const { t, formatExactTime } = context
  const deliveries = event.deliveries.map((delivery) => {
    const attempts = delivery.attempts.map(
      ({ attempt, at, status_code, error, duration_ms }) => html`<li>${attempt}. ${formatExactTime(at)}
${status_code ? statusMark(status_code) : ''} ${error ?? ''} <span class="hint">${duration_ms} ms</span></li>`,
    )
    const state = messageOr(t, `delivery_${delivery.status}`, delivery.status)
    return html`<li>${deliveryLink(context, delivery)} <span class="hint">${state}</span><ul>${attempts}</ul></li>`
  })
  return html`<li><div><p>${eventLink(context, event)} <span class="hint">${event.event_id}</span></p>
${deliveries.length > 0 ? html`<ul>${deliveries}</ul>` : html`<p class="hint">${t('wanted_by_none')}</p>`}</div></li>`
}

function mailRow({ t, formatExactTime }: PageContext, { kind, status, error, created_at }: MailFact): Html {
  const about = [messageOr(t, `mail_status_${status}`, status), error, formatExactTime(created_at)].filter(Boolean)
  return html`<li><div><p>${messageOr(t, `mail_${kind}`, kind)}</p><p class="hint">${about.join(' · ')}</p></div></li>`
}

function jobRow(context: PageContext, { job, created_at, changes }: JobFact): Html {
  return html`<li><div><p>${job} <span class="hint">${context.formatExactTime(created_at)}</span></p>
<ul>${changes.map((change) => changeRow(context, change))}</ul></div></li>`
}
