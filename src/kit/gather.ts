// Point reads that arrive together are answered by one statement. Alone, a read waits for nothing; under load, up to 64
// share a round trip, which is most of what reading one record costs (bench/RESULTS.md, "get product").
import type { Db, Texts } from './database.ts'
import type { Resource } from './resource.ts'
import { raw, sql } from './sql.ts'

/** The row of one record of one store, or undefined. */
export type Gather = (resource: Resource<any, any>, storeId: string, id: string) => Promise<Texts | undefined>

type Waiting = { storeId: string; id: string; resolve: (row: Texts | undefined) => void; reject: (error: unknown) => void }
type Queue = { waiting: Waiting[]; underWay: number; scheduled: boolean }

const maximumTogether = 64
const maximumUnderWay = 2

export function gatherer(db: Pick<Db, 'texts'>): Gather {
  const queues = new Map<Resource<any, any>, Queue>()

  const schedule = (resource: Resource<any, any>, queue: Queue) => {
    if (queue.scheduled || queue.waiting.length === 0 || queue.underWay >= maximumUnderWay) return
    queue.scheduled = true
    // After this turn's sockets were read: all their requests go along.
    setImmediate(async () => {
      queue.scheduled = false
      queue.underWay++
      await answer(db, resource, queue.waiting.splice(0, maximumTogether))
      queue.underWay--
      schedule(resource, queue)
    })
  }
  return (resource, storeId, id) => new Promise((resolve, reject) => {
    let queue = queues.get(resource)
    if (!queue) queues.set(resource, queue = { waiting: [], underWay: 0, scheduled: false })
    queue.waiting.push({ storeId, id, resolve, reject })
    schedule(resource, queue)
  })
}

async function answer(db: Pick<Db, 'texts'>, resource: Resource<any, any>, readers: Waiting[]): Promise<void> {
  const table = raw(resource.table)
  try {
    const rows = await db.texts(sql`
      select ${resource.columns}, wanted.position
      from unnest(${readers.map(({ storeId }) => storeId)}::text[], ${readers.map(({ id }) => id)}::uuid[])
        with ordinality as wanted (store_id, id, position)
      join ${table} on ${table}.store_id = wanted.store_id and ${table}.id = wanted.id`)
    const found = new Map(rows.map((row) => [Number(row.at(-1)), row]))
    readers.forEach(({ resolve }, index) => resolve(found.get(index + 1)))
  } catch (error) {
    readers.forEach(({ reject }) => reject(error))
  }
}
