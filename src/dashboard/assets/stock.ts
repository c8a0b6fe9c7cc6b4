// The stock grid: arrows and Enter move between cells, Escape resets a cell, cells of a spreadsheet are pasted down and
// to the right, and cells with changes are marked. Without a script it is a form.
import { countText } from './count.ts'
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
    this.addEventListener('change', () => this.#count())
  }

  update(): void {
    for (const input of this.querySelectorAll<HTMLInputElement>('[data-seen]')) this.#show(input)
  }

  /** Shows the number of checked rows on the form's button. */
  #count(): void {
    const button = this.closest('form')?.querySelector<HTMLElement>('[data-ticked-one]')
    const count = this.querySelectorAll('.tick input:checked').length
    if (button) button.textContent = countText(button, 'ticked', count)
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
    if (input.type === 'checkbox') return
    input.toggleAttribute('data-changed', input.value.trim() !== input.dataset.seen)
  }
}

customElements.define('stock-grid', StockGrid)
