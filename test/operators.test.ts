// What docs/guides/operating.md says of several nodes and of small machines, word by word: its settings and commands,
// with addresses of this machine.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { processesOf, sumOfShares } from '../bench/mix/memory.ts'
import { withClient } from '../src/platform/postgres/client.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres, type Postgres } from '../src/platform/postgres/postgres.ts'
import { client } from './client.ts'
import { newDatabase } from './database.ts'
import { newDataDir, newStore, root, startServer } from './server.ts'
import { stoaOn } from './stoa.ts'
import { madeReady, noisyPicture, send } from './uploads.ts'
import { startValkey } from './valkey.ts'
import { startWriters } from './writers.ts'

const guide = readFileSync(path.join(root, 'docs/guides/operating.md'), 'utf8')
// `npm start` runs it.
const start = 'deploy/start'

test('nodes with the settings of the guide share limits, images and a database that was migrated once', async (t) => {
  const section = readSection('Several machines')
  const [settings] = readBlocks(section, 'ini')
  const [valkeyCommand, migrateCommand, startCommand] = readBlocks(section, 'sh')
  assert.equal(startCommand, 'npm start')
  const options = valkeyCommand!.replace(/^valkey-server --bind \S+/, '')
  const [url, valkey, bucket] = await Promise.all([
    newDatabase(t, { migrated: false }),
    startValkey(options),
    openBucket(t),
  ])
  const port = new URL(valkey.url).port
  const env: Record<string, string> = {
    ...readSettings(settings!, { '10.0.0.3:6379': `127.0.0.1:${port}`, 'https://bucket.example.com': bucket }),
    DATABASE_URL: url,
  }
  const dataDirs = [await newDataDir(t), await newDataDir(t)] as const
  const stoa = stoaOn({ ...env, DATA_DIR: dataDirs[0] })
  await assert.rejects(
    startServer(dataDirs[0], env, [], start),
    /lacks 0001_platform.* Run: npm run -s stoa -- migrate/,
  )
  const [command] = /^npm run -s stoa -- (\w+)$/.exec(migrateCommand!)!.slice(1)
  assert.ok((await stoa.json(command!)).applied.length > 0)

  const nodes = await Promise.all(dataDirs.map((dataDir) => startServer(dataDir, env, [], start)))
  const store = (await stoa.json('store', 'create', '--name', 'Shared')).store.id as string
  const key = (await stoa.json('key', 'create', '--store', store, '--mode', 'test', '--scopes', 'all')).key as string
  const [one, other] = nodes.map((node) => client(node.url, { 'x-api-key': key }))
  const { data } = await send(one!)
  await madeReady(one!, data.id)
  const picture = await fetch(nodes[1]!.url + new URL(data.url).pathname)
  assert.deepEqual([picture.status, picture.headers.get('content-type')?.split('/')[0]], [200, 'image'])
  const [before, after] = [await one!.get('/v1/store'), await other!.get('/v1/store')].map(({ headers }) =>
    Number(headers.get('x-ratelimit-remaining')),
  )
  // A minute may end in between.
  assert.ok([before! - 1, 99].includes(after!), `${after} after ${before}`)
  const { findings } = JSON.parse((await stoa('doctor', '--json').ended).stdout)
  assert.deepEqual(
    findings.filter(({ ok }: { ok: boolean }) => !ok),
    [],
  )
})

test('a machine with 1 GB of memory serves with the settings of the guide', async (t) => {
  const section = readSection('Small machines')
  const [, settings, command] = /^(.*) (npm start)$/.exec(readBlocks(section, 'sh')[0]!)!
  assert.equal(command, 'npm start')
  const [most] = /\d+(?= MB together)/.exec(section)!
  const dataDir = await newDataDir(t)
  const env = { ...readSettings(settings!.replaceAll(' ', '\n')), DEMO: 'on' }
  const server = await startServer(dataDir, env, [], start)
  const { keys } = await newStore(dataDir, 10)
  const api = client(server.url, { 'x-api-key': keys[0]! })
  for (let picture = 0; picture < 3; picture++) {
    const { status, data } = await send(api, await noisyPicture(2000, 2000))
    assert.equal(status, 201)
    await madeReady(api, data.id)
  }
  const writers = await startWriters({ url: server.url, keys, connections: 8, name: 'stocked' })
  await writers.acknowledged(500)
  await writers.stop()
  const exported = await fetch(`${server.url}/v1/orders.csv`, { headers: { 'x-api-key': keys[1]! } })
  assert.equal(exported.status, 200)
  await exported.text()
  // PostgreSQL and the processes for images are below the server.
  const megabytes = sumOfShares(Object.values(processesOf(server.child.pid!)))
  t.diagnostic(`${megabytes.toFixed(0)} MB`)
  assert.ok(megabytes > 200 && megabytes <= Number(most), `${megabytes} MB`)
  assert.equal((await server.end()).code, 0)
})

test('a PostgreSQL with the settings of the guide for small machines has enough connections', async (t) => {
  const [lines] = readBlocks(readSection('Small machines'), 'ini')
  const settings = Object.fromEntries(lines!.split('\n').map((line) => line.split(' = ') as [string, string]))
  // Ended in this order: the server, PostgreSQL, its directory.
  const dataDir = await newDataDir(t)
  const running = Promise.withResolvers<Postgres>()
  t.after(async () => (await running.promise).stop())
  const postgres = await startPostgres({ dataDir: await newDataDir(t), settings })
  running.resolve(postgres)
  await migrate(postgres.url)
  const env = { DATABASE_URL: postgres.url, SECRET_KEY: 'a key of the tests, 32 characters' }
  const server = await startServer(dataDir, env, [], start)
  const { rows } = await withClient(postgres.url, 'test', (client) =>
    client.query(`select name, setting::int from pg_settings where name = any($1) order by name`, [
      Object.keys(settings),
    ]),
  )
  assert.deepEqual(
    rows.map(({ setting }) => setting),
    [32 * 1024, 40, 16 * 1024],
  )
  const { findings } = JSON.parse((await stoaOn({ ...env, DATA_DIR: dataDir })('doctor', '--json').ended).stdout)
  assert.deepEqual(
    findings.filter(({ ok }: { ok: boolean }) => !ok),
    [],
  )
  assert.equal((await server.end()).code, 0)
})

/** Objects by path, as a bucket keeps them. */
async function openBucket(t: TestContext): Promise<string> {
  const objects = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request))
    if (request.method === 'PUT') objects.set(request.url!, body)
    if (request.method === 'DELETE') objects.delete(request.url!)
    const object = request.method === 'GET' ? objects.get(request.url!) : undefined
    response.writeHead(request.method === 'GET' && !object ? 404 : 200).end(object)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function readSection(title: string): string {
  const start = guide.indexOf(`## ${title}\n`)
  return guide.slice(start, guide.indexOf('\n## ', start + 1))
}

function readBlocks(section: string, language: string): string[] {
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\b.*\\n([^]*?)\\n\`\`\``, 'gm'))].map(([, code]) => code!)
}

/** Lines of `NAME=value`, with other addresses. */
function readSettings(text: string, addresses: Record<string, string> = {}): Record<string, string> {
  const own = Object.entries(addresses).reduce((all, [from, to]) => all.replaceAll(from, to), text)
  return Object.fromEntries(own.split('\n').map((line) => [line.split('=', 1)[0]!, line.slice(line.indexOf('=') + 1)]))
}
