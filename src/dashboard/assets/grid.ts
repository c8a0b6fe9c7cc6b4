// A grid of inputs: arrows and Enter move between cells, Escape resets a cell, cells of a spreadsheet are pasted down
// and to the right, and cells with changes are marked. Hidden rows do not count. Without a script it is a form.
import { countText } from './count.ts'

type Row = HTMLTableRowElement
type CellField = HTMLInputElement | HTMLSelectElement

export class EditGrid extends HTMLElement {
  connectedCallback(): void {
    this.update()
    this.addEventListener('keydown', (event) => {
      const field = event.target as CellField
      if (event.key === 'Escape' && field.dataset.seen !== undefined) reset(field)
      else walk(event, this.shown())
    })
    this.addEventListener('paste', (event) => {
      const isWhole = paste(event, this.shown())
      const status = this.querySelector(':scope > [role=status]')
      if (status) status.textContent = isWhole ? '' : this.getAttribute('cut')
    })
    for (const type of ['input', 'change'])
      this.addEventListener(type, ({ target }) => {
        if ((target as CellField).dataset.seen !== undefined) mark(target as CellField)
      })
    this.addEventListener('change', () => this.#count())
  }

  update(): void {
    for (const field of this.querySelectorAll<CellField>('[data-seen]')) mark(field)
    for (const hint of this.querySelectorAll<HTMLElement>(':scope > [data-script]')) hint.hidden = false
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

function mark(field: CellField): void {
  field.toggleAttribute('data-changed', field.value.trim() !== field.dataset.seen)
}

function reset(field: CellField): void {
  field.value = field.dataset.seen!
  if (field instanceof HTMLInputElement) field.select()
  mark(field)
}

const fields = 'input:not([hidden], [type=hidden]), select, button:not([hidden])'
const steps: Record<string, [down: number, right: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Enter: [1, 0],
}

/** To the next cell of the column or row. Within a text, left and right first move the caret. */
function walk(event: KeyboardEvent, rows: Row[]): void {
  const target = event.target as Element
  const cell = target.closest<HTMLTableCellElement>('td')
  const row = rows.indexOf(cell?.parentElement as Row)
  const step = steps[event.key]
  if (!cell || row < 0 || !step || event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return
  if (event.key === 'Enter' && target instanceof HTMLButtonElement) return
  if (event.shiftKey && event.key !== 'Enter') return
  const [down, right] = event.shiftKey ? [-step[0], 0] : step
  if (right !== 0 && target instanceof HTMLInputElement && !isAtEdge(target, right)) return
  event.preventDefault()
  for (let at = cell.cellIndex + right, next = row + down; ; at += right, next += down) {
    const candidate = rows[next]?.cells[at]
    if (!candidate) return
    const field = candidate.querySelector<HTMLElement>(fields)
    if (!field) continue
    field.focus()
    if (field instanceof HTMLInputElement && field.type === 'text') field.select()
    return
  }
}

/** A text that is selected as a whole is left at once. */
function isAtEdge({ type, value, selectionStart, selectionEnd }: HTMLInputElement, right: number): boolean {
  if (type !== 'text') return true
  if (selectionStart === 0 && selectionEnd === value.length) return true
  return selectionStart === selectionEnd && selectionStart === (right > 0 ? value.length : 0)
}

/**
 * Pastes cells of a spreadsheet to the right and down, from the focused one, and returns if each line has its row. A
 * single value is pasted as usual.
 */
function paste(event: ClipboardEvent, rows: Row[]): boolean {
  const target = event.target as Element
  const cell = target.closest<HTMLTableCellElement>('td')
  const at = rows.indexOf(cell?.parentElement as Row)
  const text = event.clipboardData!.getData('text/plain').replace(/\r?\n$/, '')
  if (!cell || at < 0 || (!/[\t\n]/.test(text) && target instanceof HTMLInputElement)) return true
  event.preventDefault()
  const lines = text.split(/\r?\n/)
  for (const [down, line] of lines.entries()) {
    for (const [right, value] of line.split('\t').entries()) {
      const field = rows[at + down]?.cells[cell.cellIndex + right]?.querySelector<CellField>('[type=text], select')
      if (!field) continue
      setText(field, value.trim())
      mark(field)
    }
  }
  // The form now has unsaved changes.
  target.dispatchEvent(new Event('input', { bubbles: true }))
  return at + lines.length <= rows.length
}

/** A choice is pasted by its name or value; another text leaves it as it is. */
function setText(field: CellField, text: string): void {
  if (field instanceof HTMLInputElement) {
    field.value = text
    return
  }
  const isSame = (one: string) => one.toLowerCase() === text.toLowerCase()
  const option = [...field.options].find((one) => isSame(one.text) || isSame(one.value))
  if (option) field.value = option.value
}

customElements.define('edit-grid', EditGrid)
