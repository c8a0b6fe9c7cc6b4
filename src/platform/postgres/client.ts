// A connection of its own for a piece of work outside the pools.
import pg from 'pg'

/** `name` shows in pg_stat_activity. The connection ends with the work. */
export async function withClient<T>(url: string, name: string, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(url, name)
  try {
    return await run(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** The caller ends it. */
export async function connect(url: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: name, connectionTimeoutMillis: 10_000 })
  // A lost connection fails its query. Without a listener it would end the process first.
  client.on('error', () => {})
  await client.connect()
  return client
}
