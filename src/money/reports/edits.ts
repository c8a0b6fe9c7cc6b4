// Edits in reports: the effect of an edit counts on its own day. The order's row includes it, so it is subtracted
// from the day of the order.
import { raw, sql, type Sql } from '../../kit/database/sql.ts'

const editedAmounts = ['item_count', 'subtotal', 'discount_amount', 'shipping_cost', 'tax_amount', 'total']
const signedAmounts = raw(editedAmounts.map((name) => `sign * ${name} as ${name}`).join(', '))

/** Rows with a sign, signed amounts and what the order decides. `within` says whether a moment counts. */
export function movedEdits(storeId: string, within: (moment: Sql) => Sql): Sql {
  const side = (sign: string, moment: string) => sql`
          select ${raw(sign)} as sign, order_edits.*
          from order_edits
          where order_edits.store_id = ${storeId}
            and ${within(raw(moment))}`
  return sql`
        select edits.*, orders.status, orders.captured_amount, orders.country_code, orders.payment_method,
          orders.channel, orders.agent, orders.shipping_address, orders.tax_terms
        from (
          select order_id, sign, ${signedAmounts}, products, discounts, taxes
          from (${side('1', 'order_edits.created_at')}
          union all${side('-1', 'order_edits.sold_at')}) as sides) as edits
        join orders on orders.store_id = ${storeId}
          and orders.id = edits.order_id`
}
