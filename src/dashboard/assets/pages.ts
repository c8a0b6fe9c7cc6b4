// Fetches pages of this site, and prefetches the link under the pointer. After a lost connection or an ended session
// nothing is exchanged, so the input stays.
import { note } from './swap.ts'

export type Fetched = { url: URL; status: number; text: string }

const freshMs = 5000
const ahead = new Map<string, { at: number; page: Promise<Fetched> }>()

export function prefetch(url: URL): void {
  const known = ahead.get(url.href)
  if (url.href === location.href || (known && performance.now() - known.at < freshMs)) return
  const page = load(url)
  ahead.set(url.href, { at: performance.now(), page })
  page.catch(() => ahead.delete(url.href))
}

/** Drops prefetched pages, because a change has made them stale. */
export function forget(): void {
  ahead.clear()
}

let latest = 0

/** Null if a newer request has overtaken it, or if an error was shown. */
export async function fetchPage(url: URL, body?: URLSearchParams | FormData): Promise<Fetched | null> {
  const turn = ++latest
  document.documentElement.toggleAttribute('data-loading', true)
  try {
    const known = body ? undefined : ahead.get(url.href)
    ahead.delete(url.href)
    const isFresh = known && performance.now() - known.at < freshMs
    const page = await (isFresh ? known.page : load(url, body))
    note('offline', false)
    if (turn !== latest && !body) return null
    if (hasEnded(page)) {
      // A reload would lead to the sign-in page, so the input stays here.
      if (body) note('ended', true)
      else location.assign(url)
      return null
    }
    note('ended', false)
    return page
  } catch {
    note('offline', true)
    return null
  } finally {
    if (turn === latest) document.documentElement.removeAttribute('data-loading')
  }
}

async function load(url: URL, body?: URLSearchParams | FormData): Promise<Fetched> {
  const answer = await fetch(url, { headers: { accept: 'text/html' }, ...(body ? { method: 'POST', body } : {}) })
  if (answer.status >= 500) throw new Error(String(answer.status))
  return { url: new URL(answer.url), status: answer.status, text: await answer.text() }
}

function hasEnded({ status, url }: Fetched): boolean {
  return status === 401 || url.pathname.endsWith('/oauth/login')
}
