// What `npm run prove` reads of a test file: a line of JSON for each test, and one for what a test says of its figures.
import { inspect } from 'node:util'
import type { TestEvent } from 'node:test/reporters'

export type ProofLine =
  | { kind: 'test'; name: string; hasPassed: boolean; error?: string }
  | { kind: 'figures'; text: string }

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const line = lineOf(event)
    if (line) yield `${JSON.stringify(line)}\n`
  }
}

function lineOf({ type, data }: TestEvent): ProofLine | null {
  switch (type) {
    case 'test:pass':
      return { kind: 'test', name: data.name, hasPassed: true }
    case 'test:fail':
      return { kind: 'test', name: data.name, hasPassed: false, error: inspect(data.details.error.cause) }
    case 'test:diagnostic':
      return /^(SEED=|\{)/.test(data.message) ? { kind: 'figures', text: data.message } : null
    default:
      return null
  }
}
