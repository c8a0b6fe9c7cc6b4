// All that a database holds, so that two moments can be compared to the byte.
import { sql, raw } from '../src/kit/database/sql.ts'
import type { Database } from '../src/kit/database/database.ts'

export type Fingerprint = Record<string, string>

// What a request leaves behind whatever it asks: the log of requests, and when its key was last used.
const besides: Record<string, string> = { api_keys: `to_jsonb(api_keys) - 'last_used_at'` }

/** Table or sequence → a hash of all its rows, or where it stands. */
export async function fingerprintOf(db: Database): Promise<Fingerprint> {
  const tables = await db.rows<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname !~ '^request'
    order by relname`)
  const sequences = await db.rows<{ name: string }>(sql`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by relname`)
  const parts = [
    ...tables.map(({ name }) => {
      const row = besides[name] ?? `to_jsonb(${name})`
      return `select '${name}' as name,
        (select md5(coalesce(string_agg(row, e'\\n' order by row), '')) from (select (${row})::text as row from ${name}) as rows) as state`
    }),
    ...sequences.map(({ name }) => `select '${name}', (select last_value || ' ' || is_called from ${name})`),
  ]
  const states = await db.rows<{ name: string; state: string }>(raw(parts.join('\nunion all\n')))
  return Object.fromEntries(states.map(({ name, state }) => [name, state]))
}

/** The tables and sequences that differ. */
export function differing(before: Fingerprint, after: Fingerprint): string[] {
  return Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name])
}
