// The current sums of a period: stored ones, and for changed quarters sums of the rows.
import type { Db } from '../../kit/database/database.ts'
import { join, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { Decimal, toNumber } from '../../kit/values/money.ts'
import { formatLocalDay, startOfDay } from '../../kit/values/timezone.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { freshSums, sumKinds, sumNames, zeroSums, sumsByKind, type SumKind, type SalesSums } from './sums.ts'

/** Sums between each of these moments and the next. Moments are ordered quarters of an hour. */
export async function sumsBetween(
  db: Db,
  { id, timezone }: Pick<Store, 'id' | 'timezone'>,
  moments: readonly Date[],
): Promise<SalesSums[]> {
  const bounds = sql`${[...moments]}::timestamptz[]`
  const rows = await db.rows<Record<string, string | number>>(sql`
    with bounds as (
      select min(moment) as first, max(moment) as last from unnest(${bounds}) as moments (moment)
    ), noted as materialized (
      select distinct kind, quarter
      from unsummed
      where store_id = ${id}
        and quarter >= (select first from bounds)
        and quarter < (select last from bounds)
    ), open_days as materialized (${openDays(db, { id, timezone }, moments)}
    )
    select bucket, ${raw(sumNames.map((name) => `sum(${name}) as ${name}`).join(', '))}
    from (
      select width_bucket(day::timestamp at time zone ${timezone}, ${bounds}) as bucket, ${raw(sumNames.join(', '))}
      from sales_days
      where store_id = ${id}
        and day >= ((select first from bounds) at time zone ${timezone})::date
        and day <= ((select last from bounds) at time zone ${timezone})::date
        and day not in (select day from open_days)
      union all
      select bucket, ${join(keptSums, ', ')}
      from (
        select width_bucket(quarter, ${bounds}) as bucket, sales_sums.*, ${join(isNoted, ', ')}
        from open_days
        join sales_sums on sales_sums.store_id = ${id}
          and quarter >= day::timestamp at time zone ${timezone}
          and quarter < (day + 1)::timestamp at time zone ${timezone}) as kept
      group by bucket
      union all${join(
        sumKinds.map((kind) => freshNoted(kind, id, bounds)),
        '\n      union all',
      )}
    ) as all_parts
    where bucket between 1 and ${moments.length - 1}
    group by bucket`)
  const sums = moments.slice(1).map((): SalesSums => ({ ...zeroSums }))
  for (const { bucket, ...row } of rows) {
    for (const name of sumNames) sums[Number(bucket) - 1]![name] = toNumber(new Decimal(row[name]!))
  }
  return sums
}

export function addSums(all: readonly SalesSums[]): SalesSums {
  const sum = { ...zeroSums }
  for (const one of all) for (const name of sumNames) sum[name] = toNumber(new Decimal(sum[name]).plus(one[name]))
  return sum
}

/** Days to be computed from their quarters: today, changed days, and days that a moment divides. */
function openDays(db: Db, { id, timezone }: Pick<Store, 'id' | 'timezone'>, moments: readonly Date[]): Sql {
  const days = moments.map((moment) => [moment, formatLocalDay(moment, timezone)] as const)
  const parts = days.flatMap(([moment, day]) => (startOfDay(day, timezone).getTime() === moment.getTime() ? [] : [day]))
  const open = [...new Set([formatLocalDay(db.clock.now(), timezone), ...parts])]
  return sql`
      select distinct day
      from (
        select day from unsummed_days where store_id = ${id}
        union all
        select (quarter at time zone ${timezone})::date from noted
        union all
        select unnest(${open}::text[]::date[])
      ) as days
      where day >= ((select first from bounds) at time zone ${timezone})::date
        and day <= ((select last from bounds) at time zone ${timezone})::date`
}

const keptSums = sumKinds.flatMap((kind) =>
  sumsByKind[kind].map((name) => raw(`coalesce(sum(${name}) filter (where not ${kind}_noted), 0) as ${name}`)),
)

const isNoted = sumKinds.map((kind) =>
  raw(`exists (
          select from noted where kind = '${kind}' and noted.quarter = sales_sums.quarter
        ) as ${kind}_noted`),
)

function freshNoted(kind: SumKind, storeId: string, bounds: Sql): Sql {
  const own: readonly string[] = sumsByKind[kind]
  const columns = sumNames.map((name) => (own.includes(name) ? `fresh.${name}` : '0'))
  return sql`
      select width_bucket(quarter, ${bounds}), ${raw(columns.join(', '))}
      from noted
      cross join lateral (${freshSums(kind, storeId, raw('noted'))}) as fresh
      where kind = ${kind}`
}
