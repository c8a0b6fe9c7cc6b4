// The taxes stored with an order, whether calculated or given as a whole.
import { toNumber } from '../../kit/values/money.ts'
import type { TaxRate, Treatment } from '../tax/treatment.ts'
import { toTaxLines, type LineIds, type TaxLine } from '../tax/taxline.ts'
import type { OrderPrice } from './pricing.ts'

/** A tax_amount given by the caller is a line of its own. */
export function buildOrderTaxLines({ taxes, total, tax_amount }: OrderPrice, ids: LineIds): TaxLine[] {
  if (taxes.treatment || tax_amount.isZero()) return toTaxLines(taxes, ids)
  return [
    {
      type: 'order',
      item_id: null,
      bump_id: null,
      name: null,
      country_code: null,
      rate: null,
      reason: 'manual',
      base: toNumber(total.minus(tax_amount)),
      amount: toNumber(tax_amount),
      included: false,
      tax_id: null,
    },
  ]
}

/** The order's tax terms beyond the rates of its lines, for edits. */
export type SoldTaxTerms = Pick<Treatment, 'included' | 'shipping' | 'rounding' | 'relief' | 'billed_province'> & {
  /** The rate for items without a category. */
  standard: TaxRate
  billed?: SoldTaxTerms & Pick<Treatment, 'country_code'>
}

/** Null if nothing was taxed, or the tax was given as an amount. */
export function toSoldTaxTerms({ taxes: { treatment } }: Pick<OrderPrice, 'taxes'>): SoldTaxTerms | null {
  return treatment ? toTerms(treatment) : null
}

function toTerms({ country_code: _, rateOf, billed, ...terms }: Treatment): SoldTaxTerms {
  const ofBilled = billed && { billed: { ...toTerms(billed), country_code: billed.country_code } }
  return { ...terms, standard: rateOf(null), ...ofBilled }
}
