// Finds records during typing and moves selected ones to the selection. Without JavaScript, a button searches.
const pauseMs = 200

class RecordPicker extends HTMLElement {
  #timer = 0
  #turn = 0

  connectedCallback(): void {
    this.update()
    this.addEventListener('input', ({ target }) => {
      if (target !== this.#search) return
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => void this.#find(), pauseMs) as unknown as number
    })
    this.addEventListener('keydown', (event) => {
      if (event.target !== this.#search || (event.key !== 'Enter' && event.key !== 'ArrowDown')) return
      // Enter would send the form.
      event.preventDefault()
      this.querySelector<HTMLInputElement>('.found input')?.focus()
    })
    this.addEventListener('change', ({ target }) => this.#take(target as HTMLInputElement))
  }

  /** The search runs by itself; its button is for browsers without a script. */
  update(): void {
    const button = this.querySelector<HTMLButtonElement>('button[name=pick]')
    if (!button) return
    button.hidden = true
    button.type = 'button'
  }

  get #search(): HTMLInputElement {
    return this.querySelector<HTMLInputElement>('input[type=search]')!
  }

  async #find(): Promise<void> {
    const turn = ++this.#turn
    const typed = this.#search.value.trim()
    const url = new URL(this.getAttribute('from')!, location.href)
    url.searchParams.set('search', typed)
    const answer = typed === '' ? null : await fetch(url, { headers: { accept: 'text/html' } }).catch(() => null)
    if (turn !== this.#turn) return
    const page = answer?.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : null
    const chosen = new Set([...this.querySelectorAll<HTMLInputElement>('.picked input')].map(({ value }) => value))
    const found = [...(page?.querySelectorAll<HTMLElement>('main .found [data-id]') ?? [])].filter(
      ({ dataset }) => !chosen.has(dataset.id!),
    )
    this.querySelector('.found')!.replaceChildren(...found.map((row) => this.#row(row)))
    const text = found.length > 0 ? this.getAttribute('found')! : this.getAttribute('none')!
    this.querySelector('[role=status]')!.textContent = typed === '' ? '' : text.replace('{count}', String(found.length))
  }

  #row(found: HTMLElement): HTMLLIElement {
    const input = document.createElement('input')
    input.type = this.getAttribute('type')!
    input.name = this.getAttribute('name')!
    input.value = found.dataset.id!
    const text = document.createElement('span')
    text.append(...found.childNodes)
    const label = document.createElement('label')
    label.className = 'choice'
    label.append(input, ' ', text)
    const row = document.createElement('li')
    row.append(label)
    return row
  }

  #take(input: HTMLInputElement): void {
    const row = input.closest('.found > li')
    if (!row || !input.checked) return
    const next = (row.nextElementSibling ?? row.previousElementSibling)?.querySelector('input')
    this.querySelector('.picked')!.append(row)
    ;(next ?? this.#search).focus()
  }
}

customElements.define('record-picker', RecordPicker)
