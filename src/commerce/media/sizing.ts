// Creates renditions in the background after an upload. A job completes what an ended process left unfinished.
import type { Database } from '../../kit/database/database.ts'
import { claimFrom } from '../../kit/database/due.ts'
import { sql } from '../../kit/database/sql.ts'
import { causeOfJob } from '../../kit/values/cause.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import type { Log } from '../../platform/process/log.ts'
import type { ImageWorker } from './imageworker.ts'
import { addLeftover } from './leftovers.ts'
import { listPictureFiles, buildPictureFolder, buildOriginalKey, type Picture } from './picture.ts'
import type { Storage } from './storage.ts'

export type Sizing = {
  start(storeId: string, picture: Picture): void
  /** Resolves when this process has finished its work on the image. */
  whenDone(storeId: string, picture: Picture): Promise<void>
  job: JobWork
  /** Also closes the image worker. Waiting renditions are created by another process or after the next start. */
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
    const folder = buildPictureFolder(storeId, picture)
    const running = (inProgress.get(folder) ?? Promise.resolve())
      .then(() => makeSizes(db, storeId, picture, { storage, imageWorker }))
      .catch((error: unknown) => {
        // The row still says processing, so the job retries it.
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
    whenDone: async (storeId, picture) => inProgress.get(buildPictureFolder(storeId, picture)),
    job: {
      name,
      async run(tx) {
        const pictures = await claimAbandoned(tx, batchSize)
        const all = async () => {
          for (const { store_id, ...picture } of pictures) await start(store_id, picture)
        }
        return { more: pictures.length === batchSize, afterwards: all }
      },
    },
    async close() {
      isClosing = true
      await imageWorker.close()
      await Promise.all(inProgress.values())
    },
  }
}

/** Deletes the original once all renditions exist, so that metadata such as the location of a photo is not kept. */
async function makeSizes(
  db: Database,
  storeId: string,
  picture: Picture,
  { storage, imageWorker }: { storage: Storage; imageWorker: ImageWorker },
): Promise<void> {
  const original = buildOriginalKey(storeId, picture)
  if (await isProcessing(db, storeId, picture)) {
    // While it waited, the image may have been deleted, or processed by another process.
    const sizes = await imageWorker.makeSizes(storeId, picture, async () =>
      (await isProcessing(db, storeId, picture)) ? storage.get(original) : null,
    )
    if (Array.isArray(sizes)) {
      const types = new Map(listPictureFiles(picture).map(({ file, type }) => [file, `image/${type}`]))
      for (const { file, bytes } of sizes) {
        await storage.put(`${buildPictureFolder(storeId, picture)}/${file}`, bytes, types.get(file)!)
      }
    }
    // A backup may contain the finished renditions together with a row that is still processing.
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

/** Null `bytes` mean that the stored size is unchanged. */
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
      // The image was deleted meanwhile, so its files no longer have a row.
      if (!row) addLeftover(tx, storeId, picture, tx.now)
    })
}

async function hasAllSizes(storage: Storage, storeId: string, picture: Picture): Promise<boolean> {
  for (const { file } of listPictureFiles(picture)) {
    if (!(await storage.get(`${buildPictureFolder(storeId, picture)}/${file}`))) return false
  }
  return true
}
