// The amounts of an order after an edit, by the rules that price new orders: what is still there is priced with what it
// was sold with, and refunded units keep their price. Reports all faults at once.
import type { Tx } from '../../../kit/database/database.ts'
import { fault, generalFaults, type Fault } from '../../../kit/values/faults.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { allocate, Decimal, toNumber, sum } from '../../../kit/values/money.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { basePrices, localPrices } from '../../tax/prices.ts'
import { type TaxLine, keyOfLine, rateOfLines } from '../../tax/taxline.ts'
import { findTaxTerms } from '../../tax/terms.ts'
import { choosePlace, resolveTaxTreatment, type TaxRate, type Treatment } from '../../tax/treatment.ts'
import { orderFaults } from '../errors.ts'
import type { AppliedDiscountView, ItemAdjustment } from '../item.ts'
import { buildItemAdjustments, toAppliedDiscountViews, priceOrder, type OrderPrice } from '../pricing.ts'
import { computeOrderCosts } from '../refunds/costs.ts'
import { undoneStatuses } from '../states.ts'
import { buildOrderTaxLines, type SoldTaxTerms } from '../taxes.ts'
import { findDiscountRules, type EditedDiscounts } from './discount.ts'
import type { OrderEdit } from './edit.ts'
import { openLine } from './keptdiscounts.ts'
import { editLines, type EditedItem, type EditedLines } from './lines.ts'
import type { Sale } from './sale.ts'
import type { TaxableLine, TaxedBefore } from '../../tax/amounts.ts'
import { linesOfItem, settledPrice, discountOfUnits, type SettledUnits } from '../settled.ts'

type QuotedItem = EditedItem & { adjustments: ItemAdjustment[] }

export type EditQuote = Omit<EditedLines, 'items'> & {
  items: QuotedItem[]
  discounts: EditedDiscounts
  /** Includes the units refunded before. */
  price: OrderPrice
  discountLines: AppliedDiscountView[]
  taxLines: TaxLine[]
}

export async function quoteEdit(tx: Tx, store: Store, sale: Sale, input: OrderEdit): Promise<EditQuote> {
  const [rulesOf, { treatment, prices }] = await Promise.all([
    findDiscountRules(tx, store, sale, input),
    taxation(tx, store, sale),
  ])
  const lines = await editLines(tx, store, sale, input.items ?? [], prices)
  const bumps = (sale.order_bumps?.items ?? []).map((bump) => soldBump(sale, bump))
  const discounts = rulesOf([...lines.items, ...bumps])
  const totals = settledTotals(lines.items)
  const givenTax = input.tax_amount ?? fixedTax(sale)
  const tax = givenTax === undefined ? undefined : new Decimal(givenTax).minus(totals.tax)
  const goods = {
    items: lines.items.map((item) => ({ ...openLine(item), ...soldTaxes(sale, item, treatment) })),
    bumps: bumps.map(openLine),
  }
  const { applied } = discounts
  const amounts = {
    ...(applied.length > 0 ? {} : { discount_amount: toNumber(discounts.amount) }),
    shipping_cost: input.shipping_cost ?? toNumber(sale.shipping_cost),
    ...freeShipping(sale, input, discounts),
    ...(tax === undefined ? {} : { tax_amount: toNumber(tax) }),
  }
  const terms = { ...(applied.length > 0 ? { applied } : {}), treatment }
  const openPrice = priceOrder(goods, amounts, terms, { currency: sale.currency, now: tx.now })
  const price = addSettled(openPrice, totals)
  const items = lines.items.map((item, index) => ({
    ...item,
    adjustments: adjustmentsAfter(item, adjustmentsWith(item, buildItemAdjustments(openPrice, index, tx.now))),
  }))
  const bumpIds = (sale.order_bumps?.items ?? []).map(({ bump_id }) => bump_id!)
  const ids = { items: items.map(({ id }) => publicId('item', id)), bumps: bumpIds }
  const taxLines = taxLinesWith(items, buildOrderTaxLines(withManualTaxes(openPrice, items), ids))
  const discountLines = discountsWith(sale, items, toAppliedDiscountViews(openPrice))
  const quote = { ...lines, items, discounts, price, discountLines, taxLines }
  const faults = [...stateFaults(sale), ...lines.faults, ...discounts.faults, ...price.faults]
  return { ...quote, faults: [...faults, ...floorFaults(discounts, tax, totals), ...shippingFaults(sale, quote)] }
}

