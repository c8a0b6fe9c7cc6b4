// Reads the changes from a form of the grid: edited cells, a formula for a column, pasted cells of a spreadsheet,
// or those of a preview.
import { isDeepStrictEqual } from 'node:util'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { BulkChange, BulkRow } from '../../../../commerce/catalog/bulkfields.ts'
import { product } from '../../../../commerce/catalog/product.ts'
import { sql, type Sql } from '../../../../kit/database/sql.ts'
import { isUuid, toUuid } from '../../../../kit/values/ids.ts'
import { loadEntities } from '../../../../kit/declare/page.ts'
import { invalid } from '../../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../../kit/values/faults.ts'
import { field, type Form } from '../../../../platform/pages/form.ts'
import type { PageContext } from '../../../framework/screen.ts'
import { applyFormula, endingIn, ways, type Formula } from './formula.ts'
import { allRows, buildGridRows, formatColumnTitle, isNumber, listColumns, loadGridWords, valueIn } from './columns.ts'
import { maxRows, type CellName, type RowKind, type GridRow, type CellValue, type Words } from './columns.ts'

/** `leftOut`: pasted lines that fit no row. */
export type Changes = BulkChange & { leftOut: string[] }

const changesByForm = new WeakMap<Form, Promise<Changes>>()

/** Reads each submitted form only once. */
export function readChangesOnce(context: PageContext): Promise<Changes> {
  const { form } = context
  const read = changesByForm.get(form) ?? readChanges(context)
  changesByForm.set(form, read)
  return read
}

async function readChanges(context: PageContext): Promise<Changes> {
  const { form } = context
  switch (field(form, 'source')) {
    case 'cells':
      return ofCells(context, await loadGridWords(context))
    case 'paste':
      return ofPaste(context, await loadGridWords(context))
    case 'formula':
    case 'answer':
      return ofFormula(context, await loadGridWords(context))
    default:
      return { ...noChanges, ...(unpack(field(form, 'changes')) as BulkChange) }
  }
}

const noChanges: Changes = { products: [], variants: [], leftOut: [] }

/** Encodes a value for a hidden field. */
export function pack(value: unknown): string {
  return deflateRawSync(JSON.stringify(value)).toString('base64url')
}

function unpack(text: string): unknown {
  try {
    return JSON.parse(inflateRawSync(Buffer.from(text, 'base64url'), { maxOutputLength: 8 * 1024 * 1024 }).toString())
  } catch {
    throw invalid(fault('changes', generalFaults.unreadable))
  }
}

/** The key of a custom field. */
export const customKey = (column: CellName): string | undefined => /^custom_fields\.(.*)$/.exec(column)?.[1]

type EditedRow = { row: Pick<GridRow, 'kind' | 'id' | 'values'>; cells: Partial<Record<CellName, CellValue>> }

/** Keeps only real changes, with the values that they replace. */
function gather(edits: readonly EditedRow[], leftOut: string[] = []): Changes {
  const rowsByKind: Record<RowKind, BulkRow[]> = { products: [], variants: [] }
  for (const { row, cells } of edits) {
    const names = (Object.keys(cells) as CellName[]).filter(
      (name) => row.values[name] !== undefined && !isDeepStrictEqual(cells[name], row.values[name]),
    )
    if (names.length === 0) continue
    const pick = (from: Partial<Record<CellName, CellValue>>) => {
      const [own, custom] = [names.filter((name) => !customKey(name)), names.filter(customKey)]
      const values = Object.fromEntries(custom.map((name) => [customKey(name), from[name]]))
      const picked = Object.fromEntries(own.map((name) => [name, from[name]]))
      return custom.length > 0 ? { ...picked, custom_fields: values } : picked
    }
    rowsByKind[row.kind].push({ id: row.id, ...pick(cells), expected: pick(row.values) } as BulkRow)
  }
  return { ...rowsByKind, leftOut }
}

function ofCells({ form }: PageContext, words: Words): Changes {
  const rowsSeen = unpack(field(form, 'seen')) as [RowKind, string, GridRow['values']][]
  return gather(
    rowsSeen.map(([kind, id, values]) => {
      const typedColumns = listColumns(words).filter((column) => form[`${kind}.${id}.${column}`] !== undefined)
      const cells = typedColumns.map((column) => [
        column,
        valueIn(words, column, field(form, `${kind}.${id}.${column}`)),
      ])
      return { row: { kind, id, values }, cells: Object.fromEntries(cells) }
    }),
  )
}

