// The amounts of an order after an edit, by the rules that price new orders. Reports all faults at once.
import type { Tx } from '../../../kit/database/database.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { toNumber } from '../../../kit/values/money.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { basePrices, localPrices } from '../../tax/prices.ts'
import type { TaxLine } from '../../tax/taxline.ts'
import { findTaxTerms } from '../../tax/terms.ts'
import { treatmentOf } from '../../tax/treatment.ts'
import { orderFaults } from '../errors.ts'
import type { ItemAdjustment } from '../item.ts'
import { adjustmentsOf, priceOrder, type OrderPrice } from '../pricing.ts'
import { costsOf } from '../refunds/costs.ts'
import { undoneStatuses } from '../states.ts'
import { linesOf } from '../taxes.ts'
import { findDiscountRules, linesOfDiscounts, type EditedDiscounts } from './discount.ts'
import type { OrderEdit } from './edit.ts'
import { editLines, type EditedItem, type EditedLines } from './lines.ts'
import type { Sale } from './sale.ts'

type QuotedItem = EditedItem & { adjustments: ItemAdjustment[] }

export type EditQuote = Omit<EditedLines, 'items'> & {
  items: QuotedItem[]
  discounts: EditedDiscounts
  price: OrderPrice
  taxLines: TaxLine[]
}

export async function quoteEdit(tx: Tx, store: Store, sale: Sale, input: OrderEdit): Promise<EditQuote> {
  const tax = input.tax_amount ?? fixedTax(sale)
  const [rulesOf, { treatment, prices }] = await Promise.all([
    findDiscountRules(tx, store, sale, input),
    taxation(tx, store, sale),
  ])
  const lines = await editLines(tx, store, sale, input.items ?? [], prices)
  const goods = { items: lines.items, bumps: linesOfDiscounts(sale).slice(sale.items.length) }
  const discounts = rulesOf([...goods.items, ...goods.bumps])
  const { applied } = discounts
  const fixed = {
    ...(applied.length > 0 ? {} : { discount_amount: discounts.amount }),
    shipping_cost: input.shipping_cost ?? toNumber(sale.shipping_cost),
    ...freeShipping(sale, input, discounts),
    ...(tax === undefined ? {} : { tax_amount: tax }),
  }
  const terms = { ...(applied.length > 0 ? { applied } : {}), treatment }
  const price = priceOrder(goods, fixed, terms, { currency: sale.currency, now: tx.now })
  const items = lines.items.map((item, index) => ({
    ...item,
    adjustments: adjustmentsAfter(item, adjustmentsOf(price, index, tx.now)),
  }))
  const taxLines = linesOf(price, {
    items: items.map(({ id }) => publicId('item', id)),
    bumps: (sale.order_bumps?.items ?? []).map(({ bump_id }) => bump_id!),
  })
  const quote = { ...lines, items, discounts, price, taxLines }
  const faults = [...stateFaults(sale), ...lines.faults, ...discounts.faults, ...price.faults]
  return { ...quote, faults: [...faults, ...shippingFaults(sale, quote)] }
}

/** Tax that was given for the whole order stays, and so does an order without taxes. */
function fixedTax({ tax_lines, tax_amount }: Sale): number | undefined {
  return tax_lines.some(({ reason }) => reason !== 'manual') ? undefined : toNumber(tax_amount)
}

/** Today's rates, for the place and the buyer of the order. */
async function taxation(tx: Tx, store: Store, sale: Sale) {
  if (!store.has_taxes) return { treatment: null, prices: basePrices }
  const terms = await findTaxTerms(tx, store.id)
  const place = { ...sale.shipping_address, country_code: sale.country_code }
  const buyer = { tax_id: sale.tax_id, is_exempt: sale.tax_lines.some(({ reason }) => reason === 'exempt') }
  const treatment = treatmentOf(terms, store.country_code, place, buyer)
  return { treatment, prices: localPrices(terms, store.country_code, treatment, store.currency) }
}

/** A new code can make shipping free. A kept one leaves it as it is, unless the caller gives another cost. */
function freeShipping({ free_shipping }: Sale, { shipping_cost }: OrderEdit, { isNew }: EditedDiscounts) {
  if (shipping_cost !== undefined) return { free_shipping: false }
  return isNew ? {} : { free_shipping }
}

/** Unchanged shares keep their adjustments. */
function adjustmentsAfter({ before }: EditedItem, after: ItemAdjustment[]): ItemAdjustment[] {
  const own = before?.adjustments ?? []
  const isSame = ({ type, code, amount }: ItemAdjustment, index: number) =>
    own[index]!.type === type && own[index]!.code === code && own[index]!.amount === amount
  return before && own.length === after.length && after.every(isSame) ? own : after
}

function stateFaults({ status, payment_status, capturing_amount, refunding_amount }: Sale): Fault[] {
  return [
    ...(undoneStatuses.includes(status) ? [fault('status', orderFaults.not_editable, { status })] : []),
    ...(payment_status === 'refunded'
      ? [fault('payment_status', orderFaults.not_editable, { status: payment_status })]
      : []),
    ...(capturing_amount.isZero() ? [] : [fault('items', orderFaults.capture_under_way)]),
    ...(refunding_amount.isZero() ? [] : [fault('items', orderFaults.refund_under_way)]),
  ]
}

/** Shipping that was refunded cannot be taken out of the order again. */
function shippingFaults(
  sale: Sale,
  { items, price, taxLines }: Pick<EditQuote, 'items' | 'price' | 'taxLines'>,
): Fault[] {
  if (sale.refunded_shipping.isZero()) return []
  const { discount_amount, shipping_cost, tax_amount } = price
  const { currency, order_bumps } = sale
  const sold = items.map((item) => ({ ...item, total_price: item.total }))
  const bumps = order_bumps && { total: order_bumps.total! }
  const after = { currency, discount_amount, shipping_cost, tax_amount, order_bumps: bumps, tax_lines: taxLines }
  if (costsOf(after, sold).shipping.greaterThanOrEqualTo(sale.refunded_shipping)) return []
  return [fault('shipping_cost', orderFaults.shipping_refunded, { limit: toNumber(sale.refunded_shipping) })]
}