/** Given amounts apply to the whole order: refunded units keep their part. */
function floorFaults({ amount }: EditedDiscounts, tax: Decimal | undefined, totals: SettledTotals): Fault[] {
  const tooSmall = (field: string, limit: Decimal) => fault(field, generalFaults.too_small, { limit: toNumber(limit) })
  return [
    ...(amount.isNegative() ? [tooSmall('discount_amount', totals.discount)] : []),
    ...(tax?.isNegative() ? [tooSmall('tax_amount', totals.tax)] : []),
  ]
}

/** Tax given for the whole order stays, and an untaxed order stays untaxed. */
function fixedTax({ tax_lines, tax_terms, tax_amount }: Sale): number | undefined {
  const isTaxed = tax_terms !== null || tax_lines.some(({ reason }) => reason !== 'manual')
  return isTaxed && !tax_lines.some(({ type }) => type === 'order') ? undefined : toNumber(tax_amount)
}

/** The taxes of the sale. Added items are taxed at today's rates, for the order's place and buyer. */
async function taxation(tx: Tx, store: Store, sale: Sale) {
  if (!store.has_taxes) return { treatment: soldTreatment(sale, null), prices: basePrices }
  const terms = await findTaxTerms(tx, store.id)
  const delivery = { ...sale.shipping_address, country_code: sale.country_code }
  const isDelivered = sale.tax_terms?.billed_province === undefined
  const isBilled = !isDelivered || sale.tax_terms?.billed !== undefined
  const place = choosePlace(delivery, isBilled ? sale.billing_address : null, isDelivered)
  const treatmentFor = (is_exempt: boolean) =>
    resolveTaxTreatment(terms, store.country_code, place, { tax_id: sale.tax_id, is_exempt })
  const today = treatmentFor(isExempt(sale, treatmentFor(false)))
  const treatment = soldTreatment(sale, today)
  return { treatment, prices: localPrices(terms, store.country_code, treatment, store.currency) }
}

/** A new code can make shipping free. A kept code leaves shipping unchanged unless the caller gives another cost. */
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

function stateFaults(sale: Sale): Fault[] {
  const { status, payment_status, capturing_amount, refunding_amount, has_refunded_parts } = sale
  return [
    ...(undoneStatuses.includes(status) ? [fault('status', orderFaults.not_editable, { status })] : []),
    ...(payment_status === 'refunded'
      ? [fault('payment_status', orderFaults.not_editable, { status: payment_status })]
      : []),
    ...(capturing_amount.isZero() ? [] : [fault('items', orderFaults.capture_under_way)]),
    ...(refunding_amount.isZero() ? [] : [fault('items', orderFaults.refund_under_way)]),
    ...(has_refunded_parts ? [fault('items', orderFaults.parts_refunded)] : []),
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
  const soldItems = items.map((item) => ({ ...item, total_price: item.total }))
  const bumps = order_bumps && { total: order_bumps.total! }
  const after = { currency, discount_amount, shipping_cost, tax_amount, order_bumps: bumps, tax_lines: taxLines }
  if (computeOrderCosts(after, soldItems).shipping.greaterThanOrEqualTo(sale.refunded_shipping)) return []
  return [fault('shipping_cost', orderFaults.shipping_refunded, { limit: toNumber(sale.refunded_shipping) })]
}

// The tax terms of the sale, for edits. Rates, reasons and rounding stay as they were, even if zones, products or
// categories have changed since. It has no side effects.

const zeroTaxRate: TaxRate = { components: [{ name: null, rate: 0, reason: 'zero', tax_id: null, compound: false }] }

/** The treatment of the sale, with today's rates for added items. Null if the sale was not taxed. */
function soldTreatment(sale: Sale, today: Treatment | null): Treatment | null {
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
    standard: rateOfLines(ofShipping) ?? today?.rateOf(null) ?? zeroTaxRate,
  }
  const delivery = tax_lines.find(({ province_code, type }) => province_code === undefined && type !== 'order') ?? first
  return withRates(terms, delivery.country_code ?? country_code ?? '', today)
}

