// All that a database holds, so that two moments can be compared to the byte.
import { raw, sql } from '../src/kit/database/sql.ts'
import type { Database } from '../src/kit/database/database.ts'

export type Fingerprint = Record<string, string>

// What a request leaves behind whatever it asks: the log of requests, and when its key was last used. And where things
// stand among each other until they are numbered or summed: whatever fails takes a place too.
const besides = raw(`relname ~ '^requests|_position_seq$'`)
const rowOf: Record<string, string> = { api_keys: `to_jsonb(api_keys) - 'last_used_at'` }

/** Table or sequence → a hash of all its rows, or where it stands. */
export async function fingerprintOf(db: Database): Promise<Fingerprint> {
  const relations = await db.rows<{ name: string; kind: string }>(sql`
    select relname as name, relkind as kind
    from pg_class
    where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p', 'S')
      and not (${besides})
    order by relname`)
  const parts = relations.map(({ name, kind }) =>
    kind === 'S'
      ? `select '${name}' as name, (select last_value || ' ' || is_called from ${name}) as state`
      : `select '${name}' as name, (
          select md5(coalesce(string_agg(row, e'\\n' order by row), ''))
          from (select (${rowOf[name] ?? `to_jsonb(${name})`})::text as row from ${name}) as rows) as state`,
  )
  const states = await db.rows<{ name: string; state: string }>(raw(parts.join('\nunion all\n')))
  return Object.fromEntries(states.map(({ name, state }) => [name, state]))
}

/** The tables and sequences that differ. */
export function differing(before: Fingerprint, after: Fingerprint): string[] {
  return Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name])
}
