// Point reads that arrive together are answered by one statement. Alone, a read waits for nothing; under load, up to 64
// share a round trip, which is most of what reading one record costs (bench/RESULTS.md, "get product").
import { unavailable } from '../values/errors.ts'
import { isDatabaseAway } from './errors.ts'
import type { Texts } from './exchange.ts'
import { raw, sql, type Sql } from './sql.ts'

/** A table of stores' records, and what is read of each. */
type Source = { table: string; columns: Sql }

/** The row of one record of one store, or undefined. */
export type Gather = (source: Source, storeId: string, id: string) => Promise<Texts | undefined>

type Reads = { texts(query: Sql): Promise<Texts[]> }

type Waiting = {
  storeId: string
  id: string
  resolve: (row: Texts | undefined) => void
  reject: (error: unknown) => void
}
type Queue = { waiting: Waiting[]; underWay: number; scheduled: boolean }

const maximumTogether = 64
const maximumUnderWay = 2
const maximumWaiting = 1000

export function gatherer(db: Reads): Gather {
  const queues = new Map<Source, Queue>()

  const schedule = (source: Source, queue: Queue) => {
    if (queue.scheduled || queue.waiting.length === 0 || queue.underWay >= maximumUnderWay) return
    queue.scheduled = true
    // After this turn's sockets were read: all their requests go along.
    setImmediate(async () => {
      queue.scheduled = false
      queue.underWay++
      const readers = queue.waiting.splice(0, maximumTogether)
      await answer(db, source, readers).catch((error) => {
        // Those who wait behind a failure of the database itself would not fare better.
        const failed = isDatabaseAway(error) ? [...readers, ...queue.waiting.splice(0)] : readers
        failed.forEach(({ reject }) => reject(error))
      })
      queue.underWay--
      schedule(source, queue)
    })
  }
  return (source, storeId, id) =>
    new Promise((resolve, reject) => {
      let queue = queues.get(source)
      if (!queue) queues.set(source, (queue = { waiting: [], underWay: 0, scheduled: false }))
      if (queue.waiting.length >= maximumWaiting) return reject(unavailable())
      queue.waiting.push({ storeId, id, resolve, reject })
      schedule(source, queue)
    })
}

async function answer(db: Reads, { table: name, columns }: Source, readers: Waiting[]): Promise<void> {
  const table = raw(name)
  const rows = await db.texts(sql`
    select ${columns}, wanted.position
    from unnest(${readers.map(({ storeId }) => storeId)}::text[], ${readers.map(({ id }) => id)}::uuid[])
      with ordinality as wanted (store_id, id, position)
    join ${table} on ${table}.store_id = wanted.store_id and ${table}.id = wanted.id`)
  const found = new Map(rows.map((row) => [Number(row.at(-1)), row]))
  readers.forEach(({ resolve }, index) => resolve(found.get(index + 1)))
}
