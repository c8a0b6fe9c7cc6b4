import { sql } from '../../kit/database/sql.ts'
import { unequal, type LedgerRule } from '../../tenancy/tables/rule.ts'

export const stockRules: readonly LedgerRule[] = [
  {
    name: 'the stock of a product is the sum of its inventory transactions',
    of: 'product',
    broken: ({ productsOf }) =>
      unequal(
        sql`select store_id, id, 0, stock_quantity from products where ${productsOf('id')}`,
        sql`select store_id, product_id, 0, quantity from inventory_transactions where ${productsOf('product_id')}`,
      ),
  },
  {
    name: 'the stock of a variant is the sum of its inventory transactions',
    of: 'variant',
    broken: ({ productsOf }) =>
      unequal(
        sql`select store_id, id, 0, stock_quantity from variants where ${productsOf('product_id')}`,
        sql`
        select store_id, variant_id, 0, quantity
        from inventory_transactions
        where ${productsOf('product_id')}
          and variant_id is not null`,
      ),
  },
  {
    name: 'the variant count and stock of a product match its variants',
    of: 'product',
    broken: ({ productsOf }) =>
      unequal(
        sql`
        select store_id, id, variant_count, case when variant_count > 0 then stock_quantity else 0 end
        from products
        where ${productsOf('id')}`,
        sql`select store_id, product_id, 1, stock_quantity from variants where ${productsOf('product_id')}`,
      ),
  },
]
