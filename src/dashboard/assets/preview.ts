// What a search engine will show, while it is typed.
class SearchPreview extends HTMLElement {
  #left = new AbortController()

  connectedCallback(): void {
    // A page swap keeps the form and may remove this element: its listener goes with it.
    this.#left = new AbortController()
    this.closest('form')?.addEventListener('input', () => this.follow(), { signal: this.#left.signal })
  }

  disconnectedCallback(): void {
    this.#left.abort()
  }

  follow(): void {
    const fields = this.closest('form')!.elements
    const typed = (name: string) => (fields.namedItem(name) as HTMLInputElement | null)?.value.trim() ?? ''
    const text = typed('description').replaceAll(/\s+/g, ' ').slice(0, Number(this.dataset.most)) || typed('name')
    for (const [name, value] of Object.entries({ name: typed('name'), slug: typed('slug'), description: text })) {
      this.querySelector(`[data-of=${name}]`)!.textContent = value
    }
  }
}

customElements.define('search-preview', SearchPreview)
