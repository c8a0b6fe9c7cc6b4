// Offers the names of members after an @ in a comment.
const maxShown = 8

class MentionNames extends HTMLElement {
  #list: HTMLUListElement | undefined

  connectedCallback(): void {
    this.addEventListener('input', () => this.#offer())
    this.addEventListener('keydown', (event) => this.#key(event))
    this.addEventListener('focusout', () => this.#close())
    // A press would take the focus from the text before the click.
    this.addEventListener('mousedown', (event) => {
      const option = (event.target as Element).closest('[role=option]')
      if (!option) return
      event.preventDefault()
      this.#take(option)
    })
  }

  get #text(): HTMLTextAreaElement {
    return this.querySelector('textarea')!
  }

  /** The text between the @ and the caret; null without an @. */
  get #typed(): string | null {
    const before = this.#text.value.slice(0, this.#text.selectionStart)
    return /(?:^|[^\p{L}\p{N}._%+-])@([^@\n]{0,60})$/u.exec(before)?.[1] ?? null
  }

  #offer(): void {
    const typed = this.#typed?.toLowerCase()
    const names = this.getAttribute('names')!.split('\n')
    const found = typed === undefined ? [] : names.filter((name) => matches(name, typed)).slice(0, maxShown)
    if (found.length === 0) return this.#close()
    const list = this.#opened()
    list.replaceChildren(
      ...found.map((name, at) => {
        const option = document.createElement('li')
        option.role = 'option'
        option.id = `${list.id}-${at}`
        option.textContent = name
        return option
      }),
    )
    this.#mark(0)
  }

  #opened(): HTMLUListElement {
    if (!this.#list?.isConnected) {
      this.#list = document.createElement('ul')
      this.#list.className = 'mentions'
      this.#list.id = `${this.#text.id}-names`
      this.#list.role = 'listbox'
      this.#list.ariaLabel = this.getAttribute('label')
      this.#text.setAttribute('aria-controls', this.#list.id)
      this.#text.after(this.#list)
    }
    return this.#list
  }

  get #options(): HTMLElement[] {
    return [...(this.#list?.querySelectorAll<HTMLElement>('[role=option]') ?? [])]
  }

  #mark(at: number): void {
    for (const [index, option] of this.#options.entries()) option.ariaSelected = String(index === at)
    this.#text.setAttribute('aria-activedescendant', this.#options[at]!.id)
  }

  #key(event: KeyboardEvent): void {
    const options = this.#options
    if (options.length === 0) return
    const at = options.findIndex(({ ariaSelected }) => ariaSelected === 'true')
    const moves: Record<string, () => void> = {
      ArrowDown: () => this.#mark((at + 1) % options.length),
      ArrowUp: () => this.#mark((at + options.length - 1) % options.length),
      Enter: () => this.#take(options[at]!),
      Tab: () => this.#take(options[at]!),
      Escape: () => this.#close(),
    }
    const move = moves[event.key]
    if (!move || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    event.stopPropagation()
    move()
  }

  #take(option: Element): void {
    const text = this.#text
    const from = text.selectionStart - this.#typed!.length
    text.setRangeText(`${option.textContent} `, from, text.selectionStart, 'end')
    this.#close()
    text.dispatchEvent(new Event('change', { bubbles: true }))
  }

  #close(): void {
    this.#list?.remove()
    this.#text.removeAttribute('aria-activedescendant')
    this.#text.removeAttribute('aria-controls')
  }
}

/** True if the text begins the name or a part of it. */
function matches(name: string, typed: string): boolean {
  const lower = name.toLowerCase()
  return lower.startsWith(typed) || lower.split(/\s+/).some((part) => typed !== '' && part.startsWith(typed))
}

customElements.define('mention-names', MentionNames)
