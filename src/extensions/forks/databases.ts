// Further databases beside the main one, on the same server and with the same role.
import pg from 'pg'
import { withClient } from '../../platform/postgres/client.ts'

export const connectionName = 'stoa fork'

/** The URL of another database of the same server. */
export function urlOfDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/** Creates an empty database; replaces one of this name that a process left behind when it ended. */
export async function createDatabase(url: string, name: string): Promise<void> {
  await withClient(url, connectionName, async (client) => {
    await client.query(dropping(name))
    await client.query(`create database ${pg.escapeIdentifier(name)} template template0`)
  })
}

/** Ends the connections to it. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await withClient(url, connectionName, (client) => client.query(dropping(name)))
}

function dropping(name: string): string {
  return `drop database if exists ${pg.escapeIdentifier(name)} with (force)`
}

/** Lists the names of databases with this prefix. */
export async function listDatabases(url: string, prefix: string): Promise<string[]> {
  return withClient(url, connectionName, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1) order by datname',
      [prefix],
    )
    return rows.map(({ datname }) => datname)
  })
}
