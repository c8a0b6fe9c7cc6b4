// The sizes of pictures are made behind the upload that wanted them. What a process leaves undone, a job takes up.
import type { Database } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { causeOfJob } from '../kit/values/cause.ts'
import type { Job } from '../platform/process/jobs.ts'
import type { Log } from '../platform/process/log.ts'
import type { Darkroom } from './darkroom.ts'
import { filesOf, folderOf, originalOf, type Picture } from './picture.ts'
import type { Storage } from './storage.ts'

export type Sizing = {
  begin(storeId: string, picture: Picture): void
  /** Resolves when what this process has begun of a picture is done. */
  finished(storeId: string, picture: Picture): Promise<void>
  job: Job
  close(): Promise<void>
}

const name = 'make sizes of pictures'
const batchSize = 20
const abandonedMs = 2 * 60 * 1000

export function openSizing(db: Database, storage: Storage, darkroom: Darkroom, log: Log): Sizing {
  const underWay = new Map<string, Promise<void>>()

  const begin = (storeId: string, picture: Picture): Promise<void> => {
    const folder = folderOf(storeId, picture)
    const running = (underWay.get(folder) ?? Promise.resolve())
      .then(() => makeSizes(db, storeId, picture, { storage, darkroom }))
      .catch((error: unknown) => log.error({ err: error, picture: folder }, 'the sizes of a picture were not made'))
      .finally(() => {
        if (underWay.get(folder) === running) underWay.delete(folder)
      })
    underWay.set(folder, running)
    return running
  }
  return {
    begin: (storeId, picture) => void begin(storeId, picture),
    finished: async (storeId, picture) => underWay.get(folderOf(storeId, picture)),
    job: {
      name,
      everySeconds: 60,
      async run(tx) {
        const left = await tx.rows<Picture & { store_id: string }>(sql`
          update media
          set updated_at = ${tx.now}
          where (store_id, id) in (
            select store_id, id
            from media
            where status = 'processing'
              and updated_at <= ${new Date(tx.now.getTime() - abandonedMs)}
            order by updated_at
            limit ${batchSize})
          returning store_id, hash, width, height, colour`)
        const all = async () => {
          for (const { store_id, ...picture } of left) await begin(store_id, picture)
        }
        return { more: left.length === batchSize, afterwards: all }
      },
    },
    close: async () => void (await Promise.all(underWay.values())),
  }
}

/** What was uploaded goes when all is made of it: where a photograph was taken stays with whoever took it. */
async function makeSizes(
  db: Database,
  storeId: string,
  picture: Picture,
  { storage, darkroom }: { storage: Storage; darkroom: Darkroom },
): Promise<void> {
  const original = originalOf(storeId, picture)
  const [row] = await db.rows<{ status: string }>(sql`
    select status from media where store_id = ${storeId} and hash = ${picture.hash}`)
  if (row?.status === 'processing') {
    const bytes = await storage.get(original)
    const sizes = bytes ? await darkroom.make(bytes, picture) : null
    if (Array.isArray(sizes)) {
      const types = new Map(filesOf(picture).map(({ file, type }) => [file, `image/${type}`]))
      for (const { file, bytes } of sizes) {
        await storage.put(`${folderOf(storeId, picture)}/${file}`, bytes, types.get(file)!)
      }
    }
    // A backup may have been taken in the moment in which its sizes were ready and its row did not say so.
    const isMade = Array.isArray(sizes) || (!bytes && (await areThere(storage, storeId, picture)))
    await db
      .because(causeOfJob(name))
      .ofStore(storeId)
      .transaction(async (tx) =>
        tx.later(sql`
      update media
      set status = ${isMade ? 'ready' : 'failed'}
      where store_id = ${storeId}
        and hash = ${picture.hash}`),
      )
  }
  await storage.remove([original])
}

async function areThere(storage: Storage, storeId: string, picture: Picture): Promise<boolean> {
  for (const { file } of filesOf(picture)) {
    if (!(await storage.get(`${folderOf(storeId, picture)}/${file}`))) return false
  }
  return true
}
