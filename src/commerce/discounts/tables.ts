import { sql } from '../../kit/database/sql.ts'
import { unequal } from '../../tenancy/tables/rule.ts'
import { table, undoBy, readAt } from '../../tenancy/tables/table.ts'
import { discount } from './discount.ts'
import { updateDiscount, deleteDiscount, createDiscount } from './operations.ts'

export const discounts = table(discount, {
  rules: [
    {
      name: 'the uses of a discount match the orders that use it',
      broken: unequal(
        sql`select store_id, id, current_uses, 0 from discounts`,
        sql`
        select store_id, discount_id, 1, 0
        from discount_uses`,
      ),
    },
    {
      name: 'an order with a discount uses it until it is cancelled or returned',
      broken: unequal(
        sql`
        select store_id, id, 1, 0
        from orders
        where discount_id is not null
          and status not in ('cancelled', 'returned')`,
        sql`select distinct store_id, order_id, 1, 0 from discount_uses`,
      ),
    },
  ],
  counters: { discounts: '' },
  audit: {
    noun: 'discount',
    scope: 'discounts',
    undo: {
      ...undoBy(discount, { update: updateDiscount, remove: deleteDiscount }),
      follows: ['current_uses'],
      users: (storeId, id) => sql`
      select from discounts where store_id = ${storeId} and id = ${id} and current_uses > 0`,
      restore: ({ tx, store }, past, before) =>
        createDiscount(tx, store, discount.create.read(before, readAt(tx, store)), {
          ...past,
          current_uses: Number(before.current_uses),
        }),
    },
  },
})

export const discountUses = table('discount_uses', { audit: 'what follows from orders' })
