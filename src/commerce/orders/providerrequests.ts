// What payment providers are to be asked for once it is committed: money/payments/providerrequests.ts subscribes.
import type { Topic } from '../../kit/database/bus.ts'
import type { Tx } from '../../kit/database/database.ts'
import type { Cause } from '../../kit/values/cause.ts'
import { publicId } from '../../kit/values/ids.ts'

/** `id` is the refund's, or for a hold the payment's. `cause` is why the provider is asked. */
type ProviderRequest = { of: 'refund' | 'hold'; storeId: string; id: string; cause: Cause }

export const providerRequested: Topic<ProviderRequest> = { name: 'provider requested' }

/** After the commit; a rehearsal only says what would be asked. */
export function requestAfterCommit(
  tx: Tx,
  request: Omit<ProviderRequest, 'cause'>,
  asks: 'refund' | 'capture' | 'release',
): void {
  const id = publicId(request.of === 'refund' ? 'ref' : 'pmt', request.id)
  tx.afterCommit(() => tx.bus.publish(providerRequested, { ...request, cause: tx.cause }), { asks, id })
}
