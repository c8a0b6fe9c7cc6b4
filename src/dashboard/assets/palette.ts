// Finds records, pages and actions from anywhere: a combobox in a dialog, fed by the JSON of the search page.
// Also handles the keys that open pages, except during typing.
type Found = { title: string; items: { text: string; note: string; to: string }[] }

const pauseMs = 120
const followsWithinMs = 1500

class CommandPalette extends HTMLElement {
  #timer = 0
  #turn = 0
  #options: HTMLAnchorElement[] = []
  #current = -1
  #first = ''
  /** The text whose results the options show. */
  #answered: string | null = null

  /** Creates the dialog again after a page swap has removed it. */
  #make(): void {
    if (this.#dialog) return
    const dialog = document.createElement('dialog')
    dialog.ariaLabel = this.getAttribute('label')
    const input = document.createElement('input')
    const about = { type: 'search', role: 'combobox', 'aria-expanded': 'false', 'aria-autocomplete': 'list' }
    const more = { 'aria-controls': 'found-list', autocomplete: 'off', maxlength: '200', enterkeyhint: 'go' }
    for (const [name, value] of Object.entries({ ...about, ...more })) input.setAttribute(name, value)
    input.placeholder = input.ariaLabel = this.getAttribute('label')!
    const list = document.createElement('div')
    list.id = 'found-list'
    list.role = 'listbox'
    list.ariaLabel = this.getAttribute('label')
    const status = document.createElement('p')
    status.role = 'status'
    status.className = 'hint'
    dialog.append(input, list, status)
    this.append(dialog)
    input.addEventListener('input', () => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => void this.#find(), pauseMs) as unknown as number
    })
    dialog.addEventListener('keydown', (event) => this.#press(event))
    dialog.addEventListener('click', ({ target }) => {
      if (target === dialog || (target as Element).closest('a')) dialog.close()
    })
    dialog.addEventListener('close', () => this.#show([]))
  }

  get #dialog(): HTMLDialogElement | null {
    return this.querySelector('dialog')
  }

  get #input(): HTMLInputElement {
    return this.querySelector('input')!
  }

  open(): void {
    this.#make()
    if (this.#dialog!.open) return
    this.#input.value = ''
    this.#answered = null
    this.#dialog!.showModal()
    void this.#find()
  }

  async #find(): Promise<void> {
    const turn = ++this.#turn
    const typed = this.#input.value.trim()
    const url = new URL(this.getAttribute('from')!, location.href)
    url.searchParams.set('search', typed)
    const answer = await fetch(url, { headers: { accept: 'application/json' } }).catch(() => null)
    const found = answer?.ok ? ((await answer.json()) as { groups: Found[] }).groups : []
    if (turn !== this.#turn || !this.#dialog!.open) return
    this.#answered = typed
    this.#show(found)
  }

  #show(groups: Found[]): void {
    this.#options = []
    const drawn = groups.map(({ title, items }, at) => {
      const group = document.createElement('div')
      group.role = 'group'
      const heading = document.createElement('p')
      heading.id = `found-group-${at}`
      heading.textContent = title
      group.setAttribute('aria-labelledby', heading.id)
      group.append(heading, ...items.map((item) => this.#option(item)))
      return group
    })
    this.querySelector('[role=listbox]')!.replaceChildren(...drawn)
    this.#input.setAttribute('aria-expanded', String(this.#options.length > 0))
    const text = this.getAttribute(this.#options.length > 0 ? 'count' : 'none')!
    this.querySelector('[role=status]')!.textContent = text.replace('{count}', String(this.#options.length))
    this.#choose(this.#options.length > 0 ? 0 : -1)
  }

  #option({ text, note, to }: Found['items'][number]): HTMLAnchorElement {
    const option = document.createElement('a')
    option.id = `found-${this.#options.push(option) - 1}`
    option.role = 'option'
    option.tabIndex = -1
    option.href = to
    const small = document.createElement('small')
    small.textContent = note
    option.append(text, ' ', small)
    return option
  }

  #choose(at: number): void {
    this.#options[this.#current]?.removeAttribute('aria-selected')
    this.#current = at
    const option = this.#options[at]
    this.#input.setAttribute('aria-activedescendant', option?.id ?? '')
    option?.setAttribute('aria-selected', 'true')
    option?.scrollIntoView({ block: 'nearest' })
  }

  #press(event: KeyboardEvent): void {
    const { length } = this.#options
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && length > 0) this.#choose((this.#current + step + length) % length)
    else if (event.key === 'Enter') void this.#go()
    else return
    event.preventDefault()
  }

  /** Waits for the results of the typed text, so that Enter never opens an older result. */
  async #go(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#answered !== this.#input.value.trim()) await this.#find()
    this.#options[this.#current]?.click()
  }

  /** Handles single keys: `g` followed by another, or `?`. */
  press(key: string): boolean {
    const keys = `${this.#first} ${key}`.trim()
    const link = document.querySelector<HTMLAnchorElement>(`#keys a[data-keys="${CSS.escape(keys)}"]`)
    this.#first = key === 'g' && this.#first === '' ? key : ''
    setTimeout(() => (this.#first = ''), followsWithinMs)
    link?.click()
    return link !== null || this.#first !== ''
  }
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null

const offName = 'stoa-keys-off'
const palette = () => document.querySelector<CommandPalette>('command-palette')
const sheet = () => document.querySelector<HTMLDialogElement>('#keys')

addEventListener('keydown', (event) => {
  const { key, metaKey, ctrlKey, altKey, target } = event
  if ((metaKey || ctrlKey) && !altKey && key.toLowerCase() === 'k') {
    event.preventDefault()
    return palette()?.open()
  }
  if (metaKey || ctrlKey || altKey || isTyping(target) || document.querySelector('dialog:modal')) return
  if (localStorage.getItem(offName)) return
  if (key === '?') openSheet()
  else if (!palette()?.press(key)) return
  event.preventDefault()
})

function openSheet(): void {
  sheet()!.querySelector<HTMLInputElement>('[name=keys]')!.checked = !localStorage.getItem(offName)
  sheet()!.showModal()
}

addEventListener('change', ({ target }) => {
  const { name, checked } = target as HTMLInputElement
  if (name !== 'keys') return
  if (checked) localStorage.removeItem(offName)
  else localStorage.setItem(offName, '1')
})

// The link to the search page opens the palette in its place, and that to the keys their sheet.
addEventListener(
  'click',
  (event) => {
    const link = (event.target as Element).closest?.<HTMLAnchorElement>('a[data-opens]')
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    for (const open of document.querySelectorAll<HTMLElement>(':popover-open')) open.hidePopover()
    if (link.dataset.opens === 'keys') openSheet()
    else palette()?.open()
  },
  true,
)

customElements.define('command-palette', CommandPalette)
