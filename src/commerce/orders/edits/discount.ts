// The discounts of an order after an edit. They go on as they were when it was sold, whether or not they can still be
// used; a new code must be usable and replaces them. Units refunded before keep the discount that they were sold with.
import type { Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { Decimal, sum } from '../../../kit/values/money.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { chooseMainCode, listSoldCodes, readDiscountCodes } from '../../discounts/codes.ts'
import {
  applyAll,
  bestCombination,
  fixedDiscount,
  type AppliedDiscount,
  type OfferedDiscounts,
  type ShippingCostOf,
} from '../../discounts/combination.ts'
import { discount, type DiscountRow } from '../../discounts/discount.ts'
import { getDiscountRejection, type FoundDiscount } from '../../discounts/pricing.ts'
import { findDiscounts, type DiscountBuyer } from '../../discounts/uses.ts'
import { explainRejection, findCodeFaults } from '../pricing.ts'
import { discountOfUnits } from '../settled.ts'
import type { OrderEdit } from './edit.ts'
import { applyKept, openLine, soldLines, type EditedLine } from './keptdiscounts.ts'
import type { Sale } from './sale.ts'

export type EditedDiscounts = {
  isNew: boolean
  /** Without applied discounts, the amount is by hand, and a code is that of a discount that was deleted. */
  code: string | null
  /** The amount that they take off the units that are not settled. */
  applied: readonly AppliedDiscount[]
  amount: Decimal
  faults: Fault[]
}

/** The discounts on the order's lines after the edit. */
export type DiscountRules = (lines: readonly EditedLine[]) => EditedDiscounts

export async function findDiscountRules(tx: Tx, store: Store, sale: Sale, input: OrderEdit): Promise<DiscountRules> {
  const codes = readDiscountCodes(input)
  if (codes === undefined || isSame(sale, input, codes)) {
    return keptRules(sale, input, await readKept(tx, store.id, sale), tx.now)
  }
  if (codes.length === 0) {
    const none = { isNew: true, code: null, applied: [], faults: [] }
    return (lines) => ({ ...none, amount: openAmount(input.discount_amount, lines) })
  }
  const [found, { rows: kept }] = await Promise.all([
    findDiscounts(tx, store, { codes, withAutomatic: false, buyer: toSaleBuyer(sale) }),
    readKept(tx, store.id, sale),
  ])
  // A code that the order has goes on as it was sold.
  const entered = found.codes.map((one) => ({
    ...one,
    discount: kept.find(({ code }) => code === one.code) ?? one.discount,
  }))
  return newRules(sale, input, { codes: entered, automatic: [] }, tx.now)
}

/** True if the codes are sent back as they were read: all of them, or the main one alone. */
function isSame(sale: Sale, { discount_codes }: OrderEdit, codes: readonly string[]): boolean {
  if (discount_codes === undefined) return (codes[0] ?? null) === sale.discount_code
  const soldCodes = listSoldCodes(sale)
  return codes.length === soldCodes.length && codes.every((code) => soldCodes.includes(code))
}

/** The part of the order's discount that is not on refunded units. */
function openAmount(amount: Decimal.Value | undefined, lines: readonly EditedLine[]): Decimal {
  if (amount === undefined) return new Decimal(0)
  return sum(lines.map(({ settled }) => (settled ? discountOfUnits(settled) : 0))).plus(amount)
}

type KeptDiscounts = { rows: readonly DiscountRow[]; isByRule: boolean }

/** The discounts as they were sold. Of an older order, those that still exist, if they give what it was sold with. */
async function readKept(tx: Tx, storeId: string, sale: Sale): Promise<KeptDiscounts> {
  if (sale.discount_rules) return { rows: sale.discount_rules.map(alwaysUsable), isByRule: true }
  // Without a code, what is listed came off: refunded units have it alone.
  const ids = sale.discount_code === null ? [] : sale.discounts.map(({ id }) => toUuid('disc', id)!)
  if (ids.length === 0) return { rows: [], isByRule: sale.discount_amount.isZero() }
  const discountRows = await tx.rows<DiscountRow>(sql`
    select ${discount.row.columns}
    from discounts
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
  const rows = ids.flatMap((id) => discountRows.filter((row) => row.id === id)).map(alwaysUsable)
  const before = applyAll(rows, linesOfDiscounts(sale), sale.currency)
  const isByRule =
    rows.length === sale.discounts.length &&
    before.every(({ amount }, index) => amount.equals(sale.discounts[index]!.amount)) &&
    sum(before.map(({ amount }) => amount)).equals(sale.discount_amount)
  return { rows, isByRule }
}

/** Checks made when the discount was applied are not repeated. */
function alwaysUsable(row: DiscountRow): FoundDiscount {
  const usable = { is_active: true, starts_at: null, expires_at: null, max_uses: 0 }
  return { ...row, ...usable, once_per_customer: false, customer_group_ids: [] }
}

/** An automatic discount whose conditions are no longer met is removed; a code is a fault. */
function keptRules(sale: Sale, input: OrderEdit, { rows, isByRule }: KeptDiscounts, now: Date): DiscountRules {
  const { currency, discount_code: code } = sale
  const main = rows.find(({ is_automatic }) => !is_automatic) ?? rows[0]
  return (lines) => {
    const marks = { isNew: false, code }
    if (input.discount_amount !== undefined || !isByRule) {
      const amount = openAmount(input.discount_amount ?? sale.discount_amount, lines)
      const discounts = main ? [fixedDiscount(main, amount, lines.map(openLine), currency)] : []
      return { ...marks, amount, applied: discounts, faults: [] }
    }
    const soldItems = soldLines(lines)
    const checks = rows.map((row) => ({ row, reason: getDiscountRejection(row, soldItems, { currency, now }) }))
    const rest = checks.flatMap(({ row, reason }) => (reason === null ? [row] : []))
    const keptDiscounts = applyKept(rest, lines, currency)
    const faults = checks.flatMap(({ row, reason }) =>
      reason !== null && !row.is_automatic ? [{ field: nameCode(input, row), ...explainRejection(reason, row) }] : [],
    )
    const isLeft = keptDiscounts.length > 0 || rows.length === 0
    return { ...marks, amount: new Decimal(0), code: isLeft ? code : null, applied: keptDiscounts, faults }
  }
}

function nameCode({ discount_codes }: OrderEdit, { code }: DiscountRow): string {
  return discount_codes ? `discount_codes.${discount_codes.indexOf(code)}` : 'discount_code'
}

function newRules(sale: Sale, input: OrderEdit, found: OfferedDiscounts, now: Date): DiscountRules {
  const { discount_amount } = input
  const { currency } = sale
  const shipping = discount_amount === undefined ? shippingAfter(sale, input) : undefined
  return (lines) => {
    const open = lines.map(openLine)
    const rest = open.filter(({ quantity }) => quantity !== 0)
    const { applied, codes } = bestCombination(found, rest, { currency, now, shipping })
    const faults = findCodeFaults(codes, input)
    const isAnyApplied = applied.length > 0 || faults.length > 0
    const code = isAnyApplied ? chooseMainCode(codes) : null
    const marks = { isNew: true, code, amount: openAmount(discount_amount, lines) }
    if (faults.length > 0) return { ...marks, applied: [], faults }
    const rows = applied.map(({ discount: row }) => row)
    const byHand = discount_amount !== undefined && fixedDiscount(rows[0]!, marks.amount, open, currency)
    return { ...marks, applied: byHand ? [byHand] : applyAll(rows, open, currency), faults }
  }
}

/** Shipping that a code of the sale made free would have cost something: how much is not stored. */
function shippingAfter(sale: Sale, { shipping_cost }: OrderEdit): ShippingCostOf | undefined {
  if (shipping_cost !== undefined) return () => new Decimal(shipping_cost)
  if (sale.free_shipping) return undefined
  return (_, isWaived) => (isWaived ? new Decimal(0) : sale.shipping_cost)
}

export function toSaleBuyer({ customer_id, customer_email, customer_phone }: Sale): DiscountBuyer {
  return { id: customer_id, email: customer_email, phone: customer_phone }
}

/** The lines to which the discounts applied before the edit. */
function linesOfDiscounts(sale: Sale) {
  const bumps = sale.order_bumps?.items ?? []
  return [
    ...sale.items.map(({ product_id, category_id, quantity, total_price: total }) => {
      return { product_id, category_id, quantity, total }
    }),
    ...bumps.map(({ price }) => ({ product_id: null, category_id: null, total: new Decimal(price!) })),
  ]
}
