// Whether an automatic discount lowers the price of a product for everyone, by its terms alone: without a minimum and
// without buying something else.
import { currentTime, hasRow, sql, storeOf } from '../../kit/database/sql.ts'

// Discounts are further up. A test compares the condition with what the checkout takes off.
export const isDiscounted = hasRow(sql`from discounts
      where discounts.store_id = ${storeOf('products.store_id')}
        and discounts.is_automatic
        and discounts.is_active
        and coalesce(discounts.starts_at <= ${currentTime}, true)
        and coalesce(discounts.expires_at > ${currentTime}, true)
        and (discounts.max_uses = 0 or discounts.current_uses < discounts.max_uses)
        and discounts.type in ('percentage', 'fixed_amount')
        and discounts.customer_group_ids = '{}'
        and discounts.min_order_amount = 0
        and discounts.min_quantity <= 1
        and (discounts.applies_to_all
          or products.id = any(discounts.applicable_product_ids)
          or products.category_id = any(discounts.applicable_category_ids))`)
