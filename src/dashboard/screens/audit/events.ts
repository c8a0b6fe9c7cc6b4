// The security events of the store: who let whom in, and to what.
import { html } from 'hono/html'
import { listSecurityEvents, type SecurityEvent } from '../../../tenancy/audit/operations.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { messageOr } from '../../framework/messages.ts'
import { namesOf, whoIs, type Names } from './actors.ts'
import { auditPath, auditScope } from './audit.ts'

const perPage = 50

export const securityEventsScreen: Screen = {
  path: `${auditPath}/security`,
  scope: auditScope,
  title: 'security_events',
  section: 'settings',
  within: { path: auditPath, title: 'audit_log' },
  async show(context) {
    const { db, store, t, query, base } = context
    const events = await listSecurityEvents(db, { store: store.id, before: query.before, limit: perPage + 1 })
    if (events.length === 0) {
      return { content: html`<div class="empty"><h2>${t('audit_none')}</h2><p>${t('events_none_text')}</p></div>` }
    }
    const shown = events.slice(0, perPage)
    const names = await namesOf(context, [
      ...shown,
      ...shown.map(({ subject }) => ({ actor: { kind: '', id: subject } })),
    ])
    const older = `${base}${auditPath}/security?before=${shown.at(-1)!.id}`
    return {
      content: html`<p class="hint">${t('security_events_text')}</p>
<table class="list" aria-label="${t('security_events')}"><thead><tr><th scope="col">${t('audit_when')}</th>
<th scope="col">${t('event')}</th><th scope="col">${t('audit_who')}</th>
<th scope="col" class="wide">${t('address_of')}</th></tr></thead>
<tbody>${shown.map((event) => row(context, event, names))}</tbody></table>
${events.length > perPage ? html`<p><a rel="next" href="${older}">${t('older')}</a></p>` : ''}`,
    }
  },
}

function row(
  { t, formatTime }: PageContext,
  { event, actor, subject, details, created_at }: SecurityEvent,
  names: Names,
): Html {
  const { name, kind } = whoIs(t, actor, names)
  const about = [
    ...(subject ? [names.get(subject) ?? subject] : []),
    ...Object.entries(details ?? {}).map(([key, value]) => `${key}: ${[value].flat().join(', ')}`),
  ]
  return html`<tr><td>${formatTime(created_at)}</td><td>${messageOr(t, `event_${event}`, event)}
<small>${about.join(' · ')}</small></td><td>${name}<small>${kind}</small></td>
<td class="wide">${actor.ip ?? '–'}</td></tr>`
}
