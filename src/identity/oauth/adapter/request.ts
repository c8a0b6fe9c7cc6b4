// The library's current request: its route, and the reads so far.
import type { AdapterPayload } from 'oidc-provider'
import type { Database } from '../../../kit/database/database.ts'
import { Provider } from '../library.ts'
import { findToken, type TokenRecord } from '../tokens.ts'

export function route(): string {
  return Provider.ctx?.oidc?.route ?? ''
}

type Memory = { tokens: Map<string, Promise<TokenRecord | undefined>>; grants: Map<string, AdapterPayload> }
const byRequest = new WeakMap<object, Memory>()

/** Caches the request's reads: the library looks for a token under every kind, and then for its grant. */
export function memoryOfRequest(): Memory | undefined {
  const context = Provider.ctx
  if (!context) return undefined
  let memory = byRequest.get(context)
  if (!memory) byRequest.set(context, (memory = { tokens: new Map(), grants: new Map() }))
  return memory
}

export function readOnce(db: Database, value: string): Promise<TokenRecord | undefined> {
  const memory = memoryOfRequest()
  const promise = memory?.tokens.get(value)
  if (promise) return promise
  const reading = findToken(db, value).then((token) => {
    if (token) memory?.grants.set(token.grant_id, token.grant)
    return token
  })
  memory?.tokens.set(value, reading)
  return reading
}
