// Exchanges the received units of a return for other items, in a new order (docs/decisions/0016-exchanges.md).
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { Decimal, toNumber } from '../../kit/values/money.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { createOrder } from '../orders/operations.ts'
import { readAccount, type RefundAccount } from '../orders/refunds/account.ts'
import { createRefund } from '../orders/refunds/operations.ts'
import { returnFaults } from './errors.ts'
import { computeExchangeCredit, buildExchangeOrder, type NewExchange } from './exchangeorder.ts'
import { lockReturn, writeReturn } from './operations.ts'
import { receivedPieces, toRefundItems, type ReceivedPiece } from './refund.ts'
import type { Return } from './return.ts'

/** Locks are taken as in other changes: payments, order, and then what a new order takes. */
export async function exchangeReturn(
  tx: Tx,
  store: Store,
  id: string,
  input: NewExchange,
  actor: Actor,
): Promise<RecordOf<Return>> {
  const { orderId, order, before } = await lockReturn(tx, store.id, id, { withPayments: true })
  const { status } = before
  if (status !== 'received') throw invalid(fault('status', returnFaults.not_exchangeable, { status }))
  const [account, tax_id] = await Promise.all([readAccount(tx, store.id, orderId), findTaxId(tx, store.id, orderId)])
  const { pieces, faults } = receivedPieces(account, before)
  if (faults.length > 0) throw invalid(...faults)
  const replacement = await buildExchangeOrder(
    tx,
    store,
    { order, tax_id },
    input,
    computeExchangeCredit(account, pieces),
  )
  const { id: newOrderId } = await createOrder(tx, store, replacement.input, actor)
  const back = input.refund ? Decimal.min(replacement.unused, account.left) : new Decimal(0)
  const refund_id = back.isZero() ? null : await refundUnused(tx, store, { account, pieces, back }, input, actor)
  const changes = { exchange_order_id: toUuid('ord', newOrderId), refund_id, closed_at: tx.now }
  return writeReturn(tx, store, { id, order }, { status: 'closed', event: 'return.exchanged', changes })
}

async function findTaxId(tx: Tx, storeId: string, orderId: string): Promise<string | null> {
  const row = await tx.one<{ tax_id: string | null }>(sql`
    select tax_id
    from orders
    where store_id = ${storeId}
      and id = ${orderId}`)
  return row!.tax_id
}

type UnusedCredit = { account: RefundAccount; pieces: readonly ReceivedPiece[]; back: Decimal }

/** Returns the uuid of the refund. */
async function refundUnused(
  tx: Tx,
  store: Store,
  { account, pieces, back }: UnusedCredit,
  { reason = null }: NewExchange,
  actor: Actor,
): Promise<string> {
  const refund = { items: toRefundItems(pieces), amount: toNumber(back), reason, restock: false }
  const { id } = await createRefund(tx, store, account.id, refund, actor)
  return toUuid('ref', id!)!
}
