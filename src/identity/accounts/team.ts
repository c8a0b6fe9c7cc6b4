// The people of a store: members and invited people.
import { recordSecurityEvent } from '../../tenancy/audit/operations.ts'
import type { Actor, RequestOrigin } from '../../kit/values/actor.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import { conflict, notFound } from '../../kit/values/errors.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { hashSecret, randomBase62 } from '../../kit/values/secrets.ts'
import { currentTime, sql } from '../../kit/database/sql.ts'
import { endAppWebhooks } from '../../tenancy/events/appwebhooks.ts'
import { moveCounters } from '../../tenancy/plans/plan.ts'
import { setSecondFactor } from '../../tenancy/stores/operations.ts'
import { loadStore } from '../../tenancy/stores/store.ts'
import { hasSecondFactor } from './factors/factors.ts'
import { addMember, createUser, roleCells, roleDetails, roleGone, type RoleChoice } from './operations.ts'
import { heldRole } from './session.ts'
import { managers, staffScopes, teamScope, userActor, type HeldRole } from './user.ts'

const invitationLifeSeconds = 7 * 24 * 3600

/** A member has a user_id, an invited person an invitation_id. */
export type TeamMember = {
  user_id: string | null
  invitation_id: string | null
  email: string
  name: string | null
  role: HeldRole
  /** True if signing in takes more than a password. */
  has_second_factor: boolean
  /** Set for invitations. */
  expires_at: Date | null
}

/** An invitation is void once its inviter was removed or may no longer invite to the role. */
const hasInviter = sql`
      exists (
        select from members as inviter
        left join roles as own on own.store_id = inviter.store_id and own.id = inviter.role_id
        left join roles as invited on invited.store_id = invitations.store_id and invited.id = invitations.role_id
        where inviter.store_id = invitations.store_id
          and inviter.user_id = invitations.invited_by
          and (inviter.role = 'owner'
            or (inviter.role = 'admin' and invitations.role <> 'owner')
            or (invitations.role in ('staff', 'custom')
              and own.scopes @> ${[teamScope]}::text[]
              and own.scopes @> coalesce(invited.scopes, ${staffScopes}::text[])))
      )`

const isInvitationOpen = sql`
      invitations.expires_at > ${currentTime}
      and ${hasInviter}`

/** The same as `heldRole`, for an invitation. */
const invitedRole = sql`case when roles.id is null then to_json(invitations.role)
        else json_build_object('id', roles.id, 'name', roles.name, 'scopes', roles.scopes) end`

/** Members first, then invitations; `withExpired` includes those whose link has expired. */
export function listTeam(db: Db, storeId: string, { withExpired = false } = {}): Promise<TeamMember[]> {
  return db.rows<TeamMember>(sql`
    select * from (
      select members.user_id, null::uuid as invitation_id, users.email, users.name, ${heldRole} as role,
             ${hasSecondFactor} as has_second_factor, null::timestamptz as expires_at, members.created_at
      from members
      join users on users.id = members.user_id
      left join roles on roles.store_id = members.store_id and roles.id = members.role_id
      where members.store_id = ${storeId}
      union all
      select null, invitations.id, email, null, ${invitedRole}, false, expires_at, invitations.created_at
      from invitations
      left join roles on roles.store_id = invitations.store_id and roles.id = invitations.role_id
      where invitations.store_id = ${storeId}
        and ${withExpired ? hasInviter : isInvitationOpen}
    ) as team
    order by user_id is null, created_at
    limit 500`)
}

/** Returns the link's value, by default a new one. A second invitation of the same address replaces the first. */
export async function invite(
  tx: Tx,
  storeId: string,
  {
    email,
    role,
    inviterId,
    value = randomBase62(43),
  }: { email: string; role: RoleChoice; inviterId: string; value?: string },
): Promise<string> {
  const member = await tx.one(sql`
    select members.user_id
    from members
    join users on users.id = members.user_id
    where members.store_id = ${storeId}
      and lower(users.email) = lower(${email})`)
  if (member) throw conflict(`${email} is already a member of the store`)
  const { role: name, role_id } = roleCells(role)
  await tx.rows(
    sql`
    insert into invitations (store_id, id, email, role, role_id, hash, invited_by, created_at, expires_at)
    values (${storeId}, ${newUuid()}, ${email}, ${name}, ${role_id}, ${hashSecret(value)}, ${inviterId}, ${tx.now},
            ${new Date(tx.now.getTime() + invitationLifeSeconds * 1000)})
    on conflict (store_id, lower(email)) do update
    set role = excluded.role, role_id = excluded.role_id, hash = excluded.hash, invited_by = excluded.invited_by,
        created_at = excluded.created_at, expires_at = excluded.expires_at`,
    { invitations_role: roleGone },
  )
  recordSecurityEvent(tx, {
    event: 'invitation_sent',
    actor: userActor(inviterId),
    store: storeId,
    details: roleDetails(role),
  })
  return value
}

type Invitee = { email: string; role: HeldRole }

