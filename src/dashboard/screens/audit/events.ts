// The security events of the store: who let whom in, and to what.
import { html } from 'hono/html'
import { listSecurityEvents, type SecurityEvent } from '../../../tenancy/audit/operations.ts'
import type { Html, Screen, Visit } from '../../framework/page.ts'
import { wordIn } from '../../framework/words.ts'
import { namesOf, whoIs, type Names } from './actors.ts'
import { auditPath, auditScope } from './audit.ts'

const perPage = 50

export const securityEventsScreen: Screen = {
  path: `${auditPath}/security`,
  scope: auditScope,
  title: 'security_events',
  section: 'settings',
  within: { path: auditPath, title: 'audit_log' },
  async show(visit) {
    const { db, store, say, query, base } = visit
    const events = await listSecurityEvents(db, { store: store.id, before: query.before, limit: perPage + 1 })
    if (events.length === 0) {
      return { content: html`<div class="empty"><h2>${say('audit_none')}</h2><p>${say('events_none_text')}</p></div>` }
    }
    const shown = events.slice(0, perPage)
    const names = await namesOf(visit, [
      ...shown,
      ...shown.map(({ subject }) => ({ actor: { kind: '', id: subject } })),
    ])
    const older = `${base}${auditPath}/security?before=${shown.at(-1)!.id}`
    return {
      content: html`<p class="hint">${say('security_events_text')}</p>
<table class="list" aria-label="${say('security_events')}"><thead><tr><th scope="col">${say('audit_when')}</th>
<th scope="col">${say('event')}</th><th scope="col">${say('audit_who')}</th>
<th scope="col" class="wide">${say('address_of')}</th></tr></thead>
<tbody>${shown.map((event) => row(visit, event, names))}</tbody></table>
${events.length > perPage ? html`<p><a rel="next" href="${older}">${say('older')}</a></p>` : ''}`,
    }
  },
}

function row({ say, when }: Visit, { event, actor, subject, details, created_at }: SecurityEvent, names: Names): Html {
  const { name, kind } = whoIs(say, actor, names)
  const about = [
    ...(subject ? [names.get(subject) ?? subject] : []),
    ...Object.entries(details ?? {}).map(([key, value]) => `${key}: ${[value].flat().join(', ')}`),
  ]
  return html`<tr><td>${when(created_at)}</td><td>${wordIn(say, `event_${event}`, event)}
<small>${about.join(' · ')}</small></td><td>${name}<small>${kind}</small></td>
<td class="wide">${actor.ip ?? '–'}</td></tr>`
}
