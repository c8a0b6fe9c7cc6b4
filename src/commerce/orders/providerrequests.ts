// Requests to payment providers, published after the commit; money/payments/providerrequests.ts subscribes.
import type { Topic } from '../../kit/database/bus.ts'
import type { Tx } from '../../kit/database/database.ts'
import type { Cause } from '../../kit/values/cause.ts'
import { publicId } from '../../kit/values/ids.ts'

/**
 * `id` is the ID of the refund, or of the payment: one that is held, or one that is asked of a customer. `cause` is the
 * reason for the request.
 */
export type ProviderRequest = { of: 'refund' | 'hold' | 'payment'; storeId: string; id: string; cause: Cause }

export const providerRequested: Topic<ProviderRequest> = { name: 'provider requested' }

/** Published after the commit; a dry run only reports the request. */
export function requestAfterCommit(
  tx: Tx,
  request: Omit<ProviderRequest, 'cause'>,
  asks: 'refund' | 'capture' | 'release' | 'cancel',
): void {
  const id = publicId(request.of === 'refund' ? 'ref' : 'pmt', request.id)
  tx.afterCommit(() => tx.bus.publish(providerRequested, { ...request, cause: tx.cause }), { asks, id })
}
