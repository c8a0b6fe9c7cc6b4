// A new refund reserves its amount and items. A manual refund succeeds at once. Otherwise the provider is asked after
// the commit, and its answer completes the refund.
import type { Db, Tx } from '../../../kit/database/database.ts'
import { RetryTransaction } from '../../../kit/database/errors.ts'
import { records, sql } from '../../../kit/database/sql.ts'
import { findRecord, loadRecord } from '../../../kit/declare/page.ts'
import type { RecordOf } from '../../../kit/declare/resource.ts'
import type { Actor } from '../../../kit/declare/route.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import { sum, toNumber, type Decimal } from '../../../kit/values/money.ts'
import { actorText } from '../../inventory/stock.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { TaxLine } from '../../tax/taxline.ts'
import { requestPatienceMs, requestRefund } from '../../payments/requests.ts'
import { recordManualPayment } from '../../payments/manual.ts'
import { storedPart } from '../item.ts'
import { unshipped } from '../unsent.ts'
import { updateFulfillmentStatus } from '../fulfillmentstatus.ts'
import { readAccount, type RefundAccount } from './account.ts'
import { buildRefundClaim, type RefundClaim } from './claim.ts'
import { completeRefund } from './outcome.ts'
import { readPayments, choosePayment } from './payments.ts'
import { refund, type NewRefund, type Refund } from './refund.ts'
import { taxesOfRefund, type EarlierRefund, type RefundedTax } from './taxes.ts'
import { orderFaults } from '../errors.ts'

/** A refund of an order, or NOT_FOUND. */
export async function findRefund(db: Db, storeId: string, orderId: string, id: string): Promise<RecordOf<Refund>> {
  const [row] = await db.texts(sql`
    select ${refund.columns}
    from refunds
    where store_id = ${storeId}
      and order_id = ${orderId}
      and id = ${id}`)
  return loadRecord(db, refund, storeId, row)
}

/** True: the change of status that this refund comes with decides whether its units are restocked. */
type LeftStock = { leaves_stock?: boolean }

/** Without items, shipping and amount, everything left is refunded. `paymentId`: by this payment. */
export async function createRefund(
  tx: Tx,
  store: Store,
  orderId: string,
  input: NewRefund & LeftStock,
  actor: Actor,
  paymentId?: string,
): Promise<RecordOf<Refund>> {
  const [sessions, account, earlierRefunds] = await Promise.all([
    input.by_hand ? [] : readPayments(tx, store.id, orderId),
    readAccount(tx, store.id, orderId, { locked: true }),
    readEarlierRefunds(tx, store.id, orderId),
  ])
  const claim = buildRefundClaim(account, input)
  const session = choosePayment(
    claim,
    sessions.filter(({ id }) => paymentId === undefined || id === paymentId),
  )
  const id = newUuid()
  const taxes = taxesOfRefund(account, claim, earlierRefunds)
  await reserveRefund(tx, store.id, account, claim)
  insertRefund(tx, store.id, { id, orderId, sessionId: session?.id ?? null }, { ...input, ...claim, taxes }, actor)
  await updateFulfillmentStatus(tx, store.id, orderId)
  if (session) {
    requestRefund(tx, store.id, session.id, { id, amount: claim.amount })
  } else {
    recordManualPayment(tx, store.id, account, { captured: claim.amount.minus(claim.amount), refunded: claim.amount })
    await completeRefund(tx, store, id)
  }
  return findRecord(tx, refund, store.id, id)
}

/** The taxes in the order's other refunds. */
function readEarlierRefunds(tx: Tx, storeId: string, orderId: string): Promise<EarlierRefund[]> {
  return tx.rows<EarlierRefund>(sql`
    select amount - overpayment as amount, tax_lines from refunds
    where store_id = ${storeId}
      and order_id = ${orderId}
      and status <> 'failed'`)
}

/** Refunds an amount of one payment of an order, and no items. */
export async function refundPayment(
  tx: Tx,
  store: Store,
  { id, order_id }: { id: string; order_id: string },
  amount: Decimal,
  actor: Actor,
): Promise<void> {
  const input = { amount: toNumber(amount), by_hand: false, restock: false }
  await createRefund(tx, store, order_id, input, actor, id)
}

