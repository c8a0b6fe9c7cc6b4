// The units of a bundle's parts that are still to be sent.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { unsentUnits } from '../orders/unsent.ts'

/** By the ID of each item that is a bundle, the units of each of its parts in these orders. */
export async function findUnsentParts(
  db: Db,
  storeId: string,
  orderIds: readonly string[],
): Promise<Map<string, number[]>> {
  const units = unsentUnits({ part: sql`position - 1`, in_one: sql`in_one` })
  const rows = await db.rows<{ id: string; units: number[] }>(sql`
    select id, (
        select json_agg(${units} order by position)
        from (
          select position, (part ->> 'quantity')::int as in_one
          from jsonb_array_elements(order_items.parts) with ordinality as one (part, position)) as each_part) as units
    from order_items
    where store_id = ${storeId}
      and order_id = any(${orderIds}::uuid[])
      and parts is not null`)
  return new Map(rows.map(({ id, units: ofParts }) => [publicId('item', id), ofParts]))
}

/** The parts of a bundle of which units are still to be sent, with these units instead of those in one bundle. */
export function listUnsentParts<P extends { quantity: number }>(
  parts: readonly P[],
  units: readonly number[] = [],
): P[] {
  return parts.map((part, index) => ({ ...part, quantity: units[index] ?? 0 })).filter(({ quantity }) => quantity > 0)
}
