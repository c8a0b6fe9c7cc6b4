import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { root, run } from './server.ts'

test('a run ends with its counts alone on the last line, and says how to repeat a failure', async (t) => {
  const folder = await newFolder(t)
  const failing = `test('b', () => { throw new Error('b') })`
  const hanging = `test('b', { timeout: 50 }, () => never)`
  const first = `test('a', () => {});`
  const cases: [name: string, second: string, lastLine: string, repeats: boolean][] = [
    ['well', '', '1 passed, 0 failed', false],
    ['failing', failing, '1 passed, 1 failed', true],
    ['skipping', `test.skip('b', () => {})`, '1 passed, 0 failed, 1 skipped', false],
    ['cancelled', hanging, '1 passed, 1 failed', true],
  ]
  await Promise.all(
    cases.map(async ([name, second, lastLine, repeats]) => {
      const file = path.join(folder, `${name}.test.mjs`)
      await writeFile(
        file,
        `import { test } from 'node:test'\nconst never = new Promise(() => {})\n${first}${second}\n`,
      )
      const lines = await linesOf(file)
      assert.equal(lines.at(-1), lastLine, lines.join('\n'))
      const repeat = `Repeat: npm test -- ${path.relative(root, file)}`
      assert.equal(lines.includes(repeat), repeats, `${name}: ${lines.join('\n')}`)
    }),
  )
})

test('a part whose programs are missing fails, and says what to type', async (t) => {
  const folder = await newFolder(t)
  await symlink('/bin/cp', path.join(folder, 'cp'))
  const { code, stdout } = await run('test/run.ts', ['--deep', 'pages'], { env: { PATH: folder } }).ended
  assert.equal(code, 1)
  assert.match(stdout, /^pages needs chromium\. Type: (sudo apt-get|brew) install .*chromium/m)
  assert.match(stdout, /\n0 passed, 1 failed\n$/)
})

test('a part that does not exist is named, with those that do', async () => {
  const { code, stderr } = await run('test/run.ts', ['--deep', 'paeges'], { env: { PATH: process.env.PATH! } }).ended
  assert.equal(code, 1)
  assert.match(stderr, /There is no part paeges\. Parts: pages, processes, kills/)
})

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'stoa-report-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A run of its own: what says that this one is inside of a run is not passed on. */
async function linesOf(file: string): Promise<string[]> {
  const program = file.replace('.test.mjs', '.mjs')
  const module = JSON.stringify(path.join(root, 'test/report.ts'))
  const code = `import { run } from 'node:test'
    import { describeTally, reportRun } from ${module}
    const tally = await reportRun(run({ files: [${JSON.stringify(file)}] }), ${JSON.stringify(root)})
    process.stdout.write(describeTally(tally))`
  await writeFile(program, code)
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env: { PATH: process.env.PATH } })
  return stdout.trimEnd().split('\n')
}
