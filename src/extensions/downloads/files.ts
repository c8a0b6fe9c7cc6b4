// Files of products: stored before their row, and removed after it. Nothing serves them but a grant.
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import type { Db, StoreDatabase, Tx } from '../../kit/database/database.ts'
import { findDue } from '../../kit/database/due.ts'
import { sql } from '../../kit/database/sql.ts'
import { remove } from '../../kit/declare/remove.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import type { FileSent } from '../../kit/declare/route.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults, type Fault } from '../../kit/values/faults.ts'
import { newUuid } from '../../kit/values/ids.ts'
import type { Storage } from '../../commerce/media/storage.ts'
import type { Job } from '../../platform/process/jobs.ts'
import type { StoredFiles } from '../../tenancy/extensions/storedfiles.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { file, maxFileBytes, maxFileMegabytes, type FileUpload } from './download.ts'
import { downloadFaults } from './errors.ts'

export type FileDeps = { media: { storage: Storage } }

const maxFilesPerProduct = 100
const maxStoreMegabytes = 10_000
const maxNameLength = 200
const anHourMs = 60 * 60 * 1000

const folder = 'downloads'

export const buildFileKey = (storeId: string, id: string) => `${storeId}/${folder}/${id}`

export const storedFiles: StoredFiles = {
  folder,
  form: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  rows: 'select store_id, id::text as name from downloads_files order by store_id, id',
}

type UploadCall = FileDeps & {
  store: Store
  body: FileUpload
  file: FileSent | null
  db: StoreDatabase
  isDryRun: boolean
}

type StoredUpload = { id: string; name: string; bytes: number }

/** Stores the file, except in a dry run. Until its row exists, it is a leftover. */
export async function storeFile({ store, body, file, db, isDryRun, media }: UploadCall): Promise<StoredUpload> {
  const faults = [...listFileFaults(file), ...(await listSellableFaults(db, store.id, body))]
  if (faults.length > 0) throw invalid(...faults)
  const { length } = file!.bytes
  await requireRoom(db, store.id, body.product_id, length)
  const name = nameForBuyers(body.name?.trim() ?? '', file!.name?.trim() ?? '')
  const stored = { id: newUuid(), name, bytes: length }
  if (isDryRun) return stored
  await db.transaction(async (tx) => addLeftover(tx, store.id, stored.id, new Date(tx.now.getTime() + anHourMs)))
  await media.storage.put(buildFileKey(store.id, stored.id), file!.bytes, typeOfName(name))
  return stored
}

function listFileFaults(file: FileSent | null): Fault[] {
  if (!file) return [fault('file', downloadFaults.download_file_required)]
  const { length } = file.bytes
  if (length === 0) return [fault('file', downloadFaults.download_empty)]
  if (length <= maxFileBytes) return []
  return [fault('file', downloadFaults.download_too_large, { limit: maxFileMegabytes })]
}

/** A variant has to be one of the product. `product_id` is a uuid. */
export async function listSellableFaults(
  db: Db,
  storeId: string,
  { product_id, variant_id = null }: { product_id: string; variant_id?: string | null | undefined },
): Promise<Fault[]> {
  const row = await db.one<{ has_variant: boolean }>(sql`
    select variants.id is not null as has_variant
    from products
    left join variants on variants.store_id = ${storeId}
      and variants.product_id = ${product_id}::uuid
      and variants.id = ${variant_id}::uuid
    where products.store_id = ${storeId}
      and products.id = ${product_id}::uuid`)
  if (!row) return [fault('product_id', generalFaults.does_not_exist)]
  return variant_id === null || row.has_variant ? [] : [fault('variant_id', generalFaults.does_not_exist)]
}

async function requireRoom(db: Db, storeId: string, productId: string, bytes: number): Promise<void> {
  const usage = await db.one<{ count: number; megabytes: number }>(sql`
    select count(*) filter (where product_id = ${productId}::uuid)::int as count,
      (coalesce(sum(bytes::bigint), 0) / 1e6)::float8 as megabytes
    from downloads_files
    where store_id = ${storeId}`)
  if (usage!.count >= maxFilesPerProduct) {
    const values = { owner: 'a product', limit: maxFilesPerProduct, things: 'files' }
    throw invalid(fault('body', generalFaults.one_too_many, values))
  }
  if (usage!.megabytes + bytes / 1e6 > maxStoreMegabytes)
    throw invalid(fault('file', downloadFaults.download_no_room, { limit: maxStoreMegabytes }))
}

