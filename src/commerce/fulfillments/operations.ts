import type { Db, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { entityPage, loadRecord } from '../../kit/declare/page.ts'
import { assignments, insertInto, type RecordOf } from '../../kit/declare/resource.ts'
import { insertRows } from '../../kit/declare/row.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { emit } from '../../tenancy/events/emit.ts'
import { lockOrder } from '../orders/changes.ts'
import { mailOrder } from '../orders/mail.ts'
import { completeWhenDone } from '../orders/operations.ts'
import { fulfillAllUnits } from '../orders/fulfilledunits.ts'
import { updateFulfillmentStatus } from '../orders/fulfillmentstatus.ts'
import { transitionFault, undoneStatuses } from '../orders/states.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { buildTrackingUrl } from './carriers.ts'
import {
  fulfillment,
  fulfillmentItem,
  type Fulfillment,
  type FulfillmentPatch,
  type NewFulfillment,
} from './fulfillment.ts'
import { updatedPayload } from '../orders/payload.ts'
import { fulfilledPayload, findFulfilledItems } from './payload.ts'
import { returnPieces, takePieces, type FulfillmentPiece } from './pieces.ts'
import { nextShipmentStatuses } from './states.ts'
import { fulfillmentFaults } from './errors.ts'
import { orderFaults } from '../orders/errors.ts'

/** A fulfillment of an order, or NOT_FOUND. */
export async function findFulfillment(
  db: Db,
  storeId: string,
  orderId: string,
  id: string,
): Promise<RecordOf<Fulfillment>> {
  const [row] = await db.texts(sql`
    select ${fulfillment.columns}
    from fulfillments
    where store_id = ${storeId}
      and order_id = ${orderId}
      and id = ${id}`)
  return loadRecord(db, fulfillment, storeId, row)
}

/** The fulfillments of an order that are not cancelled, oldest first. */
export async function findActiveFulfillments(db: Db, store: Store, orderId: string): Promise<Fulfillment[]> {
  const { data } = await entityPage(
    db,
    fulfillment,
    store,
    { page: 1, per_page: 100, sort: 'created_at', order: 'asc' },
    sql`fulfillments.order_id = ${orderId}`,
    sql`fulfillments.cancelled_at is null`,
  )
  return data
}

/** Fulfills items of an order, by default everything left. This may complete the order. */
export async function createFulfillment(
  tx: Tx,
  store: Store,
  orderId: string,
  { items, ...input }: NewFulfillment,
): Promise<RecordOf<Fulfillment>> {
  const order = await lockOrder(tx, store.id, orderId)
  const { status } = order
  if (undoneStatuses.includes(status)) throw invalid(fault('status', fulfillmentFaults.nothing_sent_when, { status }))
  const pieces = await takePieces(tx, store.id, orderId, items)
  const id = newUuid()
  const [record, progress, fulfilledItems] = await Promise.all([
    insertFulfillment(tx, store.id, { id, orderId, pieces }, input),
    updateFulfillmentStatus(tx, store.id, orderId),
    findFulfilledItems(tx, store.id, id),
  ])
  emit(
    tx,
    store,
    'order.fulfilled',
    publicId('ord', orderId),
    fulfilledPayload(record.entity, progress, fulfilledItems),
  )
  // A shipment that has already arrived needs no email, and neither does what is not shipped.
  const about = { order_id: orderId, fulfillment_id: id }
  const isOnItsWay = record.entity.delivered_at === null && fulfilledItems.some((one) => one.requires_shipping)
  if (isOnItsWay) mailOrder(tx, store, 'order_shipped', order, about)
  await completeWhenDone(tx, store, orderId, { ...order, fulfillment_status: progress.fulfillment_status })
  return record
}

async function insertFulfillment(
  tx: Tx,
  storeId: string,
  { id, orderId, pieces }: { id: string; orderId: string; pieces: readonly FulfillmentPiece[] },
  { carrier = null, tracking_number = null, tracking_url, ...times }: Omit<NewFulfillment, 'items'>,
): Promise<RecordOf<Fulfillment>> {
  const insertion = tx.texts(sql`
    ${insertInto(
      fulfillment,
      { shipped_at: tx.now, ...times, carrier, tracking_number },
      {
        store_id: storeId,
        id,
        order_id: orderId,
        tracking_url: tracking_url ?? buildTrackingUrl(carrier, tracking_number),
        created_at: tx.now,
        updated_at: tx.now,
      },
    )}
    returning ${fulfillment.columns}`)
  const items = tx.texts(sql`
    ${insertRows(fulfillmentItem, fulfillmentItem.row.names, pieces, {
      same: { store_id: storeId, order_id: orderId, fulfillment_id: id },
      types: { order_id: 'uuid', fulfillment_id: 'uuid' },
    })}
    returning ${fulfillmentItem.columns}`)
  const [[row], children] = await Promise.all([insertion, items])
  return fulfillment.record(row!, { items: new Map([[id, children]]) })
}

/** Updates tracking, times and status. A cancelled fulfillment has returned its items and cannot change. */
export async function updateFulfillment(
  tx: Tx,
  store: Store,
  orderId: string,
  id: string,
  patch: FulfillmentPatch,
): Promise<RecordOf<Fulfillment>> {
  await lockOrder(tx, store.id, orderId)
  const before = await findFulfillment(tx, store.id, orderId, id)
  const changes = buildFulfillmentChanges(before.entity, patch, tx.now)
  if (Object.keys(changes).length === 0) return before
  if (changes.cancelled_at) returnPieces(tx, store.id, id)
  const update = tx.texts(sql`
    update fulfillments
    set ${assignments(fulfillment, changes, { updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${fulfillment.columns}`)
  const [[row]] = await Promise.all([update, updateFulfillmentStatus(tx, store.id, orderId)])
  const orderPublicId = publicId('ord', orderId)
  emit(tx, store, 'order.updated', orderPublicId, updatedPayload(orderPublicId))
  return loadRecord(tx, fulfillment, store.id, row)
}

type FulfillmentChanges = Partial<Omit<Fulfillment, 'items' | 'status'>>

/** The fields that differ from the stored ones. */
function buildFulfillmentChanges(
  before: Fulfillment,
  { status, ...patch }: FulfillmentPatch,
  now: Date,
): FulfillmentChanges {
  const rejection = status && transitionFault(nextShipmentStatuses, before.status, status)
  if (rejection) throw invalid({ field: 'status', ...rejection })
  const request = {
    ...patch,
    ...resolveTrackingUrl(before, patch),
    ...(status === before.status ? {} : toStatusTimes(status, patch, now)),
  }
  const changes = Object.fromEntries(
    Object.entries(request).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Fulfillment]),
    ),
  ) as FulfillmentChanges
  const isFinal = before.status === 'cancelled' && Object.keys(changes).length > 0
  if (isFinal) throw invalid(fault('status', orderFaults.status_is_final, { from: before.status }))
  return changes
}

