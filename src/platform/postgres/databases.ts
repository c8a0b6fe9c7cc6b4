// Further databases beside the main one, on the same server and with the same role.
import pg from 'pg'

/** The URL of another database of the same server. */
export function urlOfDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/** Empty, in place of one of this name that an ended process left. */
export async function createDatabase(url: string, name: string): Promise<void> {
  await withConnection(url, async (client) => {
    await client.query(dropping(name))
    await client.query(`create database ${pg.escapeIdentifier(name)} template template0`)
  })
}

/** Ends the connections to it. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await withConnection(url, (client) => client.query(dropping(name)))
}

function dropping(name: string): string {
  return `drop database if exists ${pg.escapeIdentifier(name)} with (force)`
}

/** The names of the databases that begin so. */
export async function listDatabases(url: string, prefix: string): Promise<string[]> {
  return withConnection(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1) order by datname',
      [prefix],
    )
    return rows.map(({ datname }) => datname)
  })
}

export async function withConnection<T>(url: string, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'stoa fork',
    connectionTimeoutMillis: 10_000,
  })
  // A lost connection fails its query. Without a listener it would end the process first.
  client.on('error', () => {})
  await client.connect()
  try {
    return await run(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** A text as a literal of SQL. */
export const quoted = (text: string): string => pg.escapeLiteral(text)
