// Point reads that arrive together are answered by one statement. Alone, a read waits for nothing; under load, up to 64
// share a round trip, which is most of what reading one record costs (bench/RESULTS.md, "get product").
import type { Db, Texts } from '../database/database.ts'
import { unavailable } from '../values/errors.ts'
import type { Resource } from './resource.ts'
import { raw, sql } from '../database/sql.ts'

/** The row of one record of one store, or undefined. */
export type Gather = (resource: Resource<any, any>, storeId: string, id: string) => Promise<Texts | undefined>

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

/** `isAway` tells the failures of the database itself: those who wait behind one would not fare better. */
export function gatherer(db: Pick<Db, 'texts'>, isAway: (error: unknown) => boolean): Gather {
  const queues = new Map<Resource<any, any>, Queue>()

  const schedule = (resource: Resource<any, any>, queue: Queue) => {
    if (queue.scheduled || queue.waiting.length === 0 || queue.underWay >= maximumUnderWay) return
    queue.scheduled = true
    // After this turn's sockets were read: all their requests go along.
    setImmediate(async () => {
      queue.scheduled = false
      queue.underWay++
      const readers = queue.waiting.splice(0, maximumTogether)
      await answer(db, resource, readers).catch((error) => {
        const failed = isAway(error) ? [...readers, ...queue.waiting.splice(0)] : readers
        failed.forEach(({ reject }) => reject(error))
      })
      queue.underWay--
      schedule(resource, queue)
    })
  }
  return (resource, storeId, id) =>
    new Promise((resolve, reject) => {
      let queue = queues.get(resource)
      if (!queue) queues.set(resource, (queue = { waiting: [], underWay: 0, scheduled: false }))
      if (queue.waiting.length >= maximumWaiting) return reject(unavailable())
      queue.waiting.push({ storeId, id, resolve, reject })
      schedule(resource, queue)
    })
}

async function answer(db: Pick<Db, 'texts'>, resource: Resource<any, any>, readers: Waiting[]): Promise<void> {
  const table = raw(resource.table)
  const rows = await db.texts(sql`
    select ${resource.columns}, wanted.position
    from unnest(${readers.map(({ storeId }) => storeId)}::text[], ${readers.map(({ id }) => id)}::uuid[])
      with ordinality as wanted (store_id, id, position)
    join ${table} on ${table}.store_id = wanted.store_id and ${table}.id = wanted.id`)
  const found = new Map(rows.map((row) => [Number(row.at(-1)), row]))
  readers.forEach(({ resolve }, index) => resolve(found.get(index + 1)))
}
