// The members of a store, for work that concerns each of them.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { heldRole } from './session.ts'
import type { HeldRole } from './user.ts'

/** `user_id` is a uuid. */
export type Member = { user_id: string; email: string; name: string | null; role: HeldRole }

/** As many as the list of the team shows. */
const maxMembers = 500

/** Oldest first. */
export function listMembers(db: Db, storeId: string): Promise<Member[]> {
  return db.rows<Member>(sql`
    select members.user_id, users.email, users.name, ${heldRole} as role
    from members
    join users on users.id = members.user_id
    left join roles on roles.store_id = ${storeId} and roles.id = members.role_id
    where members.store_id = ${storeId}
    order by members.created_at, members.user_id
    limit ${maxMembers}`)
}
