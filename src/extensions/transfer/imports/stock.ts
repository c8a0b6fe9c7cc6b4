// The stock of a product or variant, as far as a file knows it.
import type { Filling, Sentence } from '../../../kit/values/faults.ts'
import { remark, rowNotes } from './notes.ts'
import type { Draft, MappedRow } from './record.ts'

const names = {
  product: { tracked: 'track_inventory', continues: 'continue_selling' },
  variant: { tracked: 'manage_inventory', continues: 'continue_selling_when_out_of_stock' },
} as const

/**
 * A row with stock is tracked if the file does not say otherwise. Stock that a file does not know is not 0, and what
 * another system did not sell is not for sale here.
 */
export function followStock(
  { notes }: Draft,
  target: Record<string, any>,
  { number, values }: MappedRow,
  kind: keyof typeof names,
): void {
  const { tracked, continues } = names[kind]
  const { stock_quantity: stock } = target
  const note = <S extends Sentence>(field: string, sentence: S, ...filling: Filling<S>) =>
    notes.push(remark({ number, column: values.get(field)?.column ?? null }, sentence, ...filling))
  const isKnown = typeof stock === 'number'
  const managesStock = values.get('manages_stock')?.value
  if (managesStock === false) target[tracked] = false
  else if (managesStock !== undefined && !isKnown) note('manages_stock', rowNotes.stock_unknown)
  else if (isKnown && !values.has('track_inventory')) target[tracked] = true
  const unavailable = kind === 'variant' && values.get('product_status')?.value === 'draft' ? 'product_status' : null
  if (unavailable ?? values.get('in_stock')?.value === false) {
    if (!isKnown || stock > 0) note(unavailable ?? 'in_stock', rowNotes.not_for_sale)
    Object.assign(target, { [tracked]: true, [continues]: false, stock_quantity: 0 })
    return
  }
  if (!isKnown || stock >= 0 || target[continues] === true) return
  target.stock_quantity = 0
  note('stock_quantity', rowNotes.stock_below_zero, { stock })
}
