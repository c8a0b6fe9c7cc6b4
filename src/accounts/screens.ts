// The pages of signing in: login, logout, a new password, an invitation, a link that signs in.
import { html } from 'hono/html'
import { ApiError } from '../kit/values/errors.ts'
import { addressBlock } from '../ratelimit/addressblock.ts'
import type { Letter } from '../platform/outbound/mail.ts'
import { acceptInvitation, findInvitation } from './team.ts'
import { findAccount } from './find.ts'
import { isLinkAlive, makeLink, setPassword, useLink } from './links.ts'
import { logIn } from './login.ts'
import { field, page, type Html, type Reply, type Screen, type Visit } from './screen.ts'
import { refusalIn } from './refusal.ts'
import { endSessions, openSession } from './session.ts'
import { frame, hidden, input, message, notice } from './view.ts'

// prettier-ignore
export const screens: Screen[] = [
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
export function returnPath(visit: Visit, wanted: string): string {
  const home = `${visit.root}/oauth/portal`
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(wanted) || wanted.includes('\\')) return home
  return wanted
}

function loginPage(visit: Visit, refused?: { text: string; status: number; waitSeconds?: number }): Reply {
  const { say, root, session, query } = visit
  const next = returnPath(visit, field(visit, 'return_to') || (query.return_to ?? ''))
  const isAgain = session !== null && (query.again ?? field(visit, 'again')) === '1'
  const email = field(visit, 'email') || (isAgain ? session.email : (query.email ?? ''))
  const title = say(isAgain ? 'sign_in_again' : 'sign_in_to')
  const content = frame(
    visit,
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
  const { db, limiter, say, ip } = visit
  const outcome = await logIn(db, limiter, { email: field(visit, 'email'), password: field(visit, 'password'), ip })
  if ('refused' in outcome) {
    if (outcome.refused === 'wrong') return loginPage(visit, { text: say('wrong_login'), status: 401 })
    const { waitSeconds } = outcome
    return loginPage(visit, { text: say('too_many', { seconds: waitSeconds }), status: 429, waitSeconds })
  }
  return signIn(visit, outcome.userId, returnPath(visit, field(visit, 'return_to')))
}

/** A new session, and the one before it is gone. */
async function signIn(visit: Visit, userId: string, location: string): Promise<Reply> {
  const session = await visit.db.transaction(async (tx) => {
    if (visit.session) await endSessions(tx, visit.session.user_id, { id: visit.session.id })
    return openSession(tx, userId, visit)
  })
  return { location, session }
}

async function leave(visit: Visit): Promise<Reply> {
  const { session, db, root, say } = visit
  if (session) await db.transaction((tx) => endSessions(tx, session.user_id, { id: session.id }))
  const next = field(visit, 'return_to')
  const login = `${root}/oauth/login`
  if (next) return { location: `${login}?return_to=${encodeURIComponent(returnPath(visit, next))}`, session: null }
  const again = html`<p><a href="${login}">${say('sign_in')}</a></p>`
  return { session: null, page: message(visit, say('signed_out'), '', again) }
}

function askReset(visit: Visit): Reply {
  const { say, root } = visit
  return {
    page: frame(
      visit,
      say('reset_ask'),
      html`
<h1>${say('reset_ask')}</h1>
<p>${say('reset_hint')}</p>
<form method="post" action="${root}/oauth/reset">
${input(say('email'), { name: 'email', type: 'email', autocomplete: 'username', focus: true })}
<button class="full">${say('reset_send')}</button>
</form>
<p class="foot"><a href="${root}/oauth/login">${say('back_to_sign_in')}</a></p>`,
    ),
  }
}

/** Answers alike and as soon, whether there is such an account or not. */
async function sendReset(visit: Visit): Promise<Reply> {
  const { db, mail, limiter, say, ip } = visit
  const email = field(visit, 'email').trim().slice(0, 254)
  const { compared, account } = await findAccount(db, email)
  const hits = await Promise.all([
    limiter.hit(`reset:ip:${addressBlock(ip)}`, 20, { windowSeconds: 3600 }),
    limiter.hit(`reset:email:${compared}`, 3, { windowSeconds: 3600 }),
  ])
  if (account && hits.every(({ allowed }) => allowed)) mail.send(resetLetter(visit, account))
  return { page: message(visit, say('reset_sent'), say('reset_sent_text', { email })) }
}

/** To the account's own address: what was typed may only resemble it. */
async function resetLetter({ db, say, siteUrl }: Visit, { id, email }: { id: string; email: string }): Promise<Letter> {
  const link = await db.transaction((tx) => makeLink(tx, id, 'reset'))
  const text = say('reset_mail', { link: `${siteUrl}/oauth/reset/${link}` })
  return { to: email, subject: say('reset_mail_subject'), text }
}

async function showReset(visit: Visit, fault?: string): Promise<Reply> {
  const { db, params, say, root } = visit
  if (!(await isLinkAlive(db, params.link!, 'reset'))) return deadLink(visit)
  return {
    status: fault ? 422 : 200,
    page: frame(
      visit,
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

async function saveReset(visit: Visit): Promise<Reply> {
  const password = field(visit, 'password')
  if (!isLongEnough(password)) return showReset(visit, visit.say('reset_short'))
  const userId = await visit.db.transaction(async (tx) => {
    const user = await useLink(tx, visit.params.link!, 'reset')
    if (user) await setPassword(tx, user, password)
    return user
  })
  return userId ? signIn({ ...visit, session: null }, userId, returnPath(visit, '')) : deadLink(visit)
}

/** Mail scanners open links; only the button signs in. */
async function showSignIn(visit: Visit): Promise<Reply> {
  const { db, params, say, root } = visit
  if (!(await isLinkAlive(db, params.link!, 'sign_in'))) return deadLink(visit)
  return {
    page: frame(
      visit,
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
  return userId ? signIn(visit, userId, returnPath(visit, field(visit, 'return_to'))) : deadLink(visit)
}

async function showInvitation(visit: Visit, fault?: string): Promise<Reply> {
  const { db, params, say, root } = visit
  const invitation = await findInvitation(db, params.link!)
  if (!invitation) return deadLink(visit)
  const { store_name: store, email, role } = invitation
  const isKnown = invitation.user_id !== null
  return {
    status: fault ? 422 : 200,
    page: frame(
      visit,
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
  const { db, limiter, params, say, ip } = visit
  const invitation = await findInvitation(db, params.link!)
  if (!invitation) return deadLink(visit)
  const password = field(visit, 'password')
  if (invitation.user_id) {
    const outcome = await logIn(db, limiter, { email: invitation.email, password, ip })
    if ('refused' in outcome) {
      if (outcome.refused === 'wrong') return showInvitation(visit, say('wrong_login'))
      const { waitSeconds } = outcome
      const closed = await showInvitation(visit, say('too_many', { seconds: waitSeconds }))
      return { ...closed, status: 429, headers: { 'retry-after': String(waitSeconds) } }
    }
  } else if (!isLongEnough(password)) return showInvitation(visit, say('reset_short'))
  const newcomer = { password, name: field(visit, 'name').trim().slice(0, 120) || null }
  try {
    const userId = await db.transaction((tx) => acceptInvitation(tx, params.link!, newcomer))
    return userId ? signIn(visit, userId, returnPath(visit, '')) : deadLink(visit)
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return showInvitation(visit, refusalIn(say, error))
    throw error
  }
}

function newPassword({ say }: Visit): Html {
  return input(say('new_password'), {
    name: 'password',
    type: 'password',
    autocomplete: 'new-password',
    hint: say('new_password_hint'),
    min: 8,
  })
}

function isLongEnough(password: string): boolean {
  return password.length >= 8 && password.length <= 200
}

function deadLink(visit: Visit): Reply {
  const { say, root } = visit
  const back = html`<p><a href="${root}/oauth/login">${say('back_to_sign_in')}</a></p>`
  return { status: 410, page: message(visit, say('link_dead'), say('link_dead_text'), back) }
}
