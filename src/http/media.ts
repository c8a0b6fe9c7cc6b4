// Image files, at addresses whose content never changes: browsers and caches keep them forever.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../kit/database/database.ts'
import { isNotModified } from '../kit/declare/conditions.ts'
import { sql } from '../kit/database/sql.ts'
import { ApiError, notFound, unavailable } from '../kit/values/errors.ts'
import type { MediaDeps } from '../commerce/media/operations.ts'
import type { Storage } from '../commerce/media/storage.ts'
import {
  listPictureFiles,
  buildPictureFolder,
  parsePictureName,
  root,
  type Picture,
} from '../commerce/media/picture.ts'
import type { StoreHosts } from '../tenancy/stores/hosts.ts'
import { storefrontFinder, type FindStorefront } from '../tenancy/stores/storefront.ts'
import { openToOrigins } from './cors.ts'

export type MediaOptions = { db: Database; deps: Pick<MediaDeps, 'media'>; hosts: StoreHosts }

export function serveMedia(app: FastifyInstance, options: MediaOptions): void {
  const find = storefrontFinder(options.db, options.hosts.whereIs)
  app.get(`${root}/:store/:name/:file`, async (request, reply) => {
    const { store, name, file } = request.params as Record<'store' | 'name' | 'file', string>
    const picture = parsePictureName(name)
    const image = picture && listPictureFiles(picture).find((one) => one.file === file)
    if (!image || !/^[A-Z]{2}-[0-9A-Z]{8}$/.test(store)) throw notFound('Image')
    await requireOwnStore(request, store, find, options)
    const etag = `"${picture.hash}-${file}"`
    setImmutableHeaders(reply, etag)
    if (isNotModified(request.headers['if-none-match'], etag)) return reply.code(304).send()
    const bytes = await readRendition(store, picture, file, options).catch((error: unknown) => {
      reply.removeHeader('etag').header('cache-control', 'no-store')
      throw error
    })
    return sendRange(request, reply.type(`image/${image.type}`), bytes, etag)
  })
}

function setImmutableHeaders(reply: FastifyReply, etag: string): void {
  reply
    .header('etag', etag)
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('accept-ranges', 'bytes')
    .header('content-disposition', 'inline')
    .header('content-security-policy', "default-src 'none'")
    .header('cross-origin-resource-policy', 'cross-origin')
  openToOrigins(reply)
}

/** A store's own host has the images of that store only. Other hosts may lead here as well. */
async function requireOwnStore(
  { hostname }: FastifyRequest,
  storeId: string,
  find: FindStorefront,
  { hosts }: MediaOptions,
): Promise<void> {
  const host = hostname.toLowerCase()
  if (hosts.isOwn(host)) return
  const owner = await find(host).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  })
  if (owner && owner.id !== storeId) throw notFound('Image')
}

async function readRendition(
  store: string,
  picture: Picture,
  file: string,
  { db, deps: { media } }: MediaOptions,
): Promise<Buffer> {
  const key = `${buildPictureFolder(store, picture)}/${file}`
  const bytes = await media.storage.get(key)
  if (bytes) return bytes
  await media.sizing.whenDone(store, picture)
  for (let tries = 0; ; tries++) {
    const row = await db.ofStore(store).one<{ status: string }>(sql`
      select status from media where store_id = ${store} and hash = ${picture.hash}`)
    const image = await media.storage.get(key)
    if (image) return image
    if (row?.status !== 'processing') return readLargerRendition(store, picture, file, media.storage)
    if (tries === maxTries) throw unavailable()
    await sleep(pauseMs)
  }
}

/** An image from before a rendition existed uses the next larger one. */
async function readLargerRendition(store: string, picture: Picture, file: string, storage: Storage): Promise<Buffer> {
  const files = listPictureFiles(picture).filter(({ type }) => type === 'webp')
  const larger = files.slice(files.findIndex((one) => one.file === file) + 1)
  const isWebp = files.some((one) => one.file === file)
  for (const next of isWebp ? larger : []) {
    const bytes = await storage.get(`${buildPictureFolder(store, picture)}/${next.file}`)
    if (bytes) return bytes
  }
  throw notFound('Image')
}

// Another process may be working on it: a late image is better than none.
const maxTries = 10
const pauseMs = 300

/** RFC 9110 §14: supports one range. Several, or an unreadable one, return the whole file. */
function sendRange({ headers }: FastifyRequest, reply: FastifyReply, bytes: Buffer, etag: string): FastifyReply {
  const [range, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? []
  const isStale = headers['if-range'] !== undefined && headers['if-range'] !== etag
  if (!range || isStale || first + last === '') return reply.send(bytes)
  const from = first === '' ? Math.max(0, bytes.length - Number(last)) : Number(first)
  const to = first === '' || last === '' ? bytes.length - 1 : Math.min(Number(last), bytes.length - 1)
  if (from > to) return reply.code(416).header('content-range', `bytes */${bytes.length}`).send()
  return reply
    .code(206)
    .header('content-range', `bytes ${from}-${to}/${bytes.length}`)
    .send(bytes.subarray(from, to + 1))
}
