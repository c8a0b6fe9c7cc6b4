// The members of a store. Accounts belong to an installation, so members are known by their email addresses.
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
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

/** Adds those who have an account here. Returns the addresses of the others. */
export async function writeMembers(client: pg.Client, storeId: string, rows: AsyncIterable<Buffer>): Promise<string[]> {
  await client.query(`
    create temporary table archived_members (
      store_id text, email text, role text, role_id uuid, created_at timestamptz
    ) on commit drop`)
  await writeRows(client, { ...members, table: 'archived_members' }, rows)
  const { rowCount } = await client.query(
    `insert into members (store_id, user_id, role, role_id, created_at)
    select store_id, users.id, role, role_id, archived.created_at
    from archived_members as archived
    join users on lower(users.email) = archived.email`,
  )
  await client.query('update store_counters set staff = $2 where store_id = $1', [storeId, rowCount])
  const { rows: others } = await client.query<{ email: string }>(
    `select email
    from archived_members as archived
    where not exists (select from users where lower(users.email) = archived.email)
    order by email collate "C"`,
  )
  return others.map(({ email }) => email)
}
