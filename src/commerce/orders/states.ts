// The transitions of status and payment status.
import { reason, type Reason } from '../../kit/values/faults.ts'
import { orderFaults } from './errors.ts'

export const statuses = ['pending', 'confirmed', 'in_progress', 'completed', 'cancelled', 'returned'] as const
export type OrderStatus = (typeof statuses)[number]

export const paymentStatuses = ['pending', 'paid', 'refunded', 'failed'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

/** Derived from the order's fulfillments. */
export const fulfillmentStatuses = ['unfulfilled', 'partial', 'fulfilled'] as const
export type FulfillmentStatus = (typeof fulfillmentStatuses)[number]

export const cancelReasons = ['customer', 'declined', 'fraud', 'inventory', 'staff', 'other'] as const

// prettier-ignore
export const nextStatuses: Record<OrderStatus, readonly OrderStatus[]> = {
  pending:     ['confirmed', 'in_progress', 'completed', 'cancelled'],
  confirmed:   ['in_progress', 'completed', 'cancelled'],
  in_progress: ['completed', 'cancelled', 'returned'],
  completed:   ['returned'],
  cancelled:   [],
  returned:    [],
}

/** Payment status changes independently of the status. */
// prettier-ignore
export const nextPaymentStatuses: Record<PaymentStatus, readonly PaymentStatus[]> = {
  pending:  ['paid', 'failed'],
  failed:   ['pending', 'paid'],
  paid:     ['refunded'],
  refunded: [],
}

/** New orders are pending; imported ones may be further along. */
export const initialStatuses: readonly OrderStatus[] = ['pending', 'confirmed', 'in_progress', 'completed']

export const cancellableStatuses = statuses.filter((status) => nextStatuses[status].includes('cancelled'))

/** Final without a sale: stock and discount use were returned. */
export const undoneStatuses: readonly OrderStatus[] = ['cancelled', 'returned']

/** The reason why a transition is not allowed, or null. An unchanged status is always allowed. */
export function transitionFault<S extends string>(next: Record<S, readonly S[]>, from: S, to: S): Reason | null {
  if (from === to || next[from].includes(to)) return null
  return next[from].length === 0
    ? reason(orderFaults.status_is_final, { from })
    : reason(orderFaults.status_not_next, { from, to, choices: next[from].join(', ') })
}
