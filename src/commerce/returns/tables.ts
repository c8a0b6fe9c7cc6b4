import { clearForOrders, readAt, table } from '../../tenancy/tables/table.ts'
import { reopenReturn, updateReturn } from './operations.ts'
import { orderReturn, returnChanges, returnItem } from './return.ts'
import type { ReturnStatus } from './states.ts'

// Received units and refunds are not undone.
export const returns = table(orderReturn, {
  erasure: clearForOrders(orderReturn),
  replaced: () => ({ instructions: 'null', decline_reason: 'null', metadata: `'{}'` }),
  audit: {
    noun: 'return',
    scope: 'orders',
    undo: {
      moves: ['status'],
      follows: ['approved_at', 'instructions', 'declined_at', 'decline_reason', 'cancelled_at', 'closed_at'],
      change: async ({ tx, store }, id, { status, ...before }) => {
        await updateReturn(tx, store, id, returnChanges.read(before, readAt(tx, store)))
        if (status !== undefined) await reopenReturn(tx, store, id, status as ReturnStatus)
      },
    },
  },
})

export const returnItems = table(returnItem, {
  audit: { noun: 'return_item', scope: 'orders', prefix: 'item' },
  erasure: clearForOrders(returnItem),
  replaced: () => ({ note: 'null' }),
})
