// The members of a store. Accounts belong to an installation, so members are known by their email addresses.
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { roleField } from '../../identity/account/role.ts'
import { user } from '../../identity/accounts/user.ts'
import { objectSchema } from '../../kit/declare/composites.ts'
import { schemaFaults } from '../../kit/declare/schema.ts'
import { publicId } from '../../kit/values/ids.ts'
import { writeRows, type StoreTable } from '../../platform/postgres/storerows.ts'

export const members: StoreTable = {
  table: 'members',
  owner: 'store_id',
  order: 'order by email collate "C"',
  columns: ['store_id', 'email', 'role', 'role_id', 'created_at'],
}

export async function* readMembers(client: pg.Client, storeId: string): AsyncGenerator<Buffer> {
  yield* client.query(
    copyTo(`copy (
      select store_id, lower(email) as email, role, role_id, members.created_at
      from members
      join users on users.id = members.user_id
      where store_id = ${client.escapeLiteral(storeId)}
      ${members.order}) to stdout`),
  )
}

/** `role` is a built-in role or the public ID of a custom one. */
export type ArchivedMember = { email: string; role: string; has_account: boolean }

/** Reads the store's members and adds none: an archive alone must not give a person access to a store. */
export async function readArchivedMembers(client: pg.Client, rows: AsyncIterable<Buffer>): Promise<ArchivedMember[]> {
  await client.query(`
    create temporary table archived_members (
      store_id text, email text, role text, role_id uuid, created_at timestamptz
    ) on commit drop`)
  await writeRows(client, { ...members, table: 'archived_members' }, rows)
  const { rows: people } = await client.query<Omit<ArchivedMember, 'role'> & { role: string; role_id: string | null }>(
    `select email, role, role_id, exists (select from users where lower(users.email) = archived.email) as has_account
    from archived_members as archived
    order by email collate "C"`,
  )
  return people.map(({ role_id, ...person }) => {
    const role = role_id ? publicId('role', role_id) : person.role
    if (personFaults({ email: person.email, role }).length > 0)
      throw new Error('it is damaged: a member is not allowed')
    return { ...person, role }
  })
}

const personFaults = schemaFaults(objectSchema({ email: user.fields.email.required(), role: roleField.required() }))
