// A return changes while its order is locked, so concurrent requests see each other's units.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { findRecord, loadRecord } from '../../kit/declare/page.ts'
import { updateRecord } from '../../kit/declare/update.ts'
import { assignments, insertInto, type RecordOf } from '../../kit/declare/resource.ts'
import { insertRows } from '../../kit/declare/row.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults, reason, type Fault } from '../../kit/values/faults.ts'
import { newUuid, toUuid } from '../../kit/values/ids.ts'
import { emit } from '../../tenancy/events/emit.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { lockOrder, type LockedOrder } from '../orders/changes.ts'
import { orderFaults } from '../orders/errors.ts'
import { storedPart } from '../orders/item.ts'
import { lockPayments } from '../orders/refunds/payments.ts'
import { transitionFault, undoneStatuses } from '../orders/states.ts'
import { returnFaults } from './errors.ts'
import { mailReturn } from './mail.ts'
import { findReturnedItems, returnPayload, type ReturnEvent } from './payload.ts'
import {
  orderReturn,
  returnItem,
  type NewReturn,
  type Return,
  type ReturnApproval,
  type ReturnPatch,
  type ReturnRefusal,
} from './return.ts'
import { countReturnable, readReturnableItems, withoutUnits } from './returnable.ts'
import { nextReturnStatuses, type ReturnStatus } from './states.ts'

/** Creates a return of shipped items. Reports all faults at once. */
export async function createReturn(
  tx: Tx,
  store: Store,
  orderId: string,
  input: NewReturn,
  requested_by: Return['requested_by'] = 'staff',
): Promise<RecordOf<Return>> {
  const order = await lockOrder(tx, store.id, orderId)
  const faults = await findReturnFaults(tx, store.id, { orderId, order }, input.items)
  if (faults.length > 0) throw invalid(...faults)
  const record = await insertReturn(tx, store.id, orderId, input, requested_by)
  await tell(tx, store, order, record.entity, 'return.created')
  return record
}

async function findReturnFaults(
  tx: Tx,
  storeId: string,
  { orderId, order: { status } }: { orderId: string; order: LockedOrder },
  items: readonly Pick<NewReturn['items'][number], 'item_id' | 'part' | 'quantity'>[],
): Promise<Fault[]> {
  if (undoneStatuses.includes(status)) return [fault('items', returnFaults.order_undone, { status })]
  const returnable = new Map((await readReturnableItems(tx, storeId, orderId)).map((item) => [item.id, item]))
  const seen = new Set<string>()
  // Whole units first: what is left of their parts follows from them.
  const order = [...items.entries()].toSorted(([, a], [, b]) => storedPart(a.part) - storedPart(b.part))
  return order.flatMap(([at, { item_id, part = null, quantity }]) => {
    const item = returnable.get(item_id)
    if (!item) return fault(`items.${at}.item_id`, generalFaults.does_not_exist)
    const key = `${item_id} ${part}`
    if (seen.has(key)) return fault(`items.${at}.item_id`, orderFaults.listed_twice)
    seen.add(key)
    const count = countReturnable(item, part)
    if (count === undefined) return fault(`items.${at}.part`, generalFaults.does_not_exist)
    if (item.shipped === 0) return fault(`items.${at}.quantity`, returnFaults.not_shipped)
    returnable.set(item_id, withoutUnits(item, part, quantity))
    return quantity > count ? fault(`items.${at}.quantity`, returnFaults.only_returnable, { count }) : []
  })
}

async function insertReturn(
  tx: Tx,
  storeId: string,
  orderId: string,
  { status, instructions = null, items, ...labels }: NewReturn,
  requested_by: Return['requested_by'],
): Promise<RecordOf<Return>> {
  const id = newUuid()
  const [numbers] = await tx.rows<{ order_number: number; number: number }>(sql`
    select order_number, (
        select count(*) + 1
        from returns
        where returns.store_id = ${storeId}
          and returns.order_id = ${orderId})::int as number
    from orders
    where store_id = ${storeId}
      and id = ${orderId}`)
  const insertion = tx.texts(sql`
    ${insertInto(
      orderReturn,
      { ...labels, instructions: status === 'approved' ? instructions : null },
      {
        store_id: storeId,
        id,
        order_id: orderId,
        ...numbers!,
        status,
        requested_by,
        approved_at: status === 'approved' ? tx.now : null,
        created_at: tx.now,
        updated_at: tx.now,
      },
    )}
    returning ${orderReturn.columns}`)
  const rows = items.map(({ note = null, part, ...item }) => {
    return { ...item, note, part: storedPart(part), received_quantity: 0, damaged_quantity: 0 }
  })
  const itemsInserted = tx.texts(sql`
    ${insertRows(returnItem, [...returnItem.row.names, 'part'], rows, {
      same: { store_id: storeId, order_id: orderId, return_id: id },
      types: { order_id: 'uuid', return_id: 'uuid' },
    })}
    returning ${returnItem.columns}`)
  const [[row], children] = await Promise.all([insertion, itemsInserted])
  return orderReturn.record(row!, { items: new Map([[id, children]]) })
}

