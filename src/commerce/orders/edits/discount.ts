// The discounts of an order after an edit. They go on as they were when it was sold, whether or not they can still be
// used; a new code must be usable and replaces them. Units refunded before keep the discount that they were sold with.
import type { Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { Decimal, sum } from '../../../kit/values/money.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { applyAll, fixedDiscount, type AppliedDiscount } from '../../discounts/combination.ts'
import { normalizeDiscountCode, discount, type DiscountRow } from '../../discounts/discount.ts'
import { getDiscountRejection, type FoundDiscount } from '../../discounts/pricing.ts'
import { findDiscounts, type DiscountBuyer } from '../../discounts/uses.ts'
import { explainRejection } from '../pricing.ts'
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
  const { discount_code: before } = sale
  const code =
    input.discount_code === undefined ? before : input.discount_code && normalizeDiscountCode(input.discount_code)
  if (code === before) return keptRules(sale, input, await readKept(tx, store.id, sale), tx.now)
  if (code === null) {
    return (lines) => ({ isNew: true, code, applied: [], amount: openAmount(input.discount_amount, lines), faults: [] })
  }
  const request = { code, withAutomatic: false, buyer: toSaleBuyer(sale) }
  const { typed } = await findDiscounts(tx, store, request)
  return newRules(sale, input, { code, typed }, tx.now)
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
      reason !== null && !row.is_automatic ? [{ field: 'discount_code', ...explainRejection(reason, row) }] : [],
    )
    const isLeft = keptDiscounts.length > 0 || rows.length === 0
    return { ...marks, amount: new Decimal(0), code: isLeft ? code : null, applied: keptDiscounts, faults }
  }
}

function newRules(
  { currency }: Sale,
  { discount_amount }: OrderEdit,
  { code, typed }: { code: string; typed: FoundDiscount | undefined },
  now: Date,
): DiscountRules {
  return (lines) => {
    const open = lines.map(openLine)
    const rest = open.filter(({ quantity }) => quantity !== 0)
    const reason = getDiscountRejection(typed, rest, { currency, now }) ?? (typed!.is_automatic ? 'automatic' : null)
    const marks = { isNew: true, code, amount: openAmount(discount_amount, lines) }
    if (reason !== null || !typed) {
      return {
        ...marks,
        applied: [],
        faults: [{ field: 'discount_code', ...explainRejection(reason ?? 'not_found', typed) }],
      }
    }
    const byHand = discount_amount !== undefined && fixedDiscount(typed, marks.amount, open, currency)
    return { ...marks, applied: byHand ? [byHand] : applyAll([typed], open, currency), faults: [] }
  }
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
