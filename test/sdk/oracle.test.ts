// The types of the SDK, compared with those that an independent generator makes of /openapi.json.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { newUuid } from '../../src/kit/values/ids.ts'
import { document, methods, payloads, schemas } from '../../sdk/generator/operations.ts'
import { root } from '../server.ts'
import { complaintsOf, run } from './packed.ts'

// Below the root, where Node finds what the generator imports.
const folder = path.join(root, 'node_modules', '.cache', `oracle-${newUuid()}`)
after(() => rm(folder, { recursive: true, force: true }))

const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  strict: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  types: [],
}

/** Both ways: a value of one type is one of the other. */
const equal = `
type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : 'the oracle has more') : 'the SDK has more'
const equal = <A, B>(_: Equal<A, B>) => {}
const extending = <A extends B, B>(_: true) => {}
`

// The oracle leaves `data` out of its answers, an object of any content; the SDK asks for pages by number, whose counts
// are always there.
const narrower = ['Sdk.Proposal', 'Sdk.Pagination']

test('every schema, query and event has the type that hey-api gives it', async () => {
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'openapi.json'), JSON.stringify(document))
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['compared.ts'] }))
  await cp(path.join(root, 'sdk/typescript/src'), path.join(folder, 'sdk'), { recursive: true })
  const generator = path.join(root, 'test/generated/generate.mjs')
  await run(process.execPath, [generator, 'openapi.json', 'client'], { cwd: folder })

  // An object of any content is `unknown` to it.
  const types = path.join(folder, 'client/types.gen.ts')
  const anyObject = '{ [key: string]: unknown }'
  const oracle = readFileSync(types, 'utf8').replace(/^( +\w+\??): (Array<)?unknown(>?);$/gm, `$1: $2${anyObject}$3;`)
  await writeFile(types, oracle)

  const queries = methods().filter(({ query }) => query.length > 0)
  const pairs = [
    ...Object.keys(schemas).map((name) => [`Sdk.${name}`, `Oracle.${name}`]),
    ...queries.map(({ queryName }) => [
      `Sdk.${queryName}`,
      `NonNullable<Oracle.${queryName.replace(/Query$/, 'Data')}['query']>`,
    ]),
    ...Object.entries(payloads).map(([event, name]) => [`Sdk.WebhookPayloads['${event}']`, `Oracle.${name}`]),
  ]
  const lines = pairs.map(
    ([ours, theirs]) => `${narrower.includes(ours!) ? 'extending' : 'equal'}<${ours}, ${theirs}>(true)`,
  )
  const imports = `import type * as Sdk from './sdk/types.ts'\nimport type * as Oracle from './client/types.gen.ts'\n`
  assert.ok(pairs.length > 150)
  assert.equal(await complaintsOf(folder, { 'compared.ts': imports + equal + lines.join('\n') }), '')

  const wrong = readFileSync(path.join(folder, 'sdk/types.ts'), 'utf8').replace('product_status:', 'status_of_it:')
  await writeFile(path.join(folder, 'sdk/types.ts'), wrong)
  assert.match(await complaintsOf(folder, {}), /compared\.ts.*error TS2345/)
})
