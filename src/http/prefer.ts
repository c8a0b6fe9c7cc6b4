// What a client would like (RFC 7240). A preference that nobody knows is passed over.
import type { IncomingHttpHeaders } from 'node:http'

type Preference = 'dry-run' | 'handling'

/** The value of a preference, '' where it has none; undefined: it is not there. The first one counts (§2). */
export function preferenceOf(headers: IncomingHttpHeaders, name: Preference): string | undefined {
  const wanted = String(headers.prefer ?? '').matchAll(preference)
  for (const [, token, quoted, bare] of wanted) if (token!.toLowerCase() === name) return quoted ?? bare ?? ''
  return undefined
}

// A token, its value, and parameters that none of ours has.
const preference = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s;,]*)))?(?:\s*;[^,]*)?\s*(?:,|$)/g
