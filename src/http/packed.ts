// A document that is the same for everybody, packed once: browsers ask again and get 304 while it is as it was.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type Packed = { bytes: Buffer; gzipped: Buffer; etag: string; type: string }

export async function pack(bytes: Buffer, type: string): Promise<Packed> {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
  return { bytes, gzipped: await promisify(gzip)(bytes), etag, type }
}

export function sendPacked(request: FastifyRequest, reply: FastifyReply, packed: Packed): FastifyReply {
  const { bytes, gzipped, etag, type } = packed
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' })
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  reply.header('content-type', type)
  const zips = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  return zips ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(bytes)
}
