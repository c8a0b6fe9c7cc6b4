// Settings > Security: a person's own name, address and password, what else they sign in with, and where they are
// signed in.
import { html } from 'hono/html'
import { attributes, notice } from '../../../platform/pages/parts.ts'
import { portalScope } from '../../../identity/accounts/roles.ts'
import {
  lacksSecondFactor,
  listSessions,
  membershipOf,
  type SessionRecord,
} from '../../../identity/accounts/session.ts'
import { findPendingAddress } from '../../../identity/accounts/profile.ts'
import { roles } from '../../../identity/accounts/user.ts'
import { isRecent } from '../../../identity/signin/page.ts'
import { endpoint } from '../../framework/api.ts'
import { button, form } from '../../framework/form.ts'
import { mark, panel } from '../../framework/parts.ts'
import type { Action, Html, Screen, Visit } from '../../framework/page.ts'
import { browserOf } from './browser.ts'
import { factorActions, factorPanels } from './factors.ts'

const securityPath = '/settings/security'

const rename: Action = {
  route: endpoint('PATCH /account'),
  inputs: [{ name: 'name', label: 'your_name' }],
  done: 'saved',
}

const changeEmail: Action = {
  route: endpoint('POST /account/email'),
  inputs: [{ name: 'email', label: 'email_new', hint: 'email_new_hint' }],
  done: 'email_asked',
}

const changePassword: Action = {
  route: endpoint('POST /account/password'),
  inputs: [{ name: 'password', label: 'password_new', hint: 'password_new_hint', as: 'password' }],
  done: 'password_saved',
}

export const security: Screen = {
  path: securityPath,
  scope: portalScope,
  title: 'security',
  section: 'settings',
  nav: { group: 'people', text: 'security_text' },
  within: { path: '/settings', title: 'settings' },
  isForSettingUp: true,
  actions: {
    rename,
    email: changeEmail,
    password: changePassword,
    ...factorActions,
    end: { route: endpoint('DELETE /sessions/{session}'), done: 'session_ended_there' },
    end_others: { route: endpoint('DELETE /sessions'), done: 'sessions_ended' },
  },
  async show(visit) {
    const { say, base, session, db } = visit
    const mayChange = isRecent(session, db.clock.now())
    return {
      buttons: html`<a class="button quiet" href="${base}${securityPath}/apps">${say('own_apps')}</a>`,
      content: html`${warnings(visit, mayChange)}
${await factorPanels(visit, mayChange)}
${await profile(visit, mayChange)}
${await sessions(visit)}`,
    }
  },
}

function warnings(visit: Visit, mayChange: boolean): Html {
  const { say, session, store, root, base } = visit
  const isKeptOut = lacksSecondFactor(session, membershipOf(session, store.id, roles)!)
  const again = `${root}/oauth/login?again=1&return_to=${encodeURIComponent(base + securityPath)}`
  return html`
${isKeptOut ? notice('warning', say('second_needed', { store: store.name })) : ''}
${mayChange ? '' : notice('warning', html`${say('recent_text')} <a href="${again}">${say('recent_sign_in')}</a>`)}`
}

async function profile(visit: Visit, mayChange: boolean): Promise<Html> {
  const { say, session, allStores } = visit
  const waiting = await findPendingAddress(allStores, session.user_id)
  const shared = { isQuiet: true } as const
  const name = await form(visit, { act: 'rename', action: rename, button: 'save', values: session, ...shared })
  const email = await form(visit, { act: 'email', action: changeEmail, button: 'email_change', ...shared })
  const password = await form(visit, { act: 'password', action: changePassword, button: 'password_change', ...shared })
  const isOpen = (act: string) => attributes({ open: visit.refused?.act === act })
  const delicate = html`
<details class="more"${isOpen('email')}><summary>${say('email_change')}</summary>${email}</details>
<details class="more"${isOpen('password')}><summary>${say('password_change')}</summary>
<p class="hint">${say('password_ends')}</p>${password}</details>`
  return panel(
    say('account'),
    html`<div class="stack">${name}
<p>${say('email')}: <strong>${session.email}</strong></p>
${waiting ? html`<p class="hint">${say('email_waits', { email: waiting })}</p>` : ''}
${mayChange ? delicate : ''}</div>`,
  )
}

async function sessions(visit: Visit): Promise<Html> {
  const { say, allStores, session } = visit
  const all = await listSessions(allStores, session.user_id)
  const others = all.length > 1 ? button(visit, { act: 'end_others', text: 'sessions_end_others' }) : ''
  return panel(
    say('sessions'),
    html`<ul class="rows" aria-label="${say('sessions')}">${all.map((one) => sessionRow(visit, one))}</ul>`,
    others,
  )
}

function sessionRow(visit: Visit, { id, ip, user_agent, created_at, last_seen_at }: SessionRecord): Html {
  const { say, when, session } = visit
  const name = browserOf(user_agent)
  const about = [ip, say('signed_in_on', { when: when(created_at) }), say('seen_on', { when: when(last_seen_at) })]
  const end = button(visit, { act: 'end', fixed: { session: id, label: name }, text: 'session_end' })
  return html`<li><div><p><strong>${name || say('browser_unknown')}</strong>
${id === session.id ? mark(say('session_this'), 'good') : ''}</p>
<p class="hint">${about.join(' · ')}</p></div>${id === session.id ? '' : end}</li>`
}
