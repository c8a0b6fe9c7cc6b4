// The page of a request, with its checks, its statements, and the changes, events, emails and jobs that followed. It
// takes the place of the core's.
import { html } from 'hono/html'
import { findRecord } from '../../kit/declare/page.ts'
import { requestDetail } from '../../developer/requests/request.ts'
import { icon } from '../../dashboard/framework/icons.ts'
import { messageOr } from '../../dashboard/framework/messages.ts'
import { panel } from '../../dashboard/framework/parts.ts'
import { record } from '../../dashboard/framework/record.ts'
import type { Html, PageContext } from '../../dashboard/framework/screen.ts'
import { auditLink, deliveryLink, eventLink, recordLink, statusMark } from '../../dashboard/screens/developer/links.ts'
import { renderBodies, requestFacts, requestProps } from '../../dashboard/screens/developer/request.ts'
import type { ChangeFact, EventFact, JobFact, MailFact } from './consequences.ts'
import { explain, type Explanation } from './explain.ts'

// prettier-ignore
export const explainScreen = record({
  ...requestProps, read: readExplained,
  main: [
    { title: 'state', content: statements, facts: [
      ...requestFacts,
      ['database', ({ database }, { t }) => database &&
        `${t('database_asked', { count: database.count, trips: database.round_trips })}, ${database.duration_ms} ms`],
    ] },
    (context, one) => html`<div class="columns even">${checkList(context, one)}${renderBodies(context, one)}</div>`,
    { title: 'changes', content: (context, { changes }) => listOrNone(context, changes, changeRow) },
    { title: 'events', content: (context, { events }) => listOrNone(context, events, eventRow) },
    { title: 'mails', content: (context, { mails }) => listOrNone(context, mails, mailRow) },
    { title: 'jobs', content: (context, { jobs }) => listOrNone(context, jobs, jobRow) },
  ],
})

async function readExplained({ db, store, ids }: PageContext) {
  const [{ entity }, { request: _, ...explanation }] = await Promise.all([
    findRecord(db, requestDetail, store.id, ids.id!),
    explain(db, store.id, ids.id!),
  ])
  return { ...entity, ...explanation }
}

function statements({ t }: PageContext, { database }: Pick<Explanation, 'database'>): Html | '' {
  if (!database) return ''
  return html`<details class="more"><summary>${t('statements')}</summary>
<ol>${database.statements.map((statement) => html`<li><code>${statement}</code></li>`)}</ol></details>`
}

const signs = { passed: 'done', refused: 'failed', not_reached: 'open' } as const

function checkList({ t }: PageContext, { checks }: Pick<Explanation, 'checks'>): Html {
  const items = checks.map(
    ({ check, outcome, reason }) => html`<li class="${outcome}">${icon(signs[outcome])}
<div><p>${t(`check_${check}`)} <span class="hint">${t(`check_is_${outcome}`)}</span></p>
${reason ? html`<p class="fault">${reason}</p>` : ''}</div></li>`,
  )
  return panel(t('checks'), html`<ol class="checks">${items}</ol>`)
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
