// The bulk grid: prices, stock and other fields of all products of a filter. A dry run shows every change first; then
// one API call makes all changes.
import { html } from 'hono/html'
import { product, type Product } from '../../../../commerce/catalog/product.ts'
import { entityPage } from '../../../../kit/declare/page.ts'
import { addressWith } from '../../../../platform/pages/address.ts'
import { attributes, hidden, notice } from '../../../../platform/pages/parts.ts'
import { endpoint } from '../../../framework/api.ts'
import { boxPopover, chips, filterForm, readFilterQuery, withChoices } from '../../../framework/filters.ts'
import { form, type FormProps } from '../../../framework/form.ts'
import { icon } from '../../../framework/icons.ts'
import { maxFieldsOfKind } from '../../../../tenancy/stores/customfield.ts'
import { pageLinks } from '../../../framework/pagination.ts'
import { emptyState, panel } from '../../../framework/parts.ts'
import { placeBelow } from '../../../framework/placement.ts'
import type { Choices, FormInput, Html, PageContext, Screen, ScreenAction } from '../../../framework/screen.ts'
import { filters } from '../filters.ts'
import { products } from '../products.ts'
import { readChangesOnce, pack } from './changes.ts'
import {
  isNumber,
  isTruth,
  listColumns,
  listSuggestions,
  ownColumns,
  buildGridRows,
  formatCellValue,
  formatColumnTitle,
  listChosenColumns,
  listTicked,
  loadGridWords,
  narrowToTicked,
  type CellName,
  type GridRow,
  type Words,
} from './columns.ts'
import { ways } from './formula.ts'
import { preview } from './preview.ts'

const productsOfPage = 20
/** One row for the product and twelve for its variants. Formulas and spreadsheets reach all of them. */
const maxRowsOfProduct = 13

const change: ScreenAction = {
  route: endpoint('POST /products/batch'),
  body: async (context) => {
    const { products, variants } = await readChangesOnce(context)
    return { products, variants }
  },
  // The error of a single tag appears at the cell with all tags.
  fieldOf: (name) => {
    const parts = name.split('.')
    return parts.slice(0, parts[2] === 'custom_fields' ? 4 : 3).join('.')
  },
  hasDryRun: true,
  done: 'saved',
}

const text = { type: 'string' }

// prettier-ignore
const buildFormulaInputs = (words: Words): FormInput[] => [
  { name: 'column', isHalf: true, schema: text, options: (context) => columnChoices(context, words, false) },
  { name: 'way', label: 'grid_way', isHalf: true, schema: { ...text, enum: ways },
    options: ({ t }) => ways.map((way) => [way, t(`grid_way_${way}`)]) },
  { name: 'value', isHalf: true, schema: { ...text, maxLength: 100 }, hint: 'grid_value_hint' },
  { name: 'ending', label: 'grid_ending', isHalf: true, schema: { ...text, maxLength: 10 }, hint: 'grid_ending_hint' },
]

/** A yes/no column is only set: it has nothing to compute. */
const buildAnswerInputs = (words: Words): FormInput[] => [
  {
    name: 'column',
    label: 'grid_answer_column',
    isHalf: true,
    schema: text,
    options: (context) => columnChoices(context, words, true),
  },
  {
    name: 'value',
    label: 'grid_way_set',
    isHalf: true,
    schema: text,
    options: () => [
      ['true', words.truths[0]],
      ['false', words.truths[1]],
    ],
  },
]

function columnChoices(context: PageContext, words: Words, isAnswer: boolean): Choices {
  return listColumns(words)
    .filter((column) => isTruth(words, column) === isAnswer)
    .map((column) => [column, formatColumnTitle(context, column, words)])
}

const pasteInputs: FormInput[] = [
  { name: 'pasted', label: 'grid_pasted', as: 'area', rows: 6, schema: text, hint: 'grid_paste_hint' },
]

