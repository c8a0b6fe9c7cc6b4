// A preview of the changes of the grid, each cell with its error.
import { html } from 'hono/html'
import type { BulkRow } from '../../../../commerce/catalog/bulkfields.ts'
import { notice } from '../../../../platform/pages/parts.ts'
import { form } from '../../../framework/form.ts'
import { panel } from '../../../framework/parts.ts'
import type { Html, PageContext, ScreenAction } from '../../../framework/screen.ts'
import { customKey, readChangesOnce, pack, rowsNamed, type Changes } from './changes.ts'
import {
  amounts,
  formatCellValue,
  formatColumnTitle,
  listColumns,
  type CellName,
  type RowKind,
  type CellValue,
  type Words,
} from './columns.ts'

const maxShown = 100

type PreviewLine = { kind: RowKind; row: BulkRow; column: CellName; fault: string | undefined }

export async function preview(context: PageContext, words: Words, action: ScreenAction): Promise<Html | ''> {
  const { t, rejection } = context
  const faults = rejection?.faults ?? {}
  const changes = await readChangesOnce(context).catch(() => null)
  // The form itself shows its own errors.
  if (!changes) return ''
  const lines = (['products', 'variants'] as const).flatMap((kind) => buildPreviewLines(words, kind, changes, faults))
  const leftOut = renderLeftOutLines(context, changes)
  if (lines.length === 0) return html`${leftOut}${notice('warning', t('grid_none'))}`
  const wrong = lines.filter(({ fault }) => fault !== undefined)
  const visibleLines = [...wrong, ...lines.filter(({ fault }) => fault === undefined)].slice(0, maxShown)
  const more = lines.length - visibleLines.length
  const table = html`<div class="scroll" role="region" tabindex="0" aria-label="${t('grid_preview')}">
<table class="matrix" aria-label="${t('grid_preview')}"><thead><tr><th scope="col">${t('product')}</th>
<th scope="col">${t('before')}</th><th scope="col">${t('after')}</th></tr></thead>
<tbody>${await renderPreviewRows(context, words, visibleLines)}</tbody></table></div>
${more > 0 ? html`<p class="hint">${t('and_more', { count: more })}</p>` : ''}`
  const rest = {
    products: withoutFaults('products', changes, faults),
    variants: withoutFaults('variants', changes, faults),
  }
  const isNothing = rest.products.length + rest.variants.length === 0
  const next = isNothing
    ? ''
    : await form(context, {
        act: 'change',
        action: { ...action, inputs: [] },
        button: wrong.length > 0 ? 'grid_apply_rest' : 'grid_apply',
        fixed: { source: 'changes', changes: pack(rest) },
      })
  if (rejection?.text) rejection.isShown = true
  const refusalNotice = rejection?.text ? html`<p class="notice error" role="alert">${rejection.text}</p>` : ''
  const title = t('grid_changes', { count: lines.length })
  return panel(title, html`${refusalNotice}${leftOut}${table}${next}`)
}

/** The value of a column in a body. */
function cellOf(row: object | undefined, column: CellName): CellValue | undefined {
  const key = customKey(column)
  const { custom_fields: custom = {}, ...own } = (row ?? {}) as Record<string, any>
  return key === undefined ? own[column] : custom[key]
}

function buildPreviewLines(
  words: Words,
  kind: RowKind,
  changes: Changes,
  faults: Record<string, string>,
): PreviewLine[] {
  return changes[kind].flatMap((row, index) => {
    const at = `${kind}.${index}`
    const cells = listColumns(words).filter((column) => cellOf(row, column) !== undefined)
    const whole = faults[`${at}.id`]
    return cells.map((column) => ({ kind, row, column, fault: faults[`${at}.${column}`] ?? whole }))
  })
}

function withoutFaults(kind: RowKind, changes: Changes, faults: Record<string, string>): BulkRow[] {
  const wrong = new Set(Object.keys(faults).map((path) => path.split('.').slice(0, 2).join('.')))
  return changes[kind].filter((_, index) => !wrong.has(`${kind}.${index}`))
}

function renderLeftOutLines({ t }: PageContext, { leftOut }: Changes): Html | '' {
  if (leftOut.length === 0) return ''
  const items = leftOut.slice(0, maxShown).map((line) => html`<li>${line}</li>`)
  return html`<div class="notice warning" role="status"><p>${t('grid_left_out', { count: leftOut.length })}</p>
<ul>${items}</ul></div>`
}

async function renderPreviewRows(context: PageContext, words: Words, lines: readonly PreviewLine[]): Promise<Html[]> {
  const rowsById = await rowsNamed(context, words, 'id', [...new Set(lines.map(({ row }) => row.id))])
  const { price } = context
  const formatCell = (column: CellName, value: CellValue) => {
    if (amounts.includes(column) && typeof value === 'number') return price(value)
    return formatCellValue(words, column, value) || '–'
  }
  return lines.map(({ row, column, fault }) => {
    const name = rowsById.get(row.id.toLowerCase())?.[0]?.name ?? row.id
    const value = (from: object | undefined) => formatCell(column, cellOf(from, column) ?? null)
    const title = formatColumnTitle(context, column, words)
    return html`<tr><th scope="row">${name}<small>${title}</small></th><td>${value(row.expected)}</td>
<td>${value(row)}${fault ? html`<span class="fault">${fault}</span>` : ''}</td></tr>`
  })
}
