// The stock grid: one line for each tracked product or variant, with editable cells. Each changed cell is its own
// change, sent with the value that it replaces.
import { html } from 'hono/html'
import type { Entity } from '../../../kit/declare/field.ts'
import { stockedProduct } from '../../../commerce/catalog/stockedproduct.ts'
import { field, fieldsNamed, type Form } from '../../../platform/pages/form.ts'
import { hidden } from '../../../platform/pages/parts.ts'
import { endpoint } from '../../framework/api.ts'
import { readNumber } from '../../assets/numbers.ts'
import { renderCell } from '../../framework/cell.ts'
import { form } from '../../framework/form.ts'
import { mark } from '../../framework/parts.ts'
import type { ScreenAction, ActionCall, Html, PageContext } from '../../framework/screen.ts'

export type StockedProduct = Entity<typeof stockedProduct.fields>

export type Line = {
  productId: string
  variantId: string | null
  /** The product's name. */
  product: string
  /** The variant's title, or the product's name. */
  title: string
  sku: string | null
  stock: number
  threshold: number
  continuesSelling: boolean
}

/** The product's lines: everything whose stock is tracked. */
export function buildStockLines(record: StockedProduct): Line[] {
  const { product_id: productId, name: product, variants, track_inventory } = record
  const trackedVariants = variants.filter(({ manage_inventory }) => manage_inventory)
  if (variants.length > 0) {
    return trackedVariants.map(({ variant_id: variantId, title, ...stock }) => {
      return { productId, variantId, product, title, ...toStockLevels(stock) }
    })
  }
  return track_inventory ? [{ productId, variantId: null, product, title: product, ...toStockLevels(record) }] : []
}

type Levels = Pick<
  StockedProduct,
  'sku' | 'stock_quantity' | 'low_stock_threshold' | 'continue_selling_when_out_of_stock'
>

function toStockLevels({ sku, stock_quantity, low_stock_threshold, continue_selling_when_out_of_stock }: Levels) {
  const stock = { stock: stock_quantity, threshold: low_stock_threshold }
  return { sku, ...stock, continuesSelling: continue_selling_when_out_of_stock }
}

/** The API's usual codes; it accepts any text. */
const reasons = [
  'correction',
  'cycle_count',
  'received',
  'return',
  'damaged',
  'shrinkage',
  'promotion',
  'transfer',
  'other',
] as const

const adjust = endpoint('PATCH /inventory/products/{productId}')
const setRules = endpoint('PATCH /inventory/products/{productId}/settings')

export const saveGrid: ScreenAction = {
  route: adjust,
  calls: buildStockCalls,
  inputs: [{ name: 'reason', options: ({ t }) => reasons.map((reason) => [reason, t(`moved_for_${reason}`)]) }],
  done: 'changed_count',
}

/** The hidden value of a line: its IDs, and the shown amounts. */
const encodeSeenLine = ({ productId, variantId, stock, threshold }: Line) =>
  [productId, variantId ?? '-', stock, threshold].join(' ')

const buildCellName = (column: 'stock' | 'threshold', productId: string, variantId: string | null) =>
  `${column} ${productId} ${variantId ?? '-'}`

type TypedLine = {
  productId: string
  variantId: string | null
  stock: [seen: string, typed: string]
  threshold: [string, string]
}

function typedIn(submission: Form): TypedLine[] {
  const [stocks, thresholds] = [fieldsNamed(submission, 'stock'), fieldsNamed(submission, 'threshold')]
  return fieldsNamed(submission, 'line').map((line, at) => {
    const [productId = '', variantId = '-', stock = '', threshold = ''] = line.split(' ')
    return {
      productId,
      variantId: variantId === '-' ? null : variantId,
      stock: [stock, (stocks[at] ?? stock).trim()],
      threshold: [threshold, (thresholds[at] ?? threshold).trim()],
    }
  })
}

