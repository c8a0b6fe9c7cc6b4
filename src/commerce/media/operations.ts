// Operations on images.
import { hash } from 'node:crypto'
import type { Db, StoreDatabase, Tx } from '../../kit/database/database.ts'
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Entity, Patch } from '../../kit/declare/field.ts'
import { updateRecord } from '../../kit/declare/update.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import type { FileSent } from '../../kit/declare/route.ts'
import type { Clock } from '../../kit/values/clock.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { newUuid } from '../../kit/values/ids.ts'
import type { GuardedFetch } from '../../platform/outbound/fetch.ts'
import { requireQuota, type RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { minSide, maxFileBytes, maxPixels, maxSide } from './limits.ts'
import type { ImageWorker } from './imageworker.ts'
import type { ImageFacts, ImageMeasure, UnfitImage } from './imaging.ts'
import { removeLeftover, addLeftover } from './leftovers.ts'
import { noteUpload } from './retention.ts'
import { media, type upload } from './media.ts'
import { buildOriginalKey, type Picture } from './picture.ts'
import type { Sizing } from './sizing.ts'
import type { Storage } from './storage.ts'
import { mediaFaults } from './errors.ts'

export type MediaDeps = {
  guardedFetch: GuardedFetch
  limiter: RateLimiter
  media: { storage: Storage; imageWorker: ImageWorker; sizing: Sizing; maxStoredBytes: number }
}

type Media = Entity<typeof media.fields>
type Upload = { picture: Picture; format: ImageFacts['format']; bytes: number }

const maxPictures = 20_000
/** About fifty phone photos. */
const maxPixelsPerMinute = 600e6
/** The relative cost of decoding a pixel, for this quota. */
const pixelWeight = { jpeg: 1, png: 1, webp: 1, gif: 1, avif: 4 } satisfies Record<ImageFacts['format'], number>
const anHourMs = 60 * 60 * 1000

/** Inspects and stores an upload, except in a dry run. Until its row exists, it is a leftover. */
export async function storeUpload({
  store,
  body,
  file,
  db,
  isDryRun,
  guardedFetch,
  limiter,
  media: { storage, imageWorker, maxStoredBytes },
}: MediaDeps & {
  store: Store
  body: NonNullable<typeof upload.type>
  file: FileSent | null
  db: StoreDatabase
  isDryRun: boolean
}): Promise<Upload> {
  if (isDryRun && !file && body.url !== undefined) throw invalid(fault('url', mediaFaults.not_rehearsed))
  const field = file ? 'file' : 'url'
  await requireRoom(db, store, { maxStoredBytes, field })
  const bytes = file ? file.bytes : await fetchFile(guardedFetch, body.url)
  if (bytes.length > maxFileBytes) throw invalid(fault(field, mediaFaults.file_too_large, { limit: maxFileBytes }))
  const facts = await imageWorker.inspect(store.id, bytes, (measure) =>
    countPixels(limiter, db.clock, store.id, measure),
  )
  if ('unfit' in facts) throw invalid(toImageFault(field, facts))
  const { format, ...dimensions } = facts
  const picture = { ...dimensions, hash: hash('sha256', bytes).slice(0, 32) }
  if (isDryRun) return { picture, format, bytes: bytes.length }
  await db.transaction(async (tx) => addLeftover(tx, store.id, picture, new Date(tx.now.getTime() + anHourMs)))
  await storage.put(buildOriginalKey(store.id, picture), bytes, `image/${format}`)
  return { picture, format, bytes: bytes.length }
}

/** Counts pixels before they are decoded, for the whole store, which can have many keys and users. */
async function countPixels(
  limiter: RateLimiter,
  clock: Clock,
  storeId: string,
  { width, height, format }: ImageMeasure,
): Promise<void> {
  const cost = width * height * pixelWeight[format]
  requireQuota(await limiter.hit(`pixels:${storeId}`, maxPixelsPerMinute, { cost }), clock.now())
}

/** Refuses the image if the store has too many, or if its files take up too much space. */
async function requireRoom(
  db: Db,
  store: Store,
  { maxStoredBytes, field }: { maxStoredBytes: number; field: string },
): Promise<void> {
  const usage = await db.one<{ count: number; bytes: number }>(sql`
    select count(*) as count, coalesce(sum(stored_bytes), 0)::float8 as bytes
    from media
    where store_id = ${store.id}`)
  if (usage!.count >= maxPictures) {
    throw invalid(fault('body', generalFaults.one_too_many, { owner: 'a store', limit: maxPictures, things: 'images' }))
  }
  if (usage!.bytes >= maxStoredBytes) throw invalid(fault(field, mediaFaults.no_room, { limit: maxStoredBytes / 1e6 }))
}

async function fetchFile(guardedFetch: GuardedFetch, url: string | undefined): Promise<Buffer> {
  if (url === undefined) throw invalid(fault('url', mediaFaults.file_required))
  const outcome = await guardedFetch.get(url, { maxResponseBytes: maxFileBytes, lane: 'media' })
  if (!outcome.ok) throw invalid(fault('url', mediaFaults.cannot_be_fetched, { failure: outcome.error }))
  if (outcome.status !== 200) throw invalid(fault('url', mediaFaults.cannot_be_fetched, { failure: outcome.status }))
  if (outcome.truncated) throw invalid(fault('url', mediaFaults.file_too_large, { limit: maxFileBytes }))
  return outcome.bytes
}

function toImageFault(field: string, { unfit }: UnfitImage) {
  switch (unfit) {
    case 'too_many_pixels':
      return fault(field, mediaFaults.too_many_pixels, { limit: maxPixels })
    case 'wrong_sides':
      return fault(field, mediaFaults.wrong_sides, { least: minSide, most: maxSide })
    case 'unreadable':
      return fault(field, mediaFaults.no_picture)
  }
}

/** Uploading the same file again returns the existing image. */
export async function createMedia(
  tx: Tx,
  store: Store,
  { picture, format, bytes }: Upload,
  { alt_text }: { alt_text?: string | null | undefined },
  { sizing, maxStoredBytes }: MediaDeps['media'],
): Promise<RecordOf<Media>> {
  // Uploads of a store take turns here, so that each one sees the space taken by the one before.
  advisoryLock(tx, `pictures of ${store.id}`)
  const room = requireRoom(tx, store, { maxStoredBytes, field: 'body' })
  removeLeftover(tx, store.id, picture)
  noteUpload(tx, store.id, picture)
  const id = newUuid()
  const insertion = tx.texts(sql`
    insert into media (store_id, id, hash, width, height, colour, bytes, stored_bytes, format, alt_text, created_at,
                       updated_at)
    values (${store.id}, ${id}, ${picture.hash}, ${picture.width}, ${picture.height}, ${picture.colour}, ${bytes},
            ${bytes}, ${format}, ${alt_text ?? null}, ${tx.now}, ${tx.now})
    on conflict (store_id, hash) do update
    set updated_at = excluded.updated_at, unused_since = null,
        alt_text = coalesce(excluded.alt_text, media.alt_text),
        status = case when media.status = 'failed' then 'processing' else media.status end,
        stored_bytes = case when media.status = 'failed' then excluded.stored_bytes else media.stored_bytes end
    returning ${media.columns}`)
  const [, [row]] = await Promise.all([room, insertion])
  tx.afterCommit(() => sizing.start(store.id, picture))
  return media.record(row!)
}

export function updateMedia(
  tx: Tx,
  store: Store,
  id: string,
  patch: Patch<typeof media.fields>,
): Promise<RecordOf<Media>> {
  return updateRecord(tx, media, store.id, id, patch)
}

/** Pages that refer to the image show its placeholder instead. */
export async function deleteMedia(tx: Tx, store: Store, id: string): Promise<void> {
  const picture = await tx.one<Picture>(sql`
    delete from media
    where store_id = ${store.id}
      and id = ${id}
    returning hash, width, height, colour`)
  if (!picture) throw notFound(media.noun)
  addLeftover(tx, store.id, picture, tx.now)
}
