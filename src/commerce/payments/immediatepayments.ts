// A payment that is decided in the transaction that places the order.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { invalid } from '../../kit/values/errors.ts'
import { newUuid } from '../../kit/values/ids.ts'
import type { Decimal } from '../../kit/values/money.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { insertEvents } from './paymentevent.ts'
import type { CheckoutMethod } from './method.ts'
import { getProvider, type ProviderName } from './providers.ts'

export type ImmediatePayment = { provider: ProviderName; method: CheckoutMethod; reference: string }

/** Null: the merchant confirms the payment later. A decline is a fault of payment_method. */
export function decideImmediatePayment(
  { method }: { method: CheckoutMethod | null },
  request: { checkoutId: string; pay?: 'ok' | 'fail' },
): ImmediatePayment | null {
  const provider = getProvider(method?.provider ?? 'manual')
  if (!method || provider.kind !== 'immediate') return null
  const decision = provider.decide(request)
  if ('declined' in decision) throw invalid({ field: 'payment_method', ...decision.declined })
  return { provider: method.provider, method, reference: decision.reference }
}

/** `checkoutId` is null for a payment of an order placed earlier. */
type PaidPart = { orderId: string; checkoutId: string | null; amount: Decimal; currency: string }

/** Records the payment as captured. */
export function insertImmediatePayment(
  tx: Tx,
  store: Store,
  { provider, method, reference, orderId, checkoutId, amount, currency }: ImmediatePayment & PaidPart,
): void {
  const id = newUuid()
  tx.later(sql`
    insert into payment_sessions (store_id, id, checkout_id, order_id, method, provider, reference, status, purpose,
      amount, currency, captured_amount, created_at, updated_at)
    values (${store.id}, ${id}, ${checkoutId}, ${orderId}, ${method.code}, ${provider}, ${reference},
      'captured', 'order', ${amount}, ${currency}, ${amount}, ${tx.now}, ${tx.now})`)
  const event = { id, kind: 'captured', amount, key: `${id} captured` } as const
  tx.later(insertEvents(tx.now, store.id, sql`payment_sessions.id = ${id}`, [event]))
}
