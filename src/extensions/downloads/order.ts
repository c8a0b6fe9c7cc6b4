// What an order grants, by its items, with their names in the language of the reader.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { Language } from '../../kit/values/language.ts'
import { translateLines } from '../../commerce/catalog/linenames.ts'
import type { Grant } from './download.ts'
import { listOrderGrants } from './grants.ts'

export type NamedGrant = Grant & { item_name: string }

type ItemRow = { id: string; product_id: string | null; variant_id: string | null; product_name: string }
type NamedOrderItem = ItemRow & { variant_name: string | null }

/** `orderId` is a uuid. */
export async function readOrderGrants(
  db: Db,
  storeId: string,
  orderId: string,
  language: Language | null,
): Promise<NamedGrant[]> {
  const grants = await listOrderGrants(db, storeId, orderId)
  if (grants.length === 0) return []
  const rows = await db.rows<NamedOrderItem>(sql`
    select id, product_id, variant_id, product_name, variant_name
    from order_items
    where store_id = ${storeId}
      and order_id = ${orderId}`)
  const lines = rows.map((row) => ({ ...row, product_id: row.product_id && publicId('prod', row.product_id) }))
  const named = await translateLines(db, storeId, language, lines)
  const names = new Map(
    named.map(({ id, product_name, variant_name }) => [
      publicId('item', id),
      [product_name, variant_name].filter(Boolean).join(' · '),
    ]),
  )
  return grants.map((grant) => ({ ...grant, item_name: names.get(grant.item_id) ?? '' }))
}
