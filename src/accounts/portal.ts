// What a person may do with sessions and with the team of a store; as JSON for the dashboard, portalpages.ts shows it.
import { note } from '../audit/operations.ts'
import type { Tx } from '../kit/database/database.ts'
import { ApiError, invalid, notFound } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { isUuid, publicId, uuidOf } from '../kit/values/ids.ts'
import { api, field, signedIn, signedInLately, type Screen, type Visit } from './screen.ts'
import { endSessions, listSessions, membershipOf, type Membership, type Session } from './session.ts'
import { changeRole, invite, listTeam, removeMember, withdrawInvitation, type Person } from './team.ts'
import { managers, roles, user, type Role } from './user.ts'

const done = { done: true }

export const portalApi: Screen[] = [
  api('GET', '/session', whoAmI),
  api('GET', '/sessions', sessionsOf),
  api('DELETE', '/sessions', (visit) => endOthers(visit).then(() => done)),
  api('DELETE', '/sessions/:id', (visit) => endOne(visit, visit.params.id!).then(() => done)),
  api('GET', '/stores/:store/team', teamOf),
  api('POST', '/stores/:store/team', (visit) => sendInvitation(visit, visit.params.store!).then(() => done), 201),
  api('POST', '/stores/:store/team/:id', (visit) =>
    setRole(visit, visit.params.store!, visit.params.id!).then(() => done),
  ),
  api('DELETE', '/stores/:store/team/:id', (visit) =>
    removePerson(visit, visit.params.store!, visit.params.id!).then(() => done),
  ),
]

const invitationsADay = 50

async function whoAmI(visit: Visit) {
  const { user_id, email, name, stores, created_at } = signedIn(visit)
  return { user: { id: publicId('usr', user_id), email, name }, signed_in_at: created_at, stores }
}

async function sessionsOf(visit: Visit) {
  const session = signedIn(visit)
  const all = await listSessions(visit.db, session.user_id)
  return all.map((one) => ({ ...one, is_current: one.id === session.id }))
}

export async function endOthers(visit: Visit): Promise<void> {
  const { id, user_id } = signedIn(visit)
  await visit.db.transaction(async (tx) => noteEnded(tx, visit, await endSessions(tx, user_id, { except: id })))
}

export async function endOne(visit: Visit, id: string): Promise<void> {
  const { user_id } = signedIn(visit)
  if (!isUuid(id)) throw notFound('Session')
  await visit.db.transaction(async (tx) => {
    const count = await endSessions(tx, user_id, { id })
    if (count === 0) throw notFound('Session')
    noteEnded(tx, visit, count)
  })
}

function noteEnded(tx: Tx, visit: Visit, sessions: number): void {
  const { ip, userAgent } = visit
  const id = publicId('usr', signedIn(visit).user_id)
  note(tx, { event: 'sessions_ended', by: { kind: 'user', id, ip, userAgent }, subject: id, details: { sessions } })
}

/** What a stranger's store answers is what no store answers. */
export function storeOfVisit(
  visit: Visit,
  storeId: string,
  allowed: readonly Role[],
): { session: Session; store: Membership } {
  const session = signedIn(visit)
  if (!membershipOf(session, storeId, roles)) throw notFound('Store')
  const store = membershipOf(session, storeId, allowed)
  if (!store) throw new ApiError(403, 'SCOPE_INSUFFICIENT', `This needs the role ${allowed.join(' or ')}`)
  return { session, store }
}

async function teamOf(visit: Visit) {
  const { store } = storeOfVisit(visit, visit.params.store!, roles)
  const people = await listTeam(visit.db, store.id)
  return people.map(({ user_id, invitation_id, ...person }) => ({
    id: user_id ? publicId('usr', user_id) : invitation_id,
    ...person,
    is_invited: user_id === null,
  }))
}

export async function sendInvitation(visit: Visit, storeId: string): Promise<void> {
  signedInLately(visit)
  const { session, store } = storeOfVisit(visit, storeId, managers)
  const { mail, db, siteUrl, say, limiter } = visit
  const role = roleOf(field(visit, 'role'), store)
  const email = emailOf(visit)
  const hit = await limiter.hit(`invite:${store.id}`, invitationsADay, { windowSeconds: 24 * 3600 })
  if (!hit.allowed) throw invalid(fault('email', 'one_too_many_a_day', { limit: invitationsADay }))
  const link = await db.transaction((tx) => invite(tx, store.id, { email, role, by: session.user_id }))
  mail.send({
    to: email,
    subject: say('invited_mail_subject', { store: store.name }),
    text: say('invited_mail', { store: store.name, link: `${siteUrl}/oauth/invitations/${link}` }),
  })
}

function emailOf(visit: Visit): string {
  const email = field(visit, 'email').trim()
  const context = { currency: 'USD', timezone: 'UTC', country_code: 'US', now: visit.db.clock.now() }
  user.patch.read({ email }, context)
  if (email === '') throw invalid(fault('email', 'required'))
  return email
}

function roleOf(text: string, by: Membership): Role {
  const role = roles.find((one) => one === text)
  if (!role) throw invalid(fault('role', 'not_one_of', { choices: roles.join(', ') }))
  const isAbove = !grantableRoles(by).includes(role)
  if (isAbove) throw new ApiError(403, 'SCOPE_INSUFFICIENT', 'Only an owner may name another')
  return role
}

async function setRole(visit: Visit, storeId: string, person: string): Promise<void> {
  signedInLately(visit)
  const { session, store } = storeOfVisit(visit, storeId, ['owner'])
  const userId = uuidOf('usr', person)
  if (!userId) throw notFound('Member')
  const role = roleOf(field(visit, 'role'), store)
  await visit.db.transaction((tx) => changeRole(tx, store.id, userId, { role, by: session.user_id }))
}

/** Owners remove anybody, administrators staff and invitations, and everybody may leave. */
export async function removePerson(visit: Visit, storeId: string, person: string): Promise<void> {
  const { session, store } = storeOfVisit(visit, storeId, roles)
  const userId = uuidOf('usr', person)
  if (!userId) {
    if (!isManager(store) || !isUuid(person)) throw notFound('Member')
    await visit.db.transaction((tx) => withdrawInvitation(tx, store.id, person, session.user_id))
    return
  }
  const found = (await listTeam(visit.db, store.id)).find(({ user_id }) => user_id === userId)
  if (!found || !mayRemove(session, store, found)) throw notFound('Member')
  await visit.db.transaction((tx) => removeMember(tx, store.id, userId, session.user_id))
}

export function mayRemove(session: Session, store: Membership, { user_id, role }: Person): boolean {
  if (user_id === null) return isManager(store)
  return user_id === session.user_id || store.role === 'owner' || (isManager(store) && role === 'staff')
}

/** Only an owner makes owners. */
export function grantableRoles({ role }: Membership): readonly Role[] {
  return role === 'owner' ? roles : roles.filter((one) => one !== 'owner')
}

export function isManager({ role }: Membership): boolean {
  return managers.some((one) => one === role)
}
