import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { newUuid } from '../src/kit/values/ids.ts'
import { openWorld } from './world.ts'

const run = promisify(execFile)
const root = path.join(import.meta.dirname, '..')
// Below the root, where Node finds what the generator imports.
const folder = path.join(root, 'node_modules', '.cache', `client-${newUuid()}`)
const world = await openWorld()

after(() => rm(folder, { recursive: true, force: true }))

const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  lib: ['es2023', 'dom', 'dom.iterable'],
  strict: true,
  noUncheckedIndexedAccess: true,
  types: [],
  rootDir: '.',
  outDir: 'built',
}

test('a client that is generated from /openapi.json compiles, and works against the server', async () => {
  await mkdir(folder, { recursive: true })
  const document = await (await fetch(`${world.url}/openapi.json`)).text()
  await writeFile(path.join(folder, 'openapi.json'), document)
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', 'client'] }))
  await copyFile(path.join(root, 'test/generated/usage.ts'), path.join(folder, 'usage.ts'))
  const generator = path.join(root, 'test/generated/generate.mjs')
  await run(process.execPath, [generator, 'openapi.json', 'client'], { cwd: folder })
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [compiler, '-p', '.'], { cwd: folder }).catch((error) => error)
  assert.equal(stdout, '')

  const shop = await world.newStore()
  const { use } = await import(path.join(folder, 'built/usage.js'))
  const { image, ...rest } = await use(world.url, shop.api.key)
  assert.deepEqual(
    { ...image, id: typeof image.id },
    { id: 'string', url: 'https://images.example/front.jpg', alt_text: null, position: 0 },
  )
  assert.deepEqual(rest, {
    positions: [0],
    total: 1,
    refused: { code: 'VALIDATION_ERROR', details: [{ field: 'price', message: 'must be greater than 0' }] },
    unknown: 'NOT_FOUND',
    order_total: 40,
    webhook: 'VALIDATION_ERROR',
    events: ['Shirt costs 20.00', '1001: 2 × 20 for nobody'],
  })
})
