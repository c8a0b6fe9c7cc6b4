// Client ID Metadata Documents: a client whose id is the URL of its metadata. The library asks through fetch(); here
// that is the guarded fetch, which reaches public addresses only and follows no redirect.
import type { GuardedFetch } from '../../platform/outbound/fetch.ts'
import { unknownScopes } from '../apikeys/scopes.ts'
import { isRedirectAddress } from './registration.ts'

const timeoutMs = 2500
const maxBytes = 5 * 1024

export function documentFetch(fetchGuarded: GuardedFetch): typeof fetch {
  return async (url) => {
    const outcome = await fetchGuarded.get(String(url), {
      headers: { accept: 'application/json' },
      lane: 'oauth documents',
      timeoutMs,
      maxResponseBytes: maxBytes,
    })
    if (!outcome.ok) throw new Error(outcome.message)
    if (outcome.truncated) throw new Error(`the document is larger than ${maxBytes} bytes`)
    return new Response(readDocument(outcome.body), { status: outcome.status, headers: outcome.headers })
  }
}

/**
 * A document is written for many servers: redirect URIs that this one refuses, such as those of private-use schemes,
 * and scopes that it does not know are left out of it.
 */
function readDocument(text: string): string {
  const document = parseObject(text)
  if (!document) return text
  const { redirect_uris, scope } = document
  const usable = Array.isArray(redirect_uris) ? redirect_uris.filter(isRedirectAddress) : []
  const names = typeof scope === 'string' ? scope.split(' ').filter((name) => unknownScopes([name]).length === 0) : []
  return JSON.stringify({
    ...document,
    ...(usable.length > 0 ? { redirect_uris: usable } : {}),
    ...(typeof scope === 'string' ? { scope: names.join(' ') || undefined } : {}),
  })
}

/** Undefined if it is not a JSON object; the library reports that. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
