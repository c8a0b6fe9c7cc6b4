// With WORKERS=N the first process holds what all must share, and its workers ask it over node:cluster's channel.
import cluster from 'node:cluster'
import type { EventEmitter } from 'node:events'

/** One end of a channel: a worker's `process`, or the first process's Worker. */
export type End = Pick<EventEmitter, 'on'> & {
  /** Without `sent` a failure would be an error event of the channel, which ends the process. */
  send?(message: any, sent: (error: Error | null) => void): unknown
}
export type Ask = <T>(topic: string, question: unknown) => Promise<T>
export type Answers = Record<string, (question: any) => unknown>

type Question = { asks: number; topic: string; question: unknown }
type Answer = { answers: number } & ({ value: unknown } | { failure: string })

/** Of a worker, its questions to the first process; null in the first process itself. */
export const askPrimary: Ask | null = cluster.isWorker ? asking(process) : null

export function answerWorkers(answers: Answers): void {
  cluster.on('online', (worker) => answering(worker, answers))
}

export function asking(end: End): Ask {
  const open = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>()
  let count = 0
  end.on('message', (message: Partial<Answer>) => {
    const asked = open.get(message?.answers ?? -1)
    if (!asked) return
    open.delete(message.answers!)
    if ('failure' in message) asked.reject(new Error(message.failure as string))
    else asked.resolve((message as { value: unknown }).value)
  })
  return (topic, question) =>
    new Promise((resolve, reject) => {
      const asks = ++count
      open.set(asks, { resolve, reject })
      end.send!({ asks, topic, question } satisfies Question, (error) => {
        if (error && open.delete(asks)) reject(error)
      })
    })
}

export function answering(end: End, answers: Answers): void {
  end.on('message', async (message: Partial<Question>) => {
    const answer = answers[message?.topic ?? '']
    if (message?.asks === undefined || !answer) return
    let told: Answer
    try {
      told = { answers: message.asks, value: await answer(message.question) }
    } catch (error) {
      told = { answers: message.asks, failure: (error as Error).message }
    }
    // Who asked may have died meanwhile.
    end.send!(told, () => {})
  })
}
