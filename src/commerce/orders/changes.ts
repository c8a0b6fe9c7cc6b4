// The changes of a partial update of an order, and its validation.
import type { Tx } from '../../kit/database/database.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { withDecimals, type Decimal } from '../../kit/values/money.ts'
import { pick, select, type Row } from '../../kit/declare/row.ts'
import { fault, type Fault, type Reason } from '../../kit/values/faults.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import {
  mergeOrderAddress,
  completeAddress,
  addressCountry,
  type ShippingAddress,
  type AddressInput,
} from './address.ts'
import { findBillingFaults, mergeBillingAddress, type BillingAddress, type BillingInput } from './billing.ts'
import { order, plainChanges, type OrderPatch } from './order.ts'
import { nextPaymentStatuses, nextStatuses, transitionFault, undoneStatuses } from './states.ts'
import { orderFaults } from './errors.ts'

export const lockedColumns = select(order, [
  'status',
  'payment_status',
  'fulfillment_status',
  'payment_method',
  'currency',
  'total',
  'captured_amount',
  'refunded_amount',
  'customer_id',
  'customer_name',
  'customer_email',
  'customer_phone',
  'shipping_address',
  'billing_address',
  'country_code',
  'cancel_reason',
  ...plainChanges,
])

export const amounts = [
  'total',
  'captured_amount',
  'refunded_amount',
  'capturing_amount',
  'refunded_overpayment',
  'refunding_overpayment',
] as const
type Amount = (typeof amounts)[number]

/** The columns of a locked order that are not fields of the resource. */
export const internalColumns = raw(
  'orders.discount_id, orders.capturing_amount, orders.refunded_overpayment, orders.refunding_overpayment',
)

/** Stored addresses have all fields. */
export type LockedOrder = Omit<Row<typeof lockedColumns>, 'shipping_address' | 'billing_address' | Amount> & {
  shipping_address: ShippingAddress | null
  billing_address: BillingAddress | null
  discount_id: string | null
  /** Captures that the provider has not confirmed yet. */
  capturing_amount: Decimal
  /** The part of refunded_amount that was paid beyond the total after an edit. */
  refunded_overpayment: Decimal
  /** The same of pending refunds. */
  refunding_overpayment: Decimal
} & Record<Amount, Decimal>

/** The current order, locked until the end of the transaction. */
export async function lockOrder(tx: Tx, storeId: string, id: string): Promise<LockedOrder> {
  const before = await tx.one<LockedOrder>(sql`
    select ${lockedColumns.columns}, ${internalColumns}
    from orders
    where store_id = ${storeId}
      and id = ${id}
    for update`)
  if (!before) throw notFound(order.noun)
  return withDecimals(before, amounts)
}

/** The fields that differ from the stored ones. */
export type OrderChanges = Partial<
  Omit<LockedOrder, FixedField> & Record<'completed_at' | 'cancelled_at', Date> & { archived_at: Date | null }
>
type FixedField =
  | 'fulfillment_status'
  | 'capturing_amount'
  | 'refunded_overpayment'
  | 'refunding_overpayment'
  | 'total'
  | 'currency'
  | 'payment_method'
  | 'captured_amount'
  | 'refunded_amount'

/** Reports all faults at once. */
export function buildOrderChanges(before: LockedOrder, patch: OrderPatch, now: Date): OrderChanges {
  const { status, payment_status, cancel_reason } = patch
  const isUndone = undoneStatuses.includes(status ?? before.status)
  const billing_address = mergeBilling(before, patch.billing_address)
  const faults = [
    faultAt('status', status && transitionFault(nextStatuses, before.status, status)),
    faultAt(
      'payment_status',
      payment_status && transitionFault(nextPaymentStatuses, before.payment_status, payment_status),
    ),
    ...captureFaults(before, patch),
    cancel_reason && !isUndone ? fault('cancel_reason', orderFaults.not_cancelled) : null,
    patch.refund && !isUndone ? fault('refund', orderFaults.not_cancelled) : null,
    ...findBillingFaults(patch.billing_address ? billing_address! : null),
  ].filter((one) => one !== null)
  if (faults.length > 0) throw invalid(...faults)

  const requested = {
    status,
    payment_status,
    cancel_reason,
    ...pick(patch, plainChanges),
    ...buildAddressChange(before, patch.shipping_address),
    billing_address,
  }
  const changes = Object.fromEntries(
    Object.entries(requested).filter(
      ([name, value]) =>
        value !== undefined && JSON.stringify(value) !== JSON.stringify(before[name as keyof LockedOrder]),
    ),
  ) as OrderChanges
  if (changes.status === 'completed') changes.completed_at = now
  if (changes.status && isUndone) changes.cancelled_at = now
  if (changes.is_archived !== undefined) changes.archived_at = changes.is_archived ? now : null
  return changes
}

/** An order cannot be cancelled or refunded while the outcome of a capture is unknown. */
function captureFaults(
  { capturing_amount, ...before }: LockedOrder,
  { status = before.status, payment_status = before.payment_status }: OrderPatch,
): (Fault | null)[] {
  if (capturing_amount.isZero()) return []
  const isUndoing = status !== before.status && undoneStatuses.includes(status)
  return [
    isUndoing ? fault('status', orderFaults.capture_under_way) : null,
    payment_status !== before.payment_status ? fault('payment_status', orderFaults.capture_under_way) : null,
  ]
}

function faultAt(field: string, reason: Reason | null | undefined): Fault | null {
  return reason ? { field, ...reason } : null
}

/** Null removes it: the shipping address is that of the invoice too. */
function mergeBilling(
  { billing_address: current, customer_name: name, shipping_address, country_code }: LockedOrder,
  input: BillingInput | null | undefined,
): BillingAddress | null | undefined {
  if (!input) return input
  const country = country_code ?? addressCountry(shipping_address)
  return mergeBillingAddress(current, input, { name, country })
}

/** Changes an address field by field; null removes it. A new country replaces the country code. */
function buildAddressChange(
  before: LockedOrder,
  input: AddressInput | null | undefined,
): { shipping_address?: ShippingAddress | null; country_code?: string | null } {
  if (input === undefined || input === null) return { shipping_address: input }
  const { shipping_address: current, customer_name: name, customer_phone: phone } = before
  const isMoved = input.country_code || (input.country !== undefined && input.country !== current?.country)
  const country = isMoved ? addressCountry(input) : null
  const country_code = country ?? before.country_code
  const isSameCountry = country_code === before.country_code
  const shipping_address = current
    ? mergeOrderAddress(current, input, country_code)
    : completeAddress(input, { name, phone }, country_code)
  return isSameCountry ? { shipping_address } : { shipping_address, country_code }
}
