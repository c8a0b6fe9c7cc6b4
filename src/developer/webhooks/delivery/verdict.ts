// Decides about a delivery after an attempt: the whole retry policy.
import type { FailureClass } from '../../../platform/outbound/fetch.ts'

export type AttemptResult = { ok: true; status: number } | { ok: false; error: FailureClass }

export type DeliveryVerdict = { status: 'delivered' | 'failed' } | { status: 'pending'; delayMs: number }

/** After the first and the second attempt; the third is the last. */
const delaysMs = [1000, 2000]

/**
 * 2xx is delivered. 3xx and 4xx are the receiver's last word, and an address that is not allowed is ours. Everything
 * else (5xx, an invalid HTTP status, no answer at all) is tried up to three times.
 */
export function decide(tries: number, result: AttemptResult): DeliveryVerdict {
  if (result.ok && result.status >= 200 && result.status < 300) return { status: 'delivered' }
  const isFinal = result.ok ? result.status >= 300 && result.status < 500 : result.error === 'BLOCKED_ADDRESS'
  const delayMs = delaysMs[tries - 1]
  return isFinal || delayMs === undefined ? { status: 'failed' } : { status: 'pending', delayMs }
}
