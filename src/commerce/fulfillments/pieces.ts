// The items of an order that a fulfillment contains.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, type Fault, generalFaults } from '../../kit/values/faults.ts'
import { fulfillUnits, returnUnits } from '../orders/fulfilledunits.ts'
import { fulfillable } from '../orders/unsent.ts'
import { fulfillmentFaults } from './errors.ts'
import { orderFaults } from '../orders/errors.ts'

export type FulfillmentPiece = { item_id: string; quantity: number }

/** The requested items, by default all that are left. Reports all faults at once. */
export async function takePieces(
  tx: Tx,
  storeId: string,
  orderId: string,
  requestedPieces?: FulfillmentPiece[],
): Promise<FulfillmentPiece[]> {
  const rows = await tx.rows<FulfillmentPiece>(sql`
    select id as item_id, ${fulfillable} as quantity
    from order_items
    where store_id = ${storeId}
      and order_id = ${orderId}`)
  const remaining = new Map(rows.map(({ item_id, quantity }) => [item_id, quantity]))
  const faults = requestedPieces ? listPieceFaults(requestedPieces, remaining) : []
  const pieces = requestedPieces ? mergePieces(requestedPieces) : rows.filter(({ quantity }) => quantity > 0)
  if (pieces.length === 0) faults.push(fault('items', fulfillmentFaults.nothing_left))
  if (faults.length > 0) throw invalid(...faults)
  await fulfillUnits(
    tx,
    storeId,
    pieces.map((piece) => ({ ...piece, order_id: orderId })),
  )
  return pieces
}

/** Several entries of one item share what is left of it. */
function listPieceFaults(pieces: readonly FulfillmentPiece[], remaining: ReadonlyMap<string, number>): Fault[] {
  const total = new Map(mergePieces(pieces).map(({ item_id, quantity }) => [item_id, quantity]))
  return pieces.flatMap(({ item_id }, index) => {
    const count = remaining.get(item_id)
    if (count === undefined) return fault(`items.${index}.item_id`, generalFaults.does_not_exist)
    return total.get(item_id)! > count ? fault(`items.${index}.quantity`, orderFaults.only_left, { count }) : []
  })
}

function mergePieces(pieces: readonly FulfillmentPiece[]): FulfillmentPiece[] {
  const byItem = new Map<string, FulfillmentPiece>()
  for (const { item_id, quantity } of pieces) {
    byItem.set(item_id, { item_id, quantity: quantity + (byItem.get(item_id)?.quantity ?? 0) })
  }
  return [...byItem.values()]
}

/** Returns the items of a shipment that never left. Items that the buyer has returned prevent this. */
export function returnPieces(tx: Tx, storeId: string, fulfillmentId: string): void {
  tx.later(returnUnits(storeId, fulfillmentId), {
    order_items_fulfilled: () => invalid(fault('status', fulfillmentFaults.pieces_came_back)),
  })
}