export const bulkScreen: Screen = {
  path: '/products/bulk',
  ...placeBelow(products),
  scope: 'write:products',
  title: 'grid',
  isUnlisted: true,
  limits: {
    fields: productsOfPage * maxRowsOfProduct * (ownColumns.length + maxFieldsOfKind) + 100,
    bytes: 4 * 1024 * 1024,
  },
  actions: { change },
  async show(context) {
    const { query, wrong } = readFilterQuery(context, product, filters)
    const [{ data, pagination }, choices, words] = await Promise.all([
      entityPage(
        context.db,
        product,
        context.store,
        { ...query, per_page: productsOfPage },
        ...narrowToTicked(context),
      ),
      withChoices(context, filters),
      loadGridWords(context),
    ])
    const { t } = context
    const previewHtml = context.rejection?.act === 'change' ? await preview(context, words, change) : ''
    // Errors of cells appear in the preview, not at the form that was submitted.
    const forms = previewHtml === '' ? context : { ...context, rejection: { ...context.rejection!, text: '' } }
    const content = html`${wrong.length > 0 ? notice('warning', t('bad_filter', { names: wrong.join(', ') })) : ''}
${filterForm(context, product, choices, query, columnChooser(context, words))}
${chips(context, product, choices, query).html}${tickedChip(context)}`
    if (data.length === 0) {
      return { content: html`${previewHtml}${content}${emptyState(t, 'nothing_found', 'nothing_found_text')}` }
    }
    const pageRows = data.flatMap((one) =>
      buildGridRows(one, words)
        .slice(0, maxRowsOfProduct)
        .map((row) => ({ ...row, left: countHiddenRows(row, one), product: one })),
    )
    const formula = html`<div class="formula">${await formulaForm(forms, words)}
${await answerForm(forms, words)}</div>`
    return {
      content: html`${previewHtml}${content}
${panel(t('grid_formula', { count: pagination.total }), formula)}
${panel(
  t('grid_cells'),
  html`${await cellsForm(forms, words, pageRows)}
<div class="under">${pageLinks(context, pagination)}</div>`,
)}
${panel(t('grid_paste'), await pasteForm(forms))}`,
    }
  },
}

/** The chosen columns, and the ticks that the filters keep. */
function columnChooser(context: PageContext, words: Words): Html {
  const choices = listColumns(words).map((column): [string, string] => [
    column,
    formatColumnTitle(context, column, words),
  ])
  return html`${listTicked(context).map((id) => hidden('ticked', id))}
${boxPopover(context, context.t('grid_columns'), 'columns', choices, listChosenColumns(context, words))}`
}

/** The ticks of the list are a filter that can be removed, too. */
function tickedChip(context: PageContext): Html | '' {
  const { t, here } = context
  const count = listTicked(context).length
  if (count === 0) return ''
  const all = addressWith(here, { ticked: null, what: null, once: null, product_status: null, page: null })
  return html`<ul class="chips" aria-label="${t('selected')}"><li><a class="chip" href="${all}"><span
class="hidden">${t('remove_filter', { filter: '' })}</span>${t('selected_count', { count })} ${icon('close')}</a></li>
</ul>`
}

/** `left`: the number of hidden variants. */
type ShownRow = GridRow & { left: number; product: Pick<Product, 'price' | 'requires_shipping'> }

function countHiddenRows({ kind }: GridRow, { variants }: Product): number {
  return kind === 'products' ? Math.max(0, variants.length + 1 - maxRowsOfProduct) : 0
}

/** A form that shows what would change. `source` says which one was sent. */
function previewForm(
  context: PageContext,
  source: string,
  inputs: (typeof change)['inputs'],
  { fixed = {}, ...more }: Partial<FormProps> = {},
): Promise<Html> {
  return form(context, {
    act: 'change',
    action: { ...change, inputs },
    button: 'grid_preview',
    fixed: { source, rehearse: '1', ...fixed },
    ...more,
  })
}

function formulaForm(context: PageContext, words: Words): Promise<Html> {
  return previewForm(context, 'formula', buildFormulaInputs(words), { values: { column: 'price', way: 'percent' } })
}

function answerForm(context: PageContext, words: Words): Promise<Html> {
  const values = { column: 'requires_shipping', value: 'true' }
  return previewForm(context, 'answer', buildAnswerInputs(words), { values, isQuiet: true, fixed: { way: 'set' } })
}

function pasteForm(context: PageContext): Promise<Html> {
  return previewForm(context, 'paste', pasteInputs, { isQuiet: true })
}

