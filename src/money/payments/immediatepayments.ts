// A payment that is decided while the order is placed, in its transaction.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { invalid } from '../../kit/values/errors.ts'
import { newUuid, uuidOf } from '../../kit/values/ids.ts'
import type { Order } from '../../commerce/orders/order.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { Method } from './method.ts'
import { providerNamed, type ProviderName } from './providers.ts'

export type AtOncePayment = { provider: ProviderName; method: Method; reference: string }

/** Null: the merchant says later that it was paid. Declined, it is a fault of payment_method. */
export function payAtOnce(
  { method }: { method: Method | null },
  request: { checkoutId: string; pay?: 'ok' | 'fail' },
): AtOncePayment | null {
  const provider = providerNamed(method?.provider ?? 'manual')
  if (!method || provider.kind !== 'at once') return null
  const decided = provider.decide(request)
  if ('declined' in decided) throw invalid({ field: 'payment_method', ...decided.declined })
  return { provider: method.provider, method, reference: decided.reference }
}

/** All of the order is captured. */
export function recordAtOnce(
  tx: Tx,
  store: Store,
  { provider, method, reference, order, checkoutId }: AtOncePayment & { order: Order; checkoutId: string },
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
