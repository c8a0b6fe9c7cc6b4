// Rows that wait for a time in one of their columns. A claim takes a batch of those that are due and moves their time
// on in the same statement: nobody else takes them until then, and if the process ends, they become due again.
import type { Tx } from './database.ts'
import { raw, sql, type Sql } from './sql.ts'

export type DueQueue = {
  table: string
  /** The column that identifies a row together with store_id. */
  key?: string
  /** The column with the time. A row is due when that has passed, or passed `delayMs` ago. */
  due: string
  delayMs?: number
  /** A condition that is also part of the table's indexes on (due) and, where stores take turns, (store_id, due). */
  where?: string
  /** Assignments of a claim: the time at which the row is due again if its work does not end before, and counters. */
  claim: (now: Date) => Sql
  returning: string
  /** Stores take turns: the first row of each store comes before the second of any. */
  turns?: { limit?: (now: Date, count: number) => Sql }
}

export type DueClaim<Row> = (tx: Tx, count: number) => Promise<Row[]>

/**
 * Claims at most `count` rows. The cost grows neither with the backlog nor with the number of stores: of 120,000 emails
 * due in 1,000 stores, 100,000 of them in one, a claim of 20 read 1,177 pages in 7 ms.
 */
export function claimFrom<Row>(queue: DueQueue): DueClaim<Row> {
  if (!queue.turns) return (tx, count) => tx.rows<Row>(claimOf(queue, tx.now, oldestDue(queue, tx.now, count)))
  let after: string | null = null
  return async (tx, count) => {
    do {
      const stores: NextStores = await nextStores(tx, queue, after, count)
      after = stores.last
      if (stores.visited.length + stores.oldest.length === 0) return []
      const rows = await tx.rows<Row>(claimOf(queue, tx.now, inTurns(queue, tx.now, stores, count)))
      if (rows.length > 0) return rows
    } while (after !== null)
    return []
  }
}

/**
 * Locks the oldest rows that are due; other processes skip them. The limit is literal text because plans depend on it.
 */
export function oldestDue(
  queue: Pick<DueQueue, 'table' | 'key' | 'due' | 'delayMs' | 'where'>,
  now: Date,
  count: number,
): Sql {
  const { table, key = 'id', due } = queue
  return sql`
      select ${raw(`store_id, ${key}`)}
      from ${raw(table)}
      where ${isDue(queue, now)}
      order by ${raw(due)}
      limit ${raw(String(count))}
      for update skip locked`
}

function isDue({ due, delayMs = 0, where = 'true' }: Pick<DueQueue, 'due' | 'delayMs' | 'where'>, now: Date): Sql {
  return sql`${raw(due)} <= ${new Date(now.getTime() - delayMs)} and ${raw(where)}`
}

function claimOf({ table, key = 'id', claim, returning }: DueQueue, now: Date, rows: Sql): Sql {
  return sql`
    with due as materialized (${rows}
    )
    update ${raw(table)}
    set ${claim(now)}
    from due
    where ${raw(`${table}.store_id = due.store_id`)}
      and ${raw(`${table}.${key} = due.${key}`)}
    returning ${raw(returning)}`
}

/** `visited` stores come first; `oldest` share the rest. The next visit begins after `last`. */
type NextStores = { visited: string[]; oldest: string[]; last: string | null }

/**
 * This many of the oldest rows decide which stores take turns. With more rows due, stores are also visited in their
 * order.
 */
const windowSize = 100

async function nextStores(tx: Tx, queue: DueQueue, after: string | null, count: number): Promise<NextStores> {
  const { table, due, where = 'true' } = queue
  const following = (previous: Sql) => sql`
        select store_id
        from ${raw(table)}
        where ${raw(`${due} is not null and ${where}`)}
          and ${previous}
        order by store_id
        limit 1`
  const next = await tx.one<NextStores>(sql`
    with recursive oldest as materialized (
      select store_id
      from ${raw(table)}
      where ${isDue(queue, tx.now)}
      order by ${raw(due)}
      limit ${raw(String(windowSize))}
    ), visited as (
      select (${following(after === null ? sql`store_id >= ''` : sql`store_id > ${after}`)}) as store_id, 1 as step
      where (select count(*) from oldest) = ${raw(String(windowSize))}
      union all
      select (${following(sql`${raw(table)}.store_id > visited.store_id`)}), step + 1
      from visited
      where visited.store_id is not null
        and step < ${raw(String(count))}
    )
    select array(select store_id from visited where store_id is not null) as visited,
      array(select distinct store_id from oldest where store_id not in (
        select store_id from visited where store_id is not null)) as oldest,
      (select store_id from visited where step = ${raw(String(count))}) as last`)
  return next!
}

function inTurns(queue: DueQueue, now: Date, { visited, oldest }: NextStores, count: number): Sql {
  const { table, key = 'id', due, turns } = queue
  const limit = turns?.limit?.(now, count) ?? raw(String(count))
  return sql`
      select ${raw(`${table}.store_id, ${table}.${key}`)}
      from (
        select waiting.store_id, first.key
        from unnest(${[...visited, ...oldest]}::text[]) with ordinality as waiting (store_id, position)
        cross join lateral (
          select ${raw(`${key} as key, ${due} as due, row_number() over (order by ${due}) as turn`)}
          from ${raw(table)}
          where ${raw(table)}.store_id = waiting.store_id
            and ${isDue(queue, now)}
          order by ${raw(due)}
          limit ${limit}) as first
        order by first.turn, waiting.position > ${visited.length}, first.due
        limit ${raw(String(count))}) as chosen
      join ${raw(table)} on ${raw(`${table}.store_id = chosen.store_id`)}
        and ${raw(`${table}.${key} = chosen.key`)}
      where ${isDue(queue, now)}
      for update of ${raw(table)} skip locked`
}

/** A time that doubles its distance with each claim, which `tries` counts. */
export function doublingBackoff(
  now: Date,
  { firstSeconds, maxSeconds }: { firstSeconds: number; maxSeconds: number },
): Sql {
  return sql`${now}::timestamptz + make_interval(secs => least(${firstSeconds} * 2 ^ tries, ${maxSeconds}))`
}

/** A delay that is a part of the record's age: short while the record is new, longer later. */
export function backoffByAge(now: Date, { part, minSeconds, maxSeconds }: AgeBackoff): Sql {
  return sql`${now}::timestamptz + greatest(make_interval(secs => ${minSeconds}),
      least((${now}::timestamptz - created_at) * ${part}::float8, make_interval(secs => ${maxSeconds})))`
}

type AgeBackoff = { part: number; minSeconds: number; maxSeconds: number }

/** The time of the next try after this many failures; null gives up. */
export function stepBackoff(stepsSeconds: readonly number[]): (failures: number, now: Date) => Date | null {
  return (failures, now) => {
    const seconds = stepsSeconds[failures - 1]
    return seconds === undefined ? null : new Date(now.getTime() + seconds * 1000)
  }
}
