// A document that is the same for everyone, compressed once: browsers revalidate it and get 304 while it is unchanged.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isNotModified, buildWeakEtag } from '../kit/declare/conditions.ts'

export type StaticDocument = { bytes: Buffer; gzipped: Buffer; etag: string; type: string }

export async function staticDocument(bytes: Buffer, type: string): Promise<StaticDocument> {
  return { bytes, gzipped: await promisify(gzip)(bytes), etag: buildWeakEtag(bytes), type }
}

export function sendDocument(request: FastifyRequest, reply: FastifyReply, document: StaticDocument): FastifyReply {
  const { bytes, gzipped, etag, type } = document
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' })
  if (isNotModified(request.headers['if-none-match'], etag)) return reply.code(304).send()
  reply.header('content-type', type)
  const acceptsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  return acceptsGzip ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(bytes)
}