function withRates(terms: SoldTaxTerms, country_code: string, today: Treatment | null | undefined): Treatment {
  const { standard, billed } = terms
  return {
    ...terms,
    country_code,
    rateOf: (categoryId) => (categoryId === null ? standard : (today?.rateOf(categoryId) ?? standard)),
    billed: billed && withRates(billed, billed.country_code, today?.billed),
  }
}

/** The rate of a sold line, and the taxes of its refunded units. A bundle has those of each part. */
function soldTaxes(
  sale: Sale,
  item: EditedItem,
  treatment: Treatment | null,
): TaxedBefore & Pick<TaxableLine, 'parts'> {
  if (!item.before) return {}
  const { settled, parts } = item
  const price = settled && settledPrice(settled, item.unit_price)
  const taxesOf = (amount: Decimal | null, part?: number): TaxedBefore => {
    const soldRate = rateOfLines(linesOfItem(sale.tax_lines, item.id).filter((line) => line.part === part))
    if (!treatment || !settled || !amount || !soldRate) return { soldRate }
    const taxes = soldRate.components.map((component) => {
      const key = keyOfLine({ ...component, part } as TaxLine)
      return new Decimal(settled.tax_lines.find((one) => keyOfLine(one) === key)?.amount ?? 0)
    })
    return { soldRate, settled: { amount, taxes } }
  }
  if (!parts) return taxesOf(price)
  const weights = parts.map((part) => part.price)
  const amounts = price && !sum(weights).isZero() ? allocate(price, weights, sale.currency) : []
  return { parts: parts.map((part, index) => ({ ...part, ...taxesOf(amounts[index] ?? null, index) })) }
}

type Bump = { bump_id?: string; price?: Decimal.Value }

/** An order bump that is not a product. */
function soldBump({ tax_lines }: Sale, { bump_id, price }: Bump) {
  const soldRate = rateOfLines(tax_lines.filter((line) => line.type === 'order_bump' && line.bump_id === bump_id))
  return { product_id: null, category_id: null, total: new Decimal(price!), settled: null, soldRate }
}

/**
 * True if the buyer was exempt. Older orders do not store it: there, all lines were exempt, but not by category.
 */
function isExempt({ tax_terms, tax_lines, items }: Sale, today: Treatment | null): boolean {
  if (tax_terms) return tax_terms.relief === 'exempt'
  const isFree = (rate: TaxRate | undefined) => rate?.components.every(({ reason }) => reason === 'exempt') ?? false
  if (!isFree(rateOfLines(tax_lines))) return false
  return items.length === 0 || !items.every(({ category_id }) => isFree(today?.rateOf(category_id)))
}

// Puts the refunded units of an order, whose price stays, together with what an edit has priced. It has no side
// effects.

type SettledTotals = { subtotal: Decimal; discount: Decimal; tax: Decimal; included: Decimal }

/** `tax` is added to the prices, `included` is in them. */
function settledTotals(items: readonly EditedItem[]): SettledTotals {
  const parts = items.flatMap(({ settled, unit_price }) => (settled ? [{ settled, unit_price }] : []))
  const taxes = (isIncluded: boolean) =>
    parts.flatMap(({ settled: { tax_lines } }) =>
      tax_lines.filter(({ included }) => included === isIncluded).map(({ amount }) => amount),
    )
  return {
    subtotal: sum(parts.map(({ settled, unit_price }) => unit_price.times(settled.quantity))),
    discount: sum(parts.map(({ settled }) => discountOfUnits(settled))).negated(),
    tax: sum([...taxes(false), ...parts.map(({ settled }) => settled.manual_tax)]),
    included: sum(taxes(true)),
  }
}

