import { sql } from '../../kit/database/sql.ts'
import { table, undoBy, readAt } from '../../tenancy/tables/table.ts'
import { discount } from './discount.ts'
import { updateDiscount, deleteDiscount, createDiscount } from './operations.ts'

export const discounts = table(discount, {
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
