// Tells those who follow logs, in this process, that events were committed, here or by another process.

type Emission = {
  /** Null: of any store, as far as is known. */
  storeId: string | null
  /** By this process: others have not heard of it. */
  isOwn: boolean
}
type Listener = (emission: Emission) => void
const listeners = new Set<Listener>()

/** Answers the function that ends it. */
export function onEmitted(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function announceEmitted(storeId: string | null, isOwn = true): void {
  listeners.forEach((listener) => listener({ storeId, isOwn }))
}
