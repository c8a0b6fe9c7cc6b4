// With WORKERS=N the first process holds the shared state, and its workers call it over node:cluster's channel.
import cluster from 'node:cluster'
import type { EventEmitter } from 'node:events'

/** One end of a channel: a worker's `process`, or the first process's Worker. */
export type ChannelEnd = Pick<EventEmitter, 'on'> & {
  /** Without `sent`, a failure would be an error event of the channel, which ends the process. */
  send?(message: any, sent: (error: Error | null) => void): unknown
}
export type PrimaryCall = <T>(topic: string, question: unknown) => Promise<T>
export type PrimaryHandlers = Record<string, (question: any) => unknown>

type CallMessage = { asks: number; topic: string; question: unknown }
type ReplyMessage = { answers: number } & ({ value: unknown } | { failure: string })

/** The caller of a worker to the first process; null in the first process itself. */
export const callPrimary: PrimaryCall | null = cluster.isWorker ? openCaller(process) : null

export function serveWorkers(answers: PrimaryHandlers): void {
  cluster.on('online', (worker) => serveCaller(worker, answers))
}

export function openCaller(end: ChannelEnd): PrimaryCall {
  const open = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>()
  let count = 0
  end.on('message', (message: Partial<ReplyMessage>) => {
    const call = open.get(message?.answers ?? -1)
    if (!call) return
    open.delete(message.answers!)
    if ('failure' in message) call.reject(new Error(message.failure as string))
    else call.resolve((message as { value: unknown }).value)
  })
  return (topic, question) =>
    new Promise((resolve, reject) => {
      const asks = ++count
      open.set(asks, { resolve, reject })
      end.send!({ asks, topic, question } satisfies CallMessage, (error) => {
        if (error && open.delete(asks)) reject(error)
      })
    })
}

export function serveCaller(end: ChannelEnd, answers: PrimaryHandlers): void {
  end.on('message', async (message: Partial<CallMessage>) => {
    const answer = answers[message?.topic ?? '']
    if (message?.asks === undefined || !answer) return
    let reply: ReplyMessage
    try {
      reply = { answers: message.asks, value: await answer(message.question) }
    } catch (error) {
      reply = { answers: message.asks, failure: (error as Error).message }
    }
    // The caller may have ended in the meantime.
    end.send!(reply, () => {})
  })
}
