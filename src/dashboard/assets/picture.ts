// A field for an image URL: shows the image, which can be chosen, dropped or pasted.
class PictureInput extends HTMLElement {
  connectedCallback(): void {
    this.update()
    this.addEventListener('dragover', (event) => event.preventDefault())
    this.addEventListener('drop', (event) => this.#take(event, event.dataTransfer!))
    this.addEventListener('paste', (event) => this.#take(event, event.clipboardData!))
  }

  update(): void {
    if (!this.querySelector('input') || this.querySelector('.bring')) return
    const bring = document.createElement('label')
    bring.className = 'bring button quiet'
    bring.textContent = this.dataset.choose!
    const file = document.createElement('input')
    Object.assign(file, { type: 'file', accept: 'image/*', className: 'hidden' })
    file.addEventListener('change', () => {
      if (file.files![0]) void this.#bring(file.files![0])
      file.value = ''
    })
    bring.append(file)
    this.append(bring)
  }

  #take(event: Event, { files }: DataTransfer): void {
    const picture = [...files].find(({ type }) => type.startsWith('image/'))
    if (!picture) return
    event.preventDefault()
    void this.#bring(picture)
  }

  /** Uploads at once. The image belongs to the record when that is saved. */
  async #bring(file: File): Promise<void> {
    const { upload, most, tooLarge, failed, uploading } = this.dataset
    if (file.size > Number(most)) return this.#say(tooLarge!)
    this.#say(uploading!)
    const body = new FormData()
    body.set('act', 'upload')
    body.set('file', file)
    const answer = await fetch(upload!, { method: 'POST', body, headers: { accept: 'text/html' } }).catch(() => null)
    const page = new DOMParser().parseFromString((await answer?.text()) ?? '', 'text/html')
    const made = page.querySelector<HTMLElement>('[data-uploaded]')
    if (!made) return this.#say(page.querySelector('.fault, .notice.error')?.textContent ?? failed!)
    this.#say('')
    this.#show(made.dataset.uploaded!, made.querySelector('img')!.getAttribute('src')!)
  }

  #show(url: string, source: string): void {
    const field = this.querySelector<HTMLInputElement>('[name]')!
    field.value = url
    field.dispatchEvent(new Event('input', { bubbles: true }))
    const image = this.querySelector('img') ?? document.createElement('img')
    image.src = source
    image.alt = ''
    if (!image.isConnected) this.prepend(image)
  }

  #say(text: string): void {
    this.querySelector('[role=status]')!.textContent = text
  }
}

customElements.define('picture-input', PictureInput)
