// The transaction of one connection. Statements of one turn, and those sent before an answer arrives, travel together.
import type pg from 'pg'
import { answerTimeoutMs, type SendStatement } from './queries.ts'
import { noteRoundTrip, type Trace } from '../values/trace.ts'
import { errorByConstraint, type ConstraintErrors } from './errors.ts'
import { exchange, type StatementResult, type StatementRequest } from './exchange.ts'
import type { Statement } from './sql.ts'

export type Pipeline = {
  ask: SendStatement
  /** Fails with the first statement that failed, even if nobody awaits it. */
  settle(): Promise<unknown>
  /** Settles, and commits. */
  commit(): Promise<StatementResult>
  /** Returns the reason why the connection is unusable, if it is. */
  rollback(): Promise<Error | undefined>
}

const commitStatement: Statement = { name: 'commit', text: 'commit', values: [] }
const rollbackStatement: Statement = { name: 'rollback', text: 'rollback', values: [] }

export function openPipeline(client: pg.PoolClient, trace?: Trace): Pipeline {
  const answers: Promise<StatementResult>[] = []
  let waiting: StatementRequest[] = []
  let isUnderWay = false
  let hasEnded = false

  const send = async () => {
    const requests = waiting
    waiting = []
    const startedAt = trace ? performance.now() : 0
    await exchange(client, requests, answerTimeoutMs)
    if (trace)
      noteRoundTrip(
        trace,
        requests.map(({ statement }) => statement),
        startedAt,
      )
    isUnderWay = false
    schedule()
  }
  const schedule = () => {
    if (isUnderWay || waiting.length === 0) return
    isUnderWay = true
    process.nextTick(send)
  }
  const put = (statement: Statement, refusals?: ConstraintErrors) => {
    const answer = new Promise<StatementResult>((resolve, reject) => {
      waiting.push({ statement, resolve, reject, refusalOf: (error) => errorByConstraint(error, refusals) })
    })
    answer.catch(() => {})
    answers.push(answer)
    schedule()
    return answer
  }
  return {
    // A part of the operation may go on after another part failed, when the connection may already serve others.
    ask: (statement, refusals) => (hasEnded ? Promise.reject(endedError()) : put(statement, refusals)),
    settle: () => Promise.all(answers),
    async commit() {
      hasEnded = true
      const answer = put(commitStatement)
      await Promise.all(answers)
      return answer
    },
    async rollback() {
      hasEnded = true
      waiting.splice(0).forEach(({ reject }) => reject(endedError()))
      return put(rollbackStatement).then(
        () => undefined,
        (error: Error) => error,
      )
    },
  }
}

function endedError(): Error {
  return new Error('the transaction has ended')
}
