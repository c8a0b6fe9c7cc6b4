// Conditions that the rows of every store meet after each commit. The queries are read-only and cheap enough for whole
// tables. The doctor checks all stores, tests check one.
import type { Db } from '../../kit/database/database.ts'
import { join, raw, sql } from '../../kit/database/sql.ts'
import { tables } from '../../developer/tables.ts'
import { ledgerRules } from '../../money/ledger/rules.ts'
import { everywhere } from '../../money/ledger/scope.ts'
import { unequal, type RowRule } from '../../tenancy/tables/rule.ts'

// Counter → the rows it counts.
const counters: Record<string, string> = Object.fromEntries(
  tables.flatMap(({ name, counters }) =>
    Object.entries(counters).map(([counter, which]) => [counter, which ? `${name} where ${which}` : name]),
  ),
)
const counterNames = Object.keys(counters)

const countersRule: RowRule = {
  name: 'counters match the rows they count',
  broken: unequal(
    sql`
        select store_id,
          unnest(array[${raw(counterNames.map((name) => `'${name}'`).join(', '))}]),
          unnest(array[${raw(counterNames.join(', '))}]),
          0
        from store_counters`,
    join(
      counterNames.map(
        (name) => sql`
        select store_id, ${raw(`'${name}'`)}, count(*), 0 from ${raw(counters[name]!)} group by store_id`,
      ),
      '\n        union all',
    ),
  ),
}

export const records: readonly RowRule[] = [
  countersRule,
  ...tables.flatMap(({ rules }) => rules.flatMap((rule) => ('of' in rule ? [] : rule))),
]

export const ledger: readonly RowRule[] = ledgerRules.map(({ name, broken }) => ({ name, broken: broken(everywhere) }))

export const invariants: readonly RowRule[] = [...records, ...ledger]

const maxNamed = 10

/** Returns `name: XX-XXXXXXXX id, …` for each violated invariant, of one store or of all. */
export async function brokenInvariants(
  db: Pick<Db, 'rows'>,
  storeId?: string,
  rules: readonly RowRule[] = invariants,
): Promise<string[]> {
  const failures = await Promise.all(
    rules.map(async ({ name, broken }) => {
      const rows = await db.rows<{ wrong: string }>(sql`
        select store_id || ' ' || wrong as wrong
        from (${broken}) as found
        ${storeId === undefined ? sql`` : sql`where store_id = ${storeId}`}
        limit ${raw(String(maxNamed))}`)
      return rows.length === 0 ? [] : [`${name}: ${rows.map(({ wrong }) => wrong).join(', ')}`]
    }),
  )
  return failures.flat()
}
