// Sends responses: JSON in its envelope, with an entity tag if it has one.
import type { FastifyReply } from 'fastify'
import { isNotModified } from '../kit/declare/conditions.ts'
import type { Route } from '../kit/declare/route.ts'

/** A list already has its envelope. */
export function wrapInEnvelope({ list }: Pick<Route, 'list'>, data: string): string {
  return list ? data : `{"data":${data}}`
}

export function sendJson(
  reply: FastifyReply,
  json: string | Buffer,
  { etag, ifNoneMatch }: { etag: string | null; ifNoneMatch?: string | undefined } = { etag: null },
): FastifyReply {
  if (etag !== null) {
    reply.header('etag', etag)
    if (isNotModified(ifNoneMatch, etag)) return reply.code(304).send()
  }
  return reply.header('content-type', 'application/json; charset=utf-8').send(json)
}
