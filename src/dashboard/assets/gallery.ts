// The images of a product: added by choosing, dropping, pasting or by URL, and sorted by dragging or with buttons.
// They are uploaded at once and belong to the product when it is saved.
import { countText } from './count.ts'
import { dragRows } from './sort.ts'

type Item = HTMLLIElement

class MediaGallery extends HTMLElement {
  connectedCallback(): void {
    this.addEventListener('click', (event) => this.press(event.target as HTMLElement))
    this.addEventListener('change', ({ target }) => {
      if (!(target instanceof HTMLInputElement) || target.type !== 'file') return
      void this.bring([...target.files!])
      target.value = ''
    })
    this.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.target as Element).matches('[type=url]')) return
      event.preventDefault()
      this.fetchAddress()
    })
    this.addEventListener('paste', (event) => this.take(event, event.clipboardData!))
    this.addEventListener('dragover', (event) => {
      event.preventDefault()
      this.toggleAttribute('data-over', true)
    })
    this.addEventListener('dragleave', () => this.toggleAttribute('data-over', false))
    this.addEventListener('drop', (event) => {
      this.toggleAttribute('data-over', false)
      this.take(event, event.dataTransfer!)
    })
    dragRows(this, () => this.touch(), true)
    this.update()
  }

  update(): void {
    for (const part of this.querySelectorAll<HTMLElement>('[data-script]')) part.hidden = false
    for (const part of document.querySelectorAll<HTMLElement>('[data-plain-pictures]')) part.hidden = true
    for (const item of this.items()) this.dress(item)
    this.number()
  }

  items(): Item[] {
    return [...this.querySelectorAll<Item>('li[data-url]')]
  }

  shown(): Item[] {
    return this.items().filter(({ hidden }) => !hidden)
  }

  dress(item: Item): void {
    const picture = item.querySelector<HTMLElement>('img, code')!
    picture.draggable = false
    picture.dataset.handle = ''
    item.hidden = item.querySelector<HTMLInputElement>('[name$=".gone"]')!.checked
    for (const part of item.querySelectorAll<HTMLElement>('[data-plain]')) part.hidden = true
    for (const part of item.querySelectorAll<HTMLElement>('[data-script]')) part.hidden = false
  }

  /** Numbers the positions in the order of the list. */
  number(): void {
    const shown = this.shown()
    for (const [index, item] of shown.entries()) {
      item.querySelector<HTMLInputElement>('[name$=".position"]')!.value = String(index + 1)
      item.querySelector<HTMLButtonElement>('[data-do=earlier]')!.disabled = index === 0
      item.querySelector<HTMLButtonElement>('[data-do=later]')!.disabled = index === shown.length - 1
    }
  }

  touch(): void {
    this.number()
    this.querySelector('input')!.dispatchEvent(new Event('input', { bubbles: true }))
  }

  press(target: HTMLElement): void {
    const button = target.closest<HTMLElement>('[data-do]')
    const item = target.closest<Item>('li')
    const shown = this.shown()
    const place = shown.indexOf(item!)
    switch (button?.dataset.do) {
      case 'earlier':
        shown[place - 1]!.before(item!)
        return this.moved(button, item!)
      case 'later':
        shown[place + 1]!.after(item!)
        return this.moved(button, item!)
      case 'remove': {
        item!.querySelector<HTMLInputElement>('[name$=".gone"]')!.checked = true
        item!.hidden = true
        this.touch()
        const next = shown[place + 1] ?? shown[place - 1]
        return (
          next?.querySelector<HTMLElement>('[data-do=remove]') ?? this.querySelector<HTMLElement>('[type=file]')
        )?.focus()
      }
      case 'address':
        return this.fetchAddress()
    }
  }

  moved(button: HTMLElement, item: Item): void {
    this.touch()
    const other = item.querySelector<HTMLButtonElement>(
      button.dataset.do === 'earlier' ? '[data-do=later]' : '[data-do=earlier]',
    )
    ;((button as HTMLButtonElement).disabled ? other : button)?.focus()
    const place = this.shown().indexOf(item) + 1
    this.say(this.dataset.moved!.replace('{place}', String(place)))
  }

  /** Takes dropped or pasted files, or the URL of an image. */
  take(event: Event, data: DataTransfer): void {
    const files = [...data.files].filter(({ type }) => type.startsWith('image/'))
    const url = data.getData('text/uri-list').split('\n')[0]!.trim()
    if (files.length === 0 && !url) return
    event.preventDefault()
    void (files.length > 0 ? this.bring(files) : this.bring([url]))
  }

  fetchAddress(): void {
    const field = this.querySelector<HTMLInputElement>('[type=url]')!
    if (field.value === '') return field.focus()
    void this.bring([field.value]).then((isDone) => {
      if (isDone) field.value = ''
    })
  }

  /** Uploads one after the other. True if all were accepted. */
  async bring(things: (File | string)[]): Promise<boolean> {
    let isDone = true
    this.ariaBusy = 'true'
    for (const [index, thing] of things.entries()) {
      this.say(this.dataset.uploading!)
      const trouble = await this.upload(thing).catch(() => this.dataset.failed!)
      if (trouble !== null) isDone = false
      this.say(
        trouble === null
          ? countText(this, 'added', index + 1)
          : `${typeof thing === 'string' ? thing : thing.name}: ${trouble}`,
      )
      if (trouble !== null) break
    }
    this.ariaBusy = null
    return isDone
  }

  /** Uploads an image, and returns its URL. Shows the reason if it is rejected. */
  async upload(thing: File | string): Promise<string | null> {
    if (typeof thing !== 'string' && thing.size > Number(this.dataset.most)) return this.dataset.tooLarge!
    const body = new FormData()
    body.set('act', 'upload')
    body.set(typeof thing === 'string' ? 'url' : 'file', thing)
    const answer = await fetch(this.dataset.upload!, { method: 'POST', body, headers: { accept: 'text/html' } })
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const made = page.querySelector<HTMLElement>('[data-uploaded]')
    if (!made) return page.querySelector('.fault, .notice.error')?.textContent ?? this.dataset.failed!
    this.add(made.dataset.uploaded!, made.querySelector('img')!.getAttribute('src')!)
    return null
  }

  add(url: string, source: string): void {
    const at = Math.max(-1, ...this.items().map((item) => Number(item.dataset.at))) + 1
    const template = this.querySelector('template')!
    const item = (template.content.cloneNode(true) as Element).firstElementChild as Item
    Object.assign(item.dataset, { url, at: String(at) })
    for (const input of item.querySelectorAll('input')) {
      input.name = input.name.replace('__', String(at))
      input.id = input.id.replace('__', String(at))
    }
    for (const label of item.querySelectorAll('label')) label.htmlFor = label.htmlFor.replace('__', String(at))
    item.querySelector<HTMLInputElement>('[name$=".url"]')!.value = url
    item.querySelector('img')!.src = source
    this.querySelector('ol')!.append(item)
    this.dress(item)
    this.touch()
  }

  say(text: string): void {
    this.querySelector('[role=status]')!.textContent = text
  }
}

customElements.define('media-gallery', MediaGallery)
