// The pages of signing in: login, logout, a new password, an invitation, a link that signs in.
import { html } from 'hono/html'
import { ApiError } from '../kit/values/errors.ts'
import { publicId } from '../kit/values/ids.ts'
import type { Letter } from '../platform/outbound/mail.ts'
import { card } from '../pages/frame.ts'
import { hidden, input, notice } from '../pages/parts.ts'
import { addressBlock } from '../ratelimit/addressblock.ts'
import { waitSeconds } from '../ratelimit/ratelimit.ts'
import { note } from '../audit/operations.ts'
import { deviceCookie, newDevice } from '../accounts/device.ts'
import { findAccount, findPasswordHash } from '../accounts/find.ts'
import { findLinkOwner, isLinkAlive, makeLink, setPassword, useLink } from '../accounts/links.ts'
import { logIn, type LoginOutcome } from '../accounts/login.ts'
import { hashPassword } from '../accounts/password.ts'
import { passwordFault } from '../accounts/passwordrules.ts'
import { endSessions, openSession, type SignIn } from '../accounts/session.ts'
import { acceptInvitation, findInvitation } from '../accounts/team.ts'
import { field, message, page, secret, type Page, type Reply, type Visit } from './page.ts'
import { changedLetter, newPassword } from './password.ts'
import { refusalIn } from './refusal.ts'

// prettier-ignore
export const signInPages: Page[] = [
  page('GET',  '/login',             async (visit) => loginPage(visit)),
  page('POST', '/login',             enter),
  page('POST', '/logout',            leave),
  page('GET',  '/reset',             async (visit) => askReset(visit)),
  page('POST', '/reset',             sendReset),
  page('GET',  '/reset/:link',       (visit) => showReset(visit)),
  page('POST', '/reset/:link',       saveReset),
  page('GET',  '/sign-in/:link',     showSignIn),
  page('POST', '/sign-in/:link',     useSignIn),
  page('GET',  '/invitations/:link', (visit) => showInvitation(visit)),
  page('POST', '/invitations/:link', joinStore),
]

/** Where to go after signing in: a path of this site and nothing else. */
function returnPath(visit: Visit, wanted: string): string {
  const home = `${visit.root}/oauth/portal`
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(wanted) || wanted.includes('\\')) return home
  return wanted
}

function loginPage(visit: Visit, refused?: { text: string; status: number; waitSeconds?: number }): Reply {
  const { say, root, session, query } = visit
  const next = returnPath(visit, field(visit.form, 'return_to') || (query.return_to ?? ''))
  const isAgain = session !== null && (query.again ?? field(visit.form, 'again')) === '1'
  const email = field(visit.form, 'email') || (isAgain ? session.email : (query.email ?? ''))
  const title = say(isAgain ? 'sign_in_again' : 'sign_in_to')
  const content = card(
    visit.language,
    title,
    html`
<h1>${title}</h1>
${isAgain ? html`<p>${say('sign_in_again_hint')}</p>` : ''}
${refused ? notice('error', refused.text) : ''}
<form method="post" action="${root}/oauth/login">
${hidden('return_to', next)}${isAgain ? hidden('again', '1') : ''}
${input(say('email'), { name: 'email', type: 'email', autocomplete: 'username', value: email, focus: email === '' })}
${input(say('password'), { name: 'password', type: 'password', autocomplete: 'current-password', focus: email !== '' })}
<button class="full">${say('sign_in')}</button>
</form>
<p class="foot"><a href="${root}/oauth/reset">${say('forgot')}</a></p>`,
  )
  return {
    page: content,
    status: refused?.status ?? 200,
    ...(refused?.waitSeconds ? { headers: { 'retry-after': String(refused.waitSeconds) } } : {}),
  }
}

async function enter(visit: Visit): Promise<Reply> {
  const { say } = visit
  const outcome = await tryPassword(visit, field(visit.form, 'email'))
  if ('refused' in outcome) {
    if (outcome.refused === 'wrong') return loginPage(visit, { text: say('wrong_login'), status: 401 })
    const { waitSeconds } = outcome
    return loginPage(visit, { text: say('too_many', { seconds: waitSeconds }), status: 429, waitSeconds })
  }
  return signIn(visit, 'password', outcome.userId, returnPath(visit, field(visit.form, 'return_to')))
}

function tryPassword(visit: Visit, email: string): Promise<LoginOutcome> {
  const { ip, userAgent, cookies, siteUrl } = visit
  const device = cookies[deviceCookie(siteUrl)]
  return logIn(visit, { email, password: secret(visit.form, 'password'), ip, userAgent, device })
}

