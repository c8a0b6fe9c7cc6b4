// What the triggers of a database do, by the texts of their functions.
import type pg from 'pg'

export type Trigger = { table: string; name: string; function: string }

export type Triggers = {
  all: Trigger[]
  /** The tables that a function writes, itself or by those that it calls. */
  writtenBy(name: string): Set<string>
  textOf(name: string): string
}

export async function triggersOf(client: pg.Client): Promise<Triggers> {
  const { rows: all } = await client.query<Trigger>(`
    select tgrelid::regclass::text as table, tgname::text as name, proname::text as function
    from pg_trigger
    join pg_proc on pg_proc.oid = tgfoid
    where not tgisinternal
    order by 1, 2`)
  const { rows: functions } = await client.query<{ name: string; text: string }>(`
    select proname::text as name, string_agg(prosrc, ' ') as text
    from pg_proc
    where pronamespace = current_schema()::regnamespace
    group by proname`)
  const texts = new Map(functions.map(({ name, text }) => [name, text]))
  const textOf = (name: string) => texts.get(name) ?? ''
  const calledBy = (name: string, found = new Set<string>()): Set<string> => {
    if (found.has(name)) return found
    found.add(name)
    for (const [, called] of textOf(name).matchAll(/\b(\w+)\(/g)) if (texts.has(called!)) calledBy(called!, found)
    return found
  }
  return {
    all,
    textOf,
    writtenBy: (name) => new Set([...calledBy(name)].flatMap((each) => [...writesIn(textOf(each))])),
  }
}

function writesIn(text: string): string[] {
  return [...text.matchAll(/\b(?:insert into|delete from|update)\s+(\w+)/gi)].map(([, table]) => table!)
}
