// Sessions and the team of a store: as JSON for the dashboard, and as pages.
import { html } from 'hono/html'
import { ApiError, invalid, notFound } from '../kit/errors.ts'
import { publicId, uuidOf } from '../kit/ids.ts'
import { isUuid } from '../kit/ids.ts'
import { field, signedIn, signedInLately, type Html, type Reply, type Screen, type Visit } from './screen.ts'
import { endSessions, listSessions, membershipOf, type Membership, type Session } from './session.ts'
import { changeRole, invite, listTeam, removeMember, withdrawInvitation } from './team.ts'
import { roles, user, type Role } from './user.ts'
import { frame, hidden, input, notice } from './view.ts'
import { isWord, type Language } from './words.ts'

export const portalScreens: Screen[] = [
  { method: 'GET',    path: '/oauth/portal/api/session',                      kind: 'json', run: whoAmI },
  { method: 'GET',    path: '/oauth/portal/api/sessions',                     kind: 'json', run: sessionsJson },
  { method: 'DELETE', path: '/oauth/portal/api/sessions',                     kind: 'json', run: async (visit) => { await endOthers(visit); return done } },
  { method: 'DELETE', path: '/oauth/portal/api/sessions/:id',                 kind: 'json', run: async (visit) => { await endOne(visit, visit.params.id!); return done } },
  { method: 'GET',    path: '/oauth/portal/api/stores/:store/team',           kind: 'json', run: teamJson },
  { method: 'POST',   path: '/oauth/portal/api/stores/:store/team',           kind: 'json', run: async (visit) => { await sendInvitation(visit, visit.params.store!); return { ...done, status: 201 } } },
  { method: 'POST',   path: '/oauth/portal/api/stores/:store/team/:person',   kind: 'json', run: async (visit) => { await setRole(visit, visit.params.store!, visit.params.person!); return done } },
  { method: 'DELETE', path: '/oauth/portal/api/stores/:store/team/:person',   kind: 'json', run: async (visit) => { await removePerson(visit, visit.params.store!, visit.params.person!); return done } },
  { method: 'GET',    path: '/oauth/portal/sessions',                         kind: 'page', run: sessionsPage },
  { method: 'POST',   path: '/oauth/portal/sessions',                         kind: 'page', run: endFromPage },
  { method: 'GET',    path: '/oauth/portal/team',                             kind: 'page', run: (visit) => teamPage(visit) },
  { method: 'POST',   path: '/oauth/portal/team',                             kind: 'page', run: changeTeamFromPage },
]

const done: Reply = { json: { data: { done: true } } }
const managers = ['owner', 'admin'] as const

async function whoAmI(visit: Visit): Promise<Reply> {
  const { user_id, email, name, stores, created_at } = signedIn(visit)
  return { json: { data: { user: { id: publicId('usr', user_id), email, name }, signed_in_at: created_at, stores } } }
}

async function sessionsJson(visit: Visit): Promise<Reply> {
  const session = signedIn(visit)
  const all = await listSessions(visit.db, session.user_id)
  return { json: { data: all.map((one) => ({ ...one, is_current: one.id === session.id })) } }
}

async function endOthers(visit: Visit): Promise<void> {
  const { id, user_id } = signedIn(visit)
  await visit.db.transaction((tx) => endSessions(tx, user_id, { except: id }))
}

async function endOne(visit: Visit, id: string): Promise<void> {
  const { user_id } = signedIn(visit)
  const count = isUuid(id) ? await visit.db.transaction((tx) => endSessions(tx, user_id, { id })) : 0
  if (count === 0) throw notFound('Session')
}

/** What a stranger's store answers is what no store answers. */
export function storeOfVisit(visit: Visit, storeId: string, allowed: readonly Role[]): { session: Session; store: Membership } {
  const session = signedIn(visit)
  if (!membershipOf(session, storeId, roles)) throw notFound('Store')
  const store = membershipOf(session, storeId, allowed)
  if (!store) throw new ApiError(403, 'SCOPE_INSUFFICIENT', `This needs the role ${allowed.join(' or ')}`)
  return { session, store }
}

