// Shows the search result of a page during typing.
class SearchPreview extends HTMLElement {
  #left = new AbortController()

  connectedCallback(): void {
    // A page swap keeps the form and may remove this element, so its listener is removed with it.
    this.#left = new AbortController()
    this.closest('form')?.addEventListener('input', () => this.follow(), { signal: this.#left.signal })
  }

  disconnectedCallback(): void {
    this.#left.abort()
  }

  follow(): void {
    const fields = this.closest('form')!.elements
    const typed = (name: string) => (fields.namedItem(name) as HTMLInputElement | null)?.value.trim() ?? ''
    const name = typed('name') || typed('title')
    const title = typed('seo_title') || name
    const text = typed('seo_description') || plainOf(typed('description') || typed('body'))
    const description = text.replaceAll(/\s+/g, ' ').trim() || name
    const lengths = [title.length, description.length]
    for (const [index, line] of [...this.querySelectorAll<HTMLElement>('[data-length]')].entries()) {
      const length = lengths[index]!
      line.textContent = line.dataset.length!.replace('{count}', String(length))
      line.toggleAttribute('data-long', length > Number(line.dataset.most))
    }
    for (const [of, value] of Object.entries({ title, slug: typed('slug'), description: description.slice(0, 160) })) {
      this.querySelector(`[data-of=${of}]`)!.textContent = value
    }
  }
}

/** Strips the marks of Markdown. */
function plainOf(text: string): string {
  return text
    .replaceAll(/^ {0,3}(?:#{1,6}|[>*+-]|\d{1,9}[.)]) /gm, '')
    .replaceAll(/!?\[([^[\]]{0,500})\]\([^()]{0,2048}\)/g, '$1')
    .replaceAll(/\*\*|__|`/g, '')
}

customElements.define('search-preview', SearchPreview)
