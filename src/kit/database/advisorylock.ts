import { sql } from './sql.ts'
import type { Tx } from './database.ts'

/**
 * From here to the end of the transaction nobody else has the turn of that name; the question travels with the next
 * statement. Whoever gives a record another unique value takes one: two that swap their names wait for each other's
 * index entry in a circle, which PostgreSQL sees after a second only, while forty more wait behind them.
 */
export function advisoryLock(tx: Tx, name: string): void {
  tx.later(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`)
}
