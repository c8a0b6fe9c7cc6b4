// Requests to payment providers, published after the commit; money/payments/providerrequests.ts subscribes.
import type { Topic } from '../../kit/database/bus.ts'
import type { Tx } from '../../kit/database/database.ts'
import type { Cause } from '../../kit/values/cause.ts'
import { publicId } from '../../kit/values/ids.ts'

/** `id` is the ID of the refund, or of the payment for an authorization. `cause` is the reason for the request. */
type ProviderRequest = { of: 'refund' | 'hold'; storeId: string; id: string; cause: Cause }

export const providerRequested: Topic<ProviderRequest> = { name: 'provider requested' }

/** Published after the commit; a dry run only reports the request. */
export function requestAfterCommit(
  tx: Tx,
  request: Omit<ProviderRequest, 'cause'>,
  asks: 'refund' | 'capture' | 'release',
): void {
  const id = publicId(request.of === 'refund' ? 'ref' : 'pmt', request.id)
  tx.afterCommit(() => tx.bus.publish(providerRequested, { ...request, cause: tx.cause }), { asks, id })
}
