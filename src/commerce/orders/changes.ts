// What a partial update changes of an order, and what it may not.
import type { Tx } from '../../kit/database/database.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { select, type Row } from '../../kit/declare/row.ts'
import { fault, type Fault, type Reason } from '../../kit/values/faults.ts'
import { sql } from '../../kit/database/sql.ts'
import { changedAddress, completeAddress, countryCodeOf, type Address, type AddressInput } from './address.ts'
import { order, type OrderPatch } from './order.ts'
import { nextPaymentStatuses, nextStatuses, refusedMove, undoneStatuses } from './states.ts'
import { orderFaults } from './errors.ts'

// prettier-ignore
const changing = select(order, [
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
  'locale',
  'notify_customer',
  'customer_notes',
  'internal_notes',
  'shipping_address',
  'country_code',
  'cancel_reason',
])

/** A stored address has all of its fields. */
export type Before = Omit<Row<typeof changing>, 'shipping_address'> & {
  shipping_address: Address | null
  discount_id: string | null
  /** What a provider is asked to take, and has not said yet that it did. */
  capturing_amount: string
}

/** The order as it is, locked until the end of the transaction. */
export async function lockOrder(tx: Tx, storeId: string, id: string): Promise<Before> {
  const before = await tx.one<Before>(sql`
    select ${changing.columns}, orders.discount_id, orders.capturing_amount
    from orders
    where store_id = ${storeId}
      and id = ${id}
    for update`)
  if (!before) throw notFound(order.noun)
  return before
}

/** Only what differs from what is. */
export type Changes = Partial<Omit<Before, Fixed> & { completed_at: Date; cancelled_at: Date }>
type Fixed =
  | 'fulfillment_status'
  | 'capturing_amount'
  | 'total'
  | 'currency'
  | 'payment_method'
  | 'captured_amount'
  | 'refunded_amount'

/** Refuses with every fault. */
export function changesOf(before: Before, patch: OrderPatch, now: Date): Changes {
  const { status, payment_status, locale, notify_customer, customer_notes, internal_notes, cancel_reason } = patch
  const isUndone = undoneStatuses.includes(status ?? before.status)
  const faults = [
    at('status', status && refusedMove(nextStatuses, before.status, status)),
    at('payment_status', payment_status && refusedMove(nextPaymentStatuses, before.payment_status, payment_status)),
    ...underWay(before, patch),
    cancel_reason && !isUndone ? fault('cancel_reason', orderFaults.not_cancelled) : null,
    patch.refund && !isUndone ? fault('refund', orderFaults.not_cancelled) : null,
  ].filter((one) => one !== null)
  if (faults.length > 0) throw invalid(...faults)

  const wanted = {
    status,
    payment_status,
    locale,
    notify_customer,
    customer_notes,
    internal_notes,
    cancel_reason,
    ...addressOf(before, patch.shipping_address),
  }
  const changes = Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(before[name as keyof Before]),
    ),
  ) as Changes
  if (changes.status === 'completed') changes.completed_at = now
  if (changes.status && isUndone) changes.cancelled_at = now
  return changes
}

/** What becomes of money that a provider is just taking, nobody decides before it has said. */
function underWay(
  { capturing_amount, ...before }: Before,
  { status = before.status, payment_status = before.payment_status }: OrderPatch,
): (Fault | null)[] {
  if (Number(capturing_amount) === 0) return []
  const isUndoing = status !== before.status && undoneStatuses.includes(status)
  return [
    isUndoing ? fault('status', orderFaults.capture_under_way) : null,
    payment_status !== before.payment_status ? fault('payment_status', orderFaults.capture_under_way) : null,
  ]
}

function at(field: string, reason: Reason | null | undefined): Fault | null {
  return reason ? { field, ...reason } : null
}

/** An address is changed field by field; null takes it away. Another country takes its code along. */
function addressOf(
  before: Before,
  given: AddressInput | null | undefined,
): { shipping_address?: Address | null; country_code?: string | null } {
  if (given === undefined || given === null) return { shipping_address: given }
  const { shipping_address: known, customer_name: name, customer_phone: phone } = before
  const { country = known?.country } = given
  const isSameCountry = country === known?.country
  const country_code = isSameCountry ? before.country_code : (countryCodeOf(country) ?? before.country_code)
  const shipping_address = known
    ? (changedAddress<AddressInput>(known, given, country_code) as Address)
    : completeAddress(given, { name, phone }, country_code)
  return isSameCountry ? { shipping_address } : { shipping_address, country_code }
}
