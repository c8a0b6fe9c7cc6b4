// Client ID Metadata Documents: a client whose id is the URL of its metadata. The library asks through fetch(); here
// that is the guarded fetch, which reaches public addresses only and follows no redirect.
import type { GuardedFetch } from '../../platform/outbound/fetch.ts'

const timeoutMs = 2500
const maxBytes = 5 * 1024

export function documentFetch(guarded: GuardedFetch): typeof fetch {
  return async (url) => {
    const outcome = await guarded.get(String(url), {
      headers: { accept: 'application/json' },
      lane: 'oauth documents',
      timeoutMs,
      maxResponseBytes: maxBytes,
    })
    if (!outcome.ok) throw new Error(outcome.message)
    if (outcome.truncated) throw new Error(`the document is larger than ${maxBytes} bytes`)
    return new Response(outcome.body, { status: outcome.status, headers: outcome.headers })
  }
}
