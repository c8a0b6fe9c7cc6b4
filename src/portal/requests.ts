// What was asked of a store's API, and what became of one request.
import { html } from 'hono/html'
import { isManager } from '../accounts/roles.ts'
import type { Membership } from '../accounts/session.ts'
import { entityPage } from '../kit/declare/page.ts'
import { notice } from '../pages/parts.ts'
import { explain, newestWith, type Explanation } from '../requests/explain.ts'
import type { Delivered, Happened, Mailed } from '../requests/consequences.ts'
import { request } from '../requests/request.ts'
import { page, type Html, type Page, type Reply, type Visit } from '../signin/page.ts'
import { chosenStore, dateIn, portalFrame, portalPath, storeTabs } from './frame.ts'
import { sayIn } from './words.ts'

export const requestPages: Page[] = [page('GET', '/portal/requests', requestsPage)]

async function requestsPage(visit: Visit): Promise<Reply> {
  const store = chosenStore(visit)
  const { status, content } = store && isManager(store) ? await shown(visit, store) : nothing(visit, store)
  const whole = html`
${storeTabs(visit, store)}
${content}`
  return { status, page: portalFrame(visit, 'requests', whole, store) }
}

type Shown = { status: number; content: Html | '' }

function nothing({ language }: Visit, store: Membership | undefined): Shown {
  return { status: 200, content: store ? html`<p>${sayIn(language)('managers_only')}</p>` : '' }
}

async function shown(visit: Visit, store: Membership): Promise<Shown> {
  const { id = '' } = visit.query
  const wanted = id.trim()
  const form = searchForm(visit, store, wanted)
  if (wanted === '') return { status: 200, content: html`${form}${await requestList(visit, store)}` }
  const found = await newestWith(visit.db, store.id, wanted)
  if (!found) {
    const unknown = notice('error', sayIn(visit.language)('request_unknown'))
    return { status: 404, content: html`${unknown}${form}` }
  }
  return {
    status: 200,
    content: html`${form}${explained(visit, store, await explain(visit.db, store.id, found.uuid))}`,
  }
}

function searchForm({ language, root }: Visit, { id }: Membership, wanted: string): Html {
  const say = sayIn(language)
  return html`
<form method="get" action="${root}${portalPath('requests')}">
<input type="hidden" name="store" value="${id}">
<p class="field"><label for="id">${say('request_id')}</label>
<input id="id" name="id" value="${wanted}" maxlength="128" autocomplete="off" required></p>
<button>${say('request_explain')}</button>
</form>`
}

const newest = { page: 1, per_page: 25, sort: 'created_at', order: 'desc' } as const

async function requestList(visit: Visit, store: Membership): Promise<Html> {
  const { language, root } = visit
  const say = sayIn(language)
  const { data } = await entityPage(visit.db, request, store, newest)
  if (data.length === 0) return html`<p>${say('request_none')}</p>`
  const address = (id: string) => `${root}${portalPath('requests')}?store=${store.id}&id=${id}`
  return html`
<ul class="rows">${data.map(
    ({ id, method, path, status, code, created_at }) => html`
<li><div><p><a href="${address(id)}">${method} ${path}</a></p>
<p class="hint">${[status, code, dateIn(language, created_at, store)].filter(Boolean).join(' · ')}</p></div></li>`,
  )}</ul>`
}

function explained({ language }: Visit, store: Membership, explanation: Explanation): Html {
  const say = sayIn(language)
  const { request, checks, database, changes, events, mails } = explanation
  const { method, path, status, duration_ms, credential, created_at } = request
  const facts = [status, `${duration_ms} ms`, credential ?? say('request_shopper'), dateIn(language, created_at, store)]
  return html`
<h2>${method} ${path}</h2>
<p class="hint">${facts.join(' · ')}</p>
<h2>${say('request_checks')}</h2>
<ul>${checks.map(
    ({ check, outcome, reason }) =>
      html`<li>${say(`check_${check}`)}: ${say(`outcome_${outcome}`)}${reason ? html` (${reason})` : ''}</li>`,
  )}</ul>
${database ? asked(say, database) : ''}
<h2>${say('request_changes')}</h2>
${listOf(
  say,
  changes.map(
    ({ resource, id, change, fields }) =>
      html`<li>${say(`change_${change}`)}: ${resource} ${id} (${fields.join(', ')})</li>`,
  ),
)}
<h2>${say('request_events')}</h2>
${listOf(
  say,
  events.map((event) => eventRow(say, event)),
)}
<h2>${say('request_mails')}</h2>
${listOf(say, mails.map(mailRow))}`
}

type Say = ReturnType<typeof sayIn>

function listOf(say: Say, rows: Html[]): Html {
  return rows.length === 0 ? html`<p>${say('nothing_came')}</p>` : html`<ul>${rows}</ul>`
}

function asked(say: Say, { count, round_trips, duration_ms, statements }: NonNullable<Explanation['database']>): Html {
  return html`
<h2>${say('request_database')}</h2>
<p>${say('request_asked', { count, trips: round_trips, ms: duration_ms })}</p>
<p class="hint">${statements.join('; ')}</p>`
}

function eventRow(say: Say, { event, event_id, deliveries }: Happened): Html {
  return html`
<li>${event} · ${event_id}${
    deliveries.length === 0 ? '' : html`<ul>${deliveries.map((delivery) => deliveryRow(say, delivery))}</ul>`
  }</li>`
}

function deliveryRow(say: Say, { url, status, attempts }: Delivered): Html {
  const tries = attempts.map(({ attempt, status_code, error, duration_ms }) =>
    say('request_attempt', { number: attempt, outcome: status_code ?? error ?? '', ms: duration_ms }),
  )
  return html`
<li>${url}: ${status}${tries.length === 0 ? '' : html` (${tries.join('; ')})`}</li>`
}

function mailRow({ id, kind, status, error }: Mailed): Html {
  return html`
<li>${[kind, status, id, error].filter(Boolean).join(' · ')}</li>`
}
