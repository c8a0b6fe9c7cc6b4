// One statement of a connection of the pool, and its rows.
import type { Clock } from '../values/clock.ts'
import { statements, trace } from '../values/tracing.ts'
import type { Connections } from './connections.ts'
import type { Tx } from './database.ts'
import { isConnectionLost, type ConstraintErrors } from './errors.ts'
import { exchange, type StatementResult } from './exchange.ts'
import type { Purpose } from './fairpool.ts'
import { compile, type Bindings, type Sql, type Statement } from './sql.ts'
import { parseRowTexts } from './values.ts'

export type SendStatement = (statement: Statement, refusals?: ConstraintErrors) => Promise<StatementResult>

// Longer than statement_timeout: this one is for a database that does not answer at all.
export const answerTimeoutMs = 5000

/**
 * Returns the results of all statements, which travel together. A connection that died while idle fails its first
 * query: reads are then repeated on another one.
 */
export async function readWithRetry(
  connections: Connections,
  purpose: Purpose,
  statements: readonly Statement[],
  isLate: () => boolean,
  timeoutMs = answerTimeoutMs,
): Promise<StatementResult[]> {
  for (let tries = 1; ; tries++) {
    const { client, release } = await connections.connect(purpose)
    try {
      return await new Promise<StatementResult[]>((resolve, fail) => {
        const results: StatementResult[] = []
        const collect = (result: StatementResult) => {
          if (results.push(result) === statements.length) resolve(results)
        }
        let failure: Error | undefined
        const reject = (error: Error) => {
          // Otherwise the next caller would be in the failed transaction.
          if (statements[0]!.text === 'begin') failure = error
          fail(error)
        }
        const requests = statements.map((statement) => ({ statement, resolve: collect, reject }))
        exchange(client, requests, timeoutMs).then((lostError) => release(lostError ?? failure))
      })
    } catch (error) {
      if (isLate() || tries > connections.pool.options.max || !isConnectionLost(error)) throw error
    }
  }
}

// A page whose reads are this many or more waits for two backends at once instead of one.
const maxTogether = 8

type Waiting = { statement: Statement; resolve: (result: StatementResult) => void; reject: (error: unknown) => void }

/**
 * Reads that begin in the same turn of the event loop travel in one exchange: it costs as much as a dozen statements
 * in it. If one fails, so do the others.
 */
export function readTogether(send: (statements: Statement[]) => Promise<StatementResult[]>): SendStatement {
  let waiting: Waiting[] = []
  const begin = () => {
    const batch = waiting
    waiting = []
    send(batch.map(({ statement }) => statement)).then(
      (results) => batch.forEach(({ resolve }, index) => resolve(results[index]!)),
      (error) => batch.forEach(({ reject }) => reject(error)),
    )
  }
  return (statement) =>
    new Promise((resolve, reject) => {
      if (waiting.length === maxTogether) begin()
      if (waiting.push({ statement, resolve, reject }) === 1) process.nextTick(() => waiting.length > 0 && begin())
    })
}

export type Queries = Pick<Tx, 'clock' | 'rows' | 'one' | 'texts'>

export function queries(ask: SendStatement, clock: Clock, bindings: () => Bindings): Queries {
  const send = (query: Sql, refusals?: ConstraintErrors): Promise<StatementResult> => {
    const statement = compile(query, bindings())
    return trace(statements, statement, () => ask(statement, refusals))
  }
  const rows = async <T>(query: Sql, refusals?: ConstraintErrors): Promise<T[]> => {
    const answer = await send(query, refusals)
    return answer.rows.map((row) => parseRowTexts(row, answer.columns)) as T[]
  }
  return {
    clock,
    rows,
    one: async <T>(query: Sql, refusals?: ConstraintErrors) => (await rows<T>(query, refusals))[0],
    texts: async (query: Sql, refusals?: ConstraintErrors) => (await send(query, refusals)).rows,
  }
}
