// Where the tables of a coordinator are, compared with where they belong.
import type pg from 'pg'
import type { Place, Placement } from '../placement.ts'

export type TablePlace = {
  name: string
  place: Place
  /** Null if Citus does not know the table. */
  actual: Place | null
  /** True if it is distributed, but not by store_id together with store_counters. */
  isApart: boolean
}

/** All others are distributed together with it. */
export const first = 'store_counters'

/** The tables that are not where they belong, in the order in which they can be moved. */
export async function misplacedTables(client: pg.Client, placement: Placement): Promise<TablePlace[]> {
  const { rows } = await client.query<Omit<TablePlace, 'place'>>(
    `
    select relname::text as name,
      case
        when partmethod = 'h' then 'distributed'
        when repmodel = 't' then 'reference'
        when partmethod is not null then 'local'
      end as actual,
      coalesce(partmethod = 'h' and (column_to_column_name(logicalrelid, partkey) <> 'store_id'
        or colocationid <> (select colocationid from pg_dist_partition where logicalrelid = to_regclass($1))),
        false) as "isApart"
    from pg_class
    left join pg_dist_partition on logicalrelid = pg_class.oid
    where relnamespace = current_schema()::regnamespace
      and relkind in ('r', 'p')
      and not relispartition
    order by relname`,
    [first],
  )
  const order: Place[] = ['reference', 'distributed', 'local', 'unregistered']
  // Reference tables refer to each other in the order in which they are listed.
  const names = Object.keys(placement)
  const rank = (name: string) => (name === first ? -1 : names.indexOf(name))
  return rows
    .map((table) => ({ ...table, place: placement[table.name] ?? refuseUnplaced(table.name) }))
    .filter(({ place, actual, isApart }) => place !== (actual ?? 'unregistered') || isApart)
    .toSorted(
      (one, other) => order.indexOf(one.place) - order.indexOf(other.place) || rank(one.name) - rank(other.name),
    )
}

/** Nobody else's tables are moved. */
function refuseUnplaced(name: string): never {
  throw new Error(`the table ${name} is not one of Stoa, which needs a database of its own`)
}

/** Describes each misplaced table in a sentence. */
export async function faultsOfTables(client: pg.Client, placement: Placement): Promise<string[]> {
  const tables = await misplacedTables(client, placement)
  if (tables.length === 0) return []
  const names = tables.map(({ name, place, actual }) => `${name} (${actual ?? 'unknown to Citus'}, not ${place})`)
  const shownNames =
    names.length > shownTables ? [...names.slice(0, shownTables), `${names.length - shownTables} more`] : names
  return [`misplaced: ${shownNames.join(', ')}. Run: npm run -s stoa -- migrate --distribute`]
}

const shownTables = 5