/** A new session, and the one before it is gone. The browser is known from here on. */
async function signIn(visit: Visit, how: SignIn['how'], userId: string, location: string): Promise<Reply> {
  const { db, vault, ip, userAgent } = visit
  return db.transaction(async (tx) => {
    if (visit.session) await endSessions(tx, visit.session.user_id, { id: visit.session.id })
    const [session, passwordHash] = await Promise.all([
      openSession(tx, userId, { ip, userAgent, how }),
      findPasswordHash(tx, userId),
    ])
    return { location, cookies: { session, device: newDevice(vault, userId, passwordHash) } }
  })
}

async function leave(visit: Visit): Promise<Reply> {
  const { session, db, root, say } = visit
  if (session) await db.transaction((tx) => endSessions(tx, session.user_id, { id: session.id }))
  const next = field(visit.form, 'return_to')
  const login = `${root}/oauth/login`
  if (next)
    return { location: `${login}?return_to=${encodeURIComponent(returnPath(visit, next))}`, cookies: { session: null } }
  const again = html`<p><a href="${login}">${say('sign_in')}</a></p>`
  return { cookies: { session: null }, page: message(visit, say('signed_out'), '', again) }
}

function askReset(visit: Visit, waitSeconds?: number): Reply {
  const { say, root } = visit
  return {
    ...(waitSeconds ? { status: 429, headers: { 'retry-after': String(waitSeconds) } } : {}),
    page: card(
      visit.language,
      say('reset_ask'),
      html`
<h1>${say('reset_ask')}</h1>
${waitSeconds ? notice('error', say('too_many', { seconds: waitSeconds })) : ''}
<p>${say('reset_hint')}</p>
<form method="post" action="${root}/oauth/reset">
${input(say('email'), { name: 'email', type: 'email', autocomplete: 'username', focus: true })}
<button class="full">${say('reset_send')}</button>
</form>
<p class="foot"><a href="${root}/oauth/login">${say('back_to_sign_in')}</a></p>`,
    ),
  }
}

// prettier-ignore
const resets = {
  ofAddress: { count: 20, windowSeconds: 3600 },
  ofAccount: { count: 3,  windowSeconds: 3600 },
}

/** Answers alike and as soon, whether there is such an account or not; an address that asks too often is told so. */
async function sendReset(visit: Visit): Promise<Reply> {
  const { db, mail, limiter, say, ip } = visit
  const { ofAddress, ofAccount } = resets
  const hit = await limiter.hit(`reset:${addressBlock(ip)}`, ofAddress.count, ofAddress)
  if (!hit.allowed) return askReset(visit, waitSeconds(hit, db.clock.now(), ofAddress.windowSeconds))
  const email = field(visit.form, 'email').trim().slice(0, 254)
  const { account } = await findAccount(db, email)
  // Only an account has a window of its own: what strangers type leaves no name behind.
  if (account && (await limiter.hit(`account:${account.id}:reset`, ofAccount.count, ofAccount)).allowed) {
    mail.send(resetLetter(visit, account))
  }
  return { page: message(visit, say('reset_sent'), say('reset_sent_text', { email })) }
}

/** To the account's own address: what was typed may only resemble it. */
async function resetLetter(visit: Visit, { id, email }: { id: string; email: string }): Promise<Letter> {
  const { db, say, siteUrl, ip, userAgent } = visit
  const link = await db.transaction((tx) => {
    note(tx, { event: 'password_reset_asked', by: { kind: 'stranger', ip, userAgent }, subject: publicId('usr', id) })
    return makeLink(tx, id, 'reset')
  })
  const text = say('reset_mail', { link: `${siteUrl}/oauth/reset/${link}` })
  return { to: email, subject: say('reset_mail_subject'), text }
}

async function showReset(visit: Visit, fault?: string): Promise<Reply> {
  const { db, params, say, root } = visit
  if (!(await isLinkAlive(db, params.link!, 'reset'))) return deadLink(visit)
  return {
    status: fault ? 422 : 200,
    page: card(
      visit.language,
      say('reset_title'),
      html`
<h1>${say('reset_title')}</h1>
${fault ? notice('error', fault) : ''}
<form method="post" action="${root}/oauth/reset/${params.link!}">
${newPassword(visit)}
<button class="full">${say('reset_save')}</button>
</form>`,
    ),
  }
}

