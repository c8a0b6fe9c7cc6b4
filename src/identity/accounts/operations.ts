import { recordSecurityEvent } from '../../tenancy/audit/operations.ts'
import { operator, type Actor } from '../../kit/values/actor.ts'
import type { Tx } from '../../kit/database/database.ts'
import { conflict, notFound } from '../../kit/values/errors.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { insertInto } from '../../kit/declare/resource.ts'
import { sql } from '../../kit/database/sql.ts'
import { insertCounted } from '../../tenancy/plans/plan.ts'
import { createStore, type NewStore } from '../../tenancy/stores/operations.ts'
import { loadStore, type Store } from '../../tenancy/stores/store.ts'
import { hashPassword } from './password.ts'
import { requireGoodPassword } from './passwordrules.ts'
import { user, type CustomRole, type Role } from './user.ts'

/** `stores`: names and slugs that the password may not be made of. */
type NewUser = { email: string; password: string; name?: string | null; stores?: readonly string[] }

/** Returns the uuid. The email is unique regardless of case; the password must not be easy to guess. */
export async function createUser(
  tx: Tx,
  { password, stores = [], ...values }: NewUser,
  actor: Actor = operator,
): Promise<string> {
  await requireGoodPassword(password, { email: values.email, stores })
  const id = newUuid()
  const password_hash = await hashPassword(password)
  const row = insertInto(user, values, { id, password_hash, created_at: tx.now, updated_at: tx.now })
  await tx.rows(row, { users_email: () => conflict(`A user with the email ${values.email} already exists`) })
  recordSecurityEvent(tx, { event: 'user_created', actor, subject: publicId('usr', id) })
  return id
}

/** A role to give to a person. */
export type RoleChoice = Role | Pick<CustomRole, 'id'>

/** The role in the tables of members and invitations. */
export function roleCells(role: RoleChoice): { role: Role | 'custom'; role_id: string | null } {
  return typeof role === 'string' ? { role, role_id: null } : { role: 'custom', role_id: role.id }
}

/** For the security events. */
export function roleDetails(choice: RoleChoice): { role: string; role_id?: string } {
  const { role, role_id } = roleCells(choice)
  return role_id ? { role, role_id: publicId('role', role_id) } : { role }
}

/** A role that is deleted at the same time. */
export const roleGone = () => notFound('Role')

/** Counts against the plan's staff, whatever the role. */
export async function addMember(
  tx: Tx,
  store: Store,
  userId: string,
  role: RoleChoice,
  actor: Actor = operator,
): Promise<void> {
  const { role: name, role_id } = roleCells(role)
  await insertCounted(tx, store, 'staff', () =>
    tx.rows(
      sql`
    insert into members (store_id, user_id, role, role_id, created_at)
    values (${store.id}, ${userId}, ${name}, ${role_id}, ${tx.now})`,
      { members_pkey: () => conflict('This user is already a member of the store'), members_role: roleGone },
    ),
  )
  recordSecurityEvent(tx, {
    event: 'member_added',
    actor,
    store: store.id,
    subject: publicId('usr', userId),
    details: roleDetails(role),
  })
}

/** The person becomes the owner. Returns the store's id. */
export async function openStore(tx: Tx, userId: string, values: NewStore, actor: Actor): Promise<string> {
  const id = await createStore(tx, values)
  const store = await loadStore(tx, id)
  recordSecurityEvent(tx, { event: 'store_opened', actor, store: id })
  await addMember(tx, store!, userId, 'owner', actor)
  return id
}