export function approveReturn(
  tx: Tx,
  store: Store,
  id: string,
  { instructions = null }: ReturnApproval,
): Promise<RecordOf<Return>> {
  const changes = { approved_at: tx.now, instructions }
  return moveReturn(tx, store, id, { status: 'approved', event: 'return.approved', changes })
}

export function declineReturn(
  tx: Tx,
  store: Store,
  id: string,
  { reason = null }: ReturnRefusal,
): Promise<RecordOf<Return>> {
  const changes = { declined_at: tx.now, decline_reason: reason }
  return moveReturn(tx, store, id, { status: 'declined', event: 'return.declined', changes })
}

/** Its units can be returned again. */
export function cancelReturn(tx: Tx, store: Store, id: string): Promise<RecordOf<Return>> {
  return moveReturn(tx, store, id, {
    status: 'cancelled',
    event: 'return.cancelled',
    changes: { cancelled_at: tx.now },
  })
}

/** Ends a received return without a refund. */
export function closeReturn(tx: Tx, store: Store, id: string): Promise<RecordOf<Return>> {
  return moveReturn(tx, store, id, { status: 'closed', event: 'return.closed', changes: { closed_at: tx.now } })
}

/** Changes what can be changed whatever its status. */
export function updateReturn(tx: Tx, store: Store, id: string, patch: ReturnPatch): Promise<RecordOf<Return>> {
  return updateRecord(tx, orderReturn, store.id, id, patch)
}

/** The fields to reset when the step to a status is undone. */
const resetFields: Partial<Record<ReturnStatus, object>> = {
  requested: { approved_at: null, instructions: null, declined_at: null, decline_reason: null, cancelled_at: null },
  approved: { cancelled_at: null },
  received: { closed_at: null },
}

/** Undoes the last step, unless units arrived or money moved by it, or another return has its units by now. */
export async function reopenReturn(tx: Tx, store: Store, id: string, status: ReturnStatus): Promise<RecordOf<Return>> {
  const { orderId, order, before } = await lockReturn(tx, store.id, id)
  const { status: from, refund_id, exchange_order_id, items } = before
  const changes = resetFields[status]
  const isLast = nextReturnStatuses[status].includes(from) && from !== 'received' && !refund_id && !exchange_order_id
  if (!changes || !isLast) throw invalid(fault('status', returnFaults.not_reopenable, { status: from }))
  const units = items.map(({ item_id, part, quantity }) => ({ item_id: toUuid('item', item_id)!, part, quantity }))
  // A return that has ended holds no units.
  const faults = ['declined', 'cancelled'].includes(from)
    ? await findReturnFaults(tx, store.id, { orderId, order }, units)
    : []
  if (faults.length > 0) throw invalid(...faults)
  return writeReturn(tx, store, { id, order }, { status, event: 'return.reopened', changes })
}

type ReturnMove = { status: ReturnStatus; event: ReturnEvent; changes: object }

async function moveReturn(tx: Tx, store: Store, id: string, move: ReturnMove): Promise<RecordOf<Return>> {
  const { order, before } = await lockReturn(tx, store.id, id)
  requireStatus(before, move.status)
  return writeReturn(tx, store, { id, order }, move)
}

export function requireStatus(before: Return, status: ReturnStatus): void {
  const isRepeated = before.status === status
  const rejection = isRepeated
    ? reason(returnFaults.already, { status })
    : transitionFault(nextReturnStatuses, before.status, status)
  if (rejection) throw invalid({ field: 'status', ...rejection })
}

type LockedReturn = { orderId: string; order: LockedOrder; before: Return }

/** Changes of amounts lock the payments of an order first, then the order. */
export async function lockReturn(
  tx: Tx,
  storeId: string,
  id: string,
  { withPayments = false } = {},
): Promise<LockedReturn> {
  const item = await tx.one<{ order_id: string }>(sql`
    select order_id
    from returns
    where store_id = ${storeId}
      and id = ${id}`)
  if (!item) throw notFound(orderReturn.noun)
  const { order_id: orderId } = item
  if (withPayments) tx.later(lockPayments(storeId, sql`${orderId}`))
  const order = await lockOrder(tx, storeId, orderId)
  const { entity: before } = await findRecord(tx, orderReturn, storeId, id)
  return { orderId, order, before }
}

/** Writes the change of a locked return and emits its event. */
export async function writeReturn(
  tx: Tx,
  store: Store,
  { id, order }: { id: string; order: LockedOrder },
  { status, event, changes }: ReturnMove,
): Promise<RecordOf<Return>> {
  const [row] = await tx.texts(sql`
    update returns
    set ${assignments(orderReturn, {}, { ...changes, status, updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${orderReturn.columns}`)
  const record = await loadRecord(tx, orderReturn, store.id, row)
  await tell(tx, store, order, record.entity, event)
  return record
}

async function tell(tx: Tx, store: Store, order: LockedOrder, record: Return, event: ReturnEvent): Promise<void> {
  const items = await findReturnedItems(tx, store.id, toUuid('ord', record.order_id)!)
  emit(tx, store, event, record.order_id, returnPayload(record, items))
  mailReturn(tx, store, order, record, event)
}
