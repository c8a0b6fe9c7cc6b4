// Conditional requests (RFC 9110 §13): every response with one record has an ETag, a hash of its text.
import { hash } from 'node:crypto'
import type { Tx } from '../database/database.ts'
import { raw, sql } from '../database/sql.ts'
import { getRecordSchema } from './onetime.ts'
import { countSchema, toAnswerJson, type ReadRoute, type Route, type WriteRoute } from './route.ts'
import { preconditionFailed } from '../values/errors.ts'

/** How a route concerns one record. */
export type OneRecord = {
  /** The response is the record, as it is read or as it is after the write. */
  isAnswered: boolean
  /** The GET of the record that it changes or deletes. */
  read: ReadRoute | undefined
}

/** A PATCH or DELETE changes the record that a GET of the same path reads; a POST that makes a record returns it. */
export function oneRecord(route: Route, routes: readonly Route[]): OneRecord {
  const reads = routes.filter((route) => route.method === 'GET').filter(({ list }) => !list)
  switch (route.method) {
    case 'GET':
      return { isAnswered: !route.list && route.returns !== countSchema, read: undefined }
    case 'POST': {
      const record = getRecordSchema(route.returns)
      const isRead = reads.some(({ returns }) => returns === record)
      return { isAnswered: route.makesRecord && isRead, read: undefined }
    }
    default: {
      const read = reads.find(({ path }) => path === route.path) ?? reads.find((read) => isPart(route, read))
      return { isAnswered: read?.returns === route.returns, read }
    }
  }
}

/** Changes a part of a record at a path of its own, and answers with the record: `…/{id}/settings`. */
function isPart({ method, path, returns }: Route, read: ReadRoute): boolean {
  return method === 'PATCH' && returns === read.returns && path.startsWith(`${read.path}/`)
}

/** A 128-bit hash, e.g. of a record's JSON; strong, as equal texts are the same bytes. */
export function buildEtag(text: string | Buffer): string {
  return `"${hash('sha256', text, 'base64url').slice(0, 22)}"`
}

/** For responses that are compressed on their way, where equal texts may differ in bytes. */
export function buildWeakEtag(text: string | Buffer): string {
  return `W/${buildEtag(text)}`
}

/** True if If-None-Match names the entity tag: weak comparison (§13.1.2). */
export function isNotModified(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch !== undefined && isListed(ifNoneMatch.replaceAll(weakTag, '"'), etag.replace(weakTag, '"'))
}

const weakTag = /W\/"/g

/**
 * Throws PRECONDITION_FAILED if the record is not as the client last read it (§13.1.1: strong comparison). Its row is
 * locked first, so that it stays as it is read here until the write is committed.
 */
export async function requireMatch(
  ifMatch: string,
  { read, route }: { read: ReadRoute; route: WriteRoute },
  call: Parameters<WriteRoute['run']>[0],
): Promise<void> {
  await lockRecord(route, call)
  const record = await toAnswerJson(await read.run({ ...call, db: call.tx, query: {} }))
  if (!isListed(ifMatch, buildEtag(record))) throw preconditionFailed()
}

/** Locks the record that a write changes, until the end of its transaction. */
export function lockRecord(
  route: Route,
  call: { tx: Tx; store: { id: string }; params: Record<string, string> },
): unknown {
  if (route.lock) return route.lock(call)
  const { tx, store, params } = call
  const [name, resource] = Object.entries(route.params ?? {}).at(-1) ?? []
  // The lock lets other transactions refer to the record.
  return tx.later(
    name === undefined
      ? sql`select from stores where id = ${store.id} for no key update`
      : sql`
        select from ${raw(resource!.table)}
        where store_id = ${store.id}
          and id = ${params[name]}
        for no key update`,
  )
}

/** True if a list of entity tags has this one, or is `*`. Foreign tags may contain commas (§8.8.3), ours do not. */
function isListed(list: string, etag: string): boolean {
  return list.trim() === '*' || list.split(',').some((tag) => tag.trim() === etag)
}
