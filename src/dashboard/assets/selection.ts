// Checked rows stay checked on other pages of the same list, until an action has used them. Without a script a
// selection covers one page.
import { countText } from './count.ts'

class ListSelection extends HTMLElement {
  #isSent = false

  connectedCallback(): void {
    this.closest('#rows')!.addEventListener('change', () => this.isConnected && this.#note())
    this.#form.addEventListener('submit', ({ submitter }) => {
      this.#isSent = (submitter as HTMLButtonElement).formMethod !== 'get'
    })
    this.update()
  }

  /** After a page swap: a selection that was submitted and accepted is done. */
  update(): void {
    if (this.#isSent) {
      this.#isSent = false
      if (!document.querySelector('main [role=alert]')) this.#keep([])
    }
    const kept = new Set(this.#kept)
    for (const box of this.#boxes) box.checked = kept.has(box.value)
    this.#show()
  }

  #note(): void {
    const here = new Set(this.#boxes.map(({ value }) => value))
    const ticked = this.#boxes.filter(({ checked }) => checked).map(({ value }) => value)
    this.#keep([...this.#kept.filter((value) => !here.has(value)), ...ticked])
    this.#show()
  }

  #show(): void {
    const values = this.#kept
    const here = new Set(this.#boxes.map(({ value }) => value))
    for (const old of this.#form.querySelectorAll('[data-elsewhere]')) old.remove()
    for (const value of values) if (!here.has(value)) this.#form.append(hidden(value))
    const clear = document.createElement('button')
    Object.assign(clear, { type: 'button', className: 'link', textContent: this.getAttribute('clear') })
    clear.addEventListener('click', () => {
      this.#keep([])
      this.update()
    })
    const text = document.createElement('output')
    text.textContent = countText(this, 'count', values.length)
    this.toggleAttribute('data-some', values.length > 0)
    if (values.length > 0) this.replaceChildren(text, ' ', clear)
    else this.replaceChildren(text)
  }

  get #form(): HTMLFormElement {
    return document.getElementById('bulk') as HTMLFormElement
  }

  get #boxes(): HTMLInputElement[] {
    return [...document.querySelectorAll<HTMLInputElement>('#rows tbody [name=ticked]')]
  }

  get #key(): string {
    return `selection ${location.pathname}`
  }

  /** Without spaces, because it is part of a URL. */
  get #filter(): string {
    return this.getAttribute('of') ?? ''
  }

  get #kept(): string[] {
    const [of, ...values] = sessionStorage.getItem(this.#key)?.split(' ') ?? []
    return of === this.#filter ? values : []
  }

  #keep(values: string[]): void {
    sessionStorage.setItem(this.#key, [this.#filter, ...values].join(' '))
  }
}

function hidden(value: string): HTMLInputElement {
  const input = document.createElement('input')
  Object.assign(input, { type: 'hidden', name: 'ticked', value })
  input.dataset.elsewhere = ''
  return input
}

customElements.define('list-selection', ListSelection)
