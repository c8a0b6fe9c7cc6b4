// A customer asks for a return in the online store, within the days that the store allows, and can cancel the request
// until the store has decided on it.
import type { Tx } from '../../kit/database/database.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { lockOrder } from '../orders/changes.ts'
import { returnFaults } from './errors.ts'
import { cancelReturn, createReturn, lockReturn } from './operations.ts'
import { orderReturn, type Return, type ReturnRequest } from './return.ts'
import { readReturnable } from './returnable.ts'

/** The caller has proved that the order is the shopper's: by its link, or by their account. */
export async function requestReturn(
  tx: Tx,
  store: Store,
  orderId: string,
  { items }: ReturnRequest,
): Promise<RecordOf<Return>> {
  if (store.return_window_days === 0) throw invalid(fault('items', returnFaults.returns_off))
  await lockOrder(tx, store.id, orderId)
  const { until } = await readReturnable(tx, store, orderId, tx.now)
  if (until && until < tx.now) {
    throw invalid(fault('items', returnFaults.return_too_late, { until: until.toISOString() }))
  }
  return createReturn(tx, store, orderId, { status: 'requested', items }, 'customer')
}

/** The caller has proved that the order is the shopper's. Returns that staff created are not theirs to cancel. */
export async function cancelReturnRequest(
  tx: Tx,
  store: Store,
  orderId: string,
  id: string,
): Promise<RecordOf<Return>> {
  const { orderId: own, before } = await lockReturn(tx, store.id, id)
  const { status, requested_by } = before
  if (own !== orderId || requested_by !== 'customer') throw notFound(orderReturn.noun)
  if (status !== 'requested') throw invalid(fault('status', returnFaults.decided_already, { status }))
  return cancelReturn(tx, store, id)
}
