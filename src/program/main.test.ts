import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import http from 'node:http'
import net from 'node:net'
import { once } from 'node:events'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import pg from 'pg'
import { newUuid } from '../kit/values/ids.ts'
import { runningPostgres } from '../platform/postgres/postgres.ts'
import { newDataDir, newStore, root, run, startServer, workersOf } from '../../test/server.ts'

test('the life of a data directory', async (t) => {
  const dataDir = await newDataDir(t)

  await t.test('the first start migrates, serves, and tells how to get a key without showing one', async () => {
    const server = await startServer(dataDir)
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
    const ready = server.lines().find(({ msg }) => msg === 'ready')
    assert.match(ready.make_a_store, /cli\.ts store create --name "My store"$/)
    assert.deepEqual([ready.version, ready.workers, ready.postgres.split('.')[0]], ['0.2.0', 1, '18'])
    assert.ok(server.lines().some(({ msg, migrations }) => msg === 'ready' && migrations > 0))
    assert.equal((await stat(path.join(dataDir, 'secret.key'))).mode & 0o777, 0o600)

    const { id } = await newStore(dataDir)
    const { code, stderr, stdout } = await server.end()
    assert.deepEqual([code, stderr], [0, ''])
    assert.doesNotMatch(stdout, /wk_(test|live)_/)
    assert.equal(await runningPostgres(dataDir), null)

    const again = await startServer(dataDir)
    const told = again.lines().find(({ msg }) => msg === 'ready')
    assert.ok(told.get_a_key.endsWith(`cli.ts key create --store ${id} --mode test --scopes all`))
    await again.end()
  })

  await t.test('a busy port is said in words, and PostgreSQL is stopped', async () => {
    const other = net.createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as net.AddressInfo
    const env = { PORT: String(port), DATA_DIR: dataDir, DEMO: 'off' }
    const { code, stderr } = await run('src/program/main.ts', [], { env }).ended
    other.close()
    assert.equal(code, 1)
    assert.equal(
      stderr,
      `Stoa did not start. Port ${port} on 127.0.0.1 is already in use. Stop the other program or set PORT\n`,
    )
    assert.equal(await runningPostgres(dataDir), null)
  })

  await t.test("a second server that finds its port busy leaves the first one's PostgreSQL alone", async () => {
    const first = await startServer(dataDir)
    const env = { PORT: new URL(first.url).port, DATA_DIR: dataDir, DEMO: 'off' }
    const { code, stdout } = await run('src/program/main.ts', [], { env }).ended
    assert.equal(code, 1)
    assert.match(stdout, /2 servers use this data directory without REDIS_URL/)
    assert.equal((await fetch(`${first.url}/readyz`)).status, 200)
    assert.equal((await first.end()).code, 0)
    assert.equal(await runningPostgres(dataDir), null)
  })

  await t.test('SIGTERM fails no request, closes every connection and stops PostgreSQL', async () => {
    const server = await startServer(dataDir)
    const { key } = await newStore(dataDir)
    const load = hammer(`${server.url}/v1/products`, { 'x-api-key': key })
    await load.answered(200)
    const { code } = await server.end()
    assert.equal(code, 0)
    assert.deepEqual(await load.failures(), [])
    assert.equal(await runningPostgres(dataDir), null)
  })

  await t.test('a request that was half sent is finished after SIGTERM', async () => {
    const server = await startServer(dataDir)
    const { key } = await newStore(dataDir)
    const request = http.request(`${server.url}/v1/categories`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    })
    request.write('{"name":')
    await sleep(100)
    const ended = server.end()
    await sleep(800)
    request.end('"Hats"}')
    const [response] = await once(request, 'response')
    assert.equal(response.statusCode, 201)
    response.resume()
    assert.equal((await ended).code, 0)
  })

  await t.test('one Ctrl-C that npm passes on once more drains, another one ends at once', async () => {
    const drained = await startServer(dataDir)
    drained.child.kill('SIGINT')
    await sleep(30)
    assert.equal((await drained.end('SIGINT')).code, 0)
    assert.equal(await runningPostgres(dataDir), null)

    const server = await startServer(dataDir)
    const waiting = net.connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {})
    waiting.write('POST /v1/products HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n')
    await sleep(100)
    server.child.kill('SIGINT')
    await sleep(600)
    assert.equal(server.child.exitCode, null)
    assert.equal((await server.end('SIGINT')).code, 130)
    waiting.destroy()
  })

  await t.test('after kill -9 the next start adopts PostgreSQL, says so, and has what was answered', async () => {
    const server = await startServer(dataDir)
    const { key } = await newStore(dataDir)
    const body = JSON.stringify({ name: 'Lamp', price: 10 })
    const made = await fetch(`${server.url}/v1/products`, {
      method: 'POST',
      body,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    })
    assert.equal(made.status, 201)
    await server.end('SIGKILL')
    assert.notEqual(await runningPostgres(dataDir), null)

    const next = await startServer(dataDir)
    assert.ok(next.lines().some(({ msg }) => /took over PostgreSQL left running/.test(msg)))
    const list = (await (await fetch(`${next.url}/v1/products`, { headers: { 'x-api-key': key } })).json()) as any
    assert.deepEqual(
      list.data.map(({ name }: { name: string }) => name),
      ['Lamp'],
    )
    assert.equal((await next.end()).code, 0)
    assert.equal(await runningPostgres(dataDir), null)
  })

  await t.test('with WORKERS=2 a worker that is killed is replaced, and SIGTERM drains both', async () => {
    const server = await startServer(dataDir, { WORKERS: '2' })
    const { key } = await newStore(dataDir)
    const pids = await workersOf(server.child.pid!)
    assert.equal(pids.length, 2)
    process.kill(pids[0]!, 'SIGKILL')
    while ((await workersOf(server.child.pid!)).filter((pid) => pid !== pids[0]).length < 2) await sleep(50)
    assert.ok(
      server
        .lines()
        .some(({ msg, signal }) => /a worker exited; starting another one/.test(msg) && signal === 'SIGKILL'),
    )

    const load = hammer(`${server.url}/v1/products`, { 'x-api-key': key })
    await load.answered(200)
    assert.equal((await server.end()).code, 0)
    assert.deepEqual(await load.failures(), [])
    assert.equal(await runningPostgres(dataDir), null)
  })

  await t.test('with WORKERS=2 a limit is one for both, and /metrics shows the sum of both', async () => {
    const server = await startServer(dataDir, { WORKERS: '2' })
    // Each on a connection of its own, so that both workers get some; 10 an hour for an address.
    const register = () =>
      fetch(`${server.url}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body: '{}',
      })
    const answers = await Promise.all(Array.from({ length: 30 }, register))
    assert.equal(answers.filter(({ status }) => status === 429).length, 20)
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    const counted = [...metrics.matchAll(/^http_requests_total\{.*route="\/oauth\/register".*\} (\d+)$/gm)]
    assert.equal(
      counted.reduce((sum, [, count]) => sum + Number(count), 0),
      30,
    )
    assert.equal((await server.end()).code, 0)
  })

  await t.test('with WORKERS=2 a busy port is said once', async () => {
    const other = net.createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as net.AddressInfo
    const env = { PORT: String(port), DATA_DIR: dataDir, DEMO: 'off', WORKERS: '2' }
    const { code, stderr } = await run('src/program/main.ts', [], { env }).ended
    other.close()
    assert.equal(code, 1)
    assert.equal(stderr.match(/is already in use/g)?.length, 1)
    assert.equal(await runningPostgres(dataDir), null)
  })

  await t.test('a start with WEBHOOK_ALLOWED_NETWORKS warns that private networks can be reached', async () => {
    const server = await startServer(dataDir, { WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8,127.0.0.1' })
    const warning = server.lines().find(({ networks }) => networks)
    assert.deepEqual([warning.level, warning.networks], [40, ['10.0.0.0/8', '127.0.0.1/32']])
    await server.end()
  })
})

test('SIGTERM to npm start ends the server, for which npm waits', async (t) => {
  const dataDir = await newDataDir(t)
  const env = { PATH: process.env.PATH, PORT: '0', DEMO: 'off', DATA_DIR: dataDir }
  const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  t.after(() => {
    try {
      process.kill(-npm.pid!, 'SIGKILL')
    } catch {} // all of them have ended
  })
  let said = ''
  const ready = Promise.withResolvers<void>()
  npm.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
    if (said.includes('"msg":"ready"')) ready.resolve()
  })
  const ended = once(npm, 'exit')
  await Promise.race([ready.promise, ended])
  npm.kill('SIGTERM')
  await ended
  assert.equal(await runningPostgres(dataDir), null)
})

test('a signal during the start leaves nothing running', async (t) => {
  const dataDir = await newDataDir(t)
  const { child, ended } = run('src/program/main.ts', [], { env: { PORT: '0', DEMO: 'off', DATA_DIR: dataDir } })
  while (!(await runningPostgres(dataDir).catch(() => null))) await sleep(5)
  child.kill('SIGTERM')
  const { code, stderr } = await ended
  assert.deepEqual([code, stderr], [0, ''])
  assert.equal(await runningPostgres(dataDir), null)
})

test('a data directory that cannot be made ends the start at once, in words', async () => {
  for (const dataDir of ['/proc/nope', '/dev/null/nope', '/dev/null']) {
    const { code, stderr } = await run('src/program/main.ts', [], { env: { PORT: '0', DATA_DIR: dataDir } }).ended
    assert.equal(code, 1)
    const words = new RegExp(`^Stoa did not start\\. DATA_DIR ${dataDir} cannot be used: [a-z ]+\\. Set DATA_DIR to `)
    assert.match(stderr, words)
  }
})

test('wrong variables are listed all at once, and the exit code is 78', async () => {
  const env = { PORT: 'http', WORKERS: '0', DATABASE_URL: 'mysql://shop:hunter2@db', SECRET_KEY: 'short' }
  const { code, stdout, stderr } = await run('src/program/main.ts', [], { env }).ended
  assert.deepEqual([code, stdout], [78, ''])
  for (const name of Object.keys(env)) assert.match(stderr, new RegExp(`^  ${name} is .*, but must be `, 'm'))
  assert.doesNotMatch(stderr, /hunter2|short/)
})

test('a file .env in the working directory counts, and the environment counts more', async (t) => {
  const cwd = await mkdtemp(path.join(os.tmpdir(), 'stoa-dotenv-'))
  t.after(() => rm(cwd, { recursive: true, force: true }))
  await writeFile(path.join(cwd, '.env'), 'WORKERS=many\nPORT=never\n')
  const { code, stderr } = await run('src/program/main.ts', [], { cwd, env: { PORT: '0' } }).ended
  assert.equal(code, 78)
  assert.match(stderr, /WORKERS is "many"/)
  assert.doesNotMatch(stderr, /PORT is/)
})

test('an outside database that is behind ends the start with the command that migrates it', async (t) => {
  const admin = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL })
  await admin.connect()
  const name = `behind_${newUuid().replaceAll('-', '')}`
  await admin.query(`create database ${name}`)
  t.after(async () => {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  const dataDir = await newDataDir(t)
  const outside = process.env.TEST_DATABASE_URL!.replace('/stoa?', `/${name}?`)
  const env = { PORT: '0', DATA_DIR: dataDir, DATABASE_URL: outside }
  const { code, stderr } = await run('src/program/main.ts', [], { env }).ended
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^Stoa did not start\. The database at .* lacks 0001_platform, .* Run: npm run -s stoa -- migrate\n$/,
  )
})

/** Clients that send one request after the other over kept connections, until no new connection is accepted. */
function hammer(url: string, headers: Record<string, string>) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 20 })
  const failures: string[] = []
  let count = 0
  const isRefused = (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED'
  const send = () =>
    new Promise<number>((resolve, reject) => {
      http
        .get(url, { agent, headers }, (response) => {
          response
            .resume()
            .on('end', () => resolve(response.statusCode!))
            .on('error', reject)
        })
        .on('error', reject)
    })
  const clients = Array.from({ length: 20 }, async () => {
    for (;;) {
      try {
        const status = await send()
        count++
        if (status !== 200 && status !== 429) failures.push(`status ${status}`)
      } catch (error) {
        if (!isRefused(error as Error)) failures.push(String(error))
        return
      }
    }
  })
  return {
    async answered(least: number) {
      while (count < least) await sleep(5)
    },
    async failures() {
      await Promise.all(clients)
      agent.destroy()
      return failures
    },
  }
}

test('without a terminal the log says ready with a command that signs the owner of the demo in', async (t) => {
  const parent = await newDataDir(t)
  // A path that a shell would take apart.
  const dataDir = path.join(parent, "it's data")
  const log = path.join(parent, 'stoa.log')
  const out = openSync(log, 'w')
  const child = spawn(process.execPath, [path.join(root, 'src/program/main.ts')], {
    cwd: parent,
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', out, 'inherit'],
  })
  const ended = once(child, 'exit')
  // A busy machine can say more than that afterwards.
  const readyLine = async () => (await readFile(log, 'utf8')).split('\n').find((line) => line.includes('"ready"'))
  while (!(await readyLine())) await sleep(50)
  try {
    const { sign_in } = JSON.parse((await readyLine())!)
    const printed = execFileSync('sh', ['-c', sign_in], {
      cwd: os.tmpdir(),
      env: { PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
    })
    const opened = await fetch(printed.trim())
    assert.equal(opened.status, 200)
    const hidden = (await opened.text()).matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
    const form = new URLSearchParams([...hidden].map(([, name, value]): [string, string] => [name!, value!]))
    const { origin } = new URL(printed.trim())
    const signedIn = await fetch(printed.trim(), {
      method: 'POST',
      body: form,
      headers: { origin },
      redirect: 'manual',
    })
    assert.equal(signedIn.status, 303)
    const cookie = signedIn.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ')
    const dashboard = await fetch(new URL('/dashboard', origin), { headers: { cookie } })
    assert.equal(dashboard.status, 200)
    assert.match(await dashboard.text(), /Harbour &amp; Pine/)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
})
