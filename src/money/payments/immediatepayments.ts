// A payment that is decided in the transaction that places the order.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { invalid } from '../../kit/values/errors.ts'
import { newUuid, uuidOf } from '../../kit/values/ids.ts'
import type { Order } from '../../commerce/orders/order.ts'
import type { Store } from '../../tenancy/stores/store.ts'
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

/** Captures the whole order. */
export function insertImmediatePayment(
  tx: Tx,
  store: Store,
  { provider, method, reference, order, checkoutId }: ImmediatePayment & { order: Order; checkoutId: string },
): void {
  const id = newUuid()
  const { total, currency } = order
  tx.later(sql`
    with payment as (
      insert into payment_sessions (store_id, id, checkout_id, order_id, method, provider, reference, status, purpose,
        amount, currency, captured_amount, created_at, updated_at)
      values (${store.id}, ${id}, ${checkoutId}, ${uuidOf('ord', order.id)}, ${method.code}, ${provider}, ${reference},
        'captured', 'order', ${String(total)}, ${currency}, ${String(total)}, ${tx.now}, ${tx.now})
      returning store_id, id, provider, captured_amount, currency, created_at
    )
    insert into payment_events (store_id, id, session_id, provider, key, kind, amount, currency, created_at)
    select store_id, id, id, provider, id || ' captured', 'captured', captured_amount, currency, created_at
    from payment`)
}
