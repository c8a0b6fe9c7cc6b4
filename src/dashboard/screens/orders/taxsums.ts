import type { Order } from '../../../commerce/orders/order.ts'
import { severalTaxes, taxName } from '../../../commerce/tax/summary.ts'
import type { PageContext } from '../../framework/screen.ts'

type Sum = [name: string, amount: number]

/** The taxes above an order's total, one by one where several were added, and below it those that prices contain. */
export function taxSums({ t, language }: PageContext, { tax_amount, included_tax, tax_lines }: Order) {
  const several = severalTaxes(tax_lines).map((tax): Sum => [taxName(tax, language), tax.amount])
  const added: Sum[] = tax_amount > 0 && several.length > 0 ? several : [[t('tax'), tax_amount]]
  const included: Sum[] = included_tax > 0 ? [[t('included_tax'), included_tax], ...several] : []
  return { added, included }
}
