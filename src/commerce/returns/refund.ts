// Refunds the received units of a return, by a refund of its order.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults, type Fault } from '../../kit/values/faults.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { Decimal, sum, toNumber } from '../../kit/values/money.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import {
  countPartLeft,
  countPartSent,
  countRefunded,
  countWholeLeft,
  readAccount,
  type RefundAccount,
} from '../orders/refunds/account.ts'
import { requestedPieces, type RefundPiece } from '../orders/refunds/claim.ts'
import type { RefundedUnits } from '../orders/refunds/costs.ts'
import { createRefund } from '../orders/refunds/operations.ts'
import type { NewRefund } from '../orders/refunds/refund.ts'
import { returnFaults } from './errors.ts'
import { lockReturn, writeReturn } from './operations.ts'
import type { Return, ReturnRefund } from './return.ts'

/** The price of the received units, with shipping and without the restocking fee. */
export async function refundReturn(
  tx: Tx,
  store: Store,
  id: string,
  { shipping = 0, restocking_fee: fee = 0, reason = null, by_hand = false }: ReturnRefund,
  actor: Actor,
): Promise<RecordOf<Return>> {
  const { orderId, order, before } = await lockReturn(tx, store.id, id, { withPayments: true })
  await requireRefundable(tx, store.id, before)
  const account = await readAccount(tx, store.id, orderId)
  const { pieces, faults } = receivedPieces(account, before)
  if (faults.length > 0) throw invalid(...faults)
  const price = Decimal.min(account.left, sum([...pieces.map(({ amount }) => amount), shipping]))
  if (fee > 0 && price.lessThanOrEqualTo(fee)) {
    throw invalid(fault('restocking_fee', generalFaults.too_large, { limit: toNumber(price) }))
  }
  const refund = {
    items: toRefundItems(pieces),
    shipping,
    ...(fee > 0 ? { amount: toNumber(price.minus(fee)) } : {}),
    reason,
    by_hand,
    restock: false,
  }
  const { id: refundId } = await createRefund(tx, store, orderId, refund, actor)
  const changes = { refund_id: toUuid('ref', refundId)!, restocking_fee: fee, closed_at: tx.now }
  return writeReturn(tx, store, { id, order }, { status: 'closed', event: 'return.refunded', changes })
}

/** A return is refunded once it is received. It can be refunded again only if that refund failed. */
async function requireRefundable(tx: Tx, storeId: string, { status, refund_id }: Return): Promise<void> {
  if (status === 'received') return
  if (status !== 'closed') throw invalid(fault('status', returnFaults.not_refundable, { status }))
  if (refund_id === null) return
  const [refund] = await tx.rows<{ status: string }>(sql`
    select status
    from refunds
    where store_id = ${storeId}
      and id = ${toUuid('ref', refund_id)}`)
  if (refund?.status !== 'failed') throw invalid(fault('status', returnFaults.not_refundable, { status }))
}

export type ReceivedPiece = RefundPiece

/** As a refund takes them: all of them came back. */
export function toRefundItems(pieces: readonly ReceivedPiece[]): NonNullable<NewRefund['items']> {
  return pieces.map(({ item_id, part, quantity }) => ({ item_id, part, quantity, returned: quantity }))
}

/**
 * The received units with their price. Units that were refunded meanwhile are faults; of a bundle of which parts were
 * refunded, the others are left.
 */
export function receivedPieces(
  account: RefundAccount,
  { items }: Pick<Return, 'items'>,
): { pieces: ReceivedPiece[]; faults: Fault[] } {
  const received = items.flatMap(({ item_id, part, received_quantity: quantity }) =>
    quantity > 0 ? [{ item_id: toUuid('item', item_id)!, part, quantity }] : [],
  )
  const lists = received.map((one) => listUnitsLeft(account, one))
  const faults = lists.flatMap(({ count }, at) =>
    received[at]!.quantity > count ? [fault('items', returnFaults.refunded_already, { count })] : [],
  )
  const units = lists.flatMap((one) => one.units)
  return { pieces: faults.length > 0 ? [] : requestedPieces(account, units).pieces, faults }
}

type ReceivedCount = Pick<RefundPiece, 'item_id' | 'part' | 'quantity'>
type UnitsLeft = { count: number; units: (ReceivedCount & { returned: number })[] }

/** Units that the buyer had and that are not refunded. `count` of the received ones are still refunded by `units`. */
function listUnitsLeft(account: RefundAccount, { item_id, part, quantity }: ReceivedCount): UnitsLeft {
  const index = account.items.findIndex(({ id }) => id === item_id)
  const item = account.items[index]!
  const from = countRefunded(item)
  const toUnits = (of: number | null, count: number) =>
    count > 0 ? [{ item_id, part: of, quantity: count, returned: count }] : []
  const countPart = (of: number, units: RefundedUnits, back = 0) =>
    Math.min(countPartSent(account, index, of, { back, unsent: 0 }), countPartLeft(item, units, of))
  if (part !== null) {
    const count = countPart(part, from)
    return { count, units: toUnits(part, Math.min(quantity, count)) }
  }
  const whole = Math.min(item.sent, countWholeLeft(item, from))
  const broken = quantity - whole
  if (broken <= 0 || !item.parts || item.settled)
    return { count: whole, units: toUnits(null, Math.min(quantity, whole)) }
  const withWhole = { ...from, whole: from.whole + whole }
  const ofParts = item.parts.map(({ quantity: inOne }, of) => Math.min(broken * inOne, countPart(of, withWhole, whole)))
  const bundles = ofParts.map((count, of) => Math.ceil(count / item.parts![of]!.quantity))
  const units = [...toUnits(null, whole), ...ofParts.flatMap((count, of) => toUnits(of, count))]
  return { count: whole + Math.max(...bundles), units }
}
