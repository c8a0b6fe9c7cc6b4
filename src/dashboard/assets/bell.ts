// Keeps the number of unread notifications current, and shows new ones by the browser if the person allowed it.
type News = { unread: number; items: { id: string; text: string; to: string }[] }

const everyMs = 30_000

class LiveBell extends HTMLElement {
  #timer = 0
  #known: Set<string> | null = null

  connectedCallback(): void {
    this.#timer = setInterval(() => void this.#look(), everyMs) as unknown as number
    addEventListener('visibilitychange', this)
    // Only notifications from now on are news.
    if (mayNotify()) void this.#look()
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer)
    removeEventListener('visibilitychange', this)
  }

  handleEvent(): void {
    void this.#look()
  }

  async #look(): Promise<void> {
    // A hidden page has nothing to show but notifications of the browser.
    if (document.hidden && !mayNotify()) return
    const url = this.getAttribute('from')!
    const answer = await fetch(url, { headers: { accept: 'application/json' } }).catch(() => null)
    if (!answer?.ok || answer.redirected || !this.isConnected) return
    const { unread, items } = (await answer.json()) as News
    for (const badge of document.querySelectorAll<HTMLElement>('[data-unread]')) {
      badge.textContent = unread > 99 ? '99+' : String(unread)
      badge.hidden = unread === 0
    }
    const fresh = this.#known ? items.filter(({ id }) => !this.#known!.has(id)) : []
    this.#known = new Set(items.map(({ id }) => id))
    if (mayNotify()) announce(fresh)
  }
}

function mayNotify(): boolean {
  return 'Notification' in window && Notification.permission === 'granted'
}

/** Shows a burst of orders as one message. The tag keeps other tabs from repeating it. */
function announce(fresh: News['items']): void {
  const [first] = fresh
  if (!first) return
  const others = fresh.length > 1 ? ` (+${fresh.length - 1})` : ''
  const shown = new Notification(first.text + others, { tag: first.id })
  shown.addEventListener('click', () => {
    focus()
    location.assign(first.to)
  })
}

/** Asks for the permission; the browser shows its own question. */
class NotifyPermission extends HTMLElement {
  connectedCallback(): void {
    this.update()
  }

  update(): void {
    if (!('Notification' in window)) return
    const { permission } = Notification
    if (permission !== 'default') {
      const hint = document.createElement('p')
      hint.className = 'hint'
      hint.textContent = this.getAttribute(permission === 'granted' ? 'done' : 'blocked')
      return this.replaceChildren(hint)
    }
    if (this.querySelector('button')) return
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet'
    button.textContent = this.getAttribute('label')
    button.addEventListener('click', async () => {
      await Notification.requestPermission()
      this.update()
    })
    this.replaceChildren(button)
  }
}

customElements.define('live-bell', LiveBell)
customElements.define('notify-permission', NotifyPermission)
