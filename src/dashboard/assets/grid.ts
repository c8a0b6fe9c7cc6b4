// Tables of inputs with the keys and the pasting of a spreadsheet. Hidden rows do not count.
type Row = HTMLTableRowElement

/** Up and down a column, also by Enter. */
export function walk(event: KeyboardEvent, rows: Row[]): void {
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

/** Pastes cells of a spreadsheet to the right and down, from the focused one. True if there were several. */
export function paste(event: ClipboardEvent, rows: Row[]): boolean {
  const cell = (event.target as Element).closest<HTMLTableCellElement>('td')
  const at = rows.indexOf(cell?.parentElement as Row)
  const text = event.clipboardData!.getData('text/plain').replace(/\r?\n$/, '')
  if (!cell || at < 0 || !/[\t\n]/.test(text)) return false
  event.preventDefault()
  for (const [down, line] of text.split(/\r?\n/).entries()) {
    for (const [right, value] of line.split('\t').entries()) {
      const input = rows[at + down]?.cells[cell.cellIndex + right]?.querySelector<HTMLInputElement>('[type=text]')
      if (input) input.value = value.trim()
    }
  }
  return true
}
