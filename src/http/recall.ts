// Answers reads from memory while their sources are unchanged.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReadWitness } from '../kit/database/database.ts'
import type { WriteAnswer } from '../kit/declare/idempotency.ts'
import { buildEtag } from '../kit/declare/conditions.ts'
import type { Route } from '../kit/declare/route.ts'
import type { ResponseCache } from '../tenancy/answers/answers.ts'
import type { Endpoint } from '../tenancy/dispatch/perform.ts'
import { wrapInEnvelope, sendJson } from './reply.ts'

type Reading = {
  endpoint: Endpoint
  answers: ResponseCache
  /** Makes the answer, and observes its reads. */
  run: (witness: ReadWitness) => Promise<WriteAnswer>
  /** Called with the length of a cached answer before it is sent. */
  weigh: (length: number) => Promise<void>
}

/** The cached answer, or a new one that is cached if possible. */
export async function serveCached(
  request: FastifyRequest,
  reply: FastifyReply,
  { endpoint: { route, record }, answers, run, weigh }: Reading,
): Promise<FastifyReply> {
  const { store } = request.caller!
  const key = `${store.id} ${request.url}`
  const ifNoneMatch = request.headers['if-none-match']
  const answer = answers.find(key, request.versions)
  if (answer) {
    await weigh(answer.length)
    return sendJson(reply, answer.body, { etag: answer.etag, ifNoneMatch })
  }
  const entry = answers.begin(key, store.id, request.versions)
  const { body: data } = await run(entry.witness)
  const body = wrapInEnvelope(route, data)
  const proven = await entry.prove()
  const etag = record.isAnswered ? buildEtag(data) : route.list && proven ? proven.tag : null
  proven?.keep(body, { etag })
  return sendJson(reply, body, { etag, ifNoneMatch })
}

/** Answers that depend on more than the store's data and the address are not cached. */
export function isCacheable({
  method,
  waitSeconds,
  guard,
  isConfidential,
}: Pick<Route, 'method' | 'waitSeconds' | 'guard' | 'isConfidential'>): boolean {
  return method === 'GET' && !waitSeconds && !guard && !isConfidential
}
