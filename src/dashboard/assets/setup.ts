// Elements of the screens that set up a shop. Without a script, fields and a button replace them.
import { iconOf } from './icons.ts'
import { dragRows } from './sort.ts'

const pauseMs = 300

/** A form beside a frame, which shows the input after a pause in typing. */
class LivePreview extends HTMLElement {
  #turn = 0

  connectedCallback(): void {
    this.update()
    this.addEventListener('input', () => void this.#follow())
  }

  update(): void {
    this.classList.add('ready')
  }

  async #follow(): Promise<void> {
    const turn = ++this.#turn
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    const form = this.querySelector('form')
    const shown = this.querySelector('iframe')?.contentDocument
    if (turn !== this.#turn || !form || !shown) return
    const typed = [...new FormData(form)].filter((pair): pair is [string, string] => typeof pair[1] === 'string')
    const answer = await fetch(this.getAttribute('src')!, { method: 'POST', body: new URLSearchParams(typed) }).catch(
      () => null,
    )
    // Skips outdated answers, and errors: the form shows those when it is submitted.
    if (!answer?.ok || turn !== this.#turn) return
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    Idiomorph.morph(shown.documentElement, fresh.documentElement, { head: { style: 'merge' } })
  }
}

/** Adds a color picker to a color field. */
class ColourInput extends HTMLElement {
  connectedCallback(): void {
    this.update()
  }

  update(): void {
    const text = this.querySelector('input')
    if (!text || this.querySelector('[type=color]')) return
    const chooser = document.createElement('input')
    chooser.type = 'color'
    chooser.ariaLabel = this.getAttribute('label')
    const follow = () => {
      chooser.value = /^#[\da-f]{6}$/i.test(text.value) ? text.value : text.placeholder
    }
    follow()
    text.addEventListener('input', follow)
    chooser.addEventListener('input', () => {
      text.value = chooser.value
      text.dispatchEvent(new Event('input', { bubbles: true }))
    })
    this.append(chooser)
  }
}

/** Rows that can be sorted with buttons or by dragging, removed and added. */
class OrderRows extends HTMLElement {
  connectedCallback(): void {
    this.update()
    dragRows(this, () => this.#count())
  }

  update(): void {
    this.classList.add('ready')
    for (const row of this.querySelectorAll('li')) if (!row.querySelector('.tools')) row.append(this.#tools(row))
    if (!this.querySelector('li') || this.querySelector(':scope > button')) return
    const add = this.#button('add', () => this.#add(), 'add')
    add.append(` ${this.getAttribute('add')}`)
    this.append(add)
  }

  #tools(row: HTMLLIElement): HTMLElement {
    const tools = document.createElement('div')
    tools.className = 'tools'
    const up = this.#button('up', () => row.previousElementSibling?.before(row), 'up')
    const down = this.#button('down', () => row.nextElementSibling?.after(row), 'down')
    const remove = this.#button('remove', () => this.#empty(row), 'close')
    const handle = document.createElement('span')
    handle.dataset.handle = ''
    handle.append(iconOf('drag'))
    handle.ariaHidden = 'true'
    tools.append(up, down, remove, handle)
    return tools
  }

  #button(name: string, act: () => void, icon: string): HTMLButtonElement {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet'
    button.append(iconOf(icon))
    button.ariaLabel = this.getAttribute(name)
    button.addEventListener('click', () => {
      act()
      this.#count()
      // A moved button has lost the focus, and a removed one cannot have it.
      if (!button.checkVisibility()) this.querySelector<HTMLElement>(':scope > button')!.focus()
      else if (document.activeElement === document.body) button.focus()
    })
    return button
  }

  /** A row that is sent empty is removed. */
  #empty(row: HTMLLIElement): void {
    for (const field of row.querySelectorAll<HTMLInputElement>('input, select')) field.value = ''
    row.hidden = true
    row.parentElement!.append(row)
  }

  #add(): void {
    const rows = [...this.querySelectorAll('li')]
    const row = rows.at(-1)!.cloneNode(true) as HTMLLIElement
    row.hidden = false
    for (const left of row.querySelectorAll('.tools, .fault')) left.remove()
    for (const field of row.querySelectorAll<HTMLElement>('[id]')) this.#renumber(field, rows.length)
    for (const label of row.querySelectorAll('label')) label.htmlFor = numbered(label.htmlFor, rows.length)
    for (const field of row.querySelectorAll<HTMLInputElement>('input, select')) field.value = ''
    rows.at(-1)!.after(row)
    row.append(this.#tools(row))
    row.querySelector('input')!.focus()
  }

  #renumber(field: HTMLElement, at: number): void {
    field.id = numbered(field.id, at)
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.name = field.id
  }

  #count(): void {
    for (const [index, row] of [...this.querySelectorAll('li')].entries()) {
      row.querySelector<HTMLInputElement>('.place input')!.value = String(index + 1)
    }
    this.querySelector('.place input')?.dispatchEvent(new Event('input', { bubbles: true }))
  }
}

const numbered = (name: string, at: number) => name.replace(/\.\d+\./, `.${at}.`)

customElements.define('live-preview', LivePreview)
customElements.define('colour-input', ColourInput)
customElements.define('order-rows', OrderRows)
