// Links that open once: a new password, the first sign-in.
import type { Db, Tx } from '../kit/database/database.ts'
import { hashSecret, randomBase62 } from '../kit/values/secrets.ts'
import { currentTime, sql } from '../kit/database/sql.ts'
import { findAccount } from './find.ts'
import { hashPassword } from './password.ts'
import { endSessions } from './session.ts'

export type Purpose = 'reset' | 'sign_in'

export const linkLifeSeconds: Record<Purpose, number> = { reset: 30 * 60, sign_in: 30 * 60 }

/** Answers the link's value; its page is /oauth/reset/{value} or /oauth/sign-in/{value}. */
export async function makeLink(tx: Tx, userId: string, purpose: Purpose): Promise<string> {
  const value = randomBase62(43)
  await tx.rows(sql`
    insert into account_links (hash, purpose, user_id, created_at, expires_at)
    values (${hashSecret(value)}, ${purpose}, ${userId}, ${tx.now},
            ${new Date(tx.now.getTime() + linkLifeSeconds[purpose] * 1000)})`)
  return value
}

export async function isLinkAlive(db: Db, value: string, purpose: Purpose): Promise<boolean> {
  const link = await db.one(sql`
    select user_id
    from account_links
    where hash = ${hashSecret(value)}
      and purpose = ${purpose}
      and expires_at > ${currentTime}`)
  return link !== undefined
}

/** The user that it was for, once. */
export async function useLink(tx: Tx, value: string, purpose: Purpose): Promise<string | undefined> {
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

/** Whoever had got in is out: all sessions and all other links end. */
export async function setPassword(tx: Tx, userId: string, password: string): Promise<void> {
  const hash = await hashPassword(password)
  tx.later(sql`update users set password_hash = ${hash}, updated_at = ${tx.now} where id = ${userId}`)
  tx.later(sql`delete from account_links where user_id = ${userId}`)
  await endSessions(tx, userId)
}
