// Recomputes changed quarters, which `unsummed` lists, and days that are over, in batches. An entry of `unsummed` is
// committed together with the rows that it is about.
import type { Tx } from '../../kit/database/database.ts'
import { isConnectionLost } from '../../kit/database/errors.ts'
import { byStore } from '../../kit/database/bystore.ts'
import { inReach, raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import type { Log } from '../../platform/process/log.ts'
import { addToPeriods, moveSums, storesWithMoves, sumByCategory } from './categories.ts'
import { dayKinds, daySums, freshDay, lessDaySums, type DayKind } from './days.ts'
import { freshTaxes, taxColumns } from './taxes.ts'
import { freshSums, sumNames, sumsByKind, type SumKind } from './sums.ts'

/** A statement sums this many quarters in a fraction of its time limit, even for stores with many orders. */
const quartersPerBatch = 200
/** The same for the days of one store: with 3,700 products sold a day, a new day takes 0.3 to 0.5 s. */
const daysPerBatch = 3

type Quarters = { store_id: string; kind: SumKind; quarter: Date }[]

/** Walks the key: the cost of a batch doesn't depend on how many entries there are. */
export const changedQuarters = (among = sql`true`) => sql`
  select distinct store_id, kind, quarter
  from unsummed
  where ${among}
    and ${inReach('store_id')}
  order by store_id, kind, quarter
  limit ${raw(String(quartersPerBatch))}`

/** A batch has quarters of many stores. If it fails, each of its stores is tried alone: one store stops no other. */
export function quarterRollupJob(log: Log): JobWork {
  let inBatch: string[] = []
  let suspects: string[] = []
  let pastDays: string[] = []
  return {
    name: 'sum sales',
    async run(tx) {
      inBatch = []
      const [suspect] = suspects
      const among = suspect === undefined ? sql`store_id <> all(${pastDays}::text[])` : sql`store_id = ${suspect}`
      const batch = await tx.rows<Quarters[number]>(changedQuarters(among))
      inBatch = [...new Set(batch.map(({ store_id }) => store_id))]
      if (batch.length > 0) rollUpQuarters(tx, batch)
      const isFull = batch.length === quartersPerBatch
      const more = isFull || suspect !== undefined
      const afterwards = async () => {
        if (!isFull) suspects = suspects.slice(1)
        if (!more) pastDays = []
      }
      return { more, afterwards }
    },
    goesOnAfter(error) {
      if (isConnectionLost(error)) return false
      const [suspect, ...others] = suspects
      if (suspect === undefined) suspects = inBatch
      else {
        passStore(log, error, 'sum sales', suspect)
        pastDays = [...pastDays, suspect]
        suspects = others
      }
      return inBatch.length > 0
    },
  }
}

function passStore(log: Log, error: unknown, job: string, store: string): void {
  log.error({ err: error, job, store }, 'a job failed for one store')
}

/** Deletes the entries first: the statements after it see the rows of each deleted entry. */
function rollUpQuarters(tx: Tx, batch: Quarters): void {
  tx.later(sql`
    delete from unsummed
    using unnest(
      ${batch.map(({ store_id }) => store_id)}::text[],
      ${batch.map(({ kind }) => kind)}::text[],
      ${batch.map(({ quarter }) => quarter)}::timestamptz[]) as noted (store_id, kind, quarter)
    where unsummed.store_id = noted.store_id
      and unsummed.kind = noted.kind
      and unsummed.quarter = noted.quarter
      and ${inReach('unsummed.store_id')}`)
  for (const [storeId, ofStore] of byStore(batch)) {
    tx.later(sql`
      insert into unsummed_days (store_id, day)
      select distinct ${storeId}, (quarter at time zone stores.timezone)::date
      from ${buildNotedQuarters(ofStore)}
      join stores on stores.id = ${storeId}
      on conflict do nothing`)
    for (const [kind, own] of Map.groupBy(ofStore, (one) => one.kind)) tx.later(sumQuarters(tx, storeId, kind, own))
  }
}

function buildNotedQuarters(quarters: Quarters): Sql {
  return sql`unnest(${quarters.map(({ quarter }) => quarter)}::timestamptz[]) as noted (quarter)`
}

function sumQuarters(tx: Tx, storeId: string, kind: SumKind, quarters: Quarters): Sql {
  const columns = raw(sumsByKind[kind].join(', '))
  const assignments = raw(sumsByKind[kind].map((name) => `${name} = excluded.${name}`).join(', '))
  const inTime = kind === 'checkouts' ? sql`and noted.quarter > ${tx.now}::timestamptz - ${oldestCheckouts}` : sql``
  // A store may have been deleted.
  return sql`
      insert into sales_sums (store_id, quarter, ${columns})
      select ${storeId}, noted.quarter, ${columns}
      from ${buildNotedQuarters(quarters)}
      join stores on stores.id = ${storeId} ${inTime}
      cross join lateral (${freshSums(kind, storeId, raw('noted'))}) as fresh
      on conflict (store_id, quarter) do update set ${assignments}`
}

/** Checkouts are deleted some months after they end; older quarters no longer change. */
const oldestCheckouts = raw(`interval '90 days'`)

const storesPerWalk = 200

export function dayRollupJob(log: Log): JobWork {
  let stores: string[] = []
  let inHand: string | undefined
  let pastDays: string[] = []
  return {
    name: 'sum days',
    async run(tx) {
      inHand = undefined
      if (stores.length === 0) {
        const days = await tx.rows<{ store_id: string }>(storesWithDays(tx.now, pastDays))
        const moves = await tx.rows<{ store_id: string }>(storesWithMoves(pastDays))
        stores = [...new Set([...days, ...moves].map(({ store_id }) => store_id))]
      }
      inHand = stores.shift()
      if (inHand === undefined) pastDays = []
      else await rollUpDays(tx, inHand)
      return { more: inHand !== undefined }
    },
    goesOnAfter(error) {
      if (inHand === undefined || isConnectionLost(error)) return false
      passStore(log, error, 'sum days', inHand)
      pastDays = [...pastDays, inHand]
      return true
    },
  }
}

/**
 * Walks the days in order, up to those that are not over in any time zone. Today's of stores where it is still today
 * are passed once for many stores. A store whose time zone the database doesn't know is found too, to fail for itself.
 */
export const storesWithDays = (now: Date, pastDays: string[] = []) => sql`
  select store_id
  from unsummed_days
  join stores on stores.id = store_id
  where day < (${now}::timestamptz at time zone 'Etc/GMT-14')::date
    and store_id <> all(${pastDays}::text[])
    and ${inReach('store_id')}
    and case when is_time_zone(timezone) then day < (${now}::timestamptz at time zone timezone)::date else true end
  order by day
  limit ${raw(String(storesPerWalk))}`

/** Rolls up days of a store that are over, the newest first. Reports compute today themselves. */
async function rollUpDays(tx: Tx, store_id: string): Promise<void> {
  // Locks the store, so that its time zone does not change before the sums are written.
  const store = await tx.one<{ timezone: string }>(sql`select timezone from stores where id = ${store_id} for share`)
  await moveSums(tx, store_id)
  if (!store) return
  const { timezone } = store
  const rows = await tx.rows<{ day: string }>(sql`
    select day::text
    from unsummed_days
    where store_id = ${store_id}
      and day < (${tx.now}::timestamptz at time zone ${timezone})::date
    order by day desc
    limit ${raw(String(daysPerBatch))}`)
  if (rows.length === 0) return
  const days = sql`any(${rows.map(({ day }) => day)}::date[])`
  for (const table of ['unsummed_days', 'sales_days', 'tax_by_day']) {
    tx.later(sql`delete from ${raw(table)} where store_id = ${store_id} and day = ${days}`)
  }
  const places = sql`(
      select day, day::timestamp at time zone ${timezone} as begins,
        (day + 1)::timestamp at time zone ${timezone} as ends
      from unnest(${rows.map(({ day }) => day)}::date[]) as day) as place`
  tx.later(sql`
    insert into sales_days (store_id, day, ${raw(sumNames.join(', '))})
    select ${store_id}, day, ${raw(sumNames.map((name) => `sum(${name})`).join(', '))}
    from ${places}
    join sales_sums on sales_sums.store_id = ${store_id}
      and quarter >= begins
      and quarter < ends
    group by day`)
  for (const kind of dayKinds) {
    const fresh = sql`
      from ${places}
      cross join lateral (${freshDay(kind, store_id, raw('place'))}) as fresh`
    const storedDays = sql`
      from sales_by_day
      where store_id = ${store_id}
        and kind = ${kind}
        and day = ${days}`
    tx.later(movePeriods(store_id, kind, fresh, storedDays))
    if (kind === 'product') tx.later(sumByCategory(store_id, days, '-'))
    tx.later(sql`delete ${storedDays}`)
    tx.later(sql`
    insert into sales_by_day (store_id, kind, day, key, label, ${raw(daySums.join(', '))})
    select ${store_id}, ${kind}, place.day, fresh.* ${fresh}`)
    if (kind === 'product') tx.later(sumByCategory(store_id, days, '+'))
  }
  tx.later(sql`
    insert into tax_by_day (store_id, day, ${taxColumns})
    select ${store_id}, place.day, fresh.*
    from ${places}
    cross join lateral (${freshTaxes(store_id, raw('place'))}) as fresh`)
}

/** Adds to the months and years by what the days differ from their stored sums: of an old day, only few keys do. */
function movePeriods(storeId: string, kind: DayKind, fresh: Sql, storedDays: Sql): Sql {
  const sums = daySums.map((name) => `sum(${name})`)
  return addToPeriods(sql`
    select ${storeId}, ${kind}, unit, date_trunc(unit, day::timestamp)::date, key, max(label), ${raw(sums.join(', '))}
    from (
      select place.day, fresh.* ${fresh}
      union all
      select day, key, null, ${lessDaySums} ${storedDays}
    ) as moved (day, key, label, ${raw(daySums.join(', '))})
    cross join (values ('month'), ('year')) as units (unit)
    group by unit, 4, key
    having ${raw(sums.map((sum) => `${sum} <> 0`).join(' or '))}`)
}