/** One call for each cell whose value has changed. */
function buildStockCalls({ form: submission, language }: PageContext): ActionCall[] {
  const reason = field(submission, 'reason') || 'correction'
  return typedIn(submission).flatMap(({ productId, variantId, stock, threshold }): ActionCall[] => {
    const params = { productId }
    const [seenStock, typedStock] = stock
    const [seenThreshold, typedThreshold] = threshold
    const count = {
      quantity: computeStockDifference(readNumber(typedStock, language), seenStock),
      expected_stock: Number(seenStock),
    }
    const limit = {
      low_stock_threshold: readNumber(typedThreshold, language),
      expected_low_stock_threshold: Number(seenThreshold),
    }
    const variant = variantId === null ? {} : { variant_id: variantId }
    return [
      ...(isSame(typedStock, seenStock, language)
        ? []
        : [
            {
              route: adjust,
              params,
              body: { ...variant, ...count, reason },
              field: buildCellName('stock', productId, variantId),
            },
          ]),
      ...(isSame(typedThreshold, seenThreshold, language)
        ? []
        : [
            {
              route: setRules,
              params,
              body: { ...variant, ...limit },
              field: buildCellName('threshold', productId, variantId),
            },
          ]),
    ]
  })
}

/** An emptied cell keeps its value. */
const isSame = (input: string, lastSeen: string, language: string) =>
  input === '' || input === lastSeen || readNumber(input, language) === Number(lastSeen)

function computeStockDifference(quantity: number | string, lastSeen: string): number | string {
  return typeof quantity === 'number' ? quantity - Number(lastSeen) : quantity
}

type Group = { lines: readonly Line[]; heading?: Html }

/** `groups`: the lines of each product, below its heading. */
export async function grid(context: PageContext, groups: readonly Group[], mayWrite: boolean): Promise<Html> {
  const { t } = context
  const rejection = context.rejection?.act === 'save' ? context.rejection : null
  const typedLines = new Map(
    rejection ? typedIn(context.form).map((one) => [`${one.productId} ${one.variantId ?? '-'}`, one]) : [],
  )
  const rows = groups.map(({ lines, heading }) => [
    heading ?? '',
    ...lines.map((line) =>
      renderStockRow(context, line, mayWrite, typedLines.get(`${line.productId} ${line.variantId ?? '-'}`)),
    ),
  ])
  const head = html`<thead><tr><th scope="col">${t('product')}</th>
<th scope="col" class="number">${t('stock_quantity')}</th><th scope="col" class="number">${t('low_at')}</th>
<th scope="col" class="wide">${t('state')}</th></tr></thead>`
  const table = html`<edit-grid><table class="list stock" aria-label="${t('inventory')}">${head}
<tbody>${rows}</tbody></table></edit-grid>`
  if (!mayWrite) return table
  return form(context, {
    id: 'grid',
    act: 'save',
    action: saveGrid,
    button: 'save',
    values: { reason: 'correction' },
    lead: table,
  })
}

function renderStockRow(context: PageContext, line: Line, mayWrite: boolean, typedLine: TypedLine | undefined): Html {
  const { t, base, rejection } = context
  const { productId, variantId, product, title, sku, stock, threshold } = line
  const cell = (column: 'stock' | 'threshold', value: number) => {
    if (!mayWrite) return html`<td class="number">${value}</td>`
    const name = buildCellName(column, productId, variantId)
    const fault = rejection?.faults[name]
    const about = {
      type: 'text',
      inputmode: 'numeric',
      class: 'number',
      size: 5,
      maxlength: 12,
      'data-seen': String(value),
    }
    const label = t(column === 'stock' ? 'stock_of' : 'threshold_of', {
      name: product === title ? title : `${product} · ${title}`,
    })
    const input = { id: name.replaceAll(' ', '-'), name: column, value: fault ? typedLine![column][1] : String(value) }
    return html`<td class="number">${renderCell(context, { ...input, ...about, 'aria-label': label }, fault)}</td>`
  }
  const href = `${base}/products/${productId}/stock${variantId ? `?variant_id=${variantId}` : ''}`
  return html`<tr><td>${mayWrite ? hidden('line', encodeSeenLine(line)) : ''}<a class="main" href="${href}">${title}</a>
${sku ? html`<small class="hint">${sku}</small>` : ''}</td>${cell('stock', stock)}${cell('threshold', threshold)}
<td class="wide">${levelMark(context, line)}</td></tr>`
}

function levelMark({ t }: PageContext, { stock, threshold, continuesSelling }: Line): Html {
  if (stock <= 0)
    return mark(t(continuesSelling ? 'stock_on_order' : 'stock_status_out_of_stock'), continuesSelling ? 'warn' : 'bad')
  return stock <= threshold ? mark(t('stock_status_low_stock'), 'warn') : mark(t('stock_status_in_stock'), 'good')
}
