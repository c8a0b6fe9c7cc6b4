// One request: its checks, SQL statements, and the changes, events, emails and jobs that followed.
import { html } from 'hono/html'
import { findRecord } from '../../../kit/declare/page.ts'
import type { ChangeFact, JobFact, EventFact, MailFact } from '../../../developer/requests/consequences.ts'
import { explain, type Explanation } from '../../../developer/requests/explain.ts'
import { request, requestDetail } from '../../../developer/requests/request.ts'
import { icon } from '../../framework/icons.ts'
import { mark, panel } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { messageOr } from '../../framework/messages.ts'
import { auditLink, deliveryLink, eventLink, recordLink, requestsPath, statusMark } from './links.ts'
import { requests } from './requests.ts'
import { placeBelow } from '../../framework/placement.ts'

// prettier-ignore
export const requestScreen = record({
  path: `${requestsPath}/{id}`, ...placeBelow(requests), title: 'request_one', resource: request,
  read: ({ db, store, ids }: PageContext) => explain(db, store.id, ids.id!),
  name: ({ request: { method, path } }) => `${method} ${path}`,
  main: [
    { title: 'state', content: statements, facts: [
      ['answered', ({ request: { status } }) => statusMark(status)],
      ['created_at', ({ request: { created_at } }, { formatExactTime }) => formatExactTime(created_at)],
      ['took', ({ request: { duration_ms } }) => `${duration_ms} ms`],
      ['asked_by', ({ request: { credential, agent } }, { t }) =>
        credential ? code(credential) : (agent ?? t('a_shopper'))],
      ['request_route', ({ request: { route } }) => code(route)],
      ['request_tool', ({ request: { tool } }) => tool && code(tool)],
      ['request_id', ({ request: { id, request_id } }) => code(request_id === id ? id : `${id} · ${request_id}`)],
      ['rehearsed', ({ request: { is_rehearsal } }, { t }) => is_rehearsal ? mark(t('rehearsed_text'), 'plain') : null],
      ['database', ({ database }, { t }) => database &&
        `${t('database_asked', { count: database.count, trips: database.round_trips })}, ${database.duration_ms} ms`],
    ] },
    async (context, one) => html`<div class="columns even">${checkList(context, one)}${await bodies(context)}</div>`,
    { title: 'changes', content: (context, { changes }) => listOrNone(context, changes, changeRow) },
    { title: 'events', content: (context, { events }) => listOrNone(context, events, eventRow) },
    { title: 'mails', content: (context, { mails }) => listOrNone(context, mails, mailRow) },
    { title: 'jobs', content: (context, { jobs }) => listOrNone(context, jobs, jobRow) },
  ],
})

const code = (text: string) => html`<code>${text}</code>`

function statements({ t }: PageContext, { database }: Explanation): Html | '' {
  if (!database) return ''
  return html`<details class="more"><summary>${t('statements')}</summary>
<ol>${database.statements.map((statement) => html`<li>${code(statement)}</li>`)}</ol></details>`
}

const signs = { passed: 'done', refused: 'failed', not_reached: 'open' } as const

function checkList({ t }: PageContext, { checks }: Explanation): Html {
  const items = checks.map(
    ({ check, outcome, reason }) => html`<li class="${outcome}">${icon(signs[outcome])}
<div><p>${t(`check_${check}`)} <span class="hint">${t(`check_is_${outcome}`)}</span></p>
${reason ? html`<p class="fault">${reason}</p>` : ''}</div></li>`,
  )
  return panel(t('checks'), html`<ol class="checks">${items}</ol>`)
}

async function bodies({ db, store, ids, t }: PageContext): Promise<Html> {
  const { entity } = await findRecord(db, requestDetail, store.id, ids.id!)
  const { error, request_body, answer_body } = entity
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

type RequestRow<E> = (context: PageContext, one: E) => Html

function listOrNone<E>(context: PageContext, all: readonly E[], row: RequestRow<E>): Html {
  if (all.length === 0) return html`<p class="hint">${context.t('came_nothing')}</p>`
  return html`<ul class="rows">${all.map((one) => row(context, one))}</ul>`
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
