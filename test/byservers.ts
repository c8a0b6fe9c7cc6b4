// What a statement reads on one server, and in the form that it has for a distributed database.
import { after } from 'node:test'
import pg from 'pg'
import { compile, type Sql } from '../src/kit/database/sql.ts'
import { databaseUrl } from './database.ts'

/** The rows of both: `[onOne, onMany]`. */
export async function readBothWays(query: Sql, storeId: string): Promise<unknown[][]> {
  const client = await connected()
  const forms = [false, true].map((isDistributed) => compile(query, { storeId, isDistributed, now: new Date() }))
  if (forms[0]!.text === forms[1]!.text) throw new Error('The statement has one form only')
  const answers = [await client.query(forms[0]!), await client.query(forms[1]!)]
  return answers.map(({ rows }) => rows)
}

let opening: Promise<pg.Client> | undefined

function connected(): Promise<pg.Client> {
  opening ??= (async () => {
    const client = new pg.Client({ connectionString: databaseUrl() })
    await client.connect()
    return client
  })()
  return opening
}

after(async () => (await opening)?.end())
