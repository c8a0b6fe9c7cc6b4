// Controls the process that decodes images. It starts when there is work and ends when there is none.
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ImagingAnswer, ImagingTask } from './imaging.ts'

/** `late`: the process took too long and was killed. `ended`: the file crashed the process. */
type ImagingResult = ImagingAnswer | 'late' | 'ended'

export type ImageProcess = {
  /** Runs one task at a time. */
  run(task: ImagingTask, withinMs: number): Promise<ImagingResult>
  close(): void
}

const program = fileURLToPath(new URL('imaging.ts', import.meta.url))
const idleMs = 10_000

export function openImageProcess(): ImageProcess {
  let child: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined

  const end = () => {
    clearTimeout(idle)
    child?.kill('SIGKILL')
    child = undefined
  }
  const start = (): ChildProcess => {
    const process = fork(program, {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    process.once('exit', () => {
      if (child === process) child = undefined
    })
    // A message written while the process ends is answered by its exit.
    process.on('error', () => {})
    return process
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

function exchange(child: ChildProcess, task: ImagingTask, withinMs: number): Promise<ImagingResult> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle('late'), withinMs)
    const onMessage = (answer: unknown) => settle(answer as ImagingAnswer)
    const onExit = () => settle('ended')
    const settle = (outcome: ImagingResult) => {
      clearTimeout(timer)
      child.off('message', onMessage).off('exit', onExit)
      resolve(outcome)
    }
    child.once('message', onMessage).once('exit', onExit)
    child.send(task, (error) => error && settle('ended'))
  })
}