async function ofFormula(context: PageContext, words: Words): Promise<Changes> {
  const { form, store } = context
  const column = listColumns(words).find((name) => name === field(form, 'column')) ?? 'price'
  const input = valueIn(words, column, field(form, 'value'))
  const way = ways.find((name) => name === field(form, 'way')) ?? 'percent'
  const ending = field(form, 'ending')
  if (ending !== '' && !endingIn(ending)) throw invalid(fault('ending', generalFaults.invalid))
  if (input === null && way !== 'set' && ending === '') throw invalid(fault('value', generalFaults.required))
  const counts = isNumber(words, column)
  if (counts && typeof input === 'string') throw invalid(fault('value', generalFaults.wrong_type, { type: 'number' }))
  if (!counts && way !== 'set') throw invalid(fault('way', generalFaults.invalid))
  const rows = await allRows(context, words)
  if (!rows) throw invalid(fault('column', generalFaults.too_many_elements, { limit: maxRows }))
  const formula: Formula = { way, amount: input as number | null, ending: endingIn(ending) }
  const after = (before: CellValue) => (counts ? applyFormula(formula, before as number | null, store.currency) : input)
  // A variant without its own price has its product's.
  const isOwn = ({ kind, values }: GridRow) => kind === 'products' || values[column] !== null
  const fitting = rows.filter((row) => row.values[column] !== undefined && isOwn(row))
  return gather(fitting.map((row) => ({ row, cells: { [column]: after(row.values[column]!) } })))
}

async function ofPaste(context: PageContext, words: Words): Promise<Changes> {
  const { form, t } = context
  const [head = '', ...lines] = field(form, 'pasted').split(/\r?\n/)
  const separator = ['\t', ';', ','].find((one) => head.includes(one)) ?? '\t'
  const splitCells = (line: string) => line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
  const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
  const titles = splitCells(head).map((title) =>
    isSame(title, 'id')
      ? 'id'
      : listColumns(words).find(
          (name) => isSame(name, title) || isSame(formatColumnTitle(context, name, words), title),
        ),
  )
  const at = titles.includes('id') ? titles.indexOf('id') : titles.indexOf('sku')
  if (at < 0 || titles.length < 2) return { ...noChanges, leftOut: [t('grid_no_header')] }
  if (lines.length > maxRows) throw invalid(fault('pasted', generalFaults.too_many_elements, { limit: maxRows }))
  const full = lines
    .map((line, index) => ({ cells: splitCells(line), line: index + 2 }))
    .filter(({ cells }) => cells[at])
  const rows = await rowsNamed(
    context,
    words,
    titles[at] as 'id' | 'sku',
    full.map(({ cells }) => cells[at]!),
  )
  const leftOut: string[] = []
  const seen = new Set<string>()
  const edits = full.flatMap(({ cells, line }): EditedRow[] => {
    const [row, ...others] = rows.get(cells[at]!.toLowerCase()) ?? []
    const key = cells[at]!
    if (!row) leftOut.push(t('grid_line_unknown', { line, key }))
    else if (others.length > 0 || seen.has(row.id)) leftOut.push(t('grid_line_several', { line, key }))
    if (!row || others.length > 0 || seen.has(row.id)) return []
    seen.add(row.id)
    const values = titles.flatMap((name, index) => {
      const isCell = name && name !== 'id' && index !== at && cells[index] !== undefined
      return isCell ? [[name, valueIn(words, name, cells[index]!)] as const] : []
    })
    for (const [column, value] of values) {
      const { [column]: followed } = row.followed
      if (followed === undefined || value === null || value === followed) continue
      const cell = t('grid_cell', { column: formatColumnTitle(context, column, words), name: row.name })
      leftOut.push(`${cell}: ${t(column === 'price' ? 'price_of_parts' : 'fault_stock_of_parts')}`)
    }
    return [{ row, cells: Object.fromEntries(values) }]
  })
  return gather(edits, leftOut)
}

/** Rows by ID or SKU, in lower case. */
export async function rowsNamed(
  { db, store }: PageContext,
  words: Words,
  key: 'id' | 'sku',
  names: readonly string[],
): Promise<Map<string, GridRow[]>> {
  const lowercase = names.map((name) => name.toLowerCase())
  const ids = lowercase.flatMap((name) => toUuid('prod', name) ?? (isUuid(name) ? name : []))
  const buildNameQuery = (column: Sql, sku: Sql) =>
    key === 'id' ? sql`${column} = any(${ids}::uuid[])` : sql`lower(${sku}) = any(${lowercase}::text[])`
  const foundRows = await db.texts(sql`
    select ${product.columns}
    from products
    where products.store_id = ${store.id}
      and (${buildNameQuery(sql`products.id`, sql`products.sku`)} or products.id in (
        select product_id
        from variants
        where variants.store_id = ${store.id}
          and ${buildNameQuery(sql`variants.id`, sql`variants.sku`)}))`)
  const rows = (await loadEntities(db, product, store.id, foundRows)).flatMap((one) => buildGridRows(one, words))
  return Map.groupBy(rows, ({ id, values }) => (key === 'id' ? id : String(values.sku ?? '')).toLowerCase())
}
