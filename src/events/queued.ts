// Tells those who deliver, in this process, that deliveries were committed, and to whom.

type Listener = (storeId: string, webhookIds: readonly string[]) => void
const listeners = new Set<Listener>()

/** Answers the function that ends it. */
export function onQueued(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function announceQueued(storeId: string, webhookIds: readonly string[]): void {
  listeners.forEach((listener) => listener(storeId, webhookIds))
}
