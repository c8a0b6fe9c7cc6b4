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
  let isUndone = false
  let failure: Error | undefined
  const fail = lastFirst(() => isUndone)

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
      // What follows fails because of the first failure, which decides whether the transaction runs again.
      const refusalOf = (error: Error) => (failure ??= errorByConstraint(error, refusals))
      waiting.push({ statement, resolve, reject: (error) => fail(() => reject(error)), refusalOf })
    })
    answer.catch(() => {})
    answers.push(answer)
    schedule()
    return answer
  }
  return {
    ask: (statement, refusals) => {
      if (isUndone) return new Promise(() => {})
      return hasEnded ? Promise.reject(new Error('the transaction has ended')) : put(statement, refusals)
    },
    settle: () => Promise.all(answers),
    async commit() {
      hasEnded = true
      const answer = put(commitStatement)
      await Promise.all(answers)
      return answer
    },
    rollback() {
      isUndone = true
      return new Promise((resolve) => {
        waiting = [{ statement: rollbackStatement, resolve: () => resolve(undefined), reject: resolve }]
        schedule()
      })
    },
  }
}

/**
 * When several statements fail together, the last one is rejected first: an operation waits for it, and ends with it.
 * Nobody waits for the others any more, nor for what the operation starts afterwards: they are never answered.
 */
function lastFirst(isOver: () => boolean): (reject: () => void) => void {
  const failures: (() => void)[] = []
  const tell = () => {
    const reject = isOver() ? undefined : failures.pop()
    if (!reject) return
    reject()
    setImmediate(tell)
  }
  return (reject) => {
    if (failures.push(reject) === 1) setImmediate(tell)
  }
}
