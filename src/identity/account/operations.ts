// Operations of the account API, used by its JSON and by screens.
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import { email as emailField } from '../../kit/declare/scalars.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { isUuid, toUuid } from '../../kit/values/ids.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import type { RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import { recordSecurityEvent } from '../../tenancy/audit/operations.ts'
import type { Actor } from '../../kit/values/actor.ts'
import { mailLink } from '../accounts/letters.ts'
import type { RoleChoice } from '../accounts/operations.ts'
import { mayRemove, mayUse } from '../accounts/roles.ts'
import { teamScope } from '../accounts/user.ts'
import { endSessions, type Membership, type UserSession } from '../accounts/session.ts'
import { changeRole, findInvitee, invite, listTeam, removeMember, withdrawInvitation } from '../accounts/team.ts'
import { roleField } from './role.ts'
import { requireGrantable } from './roles.ts'

// prettier-ignore
export const invitation = createBody({
  email: emailField().required(),
  role:  roleField.required(),
})

export type PortalDeps = { siteUrl: string; limiter: RateLimiter; vault: Vault }

const invitationsADay = 50

export async function sendInvitation(
  tx: Tx,
  { limiter, vault }: Omit<PortalDeps, 'siteUrl'>,
  {
    store,
    session,
    email,
    role,
    language,
  }: { store: Membership; session: UserSession; email: string; role: RoleChoice; language: Language },
): Promise<void> {
  await requireGrantable(tx, store, role)
  const hit = await limiter.hit(`invite:${store.id}`, invitationsADay, { windowSeconds: 24 * 3600 })
  if (!hit.allowed) throw invalid(fault('email', generalFaults.one_too_many_a_day, { limit: invitationsADay }))
  const values = { store: store.name }
  await mailLink(tx, vault, { email, language }, { kind: 'team_invitation', values }, (value) =>
    invite(tx, store.id, { email, role, inviterId: session.user_id, value }),
  )
}

/** Sends a new link; the previous one stops working. */
export async function resendInvitation(
  tx: Tx,
  deps: Omit<PortalDeps, 'siteUrl'>,
  { id, ...from }: { id: string; store: Membership; session: UserSession; language: Language },
): Promise<void> {
  if (!isUuid(id)) throw notFound('Member')
  await sendInvitation(tx, deps, { ...from, ...(await findInvitee(tx, from.store.id, id)) })
}

export async function setRole(
  tx: Tx,
  store: Membership,
  session: UserSession,
  { person, role }: { person: string; role: RoleChoice },
): Promise<void> {
  await requireGrantable(tx, store, role)
  const userId = toUuid('usr', person)
  if (!userId) throw notFound('Member')
  await changeRole(tx, store.id, userId, { role, actorId: session.user_id })
}

/** A member by the public id of the user, an invitation by its own. */
export async function removePerson(tx: Tx, store: Membership, session: UserSession, person: string): Promise<void> {
  const userId = toUuid('usr', person)
  if (!userId) {
    if (!mayUse(store.role, teamScope) || !isUuid(person)) throw notFound('Member')
    return withdrawInvitation(tx, store.id, person, session.user_id)
  }
  const member = await findPerson(tx, store.id, userId)
  if (!member || !mayRemove(session, store, member)) throw notFound('Member')
  await removeMember(tx, store.id, userId, session.user_id)
}

async function findPerson(db: Db, storeId: string, userId: string) {
  return (await listTeam(db, storeId)).find(({ user_id }) => user_id === userId)
}

export async function endSession(tx: Tx, { user_id }: UserSession, id: string, actor: Actor): Promise<void> {
  const count = isUuid(id) ? await endSessions(tx, user_id, { id }) : 0
  if (count === 0) throw notFound('Session')
  recordEndedSessions(tx, actor, count)
}

export async function endOtherSessions(tx: Tx, { id, user_id }: UserSession, actor: Actor): Promise<void> {
  recordEndedSessions(tx, actor, await endSessions(tx, user_id, { except: id }))
}

function recordEndedSessions(tx: Tx, actor: Actor, sessions: number): void {
  recordSecurityEvent(tx, { event: 'sessions_ended', actor, subject: actor.id, details: { sessions } })
}
