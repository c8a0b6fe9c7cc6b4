// The package that npm pack builds, installed into an empty folder: the server and the CLI run from there, compiled,
// with the flags of `npm start`, also in workers.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { newDataDir, root } from './server.ts'

const run = promisify(execFile)
const packed = ['package.json', 'package-lock.json', '.npmrc', 'README.md', 'LICENSE', 'CHANGELOG.md']
const folders = ['deploy', 'docs', 'languages', 'migrations', 'src']

test('a package installed into an empty folder serves there, with the flags of npm start', async (t) => {
  const folder = await newDataDir(t)
  const file = await pack(path.join(folder, 'source'))
  writeFileSync(path.join(folder, 'package.json'), '{}')
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', file], { cwd: folder })
  const bin = (name: string) => path.join(folder, 'node_modules/.bin', name)
  const env = { PATH: process.env.PATH!, PORT: '0', DEMO: 'off', WORKERS: '2', DATA_DIR: folder }
  const server = spawn(bin('stoa-server'), { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'close')
  t.after(() => server.kill('SIGKILL'))
  const { api } = await readyLine(server.stdout.setEncoding('utf8'))
  const answers = await Promise.all([fetch(new URL('/readyz', api)), fetch(`${api}/products`)])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 401],
  )
  const { stdout } = await run(bin('stoa'), ['doctor', '--json'], { cwd: folder, env })
  assert.deepEqual(JSON.parse(stdout).ok, true)
  const lines = await processesOf(server.pid!)
  assert.equal(lines.length, 3)
  for (const line of lines)
    assert.match(line, /--max-semi-space-size=16 --heap-growing-percent=100 .*build\/program\/main\.js/)
  server.kill('SIGTERM')
  assert.equal((await ended)[0], 0)
})

/** Packs a copy: other tests run beside. */
async function pack(folder: string): Promise<string> {
  mkdirSync(folder)
  for (const name of [...packed, ...folders])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true, preserveTimestamps: true })
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const { stdout } = await run('npm', ['pack', '--json', '--loglevel=silent'], { cwd: folder })
  const [{ filename, files }] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))) as [Packed]
  const names = files.map(({ path }) => path)
  assert.deepEqual(
    names.filter((name) => /\.test\.|^src\/|(?<!\.d|assets\/\w+)\.ts$/.test(name) && !name.startsWith('deploy/')),
    [],
  )
  assert.ok(names.includes('npm-shrinkwrap.json'))
  assert.ok(names.includes('docs/guides/agents.md'), 'agents read the guides')
  assert.ok(!existsSync(path.join(folder, 'build')))
  return path.join(folder, filename)
}

type Packed = { filename: string; files: { path: string }[] }

async function readyLine(log: AsyncIterable<string>): Promise<{ api: string }> {
  let text = ''
  for await (const part of log) {
    text += part
    const line = text.split('\n').find((one) => one.includes('"msg":"ready"') && one.endsWith('}'))
    if (line) return JSON.parse(line)
  }
  throw new Error(`the server ended: ${text}`)
}

/** The command lines of the server and its workers. */
async function processesOf(pid: number): Promise<string[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,args='])
  return stdout
    .split('\n')
    .filter((line) => line.includes('build/program/main.js') && line.trim().split(/\s+/, 2).includes(String(pid)))
}