async function teamJson(visit: Visit): Promise<Reply> {
  const { store } = storeOfVisit(visit, visit.params.store!, roles)
  const people = await listTeam(visit.db, store.id)
  return { json: { data: people.map(({ user_id, invitation_id, ...person }) => ({
    id: user_id ? publicId('usr', user_id) : invitation_id, ...person, is_invited: user_id === null,
  })) } }
}

async function sendInvitation(visit: Visit, storeId: string): Promise<void> {
  const { session, store } = storeOfVisit(visit, storeId, managers)
  const { mail, db, siteUrl, say, limiter } = visit
  const email = field(visit, 'email').trim()
  const role = roleOf(field(visit, 'role'), store)
  user.patch.read({ email }, { currency: 'USD', timezone: 'UTC', country_code: 'US', now: db.clock.now() })
  if (email === '') throw invalid({ field: 'email', message: 'is required' })
  const hit = await limiter.hit(`invite:${store.id}`, 50, { windowSeconds: 24 * 3600 })
  if (!hit.allowed) throw invalid({ field: 'email', message: 'is one too many: at most 50 invitations a day' })
  const link = await db.transaction((tx) => invite(tx, store.id, { email, role, by: session.user_id }))
  mail.send({
    to: email,
    subject: say('invited_mail_subject', { store: store.name }),
    text: say('invited_mail', { store: store.name, link: `${siteUrl}/oauth/invitations/${link}` }),
  })
}

/** Only an owner makes owners. */
function roleOf(text: string, by: Membership): Role {
  const role = roles.find((one) => one === text)
  if (!role) throw invalid({ field: 'role', message: `must be one of ${roles.join(', ')}` })
  if (role === 'owner' && by.role !== 'owner') throw new ApiError(403, 'SCOPE_INSUFFICIENT', 'Only an owner may name another')
  return role
}

async function setRole(visit: Visit, storeId: string, person: string): Promise<void> {
  signedInLately(visit)
  const { store } = storeOfVisit(visit, storeId, ['owner'])
  const userId = uuidOf('usr', person)
  if (!userId) throw notFound('Member')
  const role = roleOf(field(visit, 'role'), store)
  await visit.db.transaction((tx) => changeRole(tx, store.id, userId, role))
}

/** Owners remove anybody, administrators staff and invitations, and everybody may leave. */
async function removePerson(visit: Visit, storeId: string, person: string): Promise<void> {
  const { session, store } = storeOfVisit(visit, storeId, roles)
  const userId = uuidOf('usr', person)
  const isManager = managers.some((role) => role === store.role)
  if (!userId) {
    if (!isManager || !isUuid(person)) throw notFound('Member')
    await visit.db.transaction((tx) => withdrawInvitation(tx, store.id, person))
    return
  }
  const found = (await listTeam(visit.db, store.id)).find(({ user_id }) => user_id === userId)
  const mayRemove = userId === session.user_id || store.role === 'owner' || (isManager && found?.role === 'staff')
  if (!found || !mayRemove) throw notFound('Member')
  await visit.db.transaction((tx) => removeMember(tx, store.id, userId))
}

/** The frame of the portal's pages, with the way between them. */
export function portalFrame(visit: Visit, current: 'clients' | 'apps' | 'sessions' | 'team', content: Html): Html {
  const { say, root } = visit
  const places = [
    ['clients', `${root}/oauth/portal`], ['apps', `${root}/oauth/portal/apps`],
    ['team', `${root}/oauth/portal/team`], ['sessions', `${root}/oauth/portal/sessions`],
  ] as const
  const title = say(`portal_${current}`)
  return frame(visit, title, html`
<nav aria-label="${title}">${places.map(([name, href]) => html`<a href="${href}"${name === current ? html` aria-current="page"` : ''}>${say(`portal_${name}`)}</a>`)}</nav>
<h1>${title}</h1>
${content}
<div class="foot">${say('signed_in_as', { email: signedIn(visit).email })}.
<form method="post" action="${root}/oauth/logout"><button class="link">${say('sign_out')}</button></form></div>`, { wide: true })
}

