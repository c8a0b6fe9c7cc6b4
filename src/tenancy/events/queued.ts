// Tells those who deliver, in this process, that deliveries were committed, and to whom.

type QueueListener = (storeId: string, webhookIds: readonly string[]) => void
const listeners = new Set<QueueListener>()

/** Answers the function that ends it. */
export function onQueued(listener: QueueListener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function announceQueued(storeId: string, webhookIds: readonly string[]): void {
  listeners.forEach((listener) => listener(storeId, webhookIds))
}
