// The other end of the program that looks into pictures: a process that starts when there is something to do and ends
// when there is not.
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Answer, Task } from './imaging.ts'

/** `late` and `ended`: the process was killed because it took too long, or the file ended it. */
type Outcome = Answer | 'late' | 'ended'

export type Imager = {
  /** One at a time. */
  run(task: Task, withinMs: number): Promise<Outcome>
  close(): void
}

const program = fileURLToPath(new URL('imaging.ts', import.meta.url))
const idleMs = 10_000

export function openImager(): Imager {
  let child: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined

  const end = () => {
    clearTimeout(idle)
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
  return {
    async run(task, withinMs) {
      clearTimeout(idle)
      const outcome = await exchange((child ??= start()), task, withinMs)
      if (typeof outcome === 'string') end()
      else idle = setTimeout(end, idleMs).unref()
      return outcome
    },
    close: end,
  }
}

function exchange(child: ChildProcess, task: Task, withinMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle('late'), withinMs)
    const answered = (answer: unknown) => settle(answer as Answer)
    const ended = () => settle('ended')
    const settle = (outcome: Outcome) => {
      clearTimeout(timer)
      child.off('message', answered).off('exit', ended)
      resolve(outcome)
    }
    child.once('message', answered).once('exit', ended)
    child.send(task, (error) => error && settle('ended'))
  })
}
