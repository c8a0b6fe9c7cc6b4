// Recomputes changed quarters, which `unsummed` lists, and days that are over, in batches. An entry of `unsummed` is
// committed together with the rows that it is about.
import type { Tx } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import { dayKinds, freshDay } from './days.ts'
import { freshSums, sumKinds, sumNames, sumsOf, type SumKind } from './sums.ts'

/** A statement sums this many in a fraction of its time limit, even for stores with many orders. */
const batchSize = 200

export function quarterRollupJob(): JobWork {
  return {
    name: 'sum sales',
    async run(tx) {
      const counts = await Promise.all(sumKinds.map((kind) => rollUpQuarters(tx, kind)))
      return { more: counts.includes(batchSize) }
    },
  }
}

/** Checkouts are deleted some months after they end; older quarters change no more. */
const oldestCheckouts = raw(`interval '90 days'`)

/** Returns the number of quarters. */
async function rollUpQuarters(tx: Tx, kind: SumKind): Promise<number> {
  const columns = raw(sumsOf[kind].join(', '))
  const assigned = raw(sumsOf[kind].map((name) => `${name} = excluded.${name}`).join(', '))
  const inTime = kind === 'checkouts' ? sql`and noted.quarter > ${tx.now}::timestamptz - ${oldestCheckouts}` : sql``
  const batch = await tx.one<{ count: number }>(sql`
    with noted as materialized (
      select distinct store_id, quarter
      from unsummed
      where kind = ${kind}
      limit ${raw(String(batchSize))}
    ), notes as (
      delete from unsummed
      using noted
      where unsummed.store_id = noted.store_id
        and unsummed.kind = ${kind}
        and unsummed.quarter = noted.quarter
    ), days as (
      insert into unsummed_days (store_id, day)
      select distinct noted.store_id, (quarter at time zone stores.timezone)::date
      from noted
      join stores on stores.id = noted.store_id
      on conflict do nothing
    ), written as (
      insert into sales_sums (store_id, quarter, ${columns})
      select noted.store_id, noted.quarter, ${columns}
      from noted
      join stores on stores.id = noted.store_id
      cross join lateral (${freshSums(kind, raw('noted'))}) as fresh
      where true ${inTime}
      on conflict (store_id, quarter) do update set ${assigned}
    )
    select count(*) from noted`)
  return batch!.count
}

export function dayRollupJob(): JobWork {
  return { name: 'sum days', run: async (tx) => ({ more: await rollUpDay(tx) }) }
}

/** Rolls up one day of one store; false if none was left. Reports compute today themselves. */
async function rollUpDay(tx: Tx): Promise<boolean> {
  const due = await tx.one<{ store_id: string; day: string }>(sql`
    select store_id, day::text
    from unsummed_days
    join stores on stores.id = store_id
    where day < (${tx.now}::timestamptz at time zone timezone)::date
    order by day
    limit 1`)
  if (!due) return false
  const { store_id, day } = due
  // Locks the store, so that its time zone does not change before the sums are written.
  const { timezone } = (await tx.one<{ timezone: string }>(sql`
    select timezone from stores where id = ${store_id} for share`))!
  tx.later(sql`delete from unsummed_days where store_id = ${store_id} and day = ${day}::date`)
  tx.later(sql`delete from sales_days where store_id = ${store_id} and day = ${day}::date`)
  tx.later(sql`delete from sales_by_day where store_id = ${store_id} and day = ${day}::date`)
  tx.later(sql`
    insert into sales_days (store_id, day, ${raw(sumNames.join(', '))})
    select store_id, ${day}::date, ${raw(sumNames.map((name) => `sum(${name})`).join(', '))}
    from sales_sums
    where store_id = ${store_id}
      and quarter >= ${day}::date::timestamp at time zone ${timezone}
      and quarter < (${day}::date + 1)::timestamp at time zone ${timezone}
    group by store_id`)
  for (const kind of dayKinds) {
    tx.later(sql`
    with place as (
      select ${store_id}::text as store_id, ${day}::date::timestamp at time zone ${timezone} as begins,
        (${day}::date + 1)::timestamp at time zone ${timezone} as ends
    )
    insert into sales_by_day (store_id, kind, day, key, label, orders, pieces, discounts, refunds, sales)
    select ${store_id}, ${kind}, ${day}::date, fresh.*
    from place
    cross join lateral (${freshDay(kind, raw('place'))}) as fresh`)
  }
  return true
}
