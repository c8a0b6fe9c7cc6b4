// Rows that wait for a time in one of their columns. A claim takes a batch of those that are due and moves their time
// on in the same statement: nobody else takes them until then, and if the process ends, they become due again. It first
// finds out which stores have due rows, and then claims those of each store by a statement of its own.
import { byStore } from './bystore.ts'
import type { Tx } from './database.ts'
import { inReach, inStore, raw, sql, type Sql } from './sql.ts'
import { walk } from './walk.ts'

export type DueQueue = {
  table: string
  /** Identifies a row together with store_id. */
  key?: string
  /** The column with the time. A row is due when that has passed, or passed `delayMs` ago. */
  due: string
  delayMs?: number
  /** A condition that is also part of the table's indexes on (due) and, where stores take turns, (store_id, due). */
  where?: string
  /** Assignments of a claim: the time at which the row is due again if its work does not end before, and counters. */
  claim: (now: Date) => Sql
  returning: string
  /** Stores take turns: the first row of each store comes before the second of any. `room`: what a store can claim. */
  turns?: { room?: (storeId: string, now: Date) => Sql | undefined }
}

/** A time column that rows wait for. */
export type DueTime = Pick<DueQueue, 'table' | 'due' | 'delayMs' | 'where'>

export type DueClaim<Row> = (tx: Tx, count: number) => Promise<Row[]>

/** Claims at most `count` rows. The cost grows neither with the backlog nor with the number of stores. */
export function claimFrom<Row>(queue: DueQueue): DueClaim<Row> {
  let after: string | null = null
  return async (tx, count) => {
    const claimedRows: Row[] = []
    do {
      const { waiting, last }: WaitingStores = await findWaiting(tx, queue, after, count)
      after = last
      while (claimedRows.length < count && waiting.size > 0) {
        const shares = [...inTurns(waiting, count - claimedRows.length)]
        const claims = shares.map(([storeId, share]) => tx.rows<Row>(buildDueClaim(queue, tx.now, storeId, share)))
        const rows = await Promise.all(claims)
        // A store with fewer rows is at its limit, or another process claims its rows.
        shares.forEach(([storeId, share], index) => {
          const remaining = rows[index]!.length < share ? 0 : waiting.get(storeId)! - share
          if (remaining > 0) waiting.set(storeId, remaining)
          else waiting.delete(storeId)
        })
        claimedRows.push(...rows.flat())
      }
    } while (claimedRows.length === 0 && after !== null)
    return claimedRows
  }
}

/** `isFull` if more may be due. */
type DueKeys = { stores: [storeId: string, keys: string[]][]; isFull: boolean }

/** The keys of rows that are due, the oldest first, for work in the same transaction: nothing is claimed. */
export async function findDue(
  tx: Tx,
  { table, key = 'id' }: { table: string; key?: string },
  limit: number,
): Promise<DueKeys> {
  const due = await tx.rows<{ store_id: string; [key: string]: string }>(sql`
    select store_id, ${raw(key)}
    from ${raw(table)}
    where due_at <= ${tx.now}
      and ${inReach('store_id')}
    order by due_at
    limit ${raw(String(limit))}`)
  const stores = byStore(due).map(([storeId, own]): [string, string[]] => [storeId, own.map((one) => one[key]!)])
  return { stores, isFull: due.length === limit }
}

/** The number of rows that were seen due in each store. The next visit begins after `last`. */
type WaitingStores = { waiting: Map<string, number>; last: string | null }

/**
 * This many of the oldest rows decide which stores take turns. With more rows due, stores are also visited in their
 * order.
 */
const windowSize = 100

