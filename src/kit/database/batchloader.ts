// Questions that arrive together are answered by one statement. Alone, one waits for nothing; under load, up to 64
// share a round trip, which is most of what reading one record costs (bench/RESULTS.md, "get product").
import { unavailable } from '../values/errors.ts'
import { isDatabaseAway } from './errors.ts'

/** Asks with those that arrive in the same moment. It is sent after it was asked: the answer is no older. */
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
    // After this turn's sockets were read: all their requests go along.
    setImmediate(async () => {
      isScheduled = false
      underWay++
      const askers = waiting.splice(0, maximumTogether)
      try {
        const answers = await ask(askers.map(({ question }) => question))
        askers.forEach(({ resolve }, index) => resolve(answers[index]!))
      } catch (error) {
        // Those who wait behind a failure of the database itself would not fare better.
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
