// Pages of this site, fetched: ahead when the pointer is over a link, and told apart from a lost connection and from an
// ended session, in which case nothing is exchanged and what was typed stays.
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

/** After a change nothing that was fetched before it is shown. */
export function forget(): void {
  ahead.clear()
}

let latest = 0

/** Null when there is nothing to show: it was overtaken, or what is wrong was said. */
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
      // Reading again leads to where one signs in; what was typed waits here.
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
