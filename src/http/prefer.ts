// Reads the Prefer header (RFC 7240). Unknown preferences are ignored.
import type { IncomingHttpHeaders } from 'node:http'

type Preference = 'dry-run' | 'handling'

/** The value of a preference, '' if it has no value, undefined if it is absent. The first one counts (§2). */
export function readPreference({ prefer = '' }: IncomingHttpHeaders, name: Preference): string | undefined {
  for (const one of preferencesIn(String(prefer))) {
    // Parameters follow a semicolon; our preferences have no parameters.
    const [token = '', value = ''] = one.split(';', 1)[0]!.split('=', 2)
    if (token.trim().toLowerCase() === name) return unquote(value.trim())
  }
  return undefined
}

/** Splits the list; a comma in a quoted text separates nothing. None of our preferences is longer than the maximum. */
function preferencesIn(header: string): string[] {
  const plain = header.includes('"') ? header.split('"').map(withoutCommas).join('"') : header
  return plain.split(',').filter(({ length }) => length <= maxLength)
}

const maxLength = 256

function withoutCommas(text: string, index: number): string {
  return index % 2 === 1 ? text.replaceAll(',', ' ') : text
}

function unquote(value: string): string {
  return value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
}
