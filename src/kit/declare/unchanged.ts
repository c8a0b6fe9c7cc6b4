// A PATCH that changes nothing leaves the record as it is, including updated_at, and emits no event.
import { isDeepStrictEqual } from 'node:util'
import type { OneRecord } from './conditions.ts'
import { toAnswerJson, type ReadRoute, type WriteRoute } from './route.ts'

type PatchCall = Parameters<WriteRoute['run']>[0]

/** The record that a write changes, as its route reads it in the same transaction. */
export async function readRecord(read: ReadRoute, call: PatchCall) {
  const text = await toAnswerJson(await read.run({ ...call, db: call.tx, query: {} }))
  return { text, record: JSON.parse(text) as Record<string, unknown> }
}

/** Returns the record as it is read if each field of the body already has its value there. Otherwise returns null. */
export async function unchangedBy(
  body: unknown,
  { route, record: { isAnswered, read } }: { route: WriteRoute; record: OneRecord },
  call: PatchCall,
): Promise<string | null> {
  if (route.method !== 'PATCH' || !isAnswered || !read || !route.body) return null
  if (route.runsUnchanged === true) return null
  const names = Object.keys(route.body.schema.properties as object)
  const fields = Object.entries(body as object).filter(([name]) => names.includes(name))
  const properties = read.returns.properties as object | undefined
  // Such a field has no value to compare with: nothing needs to be read.
  if (properties && fields.some(([name]) => !(name in properties))) return null
  const { text, record } = await readRecord(read, call)
  const isSame = fields.every(([name, value]) => name in record && isDeepStrictEqual(value, record[name]))
  return isSame && !route.runsUnchanged?.(record) ? text : null
}
