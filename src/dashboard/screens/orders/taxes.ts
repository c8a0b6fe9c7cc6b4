import type { Order } from '../../../commerce/orders/order.ts'
import { severalTaxes, taxName } from '../../../commerce/tax/summary.ts'
import type { PageContext } from '../../framework/screen.ts'

type TaxSum = [name: string, amount: number]

/** `added`: rows above the total, one for each of several taxes. `included`: rows below it. */
export function buildTaxSums({ t, language }: PageContext, { tax_amount, included_tax, tax_lines }: Order) {
  const several = severalTaxes(tax_lines).map((tax): TaxSum => [taxName(tax, language), tax.amount])
  const addedTaxes: TaxSum[] = tax_amount > 0 && several.length > 0 ? several : [[t('tax'), tax_amount]]
  const includedTaxes: TaxSum[] = included_tax > 0 ? [[t('included_tax'), included_tax], ...several] : []
  return { added: addedTaxes, included: includedTaxes }
}
