import type { Tx } from '../kit/database/database.ts'
import { conflict } from '../kit/values/errors.ts'
import { newUuid } from '../kit/values/ids.ts'
import { insertInto } from '../kit/declare/resource.ts'
import { sql } from '../kit/database/sql.ts'
import { insertCounted } from '../plans/plan.ts'
import type { Store } from '../stores/store.ts'
import { hashPassword } from './password.ts'
import { user, type Role } from './user.ts'

/** Answers the uuid. The e-mail is unique without regard to case. */
export async function createUser(
  tx: Tx,
  { password, ...values }: { email: string; password: string; name?: string | null },
): Promise<string> {
  const id = newUuid()
  const password_hash = await hashPassword(password)
  const row = insertInto(user, values, { id, password_hash, created_at: tx.now, updated_at: tx.now })
  await tx.rows(row, { users_email: () => conflict(`A user with the e-mail ${values.email} already exists`) })
  return id
}

/** Counts against the plan's staff, whatever the role. */
export async function addMember(tx: Tx, store: Store, userId: string, role: Role): Promise<void> {
  await insertCounted(tx, store, 'staff', () =>
    tx.rows(
      sql`
    insert into members (store_id, user_id, role, created_at)
    values (${store.id}, ${userId}, ${role}, ${tx.now})`,
      { members_pkey: () => conflict('This user is already a member of the store') },
    ),
  )
}
