// Runs the shell examples of the docs against an app, guide by guide and in their order, and compares the answers
// that the docs show. IDs such as `prod_…` stand for records of the example store (test/guides.ts). A block whose
// info string says `not run: <reason>` is only read.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { difference, documents, withIds } from './examples.ts'
import { prepared, world } from './guides.ts'
import { root } from './server.ts'

type Example = { at: string; code: string; answer: unknown }

const guides = documents.filter((file) => file.startsWith('docs/guides/'))

// curl fails on a refusal; `npm run -s stoa --` is the CLI of this tree.
const prelude = `set -euo pipefail
curl() { command curl --silent --show-error --fail-with-body "$@"; }
npm() { shift 4; "$NODE" "$ROOT/src/program/cli.ts" "$@"; }
`

for (const file of documents) {
  const examples = examplesOf(file)
  if (examples.length === 0) continue
  test(`the examples of ${file} do what it says`, async () => {
    const { environment, ids } = await prepared(path.basename(file, '.md'))
    const script = prelude + examples.map(({ code }) => `${withIds(code, ids)}\nprintf '\\x1e'\n`).join('')
    const { stdout, stderr, code } = await shell(script, environment)
    const outputs = stdout.split('\x1e')
    const failed = examples[outputs.length - 1]
    assert.equal(code, 0, `${failed?.at}: ${outputs.at(-1)} ${stderr}`)
    examples.forEach(({ at, answer }, index) => {
      if (answer === undefined) return
      const fault = difference(answer, JSON.parse(outputs[index]!))
      assert.equal(fault, null, `${at}: ${fault} of ${outputs[index]}`)
    })
  })
}

test('every guide begins with what it is for and shows an example before its first section', () => {
  const without = guides.filter((file) => {
    const [, opening = ''] = /^# [^\n]+\n\n([^]*?)(?=\n## |$)/.exec(read(file)) ?? []
    return !/^[A-Z][^|#]*[.:]\n/.test(opening) || !opening.includes('\n```')
  })
  assert.deepEqual(without, [])
})

test('a shell example runs, or says why not', () => {
  const marked = documents.flatMap((file) =>
    [...read(file).matchAll(/^```(sh[^\n]*|)\n(?=curl|npm|stoa|[A-Z]+=)/gm)].map(([, info]) => [file, info!]),
  )
  assert.deepEqual(
    marked.filter(([, info]) => info !== 'sh' && !/^sh not run: \w/.test(info!)),
    [],
  )
})

/** The shell blocks of a document; a JSON block right after one is its answer. */
function examplesOf(file: string): Example[] {
  const text = read(file)
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```\n(?:\n```json\n([^]*?)^```)?/gm)]
  return blocks.map(({ index, 1: code, 2: answer }) => ({
    at: `${file}:${text.slice(0, index).split('\n').length}`,
    code: code!,
    answer: answer && JSON.parse(answer),
  }))
}

function shell(script: string, environment: Record<string, string>) {
  const env = { PATH: process.env.PATH, NODE: process.execPath, ROOT: root, ...environment }
  return new Promise<{ stdout: string; stderr: string; code: unknown }>((resolve) => {
    execFile('bash', ['--norc', '-c', script], { env, cwd: world.dataDir }, (error, stdout, stderr) =>
      resolve({ stdout, stderr, code: error ? error.code : 0 }),
    )
  })
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}
