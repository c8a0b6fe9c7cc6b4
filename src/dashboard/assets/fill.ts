// Rows of variants: adds and names rows, selects them, and fills one of their columns.
type Row = HTMLTableRowElement

/** One field per option, with the values that make the variant. */
export function fieldsOf(row: Row): HTMLInputElement[] {
  return [...row.querySelectorAll<HTMLInputElement>('[name*=".value."]')]
}

export function freshRow({ content }: HTMLTemplateElement, at: number, values: string[]): Row {
  const row = (content.cloneNode(true) as Element).firstElementChild as Row
  for (const input of row.querySelectorAll('input')) {
    input.name = input.name.replace('__', String(at))
    input.id = input.id.replace('__', String(at))
  }
  fieldsOf(row).forEach((field, index) => (field.value = values[index]!))
  for (const part of row.querySelectorAll<HTMLElement>('[data-script]')) part.hidden = false
  for (const part of row.querySelectorAll<HTMLElement>('[data-plain]')) part.hidden = true
  return row
}

/** Labels all inputs of the row by its values. */
export function nameRow(row: Row): void {
  const values = fieldsOf(row).map(({ value }) => value)
  const title = values.filter(Boolean).join(' / ')
  row.querySelector('[data-title]')!.textContent = title
  for (const part of row.querySelectorAll<HTMLElement>('[data-label]'))
    part.ariaLabel = `${part.dataset.label}, ${title}`
  const picture = row.querySelector('.picture')
  if (picture) picture.ariaLabel = row.querySelector('[name$=".image"]')!.ariaLabel
}

const boxOf = (row: Row) => row.querySelector<HTMLInputElement>('.tick input')!

function chosen(rows: Row[]): Row[] {
  return rows.filter((row) => boxOf(row).checked)
}

/** Applies to all selected rows. */
export function chosenWith(rows: Row[], row: Row): Row[] {
  return boxOf(row).checked ? chosen(rows) : [row]
}

/** Buttons that select all rows, none, or those with a value. */
export function drawTicks(place: HTMLElement, known: string[][]): void {
  const button = (text: string, value: string) => {
    const made = document.createElement('button')
    Object.assign(made, { type: 'button', className: 'chip', textContent: text })
    Object.assign(made.dataset, { do: 'tick', value })
    return made
  }
  const { all = '', none = '' } = place.dataset
  const values = known.flatMap((list, index) => list.map((value) => button(value, `${index} ${value}`)))
  place.replaceChildren(button(all, 'all'), button(none, 'none'), ...values)
}

export function tick(rows: Row[], which: string): void {
  const [index, ...value] = which.split(' ')
  for (const row of rows) {
    if (value.length === 0) boxOf(row).checked = which === 'all'
    else if (fieldsOf(row)[Number(index)]!.value === value.join(' ')) boxOf(row).checked = true
  }
}

/** Fills the selected rows, or all. A SKU is extended by the values of its row. */
export function fill(within: Element, rows: Row[]): void {
  const [name, box] = within.querySelector<HTMLSelectElement>('#fill-column')!.value.split('=') as [string, string?]
  const { value } = within.querySelector<HTMLInputElement>('#fill-value')!
  const some = chosen(rows)
  for (const row of some.length > 0 ? some : rows) {
    const input = row.querySelector<HTMLInputElement>(`[name$=".${name}"]`)!
    const ends = fieldsOf(row).map((field) => field.value.replaceAll(/[^\p{L}\p{N}]+/gu, '').toUpperCase())
    if (box !== undefined) input.checked = box === '1'
    else input.value = name === 'sku' && value ? [value, ...ends.filter(Boolean)].join('-').slice(0, 100) : value
  }
}
