// Tells those who ask providers, in this process, that something was committed which a provider is to be asked for.
import type { Tx } from '../../kit/database/database.ts'
import type { Cause } from '../../kit/values/cause.ts'
import { publicId } from '../../kit/values/ids.ts'

/** A refund by its id; what is held, to take it or to let it go, by the payment's. `cause` is why it is asked. */
type Question = { of: 'refund' | 'hold'; storeId: string; id: string; cause: Cause }

type Listener = (question: Question) => void
const listeners = new Set<Listener>()

/** Answers the function that ends it. */
export function onAsked(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** After the commit; a rehearsal only says what would be asked. */
export function askAfterCommit(tx: Tx, asked: Omit<Question, 'cause'>, what: 'refund' | 'capture' | 'release'): void {
  const question = { ...asked, cause: tx.cause }
  const id = publicId(asked.of === 'refund' ? 'ref' : 'pmt', asked.id)
  tx.afterCommit(() => listeners.forEach((listener) => listener(question)), { asks: what, id })
}