/** Which of the stores a page is about: the one asked for, else the first. */
export function chosenStore(visit: Visit, allowed: readonly Role[]): Membership | undefined {
  const { stores } = signedIn(visit)
  const mine = stores.filter(({ role, status }) => allowed.includes(role) && status !== 'closed')
  return mine.find(({ id }) => id === (visit.query.store ?? field(visit, 'store'))) ?? mine[0]
}

/** A way to the other stores, when there are any. */
export function storeTabs(visit: Visit, current: Membership | undefined): Html | '' {
  const { stores } = signedIn(visit)
  if (stores.length < 2) return ''
  return html`<nav aria-label="${visit.say('which_store')}">${stores.map(({ id, name }) => html`<a href="?store=${id}"${id === current?.id ? html` aria-current="page"` : ''}>${name}</a>`)}</nav>`
}

export function dateIn(language: Language, date: Date | string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(date))
}

async function sessionsPage(visit: Visit): Promise<Reply> {
  const { say, root, language, db } = visit
  const session = signedIn(visit)
  const all = await listSessions(db, session.user_id)
  const button = (id: string, text: string) => html`<form method="post" action="${root}/oauth/portal/sessions">${hidden('id', id)}<button class="quiet">${text}</button></form>`
  return { page: portalFrame(visit, 'sessions', html`
<ul class="rows">${all.map(({ id, ip, user_agent, last_seen_at }) => html`
<li><div><p>${user_agent || '–'}</p><p class="hint">${ip} · ${say('last_used', { when: dateIn(language, last_seen_at) })}</p></div>
${id === session.id ? html`<span class="mark">${say('this_session')}</span>` : button(id, say('end_session'))}</li>`)}
</ul>
${all.length > 1 ? button('others', say('end_others')) : ''}`) }
}

async function endFromPage(visit: Visit): Promise<Reply> {
  const id = field(visit, 'id')
  await (id === 'others' ? endOthers(visit) : endOne(visit, id))
  return { location: `${visit.root}/oauth/portal/sessions` }
}

async function teamPage(visit: Visit, told?: Html): Promise<Reply> {
  const { say, root } = visit
  const store = chosenStore(visit, roles)
  const people = store ? await listTeam(visit.db, store.id) : []
  const action = `${root}/oauth/portal/team?store=${store?.id ?? ''}`
  return { page: portalFrame(visit, 'team', html`
${storeTabs(visit, store)}${told ?? ''}
<ul class="rows">${people.map(({ user_id, invitation_id, email, name, role }) => html`
<li><div><p>${name ?? email}</p><p class="hint">${email} · ${say(`role_${role}`)}${user_id ? '' : html` · ${say('pending')}`}</p></div>
<form method="post" action="${action}">${hidden('person', user_id ? publicId('usr', user_id) : invitation_id ?? '')}<button class="quiet">${say('remove')}</button></form></li>`)}
</ul>
${store && store.role !== 'staff' ? html`
<h2>${say('invite')}</h2>
<form method="post" action="${action}">
${input(say('email'), { name: 'email', type: 'email', autocomplete: 'off' })}
<p class="field"><label for="role">${say('role')}</label>
<select id="role" name="role">${[...roles].reverse().map((role) => html`<option value="${role}">${say(`role_${role}`)}</option>`)}</select></p>
<button>${say('invite')}</button>
</form>` : ''}`) }
}

async function changeTeamFromPage(visit: Visit): Promise<Reply> {
  const store = chosenStore(visit, roles)
  if (!store) throw notFound('Store')
  try {
    if (field(visit, 'person')) await removePerson(visit, store.id, field(visit, 'person'))
    else await sendInvitation(visit, store.id)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return { ...await teamPage(visit, notice('error', error.message)), status: error.status }
  }
  return field(visit, 'person') ? { location: visit.here } : teamPage(visit, notice('done', visit.say('invite_sent')))
}

export function scopeInWords(visit: Visit, scope: string): string {
  return isWord(scope) ? visit.say(scope) : scope
}
