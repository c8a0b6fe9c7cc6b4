// Where pictures are looked at and their sizes made: one at a time, in a process that starts when there is something to
// do and ends when there is not.
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import PQueue from 'p-queue'
import { unavailable } from '../kit/values/errors.ts'
import type { Answer, Ask, Look, Unfit } from './imaging.ts'
import type { Picture } from './picture.ts'
import type { Sizes } from './sizes.ts'

export type Darkroom = {
  /** Somebody waits for the answer: it goes before all sizes. */
  look(bytes: Uint8Array): Promise<Look | Unfit>
  make(bytes: Uint8Array, picture: Picture): Promise<Sizes | Unfit>
  close(): Promise<void>
}

const program = fileURLToPath(new URL('imaging.ts', import.meta.url))
const idleMs = 10_000
const longestMs = 30_000
/** Looks that wait hold their files in memory. */
const maximumWaiting = 20

export function openDarkroom(): Darkroom {
  const queue = new PQueue({ concurrency: 1 })
  let child: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined

  const end = () => {
    child?.kill('SIGKILL')
    child = undefined
  }
  const start = (): ChildProcess => {
    const started = fork(program, {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    started.once('exit', () => {
      if (child === started) child = undefined
    })
    // What is written to it in its last moment is answered by its end.
    started.on('error', () => {})
    return started
  }
  const ask = async (asked: Ask): Promise<Answer | null> => {
    clearTimeout(idle)
    const answer = await exchange((child ??= start()), asked)
    if (!answer) end()
    idle = setTimeout(end, idleMs).unref()
    return answer
  }
  return {
    async look(bytes) {
      if (queue.size >= maximumWaiting) throw unavailable()
      const answer = await queue.add(() => ask({ bytes }), { priority: 1 })
      return answer && 'look' in answer ? answer.look : lost
    },
    async make(bytes, picture) {
      const answer = await queue.add(() => ask({ bytes, picture }))
      return answer && 'sizes' in answer ? answer.sizes : lost
    },
    async close() {
      clearTimeout(idle)
      await queue.onIdle()
      end()
    },
  }
}

/** It ended the process, or took longer than any picture may. */
const lost: Unfit = { unfit: 'unreadable' }

function exchange(child: ChildProcess, asked: Ask): Promise<Answer | null> {
  return new Promise((resolve) => {
    const late = setTimeout(() => settle(null), longestMs)
    const answered = (answer: unknown) => settle(answer as Answer)
    const ended = () => settle(null)
    const settle = (answer: Answer | null) => {
      clearTimeout(late)
      child.off('message', answered).off('exit', ended)
      resolve(answer)
    }
    child.once('message', answered).once('exit', ended)
    child.send(asked, (error) => error && settle(null))
  })
}
