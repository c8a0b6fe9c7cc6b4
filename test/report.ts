// The report of `npm test`: Node's own, the slowest files, and a closing line `N passed, N failed`. A run without any
// test fails.
import { relative } from 'node:path'
import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'

const slowest = 10

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let counts = { tests: 0, passed: 0, skipped: 0, todo: 0 }
  const seconds: [file: string, seconds: number][] = []
  async function* counted() {
    for await (const event of events) {
      if (event.type === 'test:summary') {
        const { file, duration_ms } = event.data
        // A summary without a file is that of the whole run.
        if (file === undefined) counts = event.data.counts
        else seconds.push([relative(process.cwd(), file), duration_ms / 1000])
      }
      yield event
    }
  }
  yield* Readable.from(counted()).pipe(new spec())
  if (seconds.length > slowest) yield slowestOf(seconds)
  const { tests, passed, skipped, todo } = counts
  const failed = tests - passed - skipped - todo
  if (passed === 0 || failed > 0) process.exitCode = 1
  yield `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`
}

function slowestOf(seconds: [file: string, seconds: number][]): string {
  const rows = seconds.sort(([, one], [, other]) => other - one).slice(0, Number(process.env.SLOWEST ?? slowest))
  const lines = rows.map(([file, time]) => `${time.toFixed(1).padStart(8)}  ${file}\n`)
  return `Slowest files, in seconds:\n${lines.join('')}`
}
