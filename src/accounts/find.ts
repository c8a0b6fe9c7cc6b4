// The account behind an address that somebody typed.
import type { Db } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'

export type Found = {
  /** The address as the database compares it: all spellings of one account have the same. */
  compared: string
  account: { id: string; email: string; password_hash: string | null } | null
}

/** PostgreSQL and JavaScript lower some letters differently (İ), so what is counted asks it too. */
export async function findAccount(db: Db, typed: string): Promise<Found> {
  const email = typed.trim()
  if (!isTypable(email)) return { compared: email, account: null }
  const found = await db.one<Found>(sql`
    select typed.email as compared, case when users.id is not null then json_build_object(
      'id', users.id, 'email', users.email, 'password_hash', users.password_hash
    ) end as account
    from (select lower(${email}) as email) as typed
    left join users on lower(users.email) = typed.email`)
  return found!
}

export function isTypable(text: string): boolean {
  return text.length <= 1000 && text.isWellFormed() && !text.includes('\0')
}
