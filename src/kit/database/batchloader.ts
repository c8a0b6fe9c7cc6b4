// Calls that arrive together are answered by one statement. A single call waits for nothing; under load, up to 64 share
// a round trip, which is most of the cost of reading one record (bench/RESULTS.md, "get product").
import { unavailable } from '../values/errors.ts'
import { isDatabaseAway } from './errors.ts'

/** Joins the calls of the same moment. Its statement is sent after the call, so the result is no older. */
export type BatchLoader<Question, Answer> = (question: Question) => Promise<Answer>

type PendingLoad<Question, Answer> = {
  question: Question
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

const maximumTogether = 64
const maximumUnderWay = 2
const maximumWaiting = 2000

/** `ask` answers each of the questions, in their order. */
export function batchLoader<Question, Answer>(
  ask: (questions: Question[]) => Promise<Answer[]>,
): BatchLoader<Question, Answer> {
  const waiting: PendingLoad<Question, Answer>[] = []
  let underWay = 0
  let isScheduled = false

  const schedule = () => {
    if (isScheduled || waiting.length === 0 || underWay >= maximumUnderWay) return
    isScheduled = true
    // Runs after this turn's sockets were read, so that all their requests join.
    setImmediate(async () => {
      isScheduled = false
      underWay++
      const askers = waiting.splice(0, maximumTogether)
      try {
        const answers = await ask(askers.map(({ question }) => question))
        askers.forEach(({ resolve }, index) => resolve(answers[index]!))
      } catch (error) {
        // Calls that wait behind a failure of the database itself fail with it.
        const failed = isDatabaseAway(error) ? [...askers, ...waiting.splice(0)] : askers
        failed.forEach(({ reject }) => reject(error))
      }
      underWay--
      schedule()
    })
  }
  return (question) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maximumWaiting) return reject(unavailable())
      waiting.push({ question, resolve, reject })
      schedule()
    })
}
