// Tells those who ask providers, in this process, that a refund was committed.

type Listener = (storeId: string, refundId: string) => void
const listeners = new Set<Listener>()

/** Answers the function that ends it. */
export function onRefundAsked(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function announceRefund(storeId: string, refundId: string): void {
  listeners.forEach((listener) => listener(storeId, refundId))
}