function cellsForm(context: PageContext, words: Words, rows: readonly ShownRow[]): Promise<Html> {
  const { t } = context
  const packedRows = pack(rows.map(({ kind, id, values }) => [kind, id, values]))
  const shownColumns = listChosenColumns(context, words)
  const heads = shownColumns.map(
    (column) => html`<th scope="col"${cellClass(words, column)}>${formatColumnTitle(context, column, words)}</th>`,
  )
  const table = html`<edit-grid cut="${t('grid_paste_cut')}"><div class="scroll" role="region" tabindex="0"
aria-label="${t('grid_cells')}"><table class="sheet" aria-label="${t('grid_cells')}"><thead><tr>
<th scope="col">${t('product')}</th>${heads}</tr></thead>
<tbody>${rows.map((row) => renderGridRow(context, words, row, shownColumns))}</tbody></table></div>
<p class="hint" data-script hidden>${t('grid_keys')}</p><p role="status"></p></edit-grid>
${shownColumns.map((column) => renderSuggestions(words, column))}`
  return previewForm(context, 'cells', [], { id: 'grid', fixed: { seen: packedRows }, lead: table })
}

function renderSuggestions(words: Words, column: CellName): Html | '' {
  const texts = listSuggestions(words, column)
  if (texts.length === 0) return ''
  return html`<datalist id="of-${column}">${texts.map((one) => html`<option value="${one}"></option>`)}</datalist>`
}

const cellClass = (words: Words, column: CellName) => attributes({ class: isNumber(words, column) && 'number' })

function renderGridRow(context: PageContext, words: Words, row: ShownRow, shownColumns: readonly CellName[]): Html {
  const cells = shownColumns.map((column) => {
    if (row.values[column] !== undefined)
      return html`<td${cellClass(words, column)}>${cell(context, words, row, column)}</td>`
    if (row.followed[column] === undefined) return html`<td class="none"></td>`
    return html`<td class="none number">${followedCell(context, words, row, column)}</td>`
  })
  const more = row.left > 0 ? html`<small>${context.t('stock_more', { count: row.left })}</small>` : ''
  const part = row.kind === 'variants' ? html` class="part"` : ''
  return html`<tr><th scope="row"${part} title="${row.title}">${row.title}${more}</th>${cells}</tr>`
}

const labelCell = (context: PageContext, words: Words, { name }: ShownRow, column: CellName) =>
  context.t('grid_cell', { column: formatColumnTitle(context, column, words), name })

/** Without a name, so that it is not sent, and without a type, so that nothing is pasted into it. */
function followedCell(context: PageContext, words: Words, row: ShownRow, column: CellName): Html {
  const value = formatCellValue(words, column, row.followed[column])
  return html`<input${attributes({ value, readonly: true, 'aria-label': labelCell(context, words, row, column) })}>`
}

function cell(context: PageContext, words: Words, row: ShownRow, column: CellName): Html {
  const { form: submission } = context
  const { kind, id, values } = row
  const key = `${kind}.${id}.${column}`
  const now = formatCellValue(words, column, values[column])
  const input = submission.source === 'cells' ? submission[key] : undefined
  const value = typeof input === 'string' ? input : now
  const about = { name: key, 'aria-label': labelCell(context, words, row, column) }
  if (column === 'product_status') {
    const options = words.statuses.map(([status, word]) => {
      const isChosen = status === value || word === value
      return html`<option value="${status}"${isChosen ? html` selected` : ''}>${word}</option>`
    })
    return html`<select${attributes({ ...about, 'data-seen': String(values[column]) })}>${options}</select>`
  }
  const inputmode = isNumber(words, column) ? 'decimal' : null
  const list = listSuggestions(words, column).length > 0 ? `of-${column}` : null
  // A variant without its own value has its product's.
  const isInherited = kind === 'variants' && (column === 'price' || column === 'requires_shipping')
  const placeholder = isInherited ? formatCellValue(words, column, row.product[column]) : null
  const more = {
    type: 'text',
    value,
    inputmode,
    list,
    placeholder,
    maxlength: column === 'tags' ? 4000 : column.startsWith('custom_fields.') ? 2000 : 120,
  }
  return html`<input${attributes({ ...about, ...more, autocomplete: 'off' })} data-seen="${now}">`
}
