// The tags that a store has used, suggested where tags are typed.
import { readUsedTags } from '../../kit/declare/tags.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import type { Choices, PageContext } from '../framework/screen.ts'

const suggest =
  (buildNewest: (storeId: string) => Sql) =>
  async ({ db, store }: PageContext): Promise<Choices> =>
    (await readUsedTags(db, buildNewest(store.id))).map((tag) => [tag, tag])

export const suggestTags = suggest(
  (storeId) => sql`
    select tags
    from products
    where store_id = ${storeId}
      and product_status = 'active'
    order by created_at desc, id desc`,
)

export const suggestCustomerTags = suggest(
  (storeId) => sql`
    select tags
    from customers
    where store_id = ${storeId}
    order by created_at desc, id desc`,
)

export const suggestOrderTags = suggest(
  (storeId) => sql`
    select tags
    from orders
    where store_id = ${storeId}
    order by created_at desc, id desc`,
)
