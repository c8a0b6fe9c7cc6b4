// A person's own: sessions and the password.
import { html } from 'hono/html'
import { hidden } from '../pages/parts.ts'
import { setPassword } from '../accounts/links.ts'
import { listSessions, openSession, type SessionRecord } from '../accounts/session.ts'
import {
  field,
  page,
  secret,
  signedIn,
  signedInLately,
  type Html,
  type Page,
  type Reply,
  type Visit,
} from '../signin/page.ts'
import { changedLetter, newPassword } from '../signin/password.ts'
import { newDevice } from '../accounts/device.ts'
import { hashPassword } from '../accounts/password.ts'
import { passwordFault } from '../accounts/passwordrules.ts'
import { chosenStore, dateIn, doerOf, portalFrame, portalPath } from './frame.ts'
import { notice } from '../pages/parts.ts'
import { endOtherSessions, endSession } from './operations.ts'
import { sayIn } from './words.ts'

export const accountPages: Page[] = [
  page('GET', '/portal/sessions', sessionsPage),
  page('POST', '/portal/sessions', endFromPage),
  page('GET', '/portal/password', (visit) => passwordPage(visit)),
  page('POST', '/portal/password', savePassword),
]

async function sessionsPage(visit: Visit): Promise<Reply> {
  const { root, db, language, query } = visit
  const say = sayIn(language)
  const sessions = await listSessions(db, signedIn(visit).user_id)
  const button = (id: string, text: string) => html`
<form method="post" action="${root}${portalPath('sessions')}">${hidden('id', id)}
<button class="quiet">${text}</button></form>`
  const content = html`
${query.saved === '1' ? notice('done', say('password_saved')) : ''}
<ul class="rows">${sessions.map((session) => sessionRow(visit, session, button(session.id, say('end_session'))))}</ul>
${sessions.length > 1 ? button('others', say('end_others')) : ''}
<h2>${say('password')}</h2>
<p><a href="${root}/oauth/portal/password">${say('password_change')}</a></p>`
  return { page: portalFrame(visit, 'sessions', content) }
}

function sessionRow(visit: Visit, { id, ip, user_agent, last_seen_at }: SessionRecord, end: Html): Html {
  const { language } = visit
  const say = sayIn(language)
  const when = dateIn(language, last_seen_at, chosenStore(visit))
  const isCurrent = id === signedIn(visit).id
  return html`
<li><div>
<p>${user_agent || '–'}</p>
<p class="hint">${ip} · ${say('last_used', { when })}</p>
</div>${isCurrent ? html`<span class="mark">${say('this_session')}</span>` : end}</li>`
}

async function endFromPage(visit: Visit): Promise<Reply> {
  const session = signedIn(visit)
  const id = field(visit.form, 'id')
  const by = doerOf(visit)
  await visit.db.transaction((tx) =>
    id === 'others' ? endOtherSessions(tx, session, by) : endSession(tx, session, id, by),
  )
  return { to: portalPath('sessions') }
}

async function passwordPage(visit: Visit, fault?: string): Promise<Reply> {
  signedInLately(visit)
  const { root, language } = visit
  const say = sayIn(language)
  const content = html`
<p>${say('password_hint')}</p>
<form method="post" action="${root}/oauth/portal/password">
${newPassword(visit, fault)}
<button>${say('password_save')}</button>
</form>`
  return { status: fault ? 422 : 200, page: portalFrame(visit, 'password', content) }
}

/** Whoever else had got in is out. */
async function savePassword(visit: Visit): Promise<Reply> {
  const { user_id, email, stores } = signedInLately(visit)
  const { db, vault, mail, ip, userAgent, say } = visit
  const password = secret(visit.form, 'password')
  const fault = await passwordFault(password, { email, stores: stores.flatMap(({ name, slug }) => [name, slug]) })
  if (fault) return passwordPage(visit, say(`password_${fault}`))
  const hash = await hashPassword(password)
  const session = await db.transaction(async (tx) => {
    await setPassword(tx, user_id, hash, doerOf(visit))
    return openSession(tx, user_id, { ip, userAgent, how: 'password' })
  })
  mail.send(changedLetter(visit, email))
  const cookies = { session, device: newDevice(vault, user_id, hash) }
  return { to: `${portalPath('sessions')}?saved=1`, cookies }
}
