// Signing in by password or passkey, and out.
import { html } from 'hono/html'
import type { Tx } from '../../kit/database/database.ts'
import { hidden, input, notice } from '../../platform/pages/parts.ts'
import { deviceCookie, newDevice } from '../accounts/device.ts'
import { asksForSecond, findFactors } from '../accounts/factors/factors.ts'
import { findPasswordHash } from '../accounts/find.ts'
import { logIn, type LoginOutcome } from '../accounts/login.ts'
import { endSessions, openSession, type SignIn } from '../accounts/session.ts'
import { sealPendingLogin } from './pendinglogin.ts'
import {
  field,
  message,
  openAppName,
  page,
  secret,
  titledCard,
  tooMany,
  type SignInPage,
  type PageResult,
  type SignInVisit,
} from './page.ts'
import { passkeyForm, withPasskeys } from './passkeyform.ts'

// prettier-ignore
export const loginPages: SignInPage[] = [
  page('GET',  '/login',  async (visit) => loginPage(visit)),
  page('POST', '/login',  enter),
  page('POST', '/logout', leave),
]

function loginPage(visit: SignInVisit, fault = '', reply: PageResult = {}): PageResult {
  const { say, root, session, query } = visit
  const next = returnPath(visit, field(visit.form, 'return_to') || (query.return_to ?? ''))
  const isAgain = session !== null && (query.again ?? field(visit.form, 'again')) === '1'
  const email = field(visit.form, 'email') || (isAgain ? session.email : (query.email ?? ''))
  const title = say(isAgain ? 'sign_in_again' : 'sign_in_to')
  const app = openAppName(visit)
  const content = titledCard(
    visit,
    title,
    html`
${isAgain ? html`<p>${say('sign_in_again_hint')}</p>` : ''}
${app === null ? '' : html`<p>${say('sign_in_for', { app })}</p>`}
${fault ? notice('error', fault) : ''}
<form method="post" action="${root}/oauth/login">
${hidden('return_to', next)}${isAgain ? hidden('again', '1') : ''}
${app === null ? '' : hidden('app', query.app ?? field(visit.form, 'app'))}
${input(say('email'), { name: 'email', type: 'email', autocomplete: 'username', value: email, focus: email === '' })}
${input(say('password'), { name: 'password', type: 'password', autocomplete: 'current-password', focus: email !== '' })}
<button class="full">${say('sign_in')}</button>
</form>
${passkeyForm(visit, next)}
<p class="foot"><a href="${root}/oauth/reset">${say('forgot')}</a></p>`,
  )
  return withPasskeys(visit, { ...reply, page: content })
}

async function enter(visit: SignInVisit): Promise<PageResult> {
  const { say } = visit
  const outcome = await tryPassword(visit, field(visit.form, 'email'))
  if ('refused' in outcome) {
    if (outcome.refused === 'wrong') return loginPage(visit, say('wrong_login'), { status: 401 })
    const { waitSeconds } = outcome
    return loginPage(visit, say('too_many', { seconds: waitSeconds }), tooMany(waitSeconds))
  }
  return signIn(visit, 'password', outcome.userId, returnPath(visit, field(visit.form, 'return_to')))
}

async function leave(visit: SignInVisit): Promise<PageResult> {
  const { session, db, root, say } = visit
  if (session) await db.transaction((tx) => endSessions(tx, session.user_id, { id: session.id }))
  const next = field(visit.form, 'return_to')
  const login = `${root}/oauth/login`
  if (next)
    return { location: `${login}?return_to=${encodeURIComponent(returnPath(visit, next))}`, cookies: { session: null } }
  const again = html`<p><a href="${login}">${say('sign_in')}</a></p>`
  return { cookies: { session: null }, page: message(visit, say('signed_out'), '', again) }
}

/** The page after signing in: a path of this site only. */
export function returnPath(visit: SignInVisit, path: string): string {
  const home = `${visit.root}/dashboard`
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(path) || path.includes('\\')) return home
  return path
}

export function tryPassword(visit: SignInVisit, email: string): Promise<LoginOutcome> {
  const { ip, userAgent, cookies, siteUrl } = visit
  const device = cookies[deviceCookie(siteUrl)]
  return logIn(visit, { email, password: secret(visit.form, 'password'), ip, userAgent, device })
}

/**
 * Opens a session, unless the account has a second factor, which is then requested after a password and after a link
 * alike. A passkey is both factors at once.
 */
export async function signIn(
  visit: SignInVisit,
  how: SignIn['how'],
  userId: string,
  location: string,
): Promise<PageResult> {
  if (how !== 'passkey' && asksForSecond(await findFactors(visit.db, userId))) {
    const pending = await sealPendingLogin(visit, { how, userId, location })
    return { to: '/oauth/second-factor', cookies: { half: pending } }
  }
  return visit.db.transaction((tx) => open(tx, visit, userId, { how }, location))
}

/** Starts a new session and ends the previous one. The browser is now known. */
export async function open(
  tx: Tx,
  visit: SignInVisit,
  userId: string,
  proof: Pick<SignIn, 'how' | 'second'>,
  location: string,
): Promise<PageResult> {
  const { vault, ip, userAgent } = visit
  if (visit.session) await endSessions(tx, visit.session.user_id, { id: visit.session.id })
  const [session, passwordHash] = await Promise.all([
    openSession(tx, userId, { ip, userAgent, ...proof }),
    findPasswordHash(tx, userId),
  ])
  return { location, cookies: { session, device: newDevice(vault, userId, passwordHash), half: null } }
}