/** The recipient of an invitation, to send it again. */
export async function findInvitee(db: Db, storeId: string, id: string): Promise<Invitee> {
  const invitation = await db.one<Invitee>(sql`
    select email, ${invitedRole} as role
    from invitations
    left join roles on roles.store_id = invitations.store_id and roles.id = invitations.role_id
    where invitations.store_id = ${storeId}
      and invitations.id = ${id}
      and ${hasInviter}`)
  if (!invitation) throw notFound('Member')
  return invitation
}

/** Invitations that have expired don't keep a role. */
export function removeExpiredInvitations(tx: Tx, storeId: string, roleId: string): void {
  tx.later(sql`
    delete from invitations
    where store_id = ${storeId}
      and role_id = ${roleId}
      and expires_at <= ${tx.now}`)
}

export async function withdrawInvitation(tx: Tx, storeId: string, id: string, actorId: string): Promise<void> {
  const row = await tx.one(sql`
    delete from invitations
    where store_id = ${storeId}
      and id = ${id}
    returning id`)
  if (!row) throw notFound('Member')
  recordSecurityEvent(tx, { event: 'invitation_withdrawn', actor: userActor(actorId), store: storeId })
}

export type Invitation = {
  store_id: string
  store_name: string
  store_slug: string
  email: string
  role: HeldRole
  user_id: string | null
}

/** Includes the account of the address, if there is one. */
export function findInvitation(db: Db, value: string): Promise<Invitation | undefined> {
  return db.one<Invitation>(sql`
    select invitations.store_id, stores.name as store_name, stores.slug as store_slug, invitations.email,
           ${invitedRole} as role, users.id as user_id
    from invitations
    join stores on stores.id = invitations.store_id
    left join roles on roles.store_id = invitations.store_id and roles.id = invitations.role_id
    left join users on lower(users.email) = lower(invitations.email)
    where invitations.hash = ${hashSecret(value)}
      and ${isInvitationOpen}`)
}

/** Consumes the invitation and returns the user. Someone without an account gets one with this password. */
export async function acceptInvitation(
  tx: Tx,
  value: string,
  newcomer: { password: string; name: string | null },
  origin: RequestOrigin = {},
): Promise<string | undefined> {
  const invitation = await findInvitation(tx, value)
  const row = await tx.one(sql`delete from invitations where hash = ${hashSecret(value)} returning id`)
  if (!invitation || !row) return undefined
  const store = await loadStore(tx, invitation.store_id)
  const { email, store_name, store_slug } = invitation
  const newUser = { email, stores: [store_name, store_slug], ...newcomer }
  const userId = invitation.user_id ?? (await createUser(tx, newUser, { kind: 'user', id: null, ...origin }))
  await addMember(tx, store!, userId, invitation.role, userActor(userId, origin))
  return userId
}

/** The foreign keys end the grants that the member gave to apps. A store keeps at least one owner. */
export async function removeMember(tx: Tx, storeId: string, userId: string, actorId: string): Promise<void> {
  await requireAnotherOwner(tx, storeId, userId)
  const row = await tx.one(sql`
    delete from members
    where store_id = ${storeId}
      and user_id = ${userId}
    returning user_id`)
  if (!row) throw notFound('Member')
  recordSecurityEvent(tx, {
    event: 'member_removed',
    actor: userActor(actorId),
    store: storeId,
    subject: publicId('usr', userId),
  })
  await endAppWebhooks(tx, storeId)
  moveCounters(tx, storeId, { staff: -1 })
}

/** Only managers connect apps: grants that a member gave before end with the role. */
export async function changeRole(
  tx: Tx,
  storeId: string,
  userId: string,
  { role, actorId }: { role: RoleChoice; actorId: string },
): Promise<void> {
  if (role !== 'owner') await requireAnotherOwner(tx, storeId, userId)
  const { role: name, role_id } = roleCells(role)
  const row = await tx.one(
    sql`
    update members
    set role = ${name}, role_id = ${role_id}
    where store_id = ${storeId}
      and user_id = ${userId}
    returning user_id`,
    { members_role: roleGone },
  )
  if (!row) throw notFound('Member')
  recordSecurityEvent(tx, {
    event: 'role_changed',
    actor: userActor(actorId),
    store: storeId,
    subject: publicId('usr', userId),
    details: roleDetails(role),
  })
  if (managers.some((manager) => manager === role)) return
  tx.later(sql`delete from oauth_grants where store_id = ${storeId} and user_id = ${userId}`)
  await endAppWebhooks(tx, storeId)
}

/** Applies to the members of the store; keys and apps need no second factor. */
export async function requireSecondFactor(tx: Tx, storeId: string, isRequired: boolean, actor: Actor): Promise<void> {
  if (!(await setSecondFactor(tx, storeId, isRequired))) return
  recordSecurityEvent(tx, {
    event: isRequired ? 'second_factor_required' : 'second_factor_optional',
    actor,
    store: storeId,
  })
}

async function requireAnotherOwner(tx: Tx, storeId: string, userId: string): Promise<void> {
  // Locked, so that two owners who remove each other do so one after the other.
  const owners = await tx.rows<{ user_id: string }>(sql`
    select user_id
    from members
    where store_id = ${storeId}
      and role = 'owner'
    for update`)
  if (owners.length === 1 && owners[0]!.user_id === userId) throw conflict('A store must have at least one owner')
}