/** Refunds the rest when an order is cancelled or marked as refunded. Returns false if nothing is left. */
export async function refundRest(
  tx: Tx,
  store: Store,
  orderId: string,
  { by_hand }: { by_hand: boolean },
  actor: Actor,
): Promise<boolean> {
  const { left, refunding_amount } = await readAccount(tx, store.id, orderId, { locked: true })
  if (by_hand && refunding_amount.greaterThan(0)) throw invalid(fault('payment_status', orderFaults.refund_under_way))
  if (left.isZero()) return false
  await createRefund(tx, store, orderId, { by_hand, restock: false, leaves_stock: true }, actor)
  return true
}

/** These conditional statements decide between concurrent requests, so that nothing is refunded twice. */
async function reserveRefund(
  tx: Tx,
  storeId: string,
  account: RefundAccount,
  { pieces, shipping, amount, overpayment }: RefundClaim,
): Promise<void> {
  // Units of parts are counted from the refunds themselves, while the order is locked.
  const whole = pieces.filter(({ part }) => part === null)
  const money = tx.rows(sql`
    update orders
    set refunding_amount = refunding_amount + ${amount},
        refunding_overpayment = refunding_overpayment + ${overpayment},
        refunded_shipping = refunded_shipping + ${shipping}
    where store_id = ${storeId}
      and id = ${account.id}
      and captured_amount - refunded_amount - refunding_amount >= ${amount}
      and refunded_shipping + ${shipping} <= ${account.costs.shipping}
    returning 1`)
  const pieceRows = tx.rows(sql`
    update order_items
    set refunded_quantity = refunded_quantity + piece.quantity,
        returned_quantity = returned_quantity + piece.returned
    from ${records('piece', { item_id: 'uuid', quantity: 'int', returned: 'int' }, whole)}
    where order_items.store_id = ${storeId}
      and order_items.order_id = ${account.id}
      and order_items.id = piece.item_id
      and refunded_quantity + piece.quantity <= order_items.quantity
      and piece.quantity - piece.returned <= ${unshipped}
      and returned_quantity + piece.returned <= fulfilled_quantity
    returning 1`)
  const [[hasMoney], items] = await Promise.all([money, pieceRows])
  if (!hasMoney || items.length < whole.length) throw new RetryTransaction()
}

type RefundRefs = { id: string; orderId: string; sessionId: string | null }
type RefundValues = RefundClaim & LeftStock & Pick<NewRefund, 'reason' | 'restock'> & { taxes: RefundedTax[] }

function insertRefund(
  tx: Tx,
  storeId: string,
  { id, orderId, sessionId }: RefundRefs,
  { pieces, amount, shipping, overpayment, taxes, reason = null, restock, leaves_stock = false }: RefundValues,
  actor: Actor,
): void {
  const lines = taxes.map(({ line }) => line)
  const sumTaxLines = (lines: readonly TaxLine[]) => sum(lines.map((line) => line.amount))
  const ofShipping = lines.filter(({ type }) => type === 'shipping')
  tx.later(sql`
    insert into refunds (store_id, id, order_id, session_id, status, amount, shipping, overpayment, tax_amount,
      shipping_tax_amount, tax_lines, reason, restock, leaves_stock, actor, ask_at, created_at, updated_at)
    values (${storeId}, ${id}, ${orderId}, ${sessionId}, 'pending', ${amount}, ${shipping}, ${overpayment},
      ${sumTaxLines(lines)}, ${sumTaxLines(ofShipping)}, ${JSON.stringify(lines)},
      ${reason}, ${restock}, ${leaves_stock}, ${actorText(actor)}, ${new Date(tx.now.getTime() + requestPatienceMs)},
      ${tx.now}, ${tx.now})`)
  if (pieces.length === 0) return
  const rows = pieces.map(({ from: _, ...piece }, index) => {
    const own = taxes.filter((tax) => tax.piece === index).map(({ line }) => line)
    return { ...piece, part: storedPart(piece.part), tax_amount: sumTaxLines(own), tax_lines: JSON.stringify(own) }
  })
  const units = { item_id: 'uuid', part: 'int', quantity: 'int', returned: 'int' } as const
  const money = { amount: 'numeric', goods: 'numeric', tax_amount: 'numeric', tax_lines: 'json' } as const
  tx.later(sql`
    insert into refund_items (store_id, refund_id, order_id, item_id, part, quantity, returned, amount, goods,
      tax_amount, tax_lines)
    select ${storeId}, ${id}::uuid, ${orderId}::uuid, item_id, part, quantity, returned, amount, goods, tax_amount,
      tax_lines
    from ${records('piece', { ...units, ...money }, rows)}`)
}
