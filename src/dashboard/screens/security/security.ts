// Settings > Security: a person's name, email, password, second factors and sessions.
import { html } from 'hono/html'
import { attributes, notice } from '../../../platform/pages/parts.ts'
import { portalScope } from '../../../identity/accounts/roles.ts'
import {
  lacksSecondFactor,
  listSessions,
  findMembership,
  type SessionRecord,
} from '../../../identity/accounts/session.ts'
import { findPendingAddress } from '../../../identity/accounts/profile.ts'
import { isRecent } from '../../../identity/signin/page.ts'
import { endpoint } from '../../framework/api.ts'
import { button, form } from '../../framework/form.ts'
import { mark, panel } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { ScreenAction, Html, PageContext } from '../../framework/screen.ts'
import { formatBrowser } from './browser.ts'
import { factorActions, factorPanels } from './factors.ts'
import { inSettings } from '../../framework/placement.ts'

const securityPath = '/settings/security'

const rename: ScreenAction = {
  route: endpoint('PATCH /account'),
  inputs: [{ name: 'name', label: 'your_name' }],
  done: 'saved',
}

const changeEmail: ScreenAction = {
  route: endpoint('POST /account/email'),
  inputs: [{ name: 'email', label: 'email_new', hint: 'email_new_hint' }],
  done: 'email_asked',
}

const changePassword: ScreenAction = {
  route: endpoint('POST /account/password'),
  inputs: [{ name: 'password', label: 'password_new', hint: 'password_new_hint', as: 'password' }],
  done: 'password_saved',
}

// prettier-ignore
export const security = record({
  path: securityPath, scope: portalScope, title: 'security',
  ...inSettings('people', { text: 'security_text', icon: 'security' }),
  isOpenWithoutSecondFactor: true,
  actions: {
    rename, email: changeEmail, password: changePassword, ...factorActions,
    end: { route: endpoint('DELETE /sessions/{session}'), done: 'session_ended_there' },
    end_others: { route: endpoint('DELETE /sessions'), done: 'sessions_ended' },
  },
  read: mayChangeAccess,
  buttons: [{ to: () => `${securityPath}/apps`, text: 'own_apps' }],
  main: [warnings, factorPanels, profile, sessions],
})

/** True if the person signed in within the last hour. */
async function mayChangeAccess({ session, db }: PageContext): Promise<boolean> {
  return isRecent(session, db.clock.now())
}

function warnings(context: PageContext, mayChange: boolean): Html {
  const { t, session, store, root, base } = context
  const needsSecondFactor = lacksSecondFactor(session, findMembership(session, store.id)!)
  const again = `${root}/oauth/login?again=1&return_to=${encodeURIComponent(base + securityPath)}`
  return html`
${needsSecondFactor ? notice('warning', t('second_needed', { store: store.name })) : ''}
${mayChange ? '' : notice('warning', html`${t('recent_text')} <a href="${again}">${t('recent_sign_in')}</a>`)}`
}

async function profile(context: PageContext, mayChange: boolean): Promise<Html> {
  const { t, session, allStores } = context
  const pendingEmail = await findPendingAddress(allStores, session.user_id)
  const marks = { isQuiet: true } as const
  const name = await form(context, { act: 'rename', action: rename, button: 'save', values: session, ...marks })
  const email = await form(context, { act: 'email', action: changeEmail, button: 'email_change', ...marks })
  const password = await form(context, { act: 'password', action: changePassword, button: 'password_change', ...marks })
  const isOpen = (act: string) => attributes({ open: context.rejection?.act === act })
  const sensitiveForms = html`
<details class="more"${isOpen('email')}><summary>${t('email_change')}</summary>${email}</details>
<details class="more"${isOpen('password')}><summary>${t('password_change')}</summary>
<p class="hint">${t('password_ends')}</p>${password}</details>`
  return panel(
    t('account'),
    html`<div class="stack">${name}
<p>${t('email')}: <strong>${session.email}</strong></p>
${pendingEmail ? html`<p class="hint">${t('email_waits', { email: pendingEmail })}</p>` : ''}
${mayChange ? sensitiveForms : ''}</div>`,
  )
}

async function sessions(context: PageContext): Promise<Html> {
  const { t, allStores, session } = context
  const all = await listSessions(allStores, session.user_id)
  const others = all.length > 1 ? button(context, { act: 'end_others', text: 'sessions_end_others' }) : ''
  return panel(
    t('sessions'),
    html`<ul class="rows" aria-label="${t('sessions')}">${all.map((one) => sessionRow(context, one))}</ul>`,
    others,
  )
}

function sessionRow(context: PageContext, { id, ip, user_agent, created_at, last_seen_at }: SessionRecord): Html {
  const { t, formatTime, session } = context
  const name = formatBrowser(user_agent)
  const about = [
    ip,
    t('signed_in_on', { when: formatTime(created_at) }),
    t('seen_on', { when: formatTime(last_seen_at) }),
  ]
  const end = button(context, { act: 'end', fixed: { session: id, label: name }, text: 'session_end' })
  return html`<li><div><p><strong>${name || t('browser_unknown')}</strong>
${id === session.id ? mark(t('session_this'), 'good') : ''}</p>
<p class="hint">${about.join(' · ')}</p></div>${id === session.id ? '' : end}</li>`
}
