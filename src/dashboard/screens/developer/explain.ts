// One request: what was checked, what the database was asked, and all that came of it, each leading to the others.
import { html } from 'hono/html'
import { findRecord } from '../../../kit/declare/page.ts'
import type { Check } from '../../../developer/requests/checks.ts'
import type { Changed, Followed, Happened, Mailed } from '../../../developer/requests/consequences.ts'
import { explain, type Explanation } from '../../../developer/requests/explain.ts'
import { request, requestDetail } from '../../../developer/requests/request.ts'
import { facts, mark, panel } from '../../framework/parts.ts'
import type { Html, Screen, Visit } from '../../framework/page.ts'
import { wordIn, type Word } from '../../framework/words.ts'
import { auditLink, deliveryLink, eventLink, recordLink, requestsPath, statusMark } from './links.ts'

export const explainScreen: Screen = {
  path: `${requestsPath}/{id}`,
  scope: 'read:requests',
  title: 'request_one',
  section: 'settings',
  within: { path: requestsPath, title: 'requests' },
  params: { id: request },
  async show(visit) {
    const { db, store, ids } = visit
    const [told, { entity }] = await Promise.all([
      explain(db, store.id, ids.id!),
      findRecord(db, requestDetail, store.id, ids.id!),
    ])
    const { checks, changes, events, mails, jobs } = told
    const { method, path } = told.request
    const parts: [Word, Html[]][] = [
      ['changes', changes.map((change) => changeRow(visit, change))],
      ['events', events.map((event) => eventRow(visit, event))],
      ['mails', mails.map((mail) => mailRow(visit, mail))],
      ['jobs', jobs.map((job) => jobRow(visit, job))],
    ]
    return {
      title: `${method} ${path}`,
      content: html`${about(visit, told)}
<div class="columns even">${panel(visit.say('checks'), checkList(visit, checks))}${bodies(visit, entity)}</div>
${parts.map(([word, rows]) => panel(visit.say(word), listed(visit, rows)))}`,
    }
  },
}

function about({ say, second }: Visit, { request: asked, database }: Explanation): Html {
  const { id, request_id, route, status, credential, duration_ms, is_rehearsal, created_at } = asked
  const asking = database && say('database_asked', { count: database.count, trips: database.round_trips })
  return panel(
    say('state'),
    html`${facts([
      [say('answered'), statusMark(status)],
      [say('created_at'), second(created_at)],
      [say('took'), `${duration_ms} ms`],
      [say('asked_by'), credential ? html`<code>${credential}</code>` : say('a_shopper')],
      [say('request_route'), html`<code>${route}</code>`],
      [say('request_id'), html`<code>${request_id === id ? id : `${id} · ${request_id}`}</code>`],
      [say('rehearsed'), is_rehearsal ? mark(say('rehearsed_text'), 'plain') : null],
      [say('database'), asking && `${asking}, ${database!.duration_ms} ms`],
    ])}
${
  database
    ? html`<details class="more"><summary>${say('statements')}</summary>
<ol>${database.statements.map((statement) => html`<li><code>${statement}</code></li>`)}</ol></details>`
    : ''
}`,
  )
}

const signs = { passed: '✓', refused: '✗', not_reached: '–' }

function checkList({ say }: Visit, checks: readonly Check[]): Html {
  const drawn = checks.map(
    ({ check, outcome, reason }) => html`<li class="${outcome}"><span aria-hidden="true">${signs[outcome]}</span>
<div><p>${say(`check_${check}`)} <span class="hint">${say(`check_is_${outcome}`)}</span></p>
${reason ? html`<p class="fault">${reason}</p>` : ''}</div></li>`,
  )
  return html`<ol class="checks">${drawn}</ol>`
}

type Detail = Record<'error' | 'request_body' | 'answer_body', object | null>

function bodies({ say }: Visit, { error, request_body, answer_body }: Detail): Html {
  const shown = [
    [say('was_sent'), request_body],
    [say('was_answered'), error ?? answer_body],
  ] as const
  const there = shown.filter(([, body]) => body)
  const none = html`<p class="hint">${say('bodies_none')}</p>`
  const drawn = there.map(
    ([title, body]) => html`<h3>${title}</h3><pre tabindex="0"><code>${JSON.stringify(body, null, 2)}</code></pre>`,
  )
  return panel(say('bodies'), html`${there.length === 0 ? none : drawn}`)
}

function listed({ say }: Visit, all: readonly Html[]): Html {
  return all.length === 0 ? html`<p class="hint">${say('came_nothing')}</p>` : html`<ul class="rows">${all}</ul>`
}

function changeRow(visit: Visit, { audit_id, resource, id, change, fields }: Changed): Html {
  const name = wordIn(visit.say, `record_${resource}`, resource)
  const which = change === 'changed' ? `${fields.join(', ')} · ` : ''
  return html`<li><div><p>${visit.say(`has_${change}`)} ${name} ${recordLink(visit, resource, id)}</p>
<p class="hint">${which}${auditLink(visit, audit_id)}</p></div></li>`
}

function eventRow(visit: Visit, event: Happened): Html {
  const { say, second } = visit
  const deliveries = event.deliveries.map((delivery) => {
    const attempts = delivery.attempts.map(
      ({ attempt, at, status_code, error, duration_ms }) => html`<li>${attempt}. ${second(at)}
${status_code ? statusMark(status_code) : ''} ${error ?? ''} <span class="hint">${duration_ms} ms</span></li>`,
    )
    const state = wordIn(say, `delivery_${delivery.status}`, delivery.status)
    return html`<li>${deliveryLink(visit, delivery)} <span class="hint">${state}</span><ul>${attempts}</ul></li>`
  })
  return html`<li><div><p>${eventLink(visit, event)} <span class="hint">${event.event_id}</span></p>
${deliveries.length > 0 ? html`<ul>${deliveries}</ul>` : html`<p class="hint">${say('wanted_by_none')}</p>`}</div></li>`
}

function mailRow({ say, second }: Visit, { kind, status, error, created_at }: Mailed): Html {
  const about = [wordIn(say, `mail_status_${status}`, status), error, second(created_at)].filter(Boolean)
  return html`<li><div><p>${wordIn(say, `mail_${kind}`, kind)}</p><p class="hint">${about.join(' · ')}</p></div></li>`
}

function jobRow(visit: Visit, { job, created_at, changes }: Followed): Html {
  return html`<li><div><p>${job} <span class="hint">${visit.second(created_at)}</span></p>
<ul>${changes.map((change) => changeRow(visit, change))}</ul></div></li>`
}
