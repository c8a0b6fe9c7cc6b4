// The store's security events: sign-ins, roles, keys and grants.
import { html } from 'hono/html'
import { attributes } from '../../../platform/pages/parts.ts'
import { listSecurityEvents, type SecurityEvent } from '../../../tenancy/audit/operations.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { messageOr, type Translate } from '../../framework/messages.ts'
import { loadActorNames, actorText, type ActorNames } from './actors.ts'
import { auditPath, audit } from './audit.ts'
import { emptyState } from '../../framework/parts.ts'
import { placeBelow } from '../../framework/placement.ts'

const perPage = 50

export const securityEventsScreen: Screen = {
  path: `${auditPath}/security`,
  ...placeBelow(audit),
  title: 'security_events',
  async show(context) {
    const { db, store, t, query, base } = context
    const events = await listSecurityEvents(db, { store: store.id, before: query.before, limit: perPage + 1 })
    if (events.length === 0) {
      return { content: emptyState(t, 'audit_none', 'events_none_text') }
    }
    const page = events.slice(0, perPage)
    const names = await loadActorNames(context, [
      ...page,
      ...page.map(({ subject, details }) => ({ actor: { kind: '', id: subject, user: readRoleId(details) } })),
    ])
    const older = `${base}${auditPath}/security?before=${page.at(-1)!.id}`
    return {
      content: html`<p class="hint">${t('security_events_text')}</p>
<table class="list" aria-label="${t('security_events')}"><thead><tr><th scope="col">${t('audit_when')}</th>
<th scope="col">${t('event')}</th><th scope="col">${t('audit_who')}</th>
<th scope="col" class="wide">${t('address_of')}</th></tr></thead>
<tbody>${page.map((event) => renderSecurityEventRow(context, event, names))}</tbody></table>
${events.length > perPage ? html`<p><a rel="next" href="${older}">${t('older')}</a></p>` : ''}`,
    }
  },
}

function renderSecurityEventRow(
  { t, formatTime }: PageContext,
  { event, actor, subject, details, created_at }: SecurityEvent,
  names: ActorNames,
): Html {
  const { name, kind } = actorText(t, actor, names)
  const about = [...(subject ? [names.get(subject) ?? subject] : []), ...describeDetails(t, details, names)]
  return html`<tr><td><time>${formatTime(created_at)}</time></td>
<td class="long">${messageOr(t, `event_${event}`, event)}<small>${about.join(' · ')}</small></td>
<td><span${attributes({ class: name.includes('@') && 'long' })}>${name}</span><br><span class="hint">${kind}</span></td>
<td class="wide">${actor.ip ?? '–'}</td></tr>`
}

function readRoleId(details: SecurityEvent['details']): string | null {
  const { role_id = null } = (details ?? {}) as { role_id?: string | null }
  return role_id
}

const choices = ['role', 'mode']

/** `Role: Owner`. A store's own role has its own name, and scopes are those of the API. */
function describeDetails(t: Translate, details: SecurityEvent['details'], names: ActorNames): string[] {
  const roleId = readRoleId(details)
  return Object.entries(details ?? {}).flatMap(([name, value]) => {
    if (name === 'role_id') return []
    const words = [value].flat().map(String)
    const text = choices.includes(name) ? words.map((word) => messageOr(t, `${name}_${word}`, word)) : words
    if (name === 'role' && roleId) return `${t('role')}: ${names.get(roleId) ?? roleId}`
    return `${messageOr(t, name)}: ${text.join(', ')}`
  })
}
