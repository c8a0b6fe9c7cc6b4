// Tells those who ask providers, in this process, that something was committed which a provider is to be asked for.
import type { Cause } from '../kit/values/cause.ts'

/** A refund by its id; what is held, to take it or to let it go, by the payment's. `cause` is why it is asked. */
type Question = { of: 'refund' | 'hold'; storeId: string; id: string; cause: Cause }

type Listener = (question: Question) => void
const listeners = new Set<Listener>()

/** Answers the function that ends it. */
export function onAsked(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function announce(question: Question): void {
  listeners.forEach((listener) => listener(question))
}