/** `product_id` is a uuid. */
export async function createFile(
  tx: Tx,
  store: Store,
  { id, name, bytes }: StoredUpload,
  { product_id, variant_id = null }: FileUpload,
): Promise<RecordOf<NonNullable<typeof file.type>>> {
  // Uploads of a store take turns here, so that each one sees the space taken by the one before.
  advisoryLock(tx, `downloads of ${store.id}`)
  const room = requireRoom(tx, store.id, product_id, bytes)
  removeLeftover(tx, store.id, id)
  const insertion = tx.texts(sql`
    insert into downloads_files (store_id, id, product_id, variant_id, name, content_type, bytes, created_at)
    values (${store.id}, ${id}, ${product_id}, ${variant_id}, ${name}, ${typeOfName(name)}, ${bytes}, ${tx.now})
    returning ${file.columns}`)
  const [, [row]] = await Promise.all([room, insertion])
  return file.record(row!)
}

/** Its buyers cannot download it any more. */
export async function deleteFile(tx: Tx, store: Store, id: string): Promise<void> {
  await remove(tx, file, store.id, id)
  addLeftover(tx, store.id, id, tx.now)
}

function addLeftover(tx: Tx, storeId: string, id: string, dueAt: Date): void {
  tx.later(sql`
    insert into downloads_leftovers (store_id, id, due_at)
    values (${storeId}, ${id}, ${dueAt})
    on conflict (store_id, id) do update set due_at = excluded.due_at`)
}

function removeLeftover(tx: Tx, storeId: string, id: string): void {
  tx.later(sql`
    delete from downloads_leftovers
    where store_id = ${storeId}
      and id = ${id}`)
}

const batchSize = 50

/** Rows stay locked until their files are removed. */
export function buildLeftoversJob(storage: Storage): Job {
  return {
    name: 'downloads: remove files',
    everySeconds: 60,
    async run(tx) {
      const { stores, isFull } = await findDue(tx, { table: 'downloads_leftovers' }, batchSize)
      for (const [storeId, ids] of stores) {
        const taken = await tx.rows<{ id: string }>(sql`
          delete from downloads_leftovers
          where store_id = ${storeId}
            and id = any(${ids}::uuid[])
            and due_at <= ${tx.now}
          returning id`)
        await storage.remove(taken.map(({ id }) => buildFileKey(storeId, id)))
      }
      return { more: isFull }
    },
  }
}

// prettier-ignore
const types: Readonly<Record<string, string>> = {
  pdf: 'application/pdf', epub: 'application/epub+zip', zip: 'application/zip', txt: 'text/plain', csv: 'text/csv',
  mp3: 'audio/mpeg', m4a: 'audio/mp4', flac: 'audio/flac', wav: 'audio/wav', mp4: 'video/mp4', png: 'image/png',
  jpg: 'image/jpeg', jpeg: 'image/jpeg', otf: 'font/otf', ttf: 'font/ttf',
}

/** Browsers save the file in any case. */
const typeOfName = (name: string) => types[readEnding(name)] ?? 'application/octet-stream'

/** Has a letter, unlike the end of "Pattern v1.2". */
const readEnding = (name: string) => /\.(\d*[a-z][a-z\d]{0,9})$/i.exec(name)?.[1]?.toLowerCase() ?? ''

/** Keeps the ending of the upload, without which a program does not open the file. */
function nameForBuyers(given: string, uploaded: string): string {
  const name = given || uploaded || 'download'
  const ending = readEnding(uploaded)
  if (ending === '' || hasSameType(readEnding(name), ending)) return name.slice(0, maxNameLength)
  return `${name.slice(0, maxNameLength - ending.length - 1)}.${ending}`
}

/** A known ending is kept if that of the upload says nothing, such as `.tmp`. */
function hasSameType(own: string, uploaded: string): boolean {
  const type = types[own]
  return own === uploaded || (type !== undefined && (types[uploaded] ?? type) === type)
}
