// A grid of inputs: arrows and Enter move between cells, Escape resets a cell, cells of a spreadsheet are pasted down
// and to the right, and cells with changes are marked. Hidden rows do not count. Without a script it is a form.
import { countText } from './count.ts'

type Row = HTMLTableRowElement

export class EditGrid extends HTMLElement {
  connectedCallback(): void {
    this.update()
    this.addEventListener('keydown', (event) => {
      const input = event.target
      if (input instanceof HTMLSelectElement) return
      if (event.key === 'Escape' && input instanceof HTMLInputElement) reset(input)
      else walk(event, this.shown())
    })
    this.addEventListener('paste', (event) => paste(event, this.shown()))
    this.addEventListener('input', ({ target }) => {
      if (target instanceof HTMLInputElement && target.type === 'text') mark(target)
    })
    this.addEventListener('change', () => this.#count())
  }

  update(): void {
    for (const input of this.querySelectorAll<HTMLInputElement>('[data-seen]')) mark(input)
  }

  /** Shows the number of checked rows on the form's button. */
  #count(): void {
    const button = this.closest('form')?.querySelector<HTMLElement>('[data-ticked-one]')
    const count = this.querySelectorAll('.tick input:checked').length
    if (button) button.textContent = countText(button, 'ticked', count)
  }

  shown(): Row[] {
    return [...this.querySelectorAll<Row>('tbody tr:not(.group)')].filter(({ hidden }) => !hidden)
  }
}

function mark(input: HTMLInputElement): void {
  input.toggleAttribute('data-changed', input.value.trim() !== (input.dataset.seen ?? ''))
}

function reset(input: HTMLInputElement): void {
  if (input.dataset.seen === undefined) return
  input.value = input.dataset.seen
  input.select()
  mark(input)
}

/** Up and down a column, also by Enter. */
function walk(event: KeyboardEvent, rows: Row[]): void {
  const cell = (event.target as Element).closest<HTMLTableCellElement>('td')
  const at = rows.indexOf(cell?.parentElement as Row)
  if (!cell || at < 0 || !['ArrowUp', 'ArrowDown', 'Enter'].includes(event.key) || event.isComposing) return
  if (event.key === 'Enter' && event.target instanceof HTMLButtonElement) return
  event.preventDefault()
  const by = event.key === 'ArrowUp' || (event.key === 'Enter' && event.shiftKey) ? -1 : 1
  const next = rows[at + by]?.cells[cell.cellIndex]
  const field = next?.querySelector<HTMLInputElement>('input:not([hidden]), button:not([hidden])')
  field?.focus()
  if (field instanceof HTMLInputElement && field.type === 'text') field.select()
}

/** Pastes cells of a spreadsheet to the right and down, from the focused one. A single value is pasted as usual. */
function paste(event: ClipboardEvent, rows: Row[]): void {
  const target = event.target as Element
  const cell = target.closest<HTMLTableCellElement>('td')
  const at = rows.indexOf(cell?.parentElement as Row)
  const text = event.clipboardData!.getData('text/plain').replace(/\r?\n$/, '')
  if (!cell || at < 0 || !/[\t\n]/.test(text)) return
  event.preventDefault()
  for (const [down, line] of text.split(/\r?\n/).entries()) {
    for (const [right, value] of line.split('\t').entries()) {
      const input = rows[at + down]?.cells[cell.cellIndex + right]?.querySelector<HTMLInputElement>('[type=text]')
      if (!input) continue
      input.value = value.trim()
      mark(input)
    }
  }
  // The form now has unsaved changes.
  target.dispatchEvent(new Event('input', { bubbles: true }))
}

customElements.define('edit-grid', EditGrid)
