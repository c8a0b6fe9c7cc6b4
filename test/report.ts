// Reports a run: Node's own report, the slowest files, how to repeat a failure, and what hangs while it hangs.
import { relative } from 'node:path'
import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'
import { seedPrefix } from './random.ts'

export type Tally = {
  passed: number
  failed: number
  skipped: number
  /** Files with a failure, relative to the root. */
  broken: Set<string>
  /** Seconds by file, relative to the root. */
  seconds: Map<string, number>
}

export const noTests = (): Tally => ({ passed: 0, failed: 0, skipped: 0, broken: new Set(), seconds: new Map() })

export function addTallies(one: Tally, other: Tally): Tally {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    broken: one.broken.union(other.broken),
    seconds: new Map([...one.seconds, ...other.seconds]),
  }
}

const slowest = 10
const [hangsAfterMs, looksEveryMs] = [50_000, 5_000]

/** Writes the report of Node's events while they arrive. */
export async function reportRun(events: AsyncIterable<TestEvent>, root: string): Promise<Tally> {
  const tally = noTests()
  const running = watchHangs(root)
  async function* counted() {
    for await (const event of events) {
      running.see(event)
      count(tally, event, root)
      yield event
    }
  }
  for await (const text of Readable.from(counted()).pipe(new spec())) process.stdout.write(text)
  running.end()
  if (tally.seconds.size > slowest) process.stdout.write(describeSlowest(tally))
  for (const file of tally.broken) process.stdout.write(`Repeat: ${seedPrefix()}npm test -- ${file}\n`)
  return tally
}

/** The last line of a run. */
export function describeTally({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`
}

function count(tally: Tally, { type, data }: TestEvent, root: string): void {
  if (type === 'test:summary' && data.file === undefined) {
    const { tests, passed, skipped, todo } = data.counts
    Object.assign(tally, { passed, skipped, failed: tests - passed - skipped - todo })
  }
  if ((type !== 'test:pass' && type !== 'test:fail') || !data.file) return
  const file = relative(root, data.file)
  if (type === 'test:fail') tally.broken.add(file)
  if (data.nesting > 0) return
  tally.seconds.set(file, (tally.seconds.get(file) ?? 0) + data.details.duration_ms / 1000)
}

/** Names each test once that has run for nearly a minute. */
function watchHangs(root: string) {
  const running = new Map<string, number>()
  const keyOf = (data: { file?: string; name: string; nesting: number }) =>
    `${relative(root, data.file ?? '')}: ${data.name}`
  const watch = setInterval(() => {
    for (const [test, since] of running) {
      if (performance.now() - since < hangsAfterMs) continue
      running.delete(test)
      process.stderr.write(`Still running after ${hangsAfterMs / 1000} s: ${test}\n`)
    }
  }, looksEveryMs)
  return {
    see({ type, data }: TestEvent) {
      // Node tells of a file as of a test whose name is its path.
      if (type === 'test:dequeue' && data.name !== data.file) running.set(keyOf(data), performance.now())
      if (type === 'test:complete') running.delete(keyOf(data))
    },
    end: () => clearInterval(watch),
  }
}

function describeSlowest({ seconds }: Tally): string {
  const rows = [...seconds].sort(([, one], [, other]) => other - one).slice(0, slowest)
  const lines = rows.map(([file, time]) => `${time.toFixed(1).padStart(8)}  ${file}\n`)
  return `Slowest files, in seconds:\n${lines.join('')}`
}
