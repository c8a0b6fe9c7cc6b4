// The stored sums of a range of days: of its whole years and months, and of the days beside them. Days that changed
// since are replaced by sums of their rows.
import type { Db } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { formatLocalDay } from '../../kit/values/timezone.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { daySums, freshDay, lessDaySums, type DayKind } from './days.ts'
import { addDays, nextMonth, type DayRange } from './period.ts'

export type ZonedStore = Pick<Store, 'id' | 'timezone'>

/** Days of some ranges without current sums: today, and days with changes. */
export function notedDays(db: Db, { id, timezone }: ZonedStore, ...ranges: DayRange[]): Sql {
  const today = formatLocalDay(db.clock.now(), timezone)
  const [froms, tos] = [ranges.map(({ from }) => from), ranges.map(({ to }) => to)]
  return sql`
      select day, day::timestamp at time zone ${timezone} as begins,
        (day + 1)::timestamp at time zone ${timezone} as ends
      from (
        select day from unsummed_days where store_id = ${id}
        union
        select (quarter at time zone ${timezone})::date from unsummed where store_id = ${id} and kind = 'orders'
        union
        select ${today}::date
      ) as days
      where exists (
        select from unnest(${froms}::date[], ${tos}::date[]) as range (first, last)
        where day between first and last)`
}

const storedSums = raw(daySums.join(', '))
const partColumns = raw('(key, label, orders, units, discounts, refunds, sales)')

type StoredUnits = { unit: 'month' | 'year'; begins: readonly string[] }

/** Rows of key, label and sums of a kind: one for a key in `base`, several in `rest`. Their statement has `noted`. */
export function buildReportParts(db: Db, store: ZonedStore, kind: DayKind, range: DayRange): { base: Sql; rest: Sql } {
  const { years, months, days, units } = splitIntoUnits(range, formatLocalDay(db.clock.now(), store.timezone))
  const [unit, longest, shorter] =
    years.length > 0 ? (['year', years, months] as const) : (['month', months, []] as const)
  const ofUnits = ({ unit, begins }: StoredUnits) => sql`
        select key, label, ${storedSums}
        from sales_by_period
        where store_id = ${store.id}
          and kind = ${kind}
          and unit = ${raw(`'${unit}'`)}
          and begins = any(${[...begins]}::date[])`
  const ofDays = (days: Sql, sums: Sql) => sql`
        select key, label, ${sums}
        from sales_by_day
        where store_id = ${store.id}
          and kind = ${kind}
          and day = any(array(${days}))`
  const isNoted = sql`select day from noted where day between ${units.from}::date and ${units.to}::date`
  const isStored = sql`
          select day from unnest(${days}::date[]) as day where day not in (select noted.day from noted)`
  return {
    base: sql`
      select *
      from (${ofUnits({ unit, begins: longest.slice(-1) })}) as parts ${partColumns}`,
    rest: sql`
      select *
      from (${ofUnits({ unit, begins: longest.slice(0, -1) })}
        union all${ofUnits({ unit: 'month', begins: shorter })}
        union all${ofDays(isNoted, lessDaySums)}
        union all${ofDays(isStored, storedSums)}
        union all
        select fresh.*
        from noted
        cross join lateral (${freshDay(kind, store.id, raw('noted'))}) as fresh
        where noted.day between ${range.from}::date and ${range.to}::date) as parts ${partColumns}`,
  }
}

const emptyRange: DayRange = { from: '2000-01-02', to: '2000-01-01' }

/** The whole years and months in the range, up to today, and the remaining days. */
export function splitIntoUnits({ from, to }: DayRange, today: string) {
  const end = to < today ? to : '9999-12-31'
  const years: string[] = []
  const months: string[] = []
  const days: string[] = []
  let units = emptyRange
  for (let day = from; day <= to;) {
    const year = `${Number(day.slice(0, 4)) + 1}-01-01`
    const month = nextMonth(day)
    const isYear = day.endsWith('-01-01') && addDays(year, -1) <= end
    const isMonth = day.endsWith('-01') && addDays(month, -1) <= end
    const next = isYear ? year : isMonth ? month : addDays(day, 1)
    if (isYear) years.push(day)
    else if (isMonth) months.push(day)
    else days.push(day)
    if (isYear || isMonth) units = { from: units === emptyRange ? day : units.from, to: addDays(next, -1) }
    day = next
  }
  return { years, months, days, units }
}
