// Ends shop sessions when a customer changes.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'

/** Signs the customer out of the shop everywhere and removes their passkeys. They prove their email to come back. */
export function endAccess(tx: Tx, storeId: string, customerId: string): void {
  tx.later(sql`
    delete from shopper_sessions
    where store_id = ${storeId}
      and customer_id = ${customerId}`)
  tx.later(sql`
    delete from shopper_passkeys
    where store_id = ${storeId}
      and customer_id = ${customerId}`)
}
