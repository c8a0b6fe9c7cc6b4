// A transaction whose statements do not depend on each other's results: all of it is one exchange with the database.
import type { StoreDatabase, Tx } from './database.ts'

/** `ask` sends statements without awaiting any; its result comes once the transaction is committed. */
export async function runPipelined<T>(db: StoreDatabase, ask: (tx: Tx) => Promise<T>): Promise<T> {
  let answer!: Promise<T>
  await db.transaction(async (tx) => {
    answer = ask(tx)
    // A failure fails the commit too.
    answer.catch(() => {})
  })
  return answer
}
