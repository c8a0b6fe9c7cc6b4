// The taxes of an order: as the checkout has worked them out, or given as a whole, or what the prices contain.
import type { Db } from '../kit/database/database.ts'
import { toNumber } from '../kit/values/money.ts'
import type { DiscountLine } from '../discounts/pricing.ts'
import type { Store } from '../stores/store.ts'
import { noTaxes, taxedGoods, taxesOf, type Taxes } from '../tax/amounts.ts'
import { taxLinesOf, type Named, type TaxLine } from '../tax/taxline.ts'
import { findTaxTerms, type TaxTerms } from '../tax/terms.ts'
import { treatmentOf, type Place } from '../tax/treatment.ts'
import { countryCodeOf } from './address.ts'
import type { Buyer } from './buyer.ts'
import type { NewOrder } from './order.ts'
import type { Price } from './pricing.ts'

/** Asked for only where prices may contain a tax and nobody has said how much. */
export async function termsOf(db: Db, store: Store, { taxes, tax_amount }: NewOrder): Promise<TaxTerms | undefined> {
  return store.has_taxes && !taxes && tax_amount === undefined ? findTaxTerms(db, store.id) : undefined
}

type Sale = { input: NewOrder; bought: readonly DiscountLine[]; price: Price; buyer: Buyer }

/** Nothing is added to an order that does not name its tax: it is told what its prices contain. */
export function taxesWithin(terms: TaxTerms | undefined, store: Store, sale: Sale): Taxes {
  const { input, bought, price, buyer } = sale
  if (!terms) return noTaxes
  const payer = { tax_id: buyer.tax_id, is_exempt: buyer.isExempt }
  const treatment = treatmentOf(terms, store.country_code, placeOf(input), payer)
  if (!treatment?.included) return noTaxes
  const goods = taxedGoods(bought, input.items.length, price.allocation)
  return taxesOf(goods, price.shipping_cost, treatment, store.currency)
}

function placeOf({ country_code, shipping_address: address }: NewOrder): Place {
  return { ...address, country_code: country_code ?? countryCodeOf(address?.country) }
}

/** An amount that was given as a whole is a line of its own. */
export function linesOf(taxes: Taxes, price: Price, named: Named): TaxLine[] {
  if (taxes.treatment || price.tax_amount.isZero()) return taxLinesOf(taxes, named)
  const { total, tax_amount } = price
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
    },
  ]
}
