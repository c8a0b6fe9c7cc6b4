// One statement of a connection of the pool, and its rows.
import type { Clock } from '../values/clock.ts'
import type { Connections } from './connections.ts'
import type { Tx } from './database.ts'
import { isConnectionLost, type ConstraintErrors } from './errors.ts'
import { exchange, type StatementResult } from './exchange.ts'
import type { Purpose } from './fairpool.ts'
import { compile, type Sql, type Statement } from './sql.ts'
import { valuesOf } from './values.ts'

export type SendStatement = (statement: Statement, refusals?: ConstraintErrors) => Promise<StatementResult>

// Longer than statement_timeout: this one is for a database that does not answer at all.
export const answerTimeoutMs = 5000

/**
 * Returns the result of the last statement; all travel together. A connection that died while idle fails its first
 * query: a read is then repeated on another one.
 */
export async function readWithRetry(
  connections: Connections,
  purpose: Purpose,
  statements: readonly Statement[],
  isLate: () => boolean,
): Promise<StatementResult> {
  for (let tries = 1; ; tries++) {
    const { client, release } = await connections.connect(purpose)
    try {
      return await new Promise<StatementResult>((resolve, reject) => {
        // Only the result of the last one is read.
        const requests = statements.map((statement, index) => ({
          statement,
          resolve: index === statements.length - 1 ? resolve : () => {},
          reject,
        }))
        exchange(client, requests, answerTimeoutMs).then(release)
      })
    } catch (error) {
      if (isLate() || tries > connections.pool.options.max || !isConnectionLost(error)) throw error
    }
  }
}

export type Queries = Pick<Tx, 'clock' | 'rows' | 'one' | 'texts'>

export function queries(ask: SendStatement, clock: Clock, now = () => clock.now()): Queries {
  const rows = async <T>(query: Sql, refusals?: ConstraintErrors): Promise<T[]> => {
    const answer = await ask(compile(query, now()), refusals)
    return answer.rows.map((row) => valuesOf(row, answer.columns)) as T[]
  }
  return {
    clock,
    rows,
    one: async <T>(query: Sql, refusals?: ConstraintErrors) => (await rows<T>(query, refusals))[0],
    texts: async (query: Sql, refusals?: ConstraintErrors) => (await ask(compile(query, now()), refusals)).rows,
  }
}
