// A list as a file, however long it is, with the same admission and filters: by `Accept: text/csv`, or at its path with
// `.csv` behind it.
import { Readable } from 'node:stream'
import Negotiator from 'negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../kit/database/database.ts'
import type { Route } from '../kit/declare/route.ts'
import type { Tenant } from '../tenancy/dispatch/perform.ts'

/** A client that accepts anything gets JSON. */
export function wantsCsv({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return new Negotiator({ headers }).mediaType(['application/json', 'text/csv']) === 'text/csv'
}

export function sendCsv(
  reply: FastifyReply,
  { path, csv }: Route,
  { db, store, query, params }: { db: Db; store: Tenant; query: any; params: any },
): FastifyReply {
  const name = path.split('/').at(-1)!
  reply.header('content-disposition', `attachment; filename="${name}.csv"`).type('text/csv; charset=utf-8')
  return reply.send(Readable.from(csv!({ db, store, query, params })))
}
