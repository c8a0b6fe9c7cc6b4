// Rows of a form: one for each element of a list, and some empty ones for more. Empty rows are left out.
import { html } from 'hono/html'
import { field, type Form } from '../../platform/pages/form.ts'
import { attributes, renderFieldFault } from '../../platform/pages/parts.ts'
import { formatNumber } from '../assets/numbers.ts'
import type { Choices, Html, PageContext } from './screen.ts'

type RowColumn = {
  name: string
  label: string
  /** The choices. Without them, any text is accepted. */
  options?: Choices
  isNumber?: boolean
}

type FormRowsProps = {
  /** The name of the list in the API's body and in the form. */
  name: string
  act: string
  title: string
  columns: readonly RowColumn[]
  values: readonly Record<string, unknown>[]
  /** The number of empty rows. */
  blank?: number
  /** True if people sort the rows. */
  isOrdered?: boolean
}

const maxRows = 100

/** The submitted rows, sorted by their positions. */
export function typedRows(form: Form, name: string, columns: readonly string[]): Record<string, string>[] {
  const rows = Array.from({ length: maxRows }, (_, at) => ({
    place: Number(field(form, `${name}.${at}.place`)) || at + 1,
    row: Object.fromEntries(columns.map((column) => [column, field(form, `${name}.${at}.${column}`)])),
  }))
  const filledRows = rows.filter(({ row }) => Object.values(row).some((text) => text !== ''))
  return filledRows.sort((a, b) => a.place - b.place).map(({ row }) => row)
}

export function formRows(
  context: PageContext,
  { name, act, title, columns, values, blank = 3, isOrdered = false }: FormRowsProps,
): Html {
  const { t, form, language, rejection } = context
  const own = rejection?.act === act ? rejection : null
  const shownValues = own
    ? typedRows(
        form,
        name,
        columns.map((column) => column.name),
      )
    : values
  const all = [...shownValues, ...Array.from({ length: blank }, () => ({}) as Record<string, unknown>)]
  const fields = all.map((row, at) => {
    const cells = columns.map((column) => {
      const value = row[column.name]
      const text = typeof value === 'number' ? formatNumber(value, language) : String(value ?? '')
      return cell(`${name}.${at}.${column.name}`, column, text, own?.faults)
    })
    const id = `${name}.${at}.place`
    const place = { id, name: id, value: at + 1, inputmode: 'numeric', class: 'number', autocomplete: 'off' }
    return html`<li>${cells}${
      isOrdered
        ? html`<div class="field place"><label for="${id}">${t('place')}</label><input${attributes(place)}></div>`
        : ''
    }</li>`
  })
  const words = { up: t('move_up'), down: t('move_down'), remove: t('remove'), add: t('add_row') }
  const list = html`<ol class="cells" aria-label="${title}">${fields}</ol>`
  return html`<fieldset class="part"><legend>${title}</legend>${
    isOrdered ? html`<order-rows${attributes(words)}>${list}</order-rows>` : list
  }</fieldset>`
}

function cell(id: string, column: RowColumn, text: string, faults: Record<string, string> = {}): Html {
  const { label, options, isNumber } = column
  const fault = faults[id]
  const about = attributes({ 'aria-invalid': fault ? 'true' : null, 'aria-describedby': fault ? `${id}-fault` : null })
  const own = attributes({ id, name: id, value: text, autocomplete: 'off', class: isNumber && 'number' })
  const control = options
    ? html`<select id="${id}" name="${id}"${about}><option value=""></option>${options.map(
        ([option, name]) => html`<option value="${option}"${option === text ? html` selected` : ''}>${name}</option>`,
      )}</select>`
    : html`<input${own}${about}>`
  return html`<div class="field"><label for="${id}">${label}</label>${control}${renderFieldFault(id, fault)}</div>`
}
