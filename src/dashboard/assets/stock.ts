// The grid of the stock: arrows and Enter move between cells, Escape takes back what was typed, what a spreadsheet has
// copied is pasted down and to the right, and what differs from what is saved is marked. Without a script it is a form.
import { paste, walk } from './grid.ts'

class StockGrid extends HTMLElement {
  connectedCallback(): void {
    this.update()
    this.addEventListener('keydown', (event) => {
      const input = event.target
      if (!(input instanceof HTMLInputElement)) return
      if (event.key === 'Escape') this.#set(input, input.dataset.seen ?? input.value)
      else walk(event, this.#rows)
    })
    this.addEventListener('paste', (event) => {
      if (paste(event, this.#rows)) this.update()
    })
    this.addEventListener('input', ({ target }) => this.#show(target as HTMLInputElement))
  }

  update(): void {
    for (const input of this.querySelectorAll<HTMLInputElement>('[data-seen]')) this.#show(input)
  }

  get #rows(): HTMLTableRowElement[] {
    return [...this.querySelectorAll<HTMLTableRowElement>('tbody tr:not(.group)')]
  }

  #set(input: HTMLInputElement, value: string): void {
    input.value = value
    input.select()
    this.#show(input)
  }

  #show(input: HTMLInputElement): void {
    input.toggleAttribute('data-changed', input.value.trim() !== input.dataset.seen)
  }
}

customElements.define('stock-grid', StockGrid)
