// Works out anew what has changed, in batches: what is noted in `unsummed`, and the days of the store that are over. A
// note and the rows that it tells of are committed together, so that whoever sees the note sees them too.
import type { Tx } from '../kit/database/database.ts'
import { join, raw, sql } from '../kit/database/sql.ts'
import type { Job } from '../platform/process/jobs.ts'
import { dayKinds, freshDay } from './days.ts'
import { freshSums, kinds, sumsOf, type Kind } from './sums.ts'

const notesOfRound = 5000

export function sumsJob(): Job {
  return {
    name: 'sum sales',
    everySeconds: 20,
    async run(tx) {
      const counts = await Promise.all(kinds.map((kind) => foldNotes(tx, kind)))
      return { more: counts.includes(notesOfRound) }
    },
  }
}

/** Checkouts are deleted some months after they have ended; nothing happens to those that began with them. */
const oldestCheckouts = raw(`interval '90 days'`)

/** Answers how many notes there were. */
async function foldNotes(tx: Tx, kind: Kind): Promise<number> {
  const columns = raw(sumsOf[kind].join(', '))
  const assigned = raw(sumsOf[kind].map((name) => `${name} = excluded.${name}`).join(', '))
  const inTime = kind === 'checkouts' ? sql`and noted.quarter > ${tx.now}::timestamptz - ${oldestCheckouts}` : sql``
  const days = sql`
    , days as (
      insert into unsummed_days (store_id, day)
      select distinct noted.store_id, (quarter at time zone stores.timezone)::date
      from noted
      join stores on stores.id = noted.store_id
      on conflict do nothing
    )`
  const folded = await tx.one<{ count: number }>(sql`
    with notes as (
      delete from unsummed
      where (store_id, position) in (
        select store_id, position
        from unsummed
        where kind = ${kind}
        order by position
        limit ${raw(String(notesOfRound))})
      returning store_id, quarter
    ), noted as (
      select distinct store_id, quarter from notes
    )${kind === 'orders' ? days : sql``}, written as (
      insert into sales_sums (store_id, quarter, ${columns})
      select noted.store_id, noted.quarter, ${columns}
      from noted
      join stores on stores.id = noted.store_id
      cross join lateral (${freshSums(kind, raw('noted'))}) as fresh
      where true ${inTime}
      on conflict (store_id, quarter) do update set ${assigned}
    )
    select count(*) from notes`)
  return folded!.count
}

export function salesDaysJob(): Job {
  return { name: 'sum days', everySeconds: 600, run: async (tx) => ({ more: await foldDays(tx) }) }
}

const daysOfRound = 31

/** Of one store; answers whether there was one. Today is left until it is over: who asks counts it. */
async function foldDays(tx: Tx): Promise<boolean> {
  const due = await tx.one<{ store_id: string }>(sql`
    select store_id
    from unsummed_days
    join stores on stores.id = store_id
    where day < (${tx.now}::timestamptz at time zone timezone)::date
    order by day
    limit 1`)
  if (!due) return false
  const { store_id } = due
  // Its time zone does not change until these are written.
  const { timezone } = (await tx.one<{ timezone: string }>(sql`
    select timezone from stores where id = ${store_id} for share`))!
  const days = await tx.rows<{ day: string }>(sql`
    delete from unsummed_days
    where store_id = ${store_id}
      and day in (
        select day from unsummed_days
        where store_id = ${store_id}
          and day < (${tx.now}::timestamptz at time zone ${timezone})::date
        order by day
        limit ${raw(String(daysOfRound))})
    returning day::text`)
  const list = sql`${days.map(({ day }) => day)}::text[]::date[]`
  tx.later(sql`
    delete from sales_by_day
    where store_id = ${store_id}
      and kind = any(${[...dayKinds]}::text[])
      and day = any(${list})`)
  const parts = dayKinds.map(
    (kind) => sql`
    select ${raw(`'${kind}'`)} as kind, place.day, fresh.*
    from place
    cross join lateral (${freshDay(kind, raw('place'))}) as fresh`,
  )
  await tx.rows(sql`
    with place as materialized (
      select ${store_id}::text as store_id, day, day::timestamp at time zone ${timezone} as begins,
        (day + 1)::timestamp at time zone ${timezone} as ends
      from unnest(${list}) as days (day)
    )
    insert into sales_by_day (store_id, kind, day, key, label, orders, pieces, discounts, refunds, sales)
    select ${store_id}, parts.* from (${join(parts, '\n    union all')}) as parts`)
  return true
}
