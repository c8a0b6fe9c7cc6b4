// The sizes of pictures are made behind the upload that wanted them. What a process leaves undone, a job takes up.
import type { Database } from '../../kit/database/database.ts'
import { claimFrom } from '../../kit/database/due.ts'
import { sql } from '../../kit/database/sql.ts'
import { causeOfJob } from '../../kit/values/cause.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import type { Log } from '../../platform/process/log.ts'
import type { ImageWorker } from './imageworker.ts'
import { addLeftover } from './leftovers.ts'
import { filesOf, folderOf, originalOf, type Picture } from './picture.ts'
import type { Storage } from './storage.ts'

export type Sizing = {
  start(storeId: string, picture: Picture): void
  /** Resolves when what this process has begun of a picture is done. */
  whenDone(storeId: string, picture: Picture): Promise<void>
  job: JobWork
  /** Closes the image worker too: what still waits there is made by another process, or after the next start. */
  close(): Promise<void>
}

const name = 'make sizes of pictures'
const batchSize = 20
const abandonedMs = 2 * 60 * 1000

const claimAbandoned = claimFrom<Picture & { store_id: string }>({
  table: 'media',
  due: 'updated_at',
  delayMs: abandonedMs,
  where: `status = 'processing'`,
  claim: (now) => sql`updated_at = ${now}`,
  returning: 'media.store_id, hash, width, height, colour',
})

export function openSizing(db: Database, storage: Storage, imageWorker: ImageWorker, log: Log): Sizing {
  const inProgress = new Map<string, Promise<void>>()
  let isClosing = false

  const start = (storeId: string, picture: Picture): Promise<void> => {
    const folder = folderOf(storeId, picture)
    const running = (inProgress.get(folder) ?? Promise.resolve())
      .then(() => makeSizes(db, storeId, picture, { storage, imageWorker }))
      .catch((error: unknown) => {
        // Its row still says that it is processing: the job takes it up.
        if (!isClosing) log.error({ err: error, picture: folder }, 'image renditions failed')
      })
      .finally(() => {
        if (inProgress.get(folder) === running) inProgress.delete(folder)
      })
    inProgress.set(folder, running)
    return running
  }
  return {
    start: (storeId, picture) => void start(storeId, picture),
    whenDone: async (storeId, picture) => inProgress.get(folderOf(storeId, picture)),
    job: {
      name,
      async run(tx) {
        const abandoned = await claimAbandoned(tx, batchSize)
        const all = async () => {
          for (const { store_id, ...picture } of abandoned) await start(store_id, picture)
        }
        return { more: abandoned.length === batchSize, afterwards: all }
      },
    },
    async close() {
      isClosing = true
      await imageWorker.close()
      await Promise.all(inProgress.values())
    },
  }
}

/** What was uploaded goes when all is made of it: where a photograph was taken stays with whoever took it. */
async function makeSizes(
  db: Database,
  storeId: string,
  picture: Picture,
  { storage, imageWorker }: { storage: Storage; imageWorker: ImageWorker },
): Promise<void> {
  const original = originalOf(storeId, picture)
  if (await isProcessing(db, storeId, picture)) {
    // It may have been deleted, or made by another process, while it waited for its turn.
    const sizes = await imageWorker.makeSizes(storeId, picture, async () =>
      (await isProcessing(db, storeId, picture)) ? storage.get(original) : null,
    )
    if (Array.isArray(sizes)) {
      const types = new Map(filesOf(picture).map(({ file, type }) => [file, `image/${type}`]))
      for (const { file, bytes } of sizes) {
        await storage.put(`${folderOf(storeId, picture)}/${file}`, bytes, types.get(file)!)
      }
    }
    // A backup may have been taken in the moment in which its sizes were ready and its row did not say so.
    const hasSizes = Array.isArray(sizes) || (!sizes && (await hasAllSizes(storage, storeId, picture)))
    const bytes = Array.isArray(sizes) ? sizes.reduce((sum, size) => sum + size.bytes.length, 0) : null
    await recordSizes(db, storeId, picture, { hasSizes, bytes })
  }
  await storage.remove([original])
}

async function isProcessing(db: Database, storeId: string, { hash }: Picture): Promise<boolean> {
  const [row] = await db.rows<{ status: string }>(sql`
    select status from media where store_id = ${storeId} and hash = ${hash}`)
  return row?.status === 'processing'
}

/** `bytes` null: what is kept of it has not changed. */
async function recordSizes(
  db: Database,
  storeId: string,
  picture: Picture,
  { hasSizes, bytes }: { hasSizes: boolean; bytes: number | null },
): Promise<void> {
  const status = hasSizes ? 'ready' : 'failed'
  await db
    .because(causeOfJob(name))
    .ofStore(storeId)
    .transaction(async (tx) => {
      const [row] = await tx.rows(sql`
        update media
        set status = ${status}, stored_bytes = coalesce(${hasSizes ? bytes : 0}::int, stored_bytes)
        where store_id = ${storeId}
          and hash = ${picture.hash}
        returning 1`)
      // Deleted meanwhile: its files have no row any more.
      if (!row) addLeftover(tx, storeId, picture, tx.now)
    })
}

async function hasAllSizes(storage: Storage, storeId: string, picture: Picture): Promise<boolean> {
  for (const { file } of filesOf(picture)) {
    if (!(await storage.get(`${folderOf(storeId, picture)}/${file}`))) return false
  }
  return true
}
