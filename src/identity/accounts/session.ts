// Sessions: one row each, found by the hash of the cookie's value, ended by deleting it.
import { recordSecurityEvent } from '../../tenancy/audit/operations.ts'
import type { Database, Db, Tx } from '../../kit/database/database.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { hashSecret, randomBase62 } from '../../kit/values/secrets.ts'
import { currentTime, sql } from '../../kit/database/sql.ts'
import { addressBlock } from '../../platform/ratelimit/addressblock.ts'
import { hasSecondFactor } from './factors/factors.ts'
import { type HeldRole, type Role, userActor } from './user.ts'

export type Membership = {
  id: string
  name: string
  slug: string
  role: HeldRole
  status: string
  currency: string
  timezone: string
  country_code: string
  /** The store requires a second factor of its members. */
  second_factor_required: boolean
  notifications: NotificationSettings
}

/**
 * Notification settings of the member: what they are notified about (null: all) and emailed (null: mentions), and
 * what they have read: everything until a time, and some after it.
 */
type NotificationSettings = {
  joined_at: string
  kinds: string[] | null
  mailed_kinds: string[] | null
  read_until: string | null
  read_ids: string[]
}

export type UserSession = {
  id: string
  user_id: string
  email: string
  name: string | null
  has_second_factor: boolean
  /** When the password was entered. */
  created_at: Date
  last_seen_at: Date
  stores: Membership[]
}

export const lifeSeconds = 30 * 24 * 3600
const idleSeconds = 14 * 24 * 3600
const seenEveryMs = 60_000

/** Only https knows the prefix that ties a cookie to its host. */
export function sessionCookie(siteUrl: string): string {
  return siteUrl.startsWith('https:') ? '__Host-stoa_session' : 'stoa_session'
}

export type SignIn = {
  ip: string
  userAgent: string
  how: 'password' | 'reset' | 'link' | 'invitation' | 'passkey'
  /** The second factor, if one was required. */
  second?: 'totp' | 'recovery_code' | 'passkey'
}

/** Creates a session at every login: only this response has its value. The user is now known at the address. */
export async function openSession(tx: Tx, userId: string, { ip, userAgent, how, second }: SignIn): Promise<string> {
  const value = randomBase62(43)
  tx.later(sql`
    insert into sign_in_addresses (user_id, address, seen_at)
    values (${userId}, ${addressBlock(ip)}, ${tx.now})
    on conflict (user_id, address) do update set seen_at = excluded.seen_at`)
  const id = publicId('usr', userId)
  const details = { how, ...(second ? { second } : {}) }
  recordSecurityEvent(tx, { event: 'signed_in', actor: userActor(userId, { ip, userAgent }), subject: id, details })
  await tx.rows(sql`
    insert into sessions (id, user_id, hash, ip, user_agent, created_at, last_seen_at, expires_at)
    values (${newUuid()}, ${userId}, ${hashSecret(value)}, ${ip}, ${userAgent.slice(0, 300)}, ${tx.now},
            ${tx.now}, ${new Date(tx.now.getTime() + lifeSeconds * 1000)})`)
  return value
}

/** The role of a member in a query that joins `roles`. */
export const heldRole = sql`case when roles.id is null then to_json(members.role)
        else json_build_object('id', roles.id, 'name', roles.name, 'scopes', roles.scopes) end`

export async function findSession(db: Database, value: string): Promise<UserSession | null> {
  const now = db.clock.now().getTime()
  const session = await db.one<UserSession>(sql`
    select sessions.id, sessions.user_id, users.email, users.name, sessions.created_at, sessions.last_seen_at,
           ${hasSecondFactor} as has_second_factor, (
      select coalesce(json_agg(
        json_build_object('id', stores.id, 'name', stores.name, 'slug', stores.slug, 'role', ${heldRole},
                          'status', stores.status, 'currency', stores.currency, 'timezone', stores.timezone,
                          'country_code', stores.country_code,
                          'second_factor_required', stores.second_factor_required,
                          'notifications', json_build_object(
                            'joined_at', members.created_at, 'kinds', settings.kinds,
                            'mailed_kinds', settings.mailed_kinds,
                            'read_until', settings.read_until, 'read_ids', coalesce(settings.read_ids, '{}')))
        order by stores.created_at, stores.id), '[]')
      from members
      join stores on stores.id = members.store_id
      left join roles on roles.store_id = members.store_id and roles.id = members.role_id
      left join notification_settings as settings on settings.store_id = members.store_id
        and settings.user_id = members.user_id
      where members.user_id = sessions.user_id
    ) as stores
    from sessions
    join users on users.id = sessions.user_id
    where sessions.hash = ${hashSecret(value)}
      and sessions.expires_at > ${currentTime}
      and sessions.last_seen_at > ${new Date(now - idleSeconds * 1000)}`)
  if (!session) return null
  if (session.last_seen_at.getTime() < now - seenEveryMs) {
    // Bookkeeping: a request does not wait or fail for it.
    const update = sql`update sessions set last_seen_at = ${new Date(now)} where id = ${session.id}`
    db.transaction((tx) => tx.rows(update)).catch(() => {})
  }
  return session
}

export type SessionRecord = { id: string; ip: string; user_agent: string; created_at: Date; last_seen_at: Date }

export function listSessions(db: Db, userId: string): Promise<SessionRecord[]> {
  return db.rows<SessionRecord>(sql`
    select id, ip, user_agent, created_at, last_seen_at
    from sessions
    where user_id = ${userId}
      and expires_at > ${currentTime}
    order by created_at desc, id desc
    limit 100`)
}

/** Ends one session of the user; with `except` instead, all others. */
export async function endSessions(
  tx: Tx,
  userId: string,
  { id, except }: { id?: string; except?: string } = {},
): Promise<number> {
  const rows = await tx.rows(sql`
    delete from sessions
    where user_id = ${userId}
      and (${id ?? null}::uuid is null or id = ${id ?? null}::uuid)
      and (${except ?? null}::uuid is null or id <> ${except ?? null}::uuid)
    returning id`)
  return rows.length
}

/** True if the store requires a second factor and the person has none. */
export function lacksSecondFactor(
  { has_second_factor }: UserSession,
  store: Pick<Membership, 'second_factor_required'>,
) {
  return store.second_factor_required && !has_second_factor
}

/** The person's membership in a store that is not closed; with `among`, in one of these roles. */
export function findMembership(session: UserSession, storeId: string, among?: readonly Role[]): Membership | undefined {
  return session.stores.find(
    ({ id, role, status }) => id === storeId && status !== 'closed' && (!among || among.some((one) => one === role)),
  )
}
