// Receives the units of a return. The received units decide the refund; units as new are restocked at once.
import type { Tx } from '../../kit/database/database.ts'
import { records, sql } from '../../kit/database/sql.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults, type Fault } from '../../kit/values/faults.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { restock } from '../inventory/stock.ts'
import { storedPart } from '../orders/item.ts'
import { listStock } from '../orders/parts.ts'
import { lockReturn, requireStatus, writeReturn } from './operations.ts'
import { findReturnedItems, type ReturnedItem } from './payload.ts'
import type { Return, ReturnReceipt } from './return.ts'

export async function receiveReturn(
  tx: Tx,
  store: Store,
  id: string,
  { items }: ReturnReceipt,
  actor: Actor,
): Promise<RecordOf<Return>> {
  const { orderId, order, before } = await lockReturn(tx, store.id, id)
  requireStatus(before, 'received')
  const names = await findReturnedItems(tx, store.id, orderId)
  const { units, faults } = items
    ? readReceivedUnits(before, names, items)
    : { units: allUnits(before, names), faults: [] }
  if (faults.length > 0) throw invalid(...faults)
  const rows = units.map(({ item: _, part, ...counts }) => ({ ...counts, part: storedPart(part) }))
  tx.later(sql`
    update return_items
    set received_quantity = unit.received, damaged_quantity = unit.damaged
    from ${records('unit', { item_id: 'uuid', part: 'int', received: 'int', damaged: 'int' }, rows)}
    where return_items.store_id = ${store.id}
      and return_items.return_id = ${id}
      and return_items.item_id = unit.item_id
      and return_items.part = unit.part`)
  const movements = units.flatMap(({ item: { product_id, variant_id, parts }, part, received, damaged }) => {
    const quantity = received - damaged
    return product_id && quantity > 0 ? listStock({ product_id, variant_id, quantity, parts, part }) : []
  })
  await restock(tx, store.id, movements, { reason: 'return', actor, order_id: orderId })
  return writeReturn(
    tx,
    store,
    { id, order },
    { status: 'received', event: 'return.received', changes: { received_at: tx.now } },
  )
}

type ReceivedUnits = { item_id: string; part: number | null; item: ReturnedItem; received: number; damaged: number }

function allUnits({ items }: Return, names: ReadonlyMap<string, ReturnedItem>): ReceivedUnits[] {
  return items.map(({ item_id, part, quantity }) => {
    const item = names.get(item_id)!
    return { item_id: item.id, part, item, received: quantity, damaged: 0 }
  })
}

/** Several entries of one item, or of one part, share its quantity. */
function readReceivedUnits(
  { items }: Return,
  names: ReadonlyMap<string, ReturnedItem>,
  inputs: NonNullable<ReturnReceipt['items']>,
): { units: ReceivedUnits[]; faults: Fault[] } {
  const faults: Fault[] = []
  const byPiece = Map.groupBy(inputs.entries(), ([, { item_id, part = null }]) => `${item_id} ${part}`)
  const units = [...byPiece.values()].flatMap((entries) => {
    const [at, { item_id: uuid, part = null }] = entries[0]!
    const itemId = publicId('item', uuid)
    const own = items.filter(({ item_id }) => item_id === itemId)
    const limit = own.find((one) => one.part === part)?.quantity
    if (limit === undefined) {
      const name = own.length > 0 && part !== null ? 'part' : 'item_id'
      faults.push(fault(`items.${at}.${name}`, generalFaults.does_not_exist))
      return []
    }
    const count = (only?: 'damaged') =>
      entries.reduce((sum, [, { quantity, condition }]) => sum + (!only || condition === only ? quantity : 0), 0)
    const receivedCount = count()
    if (receivedCount > limit) faults.push(fault(`items.${at}.quantity`, generalFaults.too_large, { limit }))
    const item = names.get(itemId)!
    return { item_id: item.id, part, item, received: receivedCount, damaged: count('damaged') }
  })
  return { units, faults }
}
