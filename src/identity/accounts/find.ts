// The account of an email address that was entered.
import type { Db } from '../../kit/database/database.ts'
import { plainText } from '../../kit/values/names.ts'
import { sql } from '../../kit/database/sql.ts'

export type AccountLookup = {
  /** The address as the database compares it: all spellings of one account have the same. */
  compared: string
  account: { id: string; email: string; password_hash: string | null } | null
  /** The account was signed in to from this address before. */
  is_familiar: boolean
}

const familiarDays = 180

/** PostgreSQL and JavaScript lower some letters differently (İ), so counters use PostgreSQL's form too. */
export async function findAccount(db: Db, address: string, addressBlock = ''): Promise<AccountLookup> {
  const email = plainText(address)
  if (!isTypable(email)) return { compared: email, account: null, is_familiar: false }
  const lookup = await db.one<AccountLookup>(sql`
    select typed.email as compared, case when users.id is not null then json_build_object(
      'id', users.id, 'email', users.email, 'password_hash', users.password_hash
    ) end as account, exists (
      select from sign_in_addresses
      where user_id = users.id
        and address = ${addressBlock}
        and seen_at > ${familiarSince(db.clock.now())}
    ) as is_familiar
    from (select lower(${email}) as email) as typed
    left join users on lower(users.email) = typed.email`)
  return lookup!
}

/** Sign-in addresses older than this are forgotten. */
export function familiarSince(now: Date): Date {
  return new Date(now.getTime() - familiarDays * 24 * 3600 * 1000)
}

export type UserAccount = { id: string; email: string; name: string | null; password_hash: string | null }

export async function getUserAccount(db: Db, userId: string): Promise<UserAccount> {
  const account = await db.one<UserAccount>(sql`select id, email, name, password_hash from users where id = ${userId}`)
  return account!
}

/** True if the account was recently signed in to from this address. */
export async function hasSignedInFrom(db: Db, userId: string, addressBlock: string): Promise<boolean> {
  const row = await db.one(sql`
    select user_id
    from sign_in_addresses
    where user_id = ${userId}
      and address = ${addressBlock}
      and seen_at > ${familiarSince(db.clock.now())}`)
  return row !== undefined
}

export async function findPasswordHash(db: Db, userId: string): Promise<string | null> {
  const user = await db.one<{ password_hash: string | null }>(sql`select password_hash from users where id = ${userId}`)
  return user?.password_hash ?? null
}

export function isTypable(text: string): boolean {
  return text.length <= 1000 && text.isWellFormed() && !text.includes('\0')
}
