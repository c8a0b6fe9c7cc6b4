// One connection's transaction: what is asked in one turn, or while an answer is on its way, travels together.
import type pg from 'pg'
import { answerTimeoutMs, type Ask } from './ask.ts'
import { noteRoundTrip, type Trace } from '../values/trace.ts'
import { refusalBy, type Refusals } from './errors.ts'
import { exchange, type Answer, type Request } from './exchange.ts'
import type { Statement } from './sql.ts'

export type Conversation = {
  ask: Ask
  /** Fails with the first statement that failed, whether or not anybody waited for it. */
  settle(): Promise<unknown>
  /** As settle, and all of it stays. */
  commit(): Promise<Answer>
  /** Answers why the connection is of no further use, if it is. */
  rollback(): Promise<Error | undefined>
}

const commitment: Statement = { name: 'commit', text: 'commit', values: [] }
const undoing: Statement = { name: 'rollback', text: 'rollback', values: [] }

export function conversation(client: pg.PoolClient, trace?: Trace): Conversation {
  const answers: Promise<Answer>[] = []
  let waiting: Request[] = []
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
  const put = (statement: Statement, refusals?: Refusals) => {
    const answer = new Promise<Answer>((resolve, reject) => {
      waiting.push({ statement, resolve, reject, ...(refusals ? { refusalOf: refusalBy(refusals) } : {}) })
    })
    answer.catch(() => {})
    answers.push(answer)
    schedule()
    return answer
  }
  return {
    // What a part of the operation still asks after another part failed: the connection may serve others by now.
    ask: (statement, refusals) => (hasEnded ? Promise.reject(ended()) : put(statement, refusals)),
    settle: () => Promise.all(answers),
    async commit() {
      hasEnded = true
      const answer = put(commitment)
      await Promise.all(answers)
      return answer
    },
    async rollback() {
      hasEnded = true
      waiting.splice(0).forEach(({ reject }) => reject(ended()))
      return put(undoing).then(
        () => undefined,
        (lost: Error) => lost,
      )
    },
  }
}

function ended(): Error {
  return new Error('the transaction has ended')
}
