// What a search engine will show, while it is typed.
class SearchPreview extends HTMLElement {
  connectedCallback(): void {
    // While a page is exchanged it may stand outside of its form for a moment.
    this.closest('form')?.addEventListener('input', () => this.follow())
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
