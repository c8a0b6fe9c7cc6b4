// What an order was taxed with, for its edits. Rates, reasons and the way of rounding stay, whatever has become of the
// zones, products and categories since. It has no side effects.
import { Decimal } from '../../../kit/values/money.ts'
import type { TaxedBefore } from '../../tax/amounts.ts'
import { keyOfLine, rateOfLines, type TaxLine } from '../../tax/taxline.ts'
import type { TaxRate, Treatment } from '../../tax/treatment.ts'
import { linesOfItem, settledPrice } from '../settled.ts'
import type { SoldTaxTerms } from '../taxes.ts'
import type { EditedItem } from './lines.ts'
import type { Sale } from './sale.ts'

const untaxed: TaxRate = { components: [{ name: null, rate: 0, reason: 'zero', tax_id: null, compound: false }] }

/** The treatment of the sale, with today's rates for what is added. Null if the sale was not taxed. */
export function soldTreatment(sale: Sale, today: Treatment | null): Treatment | null {
  const { tax_lines, shipping_cost, country_code } = sale
  const [first] = tax_lines.filter(({ type }) => type !== 'order')
  if (!first) return null
  const ofShipping = tax_lines.filter(({ type }) => type === 'shipping')
  const isTaxed = shipping_cost.isZero() ? today?.shipping !== 'none' : ofShipping.length > 0
  const terms: SoldTaxTerms = sale.tax_terms ?? {
    included: first.included,
    shipping: isTaxed ? 'standard' : 'none',
    rounding: today?.rounding ?? 'order',
    relief: null,
    standard: rateOfLines(ofShipping) ?? today?.rateOf(null) ?? untaxed,
  }
  return {
    ...terms,
    country_code: first.country_code ?? country_code ?? '',
    rateOf: (categoryId) => (categoryId === null ? terms.standard : (today?.rateOf(categoryId) ?? terms.standard)),
  }
}

/** The rate of a line that was sold, and its taxes of units that were refunded. */
export function soldTaxes(sale: Sale, item: EditedItem, treatment: Treatment | null): TaxedBefore {
  if (!item.before) return {}
  const soldRate = rateOfLines(linesOfItem(sale.tax_lines, item.id))
  const { settled } = item
  if (!treatment || !settled || !soldRate) return { soldRate }
  const taxes = soldRate.components.map((component) => {
    const line = settled.tax_lines.find((one) => keyOfLine(one) === keyOfLine(component as TaxLine))
    return new Decimal(line?.amount ?? 0)
  })
  return { soldRate, settled: { amount: settledPrice(settled, item.unit_price), taxes } }
}

type Bump = { bump_id?: string; price?: Decimal.Value }

/** An order bump that is not a product. */
export function soldBump({ tax_lines }: Sale, { bump_id, price }: Bump) {
  const soldRate = rateOfLines(tax_lines.filter((line) => line.type === 'order_bump' && line.bump_id === bump_id))
  return { product_id: null, category_id: null, total: new Decimal(price!), settled: null, soldRate }
}

/**
 * True if the buyer was exempt. Older orders do not say it: then everything was exempt, and not because of what it was.
 */
export function isExempt({ tax_terms, tax_lines, items }: Sale, today: Treatment | null): boolean {
  if (tax_terms) return tax_terms.relief === 'exempt'
  const isFree = (rate: TaxRate | undefined) => rate?.components.every(({ reason }) => reason === 'exempt') ?? false
  if (!isFree(rateOfLines(tax_lines))) return false
  return items.length === 0 || !items.every(({ category_id }) => isFree(today?.rateOf(category_id)))
}
