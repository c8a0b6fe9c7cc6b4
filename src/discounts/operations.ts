import type { Db, Tx } from '../kit/database.ts'
import { sql } from '../kit/sql.ts'
import { isUsable, rowColumns, type DiscountRow } from './discount.ts'

/** The discount that a shopper's code names, in any case. */
export function findDiscountByCode(db: Db, storeId: string, code: string): Promise<DiscountRow | undefined> {
  return db.one<DiscountRow>(sql`
    select ${rowColumns}
    from discounts
    where store_id = ${storeId}
      and code = ${code.trim().toUpperCase()}`)
}

/** Takes one use, or answers false: another took the last, or it ended meanwhile. Exact under any concurrency. */
export async function useDiscount(tx: Tx, storeId: string, id: string): Promise<boolean> {
  const [used] = await tx.rows(sql`
    update discounts
    set current_uses = current_uses + 1
    where store_id = ${storeId}
      and id = ${id}
      and ${isUsable}
    returning id`)
  return used !== undefined
}

/** Gives a use back, when its order is cancelled or returned. */
export function returnDiscountUse(tx: Tx, storeId: string, id: string): void {
  tx.later(sql`
    update discounts
    set current_uses = greatest(current_uses - 1, 0)
    where store_id = ${storeId}
      and id = ${id}`)
}
