// Changes of a person's own account: name, password, email.
import { recordSecurityEvent } from '../../tenancy/audit/operations.ts'
import type { Actor } from '../../kit/values/actor.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { conflict } from '../../kit/values/errors.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { addressBlock } from '../../platform/ratelimit/addressblock.ts'
import { requireQuota, type RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import { mailLink, notifyOwner } from './letters.ts'
import { findLinkOwner, makeLink, setPassword, useLink } from './links.ts'
import type { UserSession } from './session.ts'
import { userActor } from './user.ts'

type ProfileOwner = Pick<UserSession, 'id' | 'user_id' | 'email'>

export async function rename(tx: Tx, userId: string, name: string | null): Promise<void> {
  await tx.rows(sql`update users set name = ${name}, updated_at = ${tx.now} where id = ${userId}`)
}

/** Ends all other sessions; the current one, whose owner has just given the password, stays. */
export async function changePassword(
  tx: Tx,
  { id, user_id, email }: ProfileOwner,
  hash: string,
  { actor, language }: { actor: Actor; language: Language },
): Promise<void> {
  await setPassword(tx, user_id, hash, actor, { session: id, address: addressBlock(actor.ip ?? '') })
  notifyOwner(tx, { email, language }, 'password_changed', { user_id })
}

const emailChangeLimit = { count: 5, windowSeconds: 3600 }

/** Only the owner of the new address learns whether it already has an account. */
export async function requestEmailChange(
  tx: Tx,
  { vault, limiter }: { vault: Vault; limiter: RateLimiter },
  { user_id }: Pick<ProfileOwner, 'user_id'>,
  { email, actor, language }: { email: string; actor: Actor; language: Language },
): Promise<void> {
  const { count, windowSeconds } = emailChangeLimit
  requireQuota(await limiter.hit(`account:${user_id}:address`, count, emailChangeLimit), tx.now, windowSeconds)
  recordSecurityEvent(tx, { event: 'email_change_asked', actor, subject: publicId('usr', user_id) })
  await mailLink(tx, vault, { email, language }, { kind: 'email_confirmation' }, (value) =>
    makeLink(tx, user_id, 'email', { value, newEmail: email }),
  )
}

/** The address that waits for its link to be opened, if any. */
export async function findPendingAddress(db: Db, userId: string): Promise<string | null> {
  const link = await db.one<{ email: string }>(sql`
    select email
    from account_links
    where user_id = ${userId}
      and purpose = 'email'
      and expires_at > ${db.clock.now()}
    order by created_at desc
    limit 1`)
  return link?.email ?? null
}

/** Returns the new address, or undefined for a dead link. The old address gets a notice. */
export async function changeAddress(
  tx: Tx,
  link: string,
  { language, ...where }: Pick<Actor, 'ip' | 'userAgent'> & { language: Language },
): Promise<string | undefined> {
  const owner = await findLinkOwner(tx, link, 'email')
  const userId = await useLink(tx, link, 'email')
  if (!owner?.new_email || !userId) return undefined
  const to = owner.new_email
  await tx.rows(
    sql`
    update users
    set email = ${to}, updated_at = ${tx.now}
    where id = ${userId}`,
    { users_email: () => conflict('An account with this email address already exists') },
  )
  // Links sent to the old address must not work for its next owner.
  tx.later(sql`delete from account_links where user_id = ${userId}`)
  const id = publicId('usr', userId)
  recordSecurityEvent(tx, { event: 'email_changed', actor: userActor(userId, where), subject: id })
  notifyOwner(tx, { email: owner.email, language }, 'email_changed', { to })
  return to
}
