// The canonical form of an old path, both for stored redirects and for requests.

/** Characters that would change a URL's meaning once decoded: % / ? # \ and control characters. */
const reservedEscapes = /%(?=25|2f|3f|23|5c|[01][0-9a-f]|7f)/gi

/**
 * A path with its query, if it has one: percent-decoded, ASCII letters in lower case, without trailing slashes and
 * spaces. Null if the text is not a path, or is the path of the home page.
 */
export function redirectPath(text: string): string | null {
  const decodedPath = percentDecoded(text)
  if (decodedPath === null || !/^\/(?![/\\])[^#\\\p{Cc}]*$/u.test(decodedPath)) return null
  const lower = decodedPath.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const at = lower.includes('?') ? lower.indexOf('?') : lower.length
  const path = lower.slice(0, at).replace(/(?<![\s/])[\s/]+$/, '') || '/'
  const query = lower.slice(at).replace(/^\?\s*$/, '')
  const whole = (path + query).trimEnd()
  return whole === '/' ? null : whole
}

function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replace(reservedEscapes, '%25'))
  } catch {
    return null
  }
}

/** The forms under which a requested path may be stored: with its query, and without. */
export function redirectPaths(address: string): string[] {
  const paths = [address, address.split('?', 1)[0]!].map(redirectPath)
  return [...new Set(paths.filter((path) => path !== null))]
}
