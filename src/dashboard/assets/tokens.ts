// Chips in place of the lines of a text area, which keeps the values and is what the form sends.
import { iconOf } from './icons.ts'
import { dragRows } from './sort.ts'

class TokenList extends HTMLElement {
  /** The index of the chip whose value is in the input. */
  #edited = -1

  #form: HTMLFormElement | null = null

  /** A page swap may attach it again, but its listeners are added once. */
  constructor() {
    super()
    this.addEventListener('keydown', (event) => {
      if (event.target === this.#input) this.#press(event)
      else this.#move(event)
    })
    this.addEventListener('input', (event) => {
      if (event.target === this.#input && this.#isChoice(event as InputEvent)) this.#take()
    })
    this.addEventListener('paste', (event) => this.#paste(event))
    this.addEventListener('focusout', ({ target }) => target === this.#input && this.#take())
    this.addEventListener('click', ({ target }) => this.#click(target as Element))
    dragRows(this, () => this.#set(this.#chips.map((chip) => chip.firstElementChild!.textContent)), true)
  }

  connectedCallback(): void {
    this.update()
    const form = this.closest('form')
    if (form !== this.#form) form?.addEventListener('reset', () => setTimeout(() => this.update()))
    this.#form = form
  }

  /** Also after a page swap, which brings the text area back. */
  update(): void {
    const area = this.querySelector('textarea')
    const input = this.querySelector('input')
    if (!area || !input) return
    this.classList.add('ready')
    area.hidden = true
    input.hidden = false
    for (const label of area.labels) label.htmlFor = input.id
    for (const name of ['aria-describedby', 'aria-invalid', 'autofocus']) {
      const value = area.getAttribute(name)
      if (value !== null) input.setAttribute(name, value)
      area.removeAttribute(name)
    }
    this.#draw()
  }

  get #area(): HTMLTextAreaElement {
    return this.querySelector('textarea')!
  }

  get #input(): HTMLInputElement {
    return this.querySelector('input')!
  }

  get #values(): string[] {
    return this.#split(this.#area.value, /\n/)
  }

  get #chips(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('.tokens > li')]
  }

  get #choices(): string[] {
    return [...this.querySelectorAll('option')].map(({ value }) => value)
  }

  #split(text: string, separator: RegExp): string[] {
    const values = text.split(separator).map((value) => value.trim())
    return [...new Set(values.filter(Boolean))]
  }

  #draw(): void {
    const list = this.querySelector('ul') ?? document.createElement('ul')
    list.className = 'tokens'
    list.replaceChildren(...this.#values.map((value, index) => this.#chip(value, index === this.#edited)))
    this.prepend(list)
    // What is chosen is suggested no more.
    for (const option of this.querySelectorAll('option')) option.disabled = this.#values.includes(option.value)
  }

  /** Its text edits it, its cross removes it. One Tab leads past all chips; arrow keys lead to them. */
  #chip(value: string, isEdited: boolean): HTMLElement {
    const chip = document.createElement('li')
    chip.dataset.handle = ''
    chip.toggleAttribute('data-edited', isEdited)
    const text = document.createElement('button')
    text.textContent = value
    text.ariaLabel = `${this.getAttribute('edit')}: ${value}`
    const remove = document.createElement('button')
    remove.append(iconOf('close'))
    remove.ariaLabel = `${this.getAttribute('remove')}: ${value}`
    for (const button of [text, remove]) Object.assign(button, { type: 'button', tabIndex: -1 })
    chip.append(text, remove)
    return chip
  }

