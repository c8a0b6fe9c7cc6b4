// The examples of the guides in TypeScript and Python: they run, and get the answer that the docs show.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { difference, documents, withIds } from '../examples.ts'
import { prepared, world } from '../guides.ts'
import { root } from '../server.ts'
import { complaintsOf, installedPackage } from './packed.ts'
import { installedWheel, isolated, python } from './wheel.ts'

type Example = { at: string; answer: unknown; ts: string; python: string }

const pattern =
  /^(?:```sh\n([^`]*)^```\n(?:\n```json\n([^`]*)^```\n)?\n?)?(?:```ts\n([^`]*)^```\n)?(?:\n```python\n([^`]*)^```\n)?/gm

const folder = await installedPackage()
const wheel = await installedWheel()
const guides = documents
  .map((file) => ({ file, name: path.basename(file, '.md'), examples: examplesOf(file) }))
  .filter(({ examples }) => examples.length > 0)

test('every example that calls the API is there in TypeScript and Python too', () => {
  const alone = guides.flatMap(({ examples }) => examples.filter((one) => !one.ts || !one.python))
  assert.deepEqual(
    alone.map(({ at }) => at),
    [],
  )
  assert.ok(guides.length > 15)
})

test('the TypeScript examples are typed as the package is', async () => {
  const programs = guides.map(({ file, examples }) => [
    `${file.replaceAll(/\W/g, '-')}.ts`,
    `${typed}${examples.map(({ ts }) => hoisted(ts)).join('')}`,
  ])
  assert.equal(await complaintsOf(folder, { ...Object.fromEntries(programs), 'node.d.ts': files }), '')
})

for (const { file, name, examples } of guides) {
  test(`the TypeScript examples of ${file} get its answers`, async () => {
    const { environment, ids } = await prepared(name)
    const code = examples.map(({ ts }) => `${hoisted(withIds(ts, ids))}\nanswers.push(last)\n`).join('')
    const program = path.join(folder, `${name}-${file.length}.mts`)
    writeFileSync(program, `${recorder}${code}\nprocess.stdout.write(JSON.stringify(answers))\n`)
    compare(examples, await outputOf(process.execPath, [program], environment))
  })

  test(`the Python examples of ${file} get its answers`, async () => {
    const { environment, ids } = await prepared(name)
    const input = JSON.stringify(examples.map(({ at, python: code }) => ({ at, code: withIds(code, ids) })))
    const program = isolated(wheel, path.join(root, 'test/sdk/recorded.py'))
    compare(examples, await outputOf(python, ['-I', '-c', program], environment, input))
  })
}

/** The examples of requests that an SDK sends, most of them behind the same in the shell and its answer. */
function examplesOf(file: string): Example[] {
  const text = readFileSync(path.join(root, file), 'utf8')
  const blocks = text.matchAll(pattern)
  return [...blocks]
    .filter(([, shell, , ts, code]) => (shell === undefined ? ts && code : /curl[^\n]*\$BASE\//.test(shell)))
    .filter(() => file !== 'README.md')
    .map(({ index, 2: answer, 3: ts = '', 4: code = '' }) => {
      const at = `${file}:${text.slice(0, index).split('\n').length}`
      return { at, answer: answer && JSON.parse(answer), ts, python: code }
    })
}

const files = `
declare module 'node:fs/promises' { export function readFile(file: string): Promise<Uint8Array<ArrayBuffer>> }
`

const typed = `
import type { Stoa as Client } from '@stoa-commerce/sdk'
type Variable = 'BASE' | 'KEY' | 'AGENT_KEY' | 'STORE' | 'REQUEST' | 'CUSTOMER' | 'FORK' | 'FORK_KEY'
declare const process: { env: { [name in Variable]: string } }
declare const stoa: Client
`

const recorder = `
import { Stoa as Client } from '@stoa-commerce/sdk'
const send = globalThis.fetch
const answers = []
let last
globalThis.fetch = async (...request) => {
  const response = await send(...request)
  last = await response.clone().json()
  return response
}
console.log = () => {}
const stoa = new Client({ url: process.env.BASE, key: process.env.KEY })
`

/** An example in a scope of its own; imports stand before it. */
function hoisted(code: string): string {
  const imports = code.match(/^import .*$/gm) ?? []
  const rest = code.replaceAll(/^import .*$/gm, '')
  const dynamic = imports.map((line) => line.replace(/^import (\{.*\}) from ('.*')$/, 'const $1 = await import($2)'))
  return `{\n${dynamic.join('\n')}\n${rest}\n}\n`
}

function compare(examples: Example[], output: string): void {
  const answers: unknown[] = JSON.parse(output)
  assert.equal(answers.length, examples.length)
  examples.forEach(({ at, answer }, index) => {
    if (answer === undefined) return
    const fault = difference(comparable(answer, answers[index]), answers[index])
    assert.equal(fault, null, `${at}: ${fault} of ${JSON.stringify(answers[index])}`)
  })
}

/** Loops read by cursor, requests of a shell by page. */
function comparable(expected: any, actual: any): unknown {
  return actual?.pagination && 'next_cursor' in actual.pagination
    ? { ...expected, pagination: actual.pagination }
    : expected
}

async function outputOf(program: string, args: string[], environment: Record<string, string>, input = '') {
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...environment }, cwd: world.dataDir })
  const texts = ['', '']
  child.stdout.on('data', (chunk) => (texts[0] += chunk))
  child.stderr.on('data', (chunk) => (texts[1] += chunk))
  child.stdin.end(input)
  const code = await new Promise((resolve) => child.on('close', resolve))
  assert.equal(code, 0, texts[1])
  return texts[0]!
}
