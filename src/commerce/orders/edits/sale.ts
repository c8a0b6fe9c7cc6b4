// An order as it is before an edit, locked until the end of the transaction.
import type { Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { notFound } from '../../../kit/values/errors.ts'
import { withDecimals, type Decimal } from '../../../kit/values/money.ts'
import type { DiscountRow } from '../../discounts/discount.ts'
import type { TaxLine } from '../../tax/taxline.ts'
import { lockOrder, type LockedOrder } from '../changes.ts'
import type { AppliedDiscountView, ItemAdjustment, ItemPart } from '../item.ts'
import { order, type Order } from '../order.ts'
import { computeOrderCosts } from '../refunds/costs.ts'
import { lockPayments } from '../refunds/payments.ts'
import { settleUnits, type SettledUnits } from '../settled.ts'
import type { SoldTaxTerms } from '../taxes.ts'

export type SaleItem = {
  id: string
  product_id: string | null
  variant_id: string | null
  product_name: string
  category_id: string | null
  requires_shipping: boolean
  parts: ItemPart[] | null
  quantity: number
  unit_price: Decimal
  total_price: Decimal
  adjustments: ItemAdjustment[]
  refunded_quantity: number
  /** Units that were refunded before this edit. */
  settled: SettledUnits | null
  /** The same before the previous edit. */
  settled_before: SettledUnits | null
  /** Units that were shipped or refunded, which an edit cannot remove. */
  gone: number
}

export type Sale = LockedOrder & {
  subtotal: Decimal
  discount_amount: Decimal
  discount_code: string | null
  discounts: AppliedDiscountView[]
  shipping_cost: Decimal
  tax_amount: Decimal
  included_tax: Decimal
  item_count: number
  created_at: Date
  tax_id: string | null
  tax_lines: TaxLine[]
  /** The tax terms of the sale. Null in an older order, and if the tax was given as an amount. */
  tax_terms: SoldTaxTerms | null
  discount_rules: DiscountRow[] | null
  free_shipping: boolean
  order_bumps: Order['order_bumps']
  refunded_shipping: Decimal
  refunding_amount: Decimal
  /** True if units of single parts of a bundle were refunded. */
  has_refunded_parts: boolean
  items: SaleItem[]
}

const amounts = [
  'subtotal',
  'discount_amount',
  'shipping_cost',
  'tax_amount',
  'included_tax',
  'refunded_shipping',
  'refunding_amount',
] as const

/** All changes of amounts lock the payments of an order first, then the order. */
export async function lockSale(tx: Tx, storeId: string, id: string): Promise<Sale> {
  tx.later(lockPayments(storeId, sql`${id}`))
  const [row, more, items] = await Promise.all([
    lockOrder(tx, storeId, id),
    tx.one<Omit<Sale, keyof LockedOrder | 'items'>>(sql`
      select subtotal, discount_amount, discount_code, discounts, discount_rules, shipping_cost, tax_amount, tax_id,
        included_tax, item_count, tax_lines, tax_terms, free_shipping, order_bumps, refunded_shipping, refunding_amount,
        created_at, exists (
          select from refund_items
          join refunds on refunds.store_id = ${storeId}
            and refunds.id = refund_items.refund_id
            and refunds.status <> 'failed'
          where refund_items.store_id = ${storeId}
            and refund_items.order_id = ${id}
            and refund_items.part >= 0) as has_refunded_parts
      from orders
      where store_id = ${storeId}
        and id = ${id}`),
    tx.rows<SaleItem>(sql`
      select id, product_id, variant_id, product_name, category_id, requires_shipping, parts, quantity, unit_price,
        total_price, adjustments, refunded_quantity, settled,
        fulfilled_quantity + refunded_quantity - returned_quantity as gone
      from order_items
      where store_id = ${storeId}
        and order_id = ${id}
      order by id`),
  ])
  if (!more) throw notFound(order.noun)
  const decimals = items.map((item) => withDecimals(item, ['unit_price', 'total_price']))
  return settleItems({ ...row, ...withDecimals(more, amounts), items: decimals })
}

function settleItems(sale: Sale): Sale {
  const { items, manual_taxes } = computeOrderCosts(sale, sale.items)
  const settledItems = sale.items.map((item, index) => {
    const costs = { cost: items[index]!, manual_tax: manual_taxes[index]! }
    const settled_before = item.settled
    return { ...item, settled_before, settled: settleUnits({ ...item, ...costs }, sale.tax_lines, sale.currency) }
  })
  return { ...sale, items: settledItems }
}
