// The tags that a store has used, suggested where tags are typed.
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { Choices, PageContext } from '../framework/screen.ts'

const recordsForTags = 1000
const maxSuggestions = 50

/** The tags of the newest records, the most used first. */
const suggest =
  (buildNewest: (storeId: string) => Sql) =>
  async ({ db, store }: PageContext): Promise<Choices> => {
    const rows = await db.rows<{ tag: string }>(sql`
      select tag
      from (${buildNewest(store.id)} limit ${recordsForTags}) as newest, unnest(newest.tags) as tag
      group by tag
      order by count(*) desc, tag
      limit ${maxSuggestions}`)
    return rows.map(({ tag }) => [tag, tag])
  }

export const suggestTags = suggest(
  (storeId) => sql`
    select tags
    from products
    where store_id = ${storeId}
      and product_status = 'active'
    order by created_at desc, id desc`,
)

const suggestTagsOf = (table: 'customers' | 'orders') =>
  suggest(
    (storeId) => sql`
    select tags
    from ${raw(table)}
    where store_id = ${storeId}
    order by created_at desc, id desc`,
  )

export const suggestCustomerTags = suggestTagsOf('customers')
export const suggestOrderTags = suggestTagsOf('orders')