/** What apps were let in before stays, and is shown next. */
async function saveReset(visit: Visit): Promise<Reply> {
  const { db, mail, params, say, root, ip, userAgent } = visit
  const owner = await findLinkOwner(db, params.link!, 'reset')
  if (!owner) return deadLink(visit)
  const password = secret(visit.form, 'password')
  const fault = await passwordFault(password, owner)
  if (fault) return showReset(visit, say(`password_${fault}`))
  const hash = await hashPassword(password)
  const userId = await db.transaction(async (tx) => {
    const id = await useLink(tx, params.link!, 'reset')
    if (id) await setPassword(tx, id, hash, { kind: 'user', id: publicId('usr', id), ip, userAgent })
    return id
  })
  if (!userId) return deadLink(visit)
  mail.send(changedLetter(visit, owner.email))
  return signIn({ ...visit, session: null }, 'reset', userId, `${root}/oauth/portal/granted`)
}

/** Mail scanners open links; only the button signs in. */
async function showSignIn(visit: Visit): Promise<Reply> {
  const { db, params, say, root } = visit
  if (!(await isLinkAlive(db, params.link!, 'sign_in'))) return deadLink(visit)
  return {
    page: card(
      visit.language,
      say('sign_in'),
      html`
<h1>${say('sign_in')}</h1>
<p>${say('link_sign_in')}</p>
<form method="post" action="${root}/oauth/sign-in/${params.link!}">
${hidden('return_to', visit.query.return_to ?? '')}
<button class="full" autofocus>${say('sign_in')}</button>
</form>`,
    ),
  }
}

async function useSignIn(visit: Visit): Promise<Reply> {
  const userId = await visit.db.transaction((tx) => useLink(tx, visit.params.link!, 'sign_in'))
  return userId ? signIn(visit, 'link', userId, returnPath(visit, field(visit.form, 'return_to'))) : deadLink(visit)
}

async function showInvitation(visit: Visit, fault?: string): Promise<Reply> {
  const { db, params, say, root } = visit
  const invitation = await findInvitation(db, params.link!)
  if (!invitation) return deadLink(visit)
  const { store_name: store, email, role } = invitation
  const isKnown = invitation.user_id !== null
  return {
    status: fault ? 422 : 200,
    page: card(
      visit.language,
      say('invited_title', { store }),
      html`
<h1>${say('invited_title', { store })}</h1>
<p>${say('invited_text', { role: say(`role_${role}`) })}</p>
${fault ? notice('error', fault) : ''}
<p>${say(isKnown ? 'invited_known' : 'invited_new', { email })}</p>
<form method="post" action="${root}/oauth/invitations/${params.link!}">
${
  isKnown
    ? input(say('password'), { name: 'password', type: 'password', autocomplete: 'current-password', focus: true })
    : html`
${input(say('your_name'), { name: 'name', type: 'text', autocomplete: 'name', focus: true })}
${newPassword(visit)}`
}
<button class="full">${say('invited_accept')}</button>
</form>`,
    ),
  }
}

/** Who has an account proves it with its password; the address alone is not enough. */
async function joinStore(visit: Visit): Promise<Reply> {
  const { db, params, say, ip, userAgent } = visit
  const invitation = await findInvitation(db, params.link!)
  if (!invitation) return deadLink(visit)
  const password = secret(visit.form, 'password')
  if (invitation.user_id) {
    const outcome = await tryPassword(visit, invitation.email)
    if ('refused' in outcome) {
      if (outcome.refused === 'wrong') return showInvitation(visit, say('wrong_login'))
      const { waitSeconds } = outcome
      const closed = await showInvitation(visit, say('too_many', { seconds: waitSeconds }))
      return { ...closed, status: 429, headers: { 'retry-after': String(waitSeconds) } }
    }
  } else {
    const { email, store_name, store_slug } = invitation
    const fault = await passwordFault(password, { email, stores: [store_name, store_slug] })
    if (fault) return showInvitation(visit, say(`password_${fault}`))
  }
  const newcomer = { password, name: field(visit.form, 'name').trim().slice(0, 120) || null }
  try {
    const userId = await db.transaction((tx) => acceptInvitation(tx, params.link!, newcomer, { ip, userAgent }))
    return userId ? signIn(visit, 'invitation', userId, returnPath(visit, '')) : deadLink(visit)
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return showInvitation(visit, refusalIn(say, error))
    throw error
  }
}

function deadLink(visit: Visit): Reply {
  const { say, root } = visit
  const ways = html`
<pre><code>npm run -s stoa -- user link --email …</code></pre>
<div class="pair"><a class="button" href="${root}/oauth/login">${say('sign_in')}</a>
<a class="button quiet" href="${root}/oauth/reset">${say('forgot')}</a></div>`
  return { status: 410, page: message(visit, say('link_dead'), say('link_dead_text'), ways) }
}
