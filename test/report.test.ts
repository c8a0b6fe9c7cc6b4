import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { root, run } from './server.ts'

test('a run ends with its counts alone on the last line, and fails when anything fails or nothing ran', async (t) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'stoa-report-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  // prettier-ignore
  const cases: [name: string, tests: string, lastLine: string, code: number][] = [
    ['well',      `test('a', () => {})`,                                          '1 passed, 0 failed',            0],
    ['failing',   `test('a', () => {}); test('b', () => { throw new Error('b') })`, '1 passed, 1 failed',          1],
    ['skipping',  `test('a', () => {}); test.skip('b', () => {})`,                '1 passed, 0 failed, 1 skipped', 0],
    ['cancelled', `test('a', () => {}); test('b', { timeout: 50 }, () => never)`, '1 passed, 1 failed',            1],
  ]
  await Promise.all(
    cases.map(async ([name, tests, lastLine, code]) => {
      const file = path.join(folder, `${name}.test.mjs`)
      await writeFile(file, `import { test } from 'node:test'\nconst never = new Promise(() => {})\n${tests}\n`)
      const ended = await nodeTest(file)
      assert.deepEqual(ended, { code, lastLine }, name)
    }),
  )
  const none = await nodeTest(path.join(folder, '*.nothing'))
  assert.deepEqual(none, { code: 1, lastLine: '0 passed, 0 failed' })
})

test('a machine that lacks what the tests drive is told so in one line, with what to type', async () => {
  const { code, stdout, stderr } = await run('test/machine.ts', [], { env: { PATH: '/nowhere' } }).ended
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^The tests need chromium, redis-server, .* Type: (sudo apt-get|brew) install .*chromium.*\n$/)
})

/** A run of its own: what says that this one is inside of a run is not passed on. */
async function nodeTest(files: string): Promise<{ code: number | null; lastLine: string }> {
  const args = ['--test', '--test-reporter=./test/report.ts', '--test-reporter-destination=stdout', files]
  const options = { cwd: root, env: { PATH: process.env.PATH } }
  const ended = await promisify(execFile)(process.execPath, args, options).catch((error) => error)
  return { code: ended.code ?? 0, lastLine: ended.stdout.trimEnd().split('\n').at(-1) }
}
