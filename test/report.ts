// The report of `npm test`: Node's own, and a closing line `N passed, N failed`. A run without any test has failed.
import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let counts = { tests: 0, passed: 0, skipped: 0, todo: 0 }
  async function* counted() {
    for await (const event of events) {
      // A summary without a file is that of the whole run.
      if (event.type === 'test:summary' && event.data.file === undefined) counts = event.data.counts
      yield event
    }
  }
  yield* Readable.from(counted()).pipe(new spec())
  const { tests, passed, skipped, todo } = counts
  const failed = tests - passed - skipped - todo
  if (passed === 0 || failed > 0) process.exitCode = 1
  yield `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`
}