  #indexOf(element: Element): number {
    return this.#chips.findIndex((chip) => chip.contains(element))
  }

  #set(values: string[]): void {
    const area = this.#area
    area.value = values.join('\n')
    this.#draw()
    for (const type of ['input', 'change']) area.dispatchEvent(new Event(type, { bubbles: true }))
  }

  /** Makes the input a value, or the new value of the edited chip. */
  #take(): void {
    const input = this.#input
    const values = this.#values
    const added = this.#split(input.value, this.hasAttribute('commas') ? /,/ : /\n/).map((text) => this.#named(text))
    const edited = this.#edited
    this.#edited = -1
    input.value = ''
    if (added.length === 0) return edited < 0 ? undefined : this.#draw()
    values.splice(edited < 0 ? values.length : edited, edited < 0 ? 0 : 1, ...added)
    this.#set([...new Set(values)])
  }

  /** The choice with this name, or the only one that begins with it. */
  #named(text: string): string {
    const lowercase = text.toLowerCase()
    const choices = this.#choices.filter((choice) => choice.toLowerCase().startsWith(lowercase))
    const same = choices.find((choice) => choice.toLowerCase() === lowercase)
    return same ?? (choices.length === 1 && !this.hasAttribute('free') ? choices[0]! : text)
  }

  /** One country's name may begin another's, so that one waits for Enter. So do texts that may go on. */
  #isChoice({ inputType }: InputEvent): boolean {
    const lowercase = this.#input.value.trim().toLowerCase()
    if (this.hasAttribute('free'))
      return inputType === 'insertReplacementText' && this.#choices.some((one) => one.toLowerCase() === lowercase)
    const choices = this.#choices.filter((choice) => choice.toLowerCase().startsWith(lowercase))
    return choices.length === 1 && choices[0]!.toLowerCase() === lowercase
  }

  #press(event: KeyboardEvent): void {
    const { value, selectionEnd } = this.#input
    const isComma = event.key === ',' && this.hasAttribute('commas')
    // Enter never sends the form: a choice of the list may just have been taken.
    if (event.key === 'Enter' || isComma) {
      event.preventDefault()
      return this.#take()
    }
    if (event.key === 'Escape' && this.#edited >= 0) {
      event.preventDefault()
      this.#input.value = ''
      return this.#take()
    }
    if (selectionEnd !== 0) return
    if (event.key === 'Backspace' && value === '') this.#set(this.#values.slice(0, -1))
    if (event.key === 'ArrowLeft') this.#focus(this.#values.length - 1)
  }

  /** Keys on a chip: to its neighbors, with Alt to another place, Delete to remove it. */
  #move(event: KeyboardEvent): void {
    const index = this.#indexOf(event.target as Element)
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    const isRemoval = event.key === 'Delete' || event.key === 'Backspace'
    if (index < 0 || (step === undefined && !isRemoval)) return
    event.preventDefault()
    if (isRemoval) this.#remove(index)
    else if (event.altKey) this.#place(index, index + step!)
    if (isRemoval || !event.altKey) this.#focus(isRemoval ? index : index + step!)
    else this.#focus(Math.min(Math.max(index + step!, 0), this.#values.length - 1))
  }

  #focus(index: number): void {
    ;(this.#chips[index]?.querySelector('button') ?? (index < 0 ? null : this.#input))?.focus()
  }

  #place(from: number, to: number): void {
    const values = this.#values
    if (from < 0 || to < 0 || to >= values.length || from === to) return
    const [value] = values.splice(from, 1)
    values.splice(to, 0, value!)
    this.#set(values)
  }

  #remove(index: number): void {
    this.#set(this.#values.filter((_, at) => at !== index))
  }

  #paste(event: ClipboardEvent): void {
    const text = event.clipboardData!.getData('text')
    const values = this.#split(text, this.hasAttribute('commas') ? /[\r\n\t,;]/ : /[\r\n\t]/)
    if (event.target !== this.#input || values.length < 2) return
    event.preventDefault()
    this.#set([...new Set([...this.#values, ...values.map((value) => this.#named(value))])])
  }

  #click(target: Element): void {
    const index = this.#indexOf(target)
    if (index >= 0 && target.closest('button + button')) this.#remove(index)
    else if (index >= 0) {
      this.#edited = index
      this.#input.value = this.#values[index]!
      this.#draw()
      this.#input.select()
    }
    this.#input.focus()
  }
}

customElements.define('token-list', TokenList)
