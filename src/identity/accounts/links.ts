// Links that open once: a new password, the first sign-in, a new address.
import { recordSecurityEvent } from '../../tenancy/audit/operations.ts'
import type { Actor } from '../../kit/values/actor.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import { publicId } from '../../kit/values/ids.ts'
import { hashSecret, randomBase62 } from '../../kit/values/secrets.ts'
import { currentTime, sql } from '../../kit/database/sql.ts'
import { findAccount } from './find.ts'
import { endSessions } from './session.ts'

export type LinkPurpose = 'reset' | 'sign_in' | 'email'

export const linkLifeSeconds = 30 * 60
/** A link in an email waits for a mail server as long as the email does; its own life begins when it is sent. */
const queuedLinkSeconds = 4 * 24 * 3600

type NewLink = {
  /** The value in the email; defaults to a new one. */
  value?: string
  newEmail?: string
}

/** Answers the link's value; its page is /oauth/reset/{value}, /oauth/sign-in/{value} or /oauth/email/{value}. */
export async function makeLink(
  tx: Tx,
  userId: string,
  purpose: LinkPurpose,
  { value: newValue, newEmail }: NewLink = {},
): Promise<string> {
  const value = newValue ?? randomBase62(43)
  const seconds = newValue === undefined ? linkLifeSeconds : queuedLinkSeconds
  await tx.rows(sql`
    insert into account_links (hash, purpose, user_id, email, created_at, expires_at)
    values (${hashSecret(value)}, ${purpose}, ${userId}, ${newEmail ?? null}, ${tx.now},
            ${new Date(tx.now.getTime() + seconds * 1000)})`)
  return value
}

export async function isLinkAlive(db: Db, value: string, purpose: LinkPurpose): Promise<boolean> {
  const link = await db.one(sql`
    select user_id
    from account_links
    where hash = ${hashSecret(value)}
      and purpose = ${purpose}
      and expires_at > ${currentTime}`)
  return link !== undefined
}

/** The owner of a valid link, with the words that their password may not consist of. */
export function findLinkOwner(
  db: Db,
  value: string,
  purpose: LinkPurpose,
): Promise<{ email: string; new_email: string | null; stores: string[] } | undefined> {
  return db.one(sql`
    select users.email, account_links.email as new_email, array(
      select unnest(array[stores.name, stores.slug])
      from members
      join stores on stores.id = members.store_id
      where members.user_id = users.id
      limit 100
    ) as stores
    from account_links
    join users on users.id = account_links.user_id
    where account_links.hash = ${hashSecret(value)}
      and account_links.purpose = ${purpose}
      and account_links.expires_at > ${currentTime}`)
}

/** Consumes the link and returns its user. */
export async function useLink(tx: Tx, value: string, purpose: LinkPurpose): Promise<string | undefined> {
  const link = await tx.one<{ user_id: string }>(sql`
    delete from account_links
    where hash = ${hashSecret(value)}
      and purpose = ${purpose}
      and expires_at > ${tx.now}
    returning user_id`)
  return link?.user_id
}

export async function findUser(db: Db, email: string): Promise<string | undefined> {
  return (await findAccount(db, email)).account?.id
}

/**
 * Locks out intruders: ends all sessions and all other links, and forgets all known browsers and addresses. `but` is
 * the session that changes the password; it stays, and so does its address.
 */
export async function setPassword(
  tx: Tx,
  userId: string,
  hash: string,
  actor: Actor,
  but?: { session: string; address: string },
): Promise<void> {
  tx.later(sql`update users set password_hash = ${hash}, updated_at = ${tx.now} where id = ${userId}`)
  tx.later(sql`delete from account_links where user_id = ${userId}`)
  tx.later(sql`
    delete from sign_in_addresses
    where user_id = ${userId}
      and address is distinct from ${but?.address ?? null}::text`)
  recordSecurityEvent(tx, { event: 'password_changed', actor, subject: publicId('usr', userId) })
  await endSessions(tx, userId, but ? { except: but.session } : {})
}