async function findWaiting(tx: Tx, queue: DueQueue, after: string | null, count: number): Promise<WaitingStores> {
  const { table, due, where = 'true', turns } = queue
  const oldest = await tx.rows<{ store_id: string }>(sql`
    select store_id
    from ${raw(table)}
    where ${isDue(queue, tx.now)}
      and ${inReach('store_id')}
    order by ${raw(due)}
    limit ${raw(String(turns ? windowSize : count))}`)
  if (!turns || oldest.length < windowSize) return { waiting: countByStore(oldest), last: null }
  const { rows, hasMore } = await walk<{ store_id: string; due: Date }>(tx, {
    columns: `store_id, ${due} as due`,
    table,
    where: `${due} is not null and ${where}`,
    by: 'store_id',
    then: 'due',
    after,
    size: 64,
  })
  const stores = new Set([...new Set(rows.map(({ store_id }) => store_id))].slice(0, count))
  const until = dueUntil(queue, tx.now)
  const waiting = countByStore(rows.filter((row) => stores.has(row.store_id) && row.due <= until))
  for (const [storeId, size] of countByStore(oldest)) waiting.set(storeId, Math.max(size, waiting.get(storeId) ?? 0))
  return { waiting, last: stores.size < count && !hasMore ? null : ([...stores].at(-1) ?? null) }
}

function countByStore(rows: readonly { store_id: string }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { store_id } of rows) counts.set(store_id, (counts.get(store_id) ?? 0) + 1)
  return counts
}

/** How many rows each store gets of `count`. */
function inTurns(waiting: ReadonlyMap<string, number>, count: number): Map<string, number> {
  const shares = new Map<string, number>()
  for (let [turn, remaining] = [1, count]; remaining > 0;) {
    const stores = [...waiting].filter(([, rows]) => rows >= turn).slice(0, remaining)
    if (stores.length === 0) break
    for (const [storeId] of stores) shares.set(storeId, turn)
    remaining -= stores.length
    turn++
  }
  return shares
}

function isDue(queue: DueQueue, now: Date): Sql {
  return sql`${raw(queue.due)} <= ${dueUntil(queue, now)} and ${raw(queue.where ?? 'true')}`
}

function dueUntil({ delayMs = 0 }: DueQueue, now: Date): Date {
  return new Date(now.getTime() - delayMs)
}

/** The oldest rows of one store. Other processes skip them. */
function buildDueClaim(queue: DueQueue, now: Date, storeId: string, share: number): Sql {
  const { table, key = 'id', due, claim, returning, turns } = queue
  const room = turns?.room?.(storeId, now)
  const statement = sql`
    update ${raw(table)}
    set ${claim(now)}
    where store_id = ${storeId}
      and ${raw(key)} = any(array(
        select ${raw(key)}
        from ${raw(table)}
        where store_id = ${storeId}
          and ${isDue(queue, now)}
        order by ${raw(due)}
        limit ${room ? sql`least(${share}, ${room})` : sql`${share}`}
        for update skip locked))
    returning ${raw(returning)}`
  return inStore(storeId, statement)
}

/** A time that doubles its distance with each claim, which `tries` counts. */
export function doublingBackoff(
  now: Date,
  { firstSeconds, maxSeconds }: { firstSeconds: number; maxSeconds: number },
): Sql {
  return later(now, sql`make_interval(secs => least(${firstSeconds} * 2 ^ tries, ${maxSeconds}))`)
}

/** A delay that is a part of the record's age: short while the record is new, longer later. */
export function backoffByAge(now: Date, { part, minSeconds, maxSeconds }: AgeBackoff): Sql {
  return later(
    now,
    sql`greatest(make_interval(secs => ${minSeconds}),
      least((${now}::timestamptz - created_at) * ${part}::float8, make_interval(secs => ${maxSeconds})))`,
  )
}

/** By UTC, so that it depends on no setting: a distributed database changes rows by immutable functions only. */
function later(now: Date, interval: Sql): Sql {
  return sql`(${now}::timestamptz at time zone 'UTC' + ${interval}) at time zone 'UTC'`
}

type AgeBackoff = { part: number; minSeconds: number; maxSeconds: number }

/** The time of the next try after this many failures; null gives up. */
export function stepBackoff(stepsSeconds: readonly number[]): (failures: number, now: Date) => Date | null {
  return (failures, now) => {
    const seconds = stepsSeconds[failures - 1]
    return seconds === undefined ? null : new Date(now.getTime() + seconds * 1000)
  }
}
