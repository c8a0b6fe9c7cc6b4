// Which functions of the database are not immutable.
import type pg from 'pg'
import type { Volatility } from './rules.ts'

export async function volatilityOf(client: pg.Client): Promise<Volatility> {
  const { rows } = await client.query<{ name: string; isVolatile: boolean }>(`
    select proname as name, bool_or(provolatile = 'v') as "isVolatile"
    from pg_proc
    group by proname
    having bool_and(provolatile <> 'i')`)
  const namesOf = (isVolatile: boolean) =>
    new Set(rows.filter((row) => row.isVolatile === isVolatile).map(({ name }) => name))
  return { stable: namesOf(false), volatile: namesOf(true) }
}
