// The discounts of an order after an edit. They go on with what the order has now, whether or not they can still be
// used; a new code must be usable and replaces them.
import type { Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import { uuidOf } from '../../../kit/values/ids.ts'
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { applyAll, fixedDiscount, type AppliedDiscount } from '../../discounts/combination.ts'
import { codeOf, discount, type DiscountRow } from '../../discounts/discount.ts'
import { rejectionOf, type DiscountLine, type FoundDiscount } from '../../discounts/pricing.ts'
import { findDiscounts, type DiscountBuyer } from '../../discounts/uses.ts'
import { reasonOf } from '../pricing.ts'
import type { OrderEdit } from './edit.ts'
import type { Sale } from './sale.ts'

export type EditedDiscounts = {
  isNew: boolean
  /** Without applied discounts, the amount is by hand, and a code is that of a discount that was deleted. */
  code: string | null
  applied: readonly AppliedDiscount[]
  amount: number
  faults: Fault[]
}

/** What applies to the lines of the order after the edit. */
export type DiscountRules = (lines: readonly DiscountLine[]) => EditedDiscounts

export async function findDiscountRules(tx: Tx, store: Store, sale: Sale, input: OrderEdit): Promise<DiscountRules> {
  const { discount_code: before } = sale
  const code = input.discount_code === undefined ? before : input.discount_code && codeOf(input.discount_code)
  if (code === before) return keptRules(sale, input, await readKept(tx, store.id, sale), tx.now)
  const amount = input.discount_amount ?? 0
  if (code === null) return () => ({ isNew: true, code, applied: [], amount, faults: [] })
  const request = { code, withAutomatic: false, buyer: buyerOf(sale) }
  const { typed } = await findDiscounts(tx, store, request)
  return newRules(sale, input, { code, typed }, tx.now)
}

/** The discounts of the order that still exist, in the order in which they were taken off. */
async function readKept(tx: Tx, storeId: string, { discounts }: Sale): Promise<DiscountRow[]> {
  const ids = discounts.map(({ id }) => uuidOf('disc', id)!)
  if (ids.length === 0) return []
  const rows = await tx.rows<DiscountRow>(sql`
    select ${discount.row.columns}
    from discounts
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
  return ids.flatMap((id) => rows.filter((row) => row.id === id)).map((row) => ({ ...row, ...alwaysUsable }))
}

const alwaysUsable = { is_active: true, starts_at: null, expires_at: null, max_uses: 0 }

/** An automatic discount whose conditions are not met any more comes off; a code is a fault. */
function keptRules(sale: Sale, input: OrderEdit, rows: readonly DiscountRow[], now: Date): DiscountRules {
  const { currency, discount_code: code } = sale
  const before = applyAll(rows, linesOfDiscounts(sale), currency)
  const isByRule =
    rows.length === sale.discounts.length &&
    before.every(({ amount }, index) => amount.equals(sale.discounts[index]!.amount)) &&
    before.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0)).equals(sale.discount_amount)
  const isKept = input.discount_amount === undefined && isByRule
  const amount = input.discount_amount ?? toNumber(sale.discount_amount)
  const main = rows.find(({ is_automatic }) => !is_automatic) ?? rows[0]
  return (lines) => {
    const shared = { isNew: false, code, amount }
    if (!isKept) {
      const applied = main ? [fixedDiscount(main, new Decimal(amount), lines, currency)] : []
      return { ...shared, applied, faults: [] }
    }
    const rejected = rows.map((row) => ({ row, reason: rejectionOf(row, lines, { currency, now }) }))
    const applied = applyAll(
      rejected.flatMap(({ row, reason }) => (reason === null ? [row] : [])),
      lines,
      currency,
    )
    const faults = rejected.flatMap(({ row, reason }) =>
      reason !== null && !row.is_automatic ? [{ field: 'discount_code', ...reasonOf(reason, row) }] : [],
    )
    return { ...shared, amount: 0, code: applied.length > 0 || rows.length === 0 ? code : null, applied, faults }
  }
}

function newRules(
  { currency }: Sale,
  { discount_amount }: OrderEdit,
  { code, typed }: { code: string; typed: FoundDiscount | undefined },
  now: Date,
): DiscountRules {
  return (lines) => {
    const reason = rejectionOf(typed, lines, { currency, now }) ?? (typed!.is_automatic ? 'automatic' : null)
    const shared = { isNew: true, code, amount: 0 }
    if (reason !== null || !typed) {
      return { ...shared, applied: [], faults: [{ field: 'discount_code', ...reasonOf(reason ?? 'not_found', typed) }] }
    }
    const byHand = discount_amount !== undefined && fixedDiscount(typed, new Decimal(discount_amount), lines, currency)
    return { ...shared, applied: byHand ? [byHand] : applyAll([typed], lines, currency), faults: [] }
  }
}

export function buyerOf({ customer_id, customer_email, customer_phone }: Sale): DiscountBuyer {
  return { id: customer_id, email: customer_email, phone: customer_phone }
}

/** The lines that the discounts applied to up to now. */
export function linesOfDiscounts(sale: Sale): DiscountLine[] {
  const bumps = sale.order_bumps?.items ?? []
  return [
    ...sale.items.map(({ product_id, category_id, quantity, total_price: total }) => {
      return { product_id, category_id, quantity, total }
    }),
    ...bumps.map(({ price }) => ({ product_id: null, category_id: null, total: new Decimal(price!) })),
  ]
}