/** A new status is stored as times only. */
function toStatusTimes(
  status: FulfillmentPatch['status'],
  { delivered_at }: FulfillmentPatch,
  now: Date,
): FulfillmentChanges {
  switch (status) {
    case 'shipped':
      return { delivered_at: null }
    case 'delivered':
      return { delivered_at: delivered_at ?? now }
    case 'cancelled':
      return { cancelled_at: now }
    default:
      return {}
  }
}

/** A generated URL follows the tracking number; one set by the client stays. */
function resolveTrackingUrl(before: Fulfillment, patch: FulfillmentPatch): FulfillmentChanges {
  const { carrier, tracking_number, tracking_url } = { ...before, ...patch }
  const wasDerived = before.tracking_url === buildTrackingUrl(before.carrier, before.tracking_number)
  const isExplicit = patch.tracking_url !== undefined && patch.tracking_url !== before.tracking_url
  if (isExplicit || !wasDerived) return { tracking_url: tracking_url ?? null }
  return { tracking_url: buildTrackingUrl(carrier ?? null, tracking_number ?? null) }
}

type PastShipment = { at: Date; carrier: string | null; tracking_number: string | null }

/** Records one fulfillment of all items of an order from before the store moved in. */
export function fulfillPastOrder(
  tx: Tx,
  storeId: string,
  orderId: string,
  { at, carrier, tracking_number }: PastShipment,
): void {
  const id = newUuid()
  const url = buildTrackingUrl(carrier, tracking_number)
  tx.later(sql`
    insert into fulfillments (store_id, id, order_id, carrier, tracking_number, tracking_url, shipped_at, created_at,
      updated_at)
    values (${storeId}, ${id}, ${orderId}, ${carrier}, ${tracking_number}, ${url}, ${at}, ${at}, ${at})`)
  tx.later(sql`
    insert into fulfillment_items (store_id, fulfillment_id, order_id, item_id, quantity)
    select store_id, ${id}::uuid, order_id, id, quantity
    from order_items
    where store_id = ${storeId}
      and order_id = ${orderId}`)
  fulfillAllUnits(tx, storeId, orderId)
}
