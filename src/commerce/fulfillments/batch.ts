// Fulfills everything that is left of many orders: one statement for each table, whatever their number.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Create } from '../../kit/declare/field.ts'
import type { Json } from '../../kit/declare/resource.ts'
import { insertRows, pick } from '../../kit/declare/row.ts'
import { fault, type Fault } from '../../kit/values/faults.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { emitAll } from '../../tenancy/events/emit.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { batchBody, BatchReport, lockOrders, type BatchOrder } from '../orders/batch.ts'
import { fulfillUnits } from '../orders/fulfilledunits.ts'
import { markFulfilled } from '../orders/fulfillmentstatus.ts'
import { fulfillable } from '../orders/unsent.ts'
import { mailOrders } from '../orders/mail.ts'
import { buildCompletion } from '../orders/operations.ts'
import { completedBody } from '../orders/payload.ts'
import { undoneStatuses } from '../orders/states.ts'
import { buildTrackingUrl } from './carriers.ts'
import { fulfillmentFaults } from './errors.ts'
import { fulfillment, fulfillmentItem, type Fulfillment } from './fulfillment.ts'
import { fulfilledPayload, type FulfilledItem } from './payload.ts'

export const maxFulfilled = 250

const fields = pick(fulfillment.fields, ['carrier', 'tracking_number', 'tracking_url'])
type FulfillRow = { id: string } & Create<typeof fields>

export const fulfillmentBatch = batchBody<FulfillRow>(fields, maxFulfilled)

export async function fulfillOrders(tx: Tx, store: Store, rows: readonly FulfillRow[]): Promise<Json<unknown>> {
  const orders = await lockOrders(tx, store.id, rows)
  const remaining = await itemsLeft(tx, store.id, [...orders.keys()])
  const report = new BatchReport(rows, orders, (order) => getShippingFault(order, remaining))
  const { done } = report
  const shipments = rows.filter(({ id }) => done.has(id)).map((row) => buildShipment(tx, row, remaining.get(row.id)!))
  if (shipments.length === 0) return report.json
  const units = shipments.flatMap(({ orderId, items }) =>
    items.map(({ item_id, quantity }) => ({ order_id: orderId, item_id, quantity })),
  )
  await fulfillUnits(tx, store.id, units)
  insertShipments(tx, store.id, shipments)
  const completions = shipments
    .map(({ orderId }) => orders.get(orderId)!)
    .filter((order) => completes(tx, store, order))
  markFulfilled(
    tx,
    store.id,
    shipments.map(({ orderId }) => orderId),
    completions.map(({ id }) => id),
  )
  announce(tx, store, orders, shipments, completions)
  return report.json
}

function getShippingFault({ id, status }: BatchOrder, remaining: ReadonlyMap<string, FulfilledItem[]>): Fault | null {
  if (undoneStatuses.includes(status)) return fault('status', fulfillmentFaults.nothing_sent_when, { status })
  return remaining.has(id) ? null : fault('items', fulfillmentFaults.nothing_left)
}

/** Order → its items with a quantity left. */
async function itemsLeft(tx: Tx, storeId: string, ids: readonly string[]): Promise<Map<string, FulfilledItem[]>> {
  const rows = await tx.rows<FulfilledItem & { order_id: string }>(sql`
    select order_id, id as item_id, product_id, product_name, variant_name, requires_shipping,
      ${fulfillable} as quantity
    from order_items
    where store_id = ${storeId}
      and order_id = any(${ids}::uuid[])
      and ${fulfillable} > 0
    order by order_id, id`)
  return Map.groupBy(rows, ({ order_id }) => order_id)
}

type Shipment = { id: string; orderId: string; entity: Fulfillment; items: FulfilledItem[] }

function buildShipment(
  { now }: Tx,
  { id: orderId, carrier = null, tracking_number = null, tracking_url }: FulfillRow,
  items: FulfilledItem[],
): Shipment {
  const id = newUuid()
  const entity: Fulfillment = {
    id: publicId('ful', id),
    order_id: publicId('ord', orderId),
    status: 'shipped',
    carrier,
    tracking_number,
    tracking_url: tracking_url ?? buildTrackingUrl(carrier, tracking_number),
    shipped_at: now,
    delivered_at: null,
    cancelled_at: null,
    created_at: now,
    updated_at: now,
    items: items.map(({ item_id, quantity }) => ({ item_id: publicId('item', item_id), quantity })),
  }
  return { id, orderId, entity, items }
}

function insertShipments(tx: Tx, storeId: string, shipments: readonly Shipment[]): void {
  const names = ['id', 'order_id', 'carrier', 'tracking_number', 'tracking_url'] as const
  const rows = shipments.map(({ id, orderId, entity }) => ({ ...entity, id, order_id: orderId }))
  const times = { shipped_at: tx.now, created_at: tx.now, updated_at: tx.now }
  tx.later(insertRows(fulfillment, names, rows, { same: { store_id: storeId, ...times } }))
  const pieces = shipments.flatMap(({ id, orderId, items }) =>
    items.map(({ item_id, quantity }) => ({ order_id: orderId, fulfillment_id: id, item_id, quantity })),
  )
  tx.later(
    insertRows(fulfillmentItem, ['order_id', 'fulfillment_id', 'item_id', 'quantity'], pieces, {
      same: { store_id: storeId },
      types: { order_id: 'uuid', fulfillment_id: 'uuid' },
    }),
  )
}

function completes(tx: Tx, store: Store, order: BatchOrder): boolean {
  return buildCompletion(tx, store, { ...order, fulfillment_status: 'fulfilled' }).status !== undefined
}

function announce(
  tx: Tx,
  store: Store,
  orders: ReadonlyMap<string, BatchOrder>,
  shipments: readonly Shipment[],
  completedOrders: readonly BatchOrder[],
): void {
  const fulfillments = shipments.map(({ orderId, entity, items }) => {
    const { order_number } = orders.get(orderId)!
    const payload = fulfilledPayload(entity, { order_number, fulfillment_status: 'fulfilled' }, items)
    return { id: entity.order_id, payload }
  })
  emitAll(tx, store, 'order.fulfilled', fulfillments)
  const sent = shipments.filter(({ items }) => items.some(({ requires_shipping }) => requires_shipping))
  const letters = sent.map(({ id, orderId }) => {
    return { order: orders.get(orderId)!, about: { order_id: orderId, fulfillment_id: id } }
  })
  mailOrders(tx, store, 'order_shipped', letters)
  emitAll(
    tx,
    store,
    'order.completed',
    completedOrders.map((order) => {
      const id = publicId('ord', order.id)
      const completedOrder = {
        ...order,
        id,
        total: order.total.toNumber(),
        status: 'completed',
        completed_at: tx.now,
      } as const
      return { id, payload: completedBody.write({ order: completedOrder }) }
    }),
  )
}
