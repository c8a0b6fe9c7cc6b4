// Calls that arrive together are answered by one statement. A single call waits for nothing; under load, up to 64 share
// a round trip, which is most of the cost of reading one record (bench/RESULTS.md, "get product").
import { unavailable } from '../values/errors.ts'
import { isDatabaseAway } from './errors.ts'

/** Joins the calls of the same moment. Its statement is sent after the call, so the result is never older. */
export type BatchLoader<Question, Answer> = (question: Question) => Promise<Answer>

type PendingLoad<Question, Answer> = {
  question: Question
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

const maxBatch = 64
const maxUnderWay = 2
const maxWaiting = 2000

/** `ask` answers each of the questions, in their order. */
export function batchLoader<Question, Answer>(
  ask: (questions: Question[]) => Promise<Answer[]>,
): BatchLoader<Question, Answer> {
  const waiting: PendingLoad<Question, Answer>[] = []
  let underWay = 0
  let isScheduled = false

  const schedule = () => {
    if (isScheduled || waiting.length === 0 || underWay >= maxUnderWay) return
    isScheduled = true
    // Runs after this turn's sockets were read, so that all their requests join.
    setImmediate(async () => {
      isScheduled = false
      underWay++
      const batch = waiting.splice(0, maxBatch)
      try {
        const answers = await ask(batch.map(({ question }) => question))
        batch.forEach(({ resolve }, index) => resolve(answers[index]!))
      } catch (error) {
        // Calls that wait behind a failure of the database itself fail with it.
        const toFail = isDatabaseAway(error) ? [...batch, ...waiting.splice(0)] : batch
        toFail.forEach(({ reject }) => reject(error))
      }
      underWay--
      schedule()
    })
  }
  return (question) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) return reject(unavailable())
      waiting.push({ question, resolve, reject })
      schedule()
    })
}
