// The sums of a time as they are now: those that are kept, and from the rows those that are noted as changed.
import type { Db } from '../kit/database/database.ts'
import { join, raw, sql } from '../kit/database/sql.ts'
import { freshSums, kinds, names, noSums, sumsOf, type Sums } from './sums.ts'

/** Between each of these moments and the next; they are quarters of an hour, in their order. */
export async function sumsBetween(db: Db, storeId: string, moments: readonly Date[]): Promise<Sums[]> {
  const first = moments[0]!
  const end = moments.at(-1)!
  const bucketOf = sql`width_bucket(quarter, ${[...moments]}::timestamptz[])`
  const keptSums = kinds.flatMap((kind) =>
    sumsOf[kind].map((name) => raw(`coalesce(sum(${name}) filter (where not ${kind}_noted), 0) as ${name}`)),
  )
  const isNoted = kinds.map(
    (kind) => sql`exists (
          select from noted where kind = ${raw(`'${kind}'`)} and noted.quarter = sales_sums.quarter
        ) as ${raw(`${kind}_noted`)}`,
  )
  const fresh = kinds.map((kind) => {
    const own: readonly string[] = sumsOf[kind]
    const columns = names.map((name) => raw(own.includes(name) ? `fresh.${name}` : '0'))
    return sql`
      select ${bucketOf}, ${join(columns, ', ')}
      from noted
      cross join lateral (${freshSums(kind, raw('noted'))}) as fresh
      where kind = ${raw(`'${kind}'`)}`
  })
  const rows = await db.rows<Record<string, string | number>>(sql`
    with noted as materialized (
      select distinct store_id, kind, quarter
      from unsummed
      where store_id = ${storeId}
        and quarter >= ${first}
        and quarter < ${end}
    )
    select bucket, ${raw(names.map((name) => `sum(${name}) as ${name}`).join(', '))}
    from (
      select bucket, ${join(keptSums, ', ')}
      from (
        select ${bucketOf} as bucket, sales_sums.*, ${join(isNoted, ', ')}
        from sales_sums
        where store_id = ${storeId}
          and quarter >= ${first}
          and quarter < ${end}) as kept
      group by bucket
      union all${join(fresh, '\n      union all')}
    ) as both_kinds
    group by bucket`)
  const sums = moments.slice(1).map((): Sums => ({ ...noSums }))
  for (const { bucket, ...row } of rows) {
    for (const name of names) sums[Number(bucket) - 1]![name] = Number(row[name])
  }
  return sums
}

export function added(all: readonly Sums[]): Sums {
  const sum = { ...noSums }
  for (const one of all) for (const name of names) sum[name] += one[name]
  return sum
}
