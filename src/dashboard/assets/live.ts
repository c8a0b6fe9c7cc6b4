import { applyPart } from './part.ts'

/** Shows that the page is live, and pauses it. */
abstract class Live extends HTMLElement {
  timer: number | undefined
  isPaused = false

  abstract readonly everyMs: number
  abstract isFollowing(): boolean
  abstract follow(): Promise<void>

  connectedCallback(): void {
    this.update()
    this.timer = setInterval(() => void this.look(), this.everyMs)
    addEventListener('visibilitychange', this)
  }

  disconnectedCallback(): void {
    clearInterval(this.timer)
    removeEventListener('visibilitychange', this)
  }

  handleEvent(): void {
    void this.look()
  }

  update(): void {
    if (!this.isFollowing()) return this.replaceChildren()
    if (this.querySelector('button')) return
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet'
    button.addEventListener('click', () => {
      this.isPaused = !this.isPaused
      this.show(button)
      void this.look()
    })
    const state = document.createElement('span')
    state.role = 'status'
    this.replaceChildren(state, button)
    this.show(button)
  }

  show(button: HTMLButtonElement, came = 0): void {
    button.textContent = this.getAttribute(this.isPaused ? 'resume' : 'pause')
    const state = this.getAttribute(this.isPaused ? 'paused' : 'live')!
    const news = came > 0 ? ` · ${this.getAttribute('came')!.replace('{count}', String(came))}` : ''
    this.querySelector('span')!.textContent = state + news
    this.toggleAttribute('data-live', !this.isPaused)
  }

  async look(): Promise<void> {
    if (!this.isPaused && !document.hidden && this.isFollowing()) await this.follow()
  }

  /** Fetches the current page at this URL. Null if it is gone or no longer needed. */
  async fetch(url: URL): Promise<Document | null> {
    const answer = await fetch(url, { headers: { accept: 'text/html' } }).catch(() => null)
    if (!answer?.ok || answer.redirected || !this.isConnected || this.isPaused) return null
    return new DOMParser().parseFromString(await answer.text(), 'text/html')
  }
}

/** A part of the page, by its id. */
class LivePart extends Live {
  everyMs = Number(this.getAttribute('every') ?? 10) * 1000

  isFollowing(): boolean {
    return true
  }

  async follow(): Promise<void> {
    const url = location.href
    const page = await this.fetch(new URL(url))
    // Another page may be shown meanwhile.
    if (!page || location.href !== url) return
    // Nothing is left to follow, and the page has other buttons now.
    if (!page.querySelector('live-part')) return location.reload()
    applyPart(page, this.getAttribute('of')!)
  }
}

/** A list that grows: new rows are put before its first one until someone pauses it. */
class LiveLog extends Live {
  everyMs = 2000

  isFollowing(): boolean {
    return isNewestFirst()
  }

  async follow(): Promise<void> {
    const first = idOf(document.querySelector('#rows tbody tr'))
    const url = new URL(location.href)
    url.searchParams.set('per_page', String(most))
    if (first) url.searchParams.set('after', first)
    const page = await this.fetch(url)
    const rows = [...(page?.querySelectorAll('#rows tbody tr') ?? [])]
    // Meanwhile the page may show another list.
    if (rows.length === 0 || first !== idOf(document.querySelector('#rows tbody tr'))) return
    const body = document.querySelector('#rows tbody')
    if (body && rows.length < most) body.prepend(...rows)
    else document.getElementById('rows')!.replaceChildren(...page!.getElementById('rows')!.childNodes)
    const all = document.querySelectorAll('#rows tbody tr')
    for (const row of [...all].slice(maxShown)) row.remove()
    this.show(this.querySelector('button')!, rows.length)
  }
}

const most = 100
const maxShown = 300

/** Only the first page is live. */
function isNewestFirst(): boolean {
  const { searchParams } = new URL(location.href)
  const isFirst = (searchParams.get('page') ?? '1') === '1' && (searchParams.get('order') ?? 'desc') === 'desc'
  return isFirst && !searchParams.has('to') && !searchParams.has('before')
}

function idOf(row: Element | null): string | undefined {
  return row?.querySelector<HTMLAnchorElement>('a.log')?.href.split('/').at(-1)
}

customElements.define('live-log', LiveLog)
customElements.define('live-part', LivePart)
