// Every case in test/reports names the public report that it repeats, and asserts a right value.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('..', import.meta.url).pathname
const source = /[\w.-]+\/[\w.-]+#\d+/
const readmeLines = 25

/** Each case of a file: the comment above it, and its code. */
function casesOf(text: string): { comment: string; code: string }[] {
  const parts = text.split(/^(?=test\()/m)
  return parts.slice(1).map((code, index) => {
    const above = parts[index]!.trimEnd().split('\n')
    const start = above.findLastIndex((line) => !line.startsWith('//')) + 1
    return { comment: above.slice(start).join('\n'), code }
  })
}

test('every case of test/reports names its source and asserts a value', () => {
  const wrong = globSync('test/reports/*.test.ts', { cwd: root }).flatMap((file) => {
    const text = readFileSync(`${root}${file}`, 'utf8')
    const isNamedOnce = source.test(text.split('\n')[0]!)
    const cases = casesOf(text)
    const faults = cases.filter(
      ({ comment, code }) => !(isNamedOnce || source.test(comment)) || !code.includes('assert'),
    )
    return cases.length === 0 ? [file] : faults.map(({ code }) => `${file}: ${code.split('\n')[0]}`)
  })
  assert.deepEqual(wrong, [])
})

test('the guide to test/reports fits a screen', () => {
  const lines = readFileSync(`${root}test/reports/README.md`, 'utf8').trimEnd().split('\n')
  assert.ok(lines.length <= readmeLines)
})
