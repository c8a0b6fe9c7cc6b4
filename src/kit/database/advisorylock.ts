import { sql } from './sql.ts'
import type { Tx } from './database.ts'

/**
 * Takes an advisory lock until the end of the transaction; the statement travels with the next one. A write that gives
 * a record another unique value takes one first: two writes that swap their names would wait for each other's index
 * entry in a circle, which PostgreSQL detects only after a second, while others queue behind them.
 */
export function advisoryLock(tx: Tx, name: string): void {
  tx.later(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`)
}
