// The table of a report: sortable columns, and a row with the totals of all pages.
import { html } from 'hono/html'
import { addressWith } from '../../../platform/pages/address.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Html, PageContext } from '../../framework/screen.ts'

type TableColumn = { name: string; title: string; isWide?: boolean }
type Sorting = { sort: string; order: 'asc' | 'desc' }

export function reportTable(
  { here }: PageContext,
  {
    label,
    first,
    columns,
    rows,
    totals,
    sort,
    order,
  }: Sorting & {
    label: string
    /** The heading of the first column, and the title of the last row. */
    first: [title: string, total: string]
    columns: readonly TableColumn[]
    rows: readonly { name: Html; cells: Record<string, Html | string> }[]
    totals: Record<string, Html | string>
  },
): Html {
  const buildCellClass = ({ isWide }: TableColumn) => `number${isWide ? ' wide' : ''}`
  const head = columns.map((column) => {
    const isCurrent = column.name === sort
    const next = isCurrent && order === 'desc' ? 'asc' : 'desc'
    const about = {
      class: buildCellClass(column),
      'aria-sort': isCurrent && (order === 'asc' ? 'ascending' : 'descending'),
    }
    const to = addressWith(here, { sort: column.name, order: next, page: null })
    return html`<th scope="col"${attributes(about)}><a href="${to}">${column.title}</a></th>`
  })
  const renderReportCells = (cells: Record<string, Html | string>) =>
    columns.map((column) => html`<td class="${buildCellClass(column)}">${cells[column.name] ?? ''}</td>`)
  return html`<table class="list report" aria-label="${label}"><thead><tr><th scope="col">${first[0]}</th>
${head}</tr></thead>
<tbody>${rows.map(({ name, cells }) => html`<tr><td>${name}</td>${renderReportCells(cells)}</tr>`)}</tbody>
<tfoot><tr><th scope="row">${first[1]}</th>${renderReportCells(totals)}</tr></tfoot></table>`
}