function addSettled(price: OrderPrice, totals: SettledTotals): OrderPrice {
  const { taxes } = price
  return {
    ...price,
    subtotal: price.subtotal.plus(totals.subtotal),
    discount_amount: price.discount_amount.plus(totals.discount),
    tax_amount: price.tax_amount.plus(totals.tax),
    total: price.total.plus(totals.subtotal).minus(totals.discount).plus(totals.tax),
    taxes: { ...taxes, included: taxes.included.plus(totals.included) },
  }
}

const keyOfAdjustment = ({ type, source_id }: ItemAdjustment) => `${type} ${source_id}`

/** The item's shares of discounts: of the units that were priced, with those of refunded ones. */
function adjustmentsWith({ settled }: EditedItem, open: readonly ItemAdjustment[]): ItemAdjustment[] {
  const before = settled?.adjustments ?? []
  const same = (one: ItemAdjustment) => before.find((other) => keyOfAdjustment(other) === keyOfAdjustment(one))
  const sums = open.map((one) => ({ ...one, amount: toNumber(sum([one.amount, same(one)?.amount ?? 0])) }))
  const keys = open.map(keyOfAdjustment)
  return [...before.filter((one) => !keys.includes(keyOfAdjustment(one))), ...sums]
}

/** The discounts of the order, which add up to its discount. One that came off keeps what refunded units had of it. */
function discountsWith(
  { discounts }: Sale,
  items: readonly EditedItem[],
  open: readonly AppliedDiscountView[],
): AppliedDiscountView[] {
  const adjustments = items.flatMap(({ settled }) => settled?.adjustments ?? [])
  const sumSettledDiscount = (id: string) =>
    sum(adjustments.filter(({ source_id }) => source_id === id).map(({ amount }) => amount)).negated()
  const endedDiscounts = discounts.filter(
    ({ id }) => !open.some((one) => one.id === id) && !sumSettledDiscount(id).isZero(),
  )
  return [
    ...endedDiscounts.map((one) => ({ ...one, amount: toNumber(sumSettledDiscount(one.id)) })),
    ...open.map((one) => ({ ...one, amount: toNumber(sumSettledDiscount(one.id).plus(one.amount)) })),
  ]
}

/** A tax of the whole order is one line, with its part of refunded units. */
function withManualTaxes(price: OrderPrice, items: readonly EditedItem[]): OrderPrice {
  const parts = items.flatMap(({ settled }) => (settled && settled.manual_tax > 0 ? [settled] : []))
  return {
    ...price,
    tax_amount: price.tax_amount.plus(sum(parts.map(({ manual_tax }) => manual_tax))),
    total: price.total.plus(sum(parts.map(({ amount }) => amount))),
  }
}

/** `open` are the taxes of the units that were priced, of order bumps and of shipping. */
function taxLinesWith(items: readonly EditedItem[], open: readonly TaxLine[]): TaxLine[] {
  const ofItems = items.flatMap(({ id, settled }) => {
    const own = open.filter(({ item_id }) => item_id === publicId('item', id))
    return settled ? mergeLines(own, settled) : own
  })
  return [...ofItems, ...open.filter(({ type }) => type !== 'item')]
}

function mergeLines(open: readonly TaxLine[], { tax_lines }: SettledUnits): TaxLine[] {
  const same = (line: TaxLine) => tax_lines.find((other) => keyOfLine(other) === keyOfLine(line))
  const taxLines = open.map((line) => ({
    ...line,
    base: toNumber(sum([line.base, same(line)?.base ?? 0])),
    amount: toNumber(sum([line.amount, same(line)?.amount ?? 0])),
  }))
  const keys = open.map(keyOfLine)
  return [...tax_lines.filter((line) => !keys.includes(keyOfLine(line))), ...taxLines]
}
