// Cancels a checkout that its shopper gives up: it expires without a recovery email.
import type { Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { conflict } from '../../../kit/values/errors.ts'
import { findOpenSession } from '../../../commerce/payments/session.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { checkoutCompleted } from '../errors.ts'
import { addSeconds, purgeAfterSeconds, strayAfterSeconds } from '../states.ts'
import { findRow } from './operations.ts'

/** Rejected once it is an order, or while a payment is in progress. */
export async function cancelCheckout(tx: Tx, store: Store, token: string): Promise<void> {
  const row = await findRow(tx, store, token, { locked: true })
  if (row.order_id) throw checkoutCompleted()
  if (row.has_payments && (await findOpenSession(tx, store.id, row.id))) {
    throw conflict('This checkout cannot be canceled while a payment is in progress')
  }
  const due_at = addSeconds(tx.now, row.draft_since ? purgeAfterSeconds : strayAfterSeconds)
  tx.later(sql`
    update checkouts
    set status = 'expired', updated_at = ${tx.now}, due_at = ${due_at}
    where store_id = ${store.id}
      and id = ${row.id}`)
}
