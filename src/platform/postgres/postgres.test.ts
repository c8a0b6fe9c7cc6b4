import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { type PostgresOptions, runningPostgres, startPostgres } from './postgres.ts'

test('the first start makes a UTF-8 database stoa that sorts by code point', async (t) => {
  const home = await newHome(t)
  const postgres = await home.start()
  assert.equal(postgres.adopted, false)
  assert.deepEqual(await query(postgres.url, 'select current_database() as name'), [{ name: 'stoa' }])
  assert.deepEqual(await query(postgres.url, 'show server_encoding'), [{ server_encoding: 'UTF8' }])
  assert.deepEqual(await query(postgres.url, "select lower('Ä') as lower"), [{ lower: 'ä' }])
  assert.deepEqual(await query(postgres.url, "select 'Z' < 'a' as sorted"), [{ sorted: true }])
})

test('PostgreSQL listens only on a socket in a directory of mode 0700', async (t) => {
  const home = await newHome(t)
  const { url } = await home.start()
  assert.deepEqual(await query(url, 'show listen_addresses'), [{ listen_addresses: '' }])
  const socketDir = new URL(url).searchParams.get('host') ?? ''
  assert.equal((await stat(socketDir)).mode & 0o777, 0o700)
  assert.ok((await stat(path.join(socketDir, '.s.PGSQL.5432'))).isSocket())
})

test('stop() ends PostgreSQL and the next start finds the data', async (t) => {
  const home = await newHome(t)
  const first = await home.start()
  assert.equal(await runningPostgres(home.dataDir), first.url)
  await query(first.url, 'create table kept as select 42 as answer')
  await first.stop()
  assert.equal(await runningPostgres(home.dataDir), null)

  const second = await home.start({ settings: { max_connections: '17' } })
  assert.deepEqual(await query(second.url, 'select answer from kept'), [{ answer: 42 }])
  assert.deepEqual(await query(second.url, 'show max_connections'), [{ max_connections: '17' }])
})

test('no PostgreSQL runs on a directory that does not exist', async () => {
  assert.equal(await runningPostgres(path.join(os.tmpdir(), 'stoa-never-made')), null)
})

test('after kill -9 of the server the next start adopts its PostgreSQL, and stop() ends it', async (t) => {
  const home = await newHome(t)
  const server = await home.startServer()
  await query(server.url, 'create table kept as select 42 as answer')
  const pid = await home.postmasterPid()
  await server.kill()

  const postgres = await home.start()
  assert.equal(postgres.adopted, true)
  assert.equal(postgres.url, server.url)
  assert.equal(await home.postmasterPid(), pid)
  assert.deepEqual(await query(postgres.url, 'select answer from kept'), [{ answer: 42 }])
  await postgres.stop()
  assert.equal(await runningPostgres(home.dataDir), null)
})

test('an adopted PostgreSQL that is killed is restarted as well', async (t) => {
  const home = await newHome(t)
  const server = await home.startServer()
  await server.kill()
  const { url } = await home.start()
  const pid = await home.postmasterPid()
  process.kill(pid, 'SIGKILL')
  await restarted(url, home.postmasterPid, pid)
})

test('after kill -9 of server and PostgreSQL the next start recovers what was committed', async (t) => {
  const home = await newHome(t)
  const server = await home.startServer()
  await query(server.url, 'create table kept as select 42 as answer')
  const pid = await home.postmasterPid()
  await server.kill()
  process.kill(pid, 'SIGKILL')

  const postgres = await home.start()
  assert.equal(postgres.adopted, false)
  assert.deepEqual(await query(postgres.url, 'select answer from kept'), [{ answer: 42 }])
})

test('kill -9 of PostgreSQL under writes: it is back at the same url with every committed row', async (t) => {
  const home = await newHome(t)
  const exits: (number | null)[] = []
  const { url } = await home.start({ onExit: (code) => exits.push(code) })
  const pool = new pg.Pool({ connectionString: url, max: 4 }).on('error', () => {})
  t.after(() => pool.end())
  await pool.query('create table written (id integer primary key)')
  const committed = new Set<number>()
  let next = 0
  const write = async () => {
    for (;;) {
      const id = ++next
      await pool.query('insert into written values ($1)', [id])
      committed.add(id)
    }
  }
  const writers = [write(), write(), write(), write()].map((writer) => writer.catch(() => {}))
  const busy = 'select count(*) from generate_series(1, 10000000000)' // outlives its postmaster, unless it is killed
  const orphan = query(url, busy).catch(() => {})
  while (committed.size < 500) await sleep(5)

  const pid = await home.postmasterPid()
  process.kill(pid, 'SIGKILL')
  await Promise.all([...writers, orphan])
  await restarted(url, home.postmasterPid, pid)
  const rows = new Set((await query(url, 'select id from written')).map((row) => row.id))
  assert.deepEqual(
    [...committed].filter((id) => !rows.has(id)),
    [],
  )
  assert.equal(exits.length, 1)
})

test('stop() during a restart leaves nothing running', async (t) => {
  const home = await newHome(t)
  const postgres = await home.start()
  const pid = await home.postmasterPid()
  process.kill(pid, 'SIGKILL')
  while (
    await home.postmasterPid().then(
      (now) => now === pid,
      () => true,
    )
  )
    await sleep(1)
  await postgres.stop()
  await assert.rejects(home.postmasterPid(), { code: 'ENOENT' })
})

for (const [whose, stalePid] of [
  ['of no process', async () => 2 ** 30],
  ['that another process has now', pidOfAnotherProcess],
] as const) {
  test(`a stale postmaster.pid with the pid ${whose} does not prevent the start`, async (t) => {
    const home = await newHome(t)
    const first = await home.start()
    const directory = path.join(home.dataDir, 'postgres')
    const files = ['postmaster.pid', '.s.PGSQL.5432.lock'].map((name) => path.join(directory, name))
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    await first.stop()
    const pid = await stalePid(t, directory)
    for (const [index, file] of files.entries()) await writeFile(file, texts[index]?.replace(/^\d+/, `${pid}`) ?? '')

    const second = await home.start()
    assert.equal(second.adopted, false)
    assert.deepEqual(await query(second.url, 'select 1 as one'), [{ one: 1 }])
  })
}

test('one of two parallel first starts starts it and the other adopts it', async (t) => {
  const home = await newHome(t)
  const servers = await Promise.all([home.startServer(), home.startServer()])
  assert.deepEqual(servers.map((server) => server.adopted).sort(), [false, true])
  assert.equal(servers[0].url, servers[1].url)
  assert.deepEqual((await readdir(home.dataDir)).sort(), ['postgres', 'postgres.log'])
})

test('a Ctrl-C for every process of the terminal leaves PostgreSQL to the server', async (t) => {
  const home = await newHome(t)
  const server = await home.startServer()
  process.kill(-server.pid, 'SIGINT')
  await server.exited
  assert.equal(await runningPostgres(home.dataDir), server.url)
})

test('a data directory with a path too long for a socket works the same', async (t) => {
  const home = await newHome(t, path.join('long '.repeat(20), 'data'))
  const first = await home.start()
  const socketDir = new URL(first.url).searchParams.get('host') ?? ''
  assert.equal((await stat(socketDir)).mode & 0o777, 0o700)
  const second = await home.startServer()
  assert.deepEqual([second.adopted, second.url], [true, first.url])
  assert.equal(await runningPostgres(home.dataDir), first.url)
  await second.kill()
  await first.stop()
  await assert.rejects(stat(socketDir), { code: 'ENOENT' })
})

if (process.getuid?.() === 0) {
  test('root runs it as an unprivileged user, who need not be able to enter the folder above', async (t) => {
    const home = await newHome(t, 'data')
    await chmod(home.root, 0o700)
    const { url } = await home.start()
    assert.notEqual((await stat(path.join(home.dataDir, 'postgres'))).uid, 0)
    assert.match(await readFile(`/proc/${await home.postmasterPid()}/status`, 'utf8'), /^Uid:\s+[1-9]/m)
    assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }])
  })
}

test('a start that PostgreSQL refuses fails with the end of its log', async (t) => {
  const home = await newHome(t)
  const start = home.start({ settings: { shared_buffers: 'plenty' } })
  await assert.rejects(start, /invalid value for parameter "shared_buffers": "plenty"/)
})

test('a platform without binaries is told to set DATABASE_URL', async (t) => {
  const home = await newHome(t)
  const { arch } = process
  Object.defineProperty(process, 'arch', { value: 'mips' })
  t.after(() => Object.defineProperty(process, 'arch', { value: arch }))
  await assert.rejects(startPostgres({ dataDir: home.dataDir }), /-mips: set DATABASE_URL/)
})

/** Makes a data directory; everything running on it is stopped at the end of the test. */
async function newHome(t: TestContext, folder = '') {
  const root = await mkdtemp(path.join(os.tmpdir(), 'stoa-postgres-'))
  await chmod(root, 0o711) // as startPostgres makes it
  const dataDir = path.join(root, folder)
  const started: { stop(): Promise<void> }[] = []
  t.after(async () => {
    for (const each of started) await each.stop()
    if (await runningPostgres(dataDir)) await (await startPostgres({ dataDir })).stop()
    await rm(root, { recursive: true, force: true })
  })
  return {
    root,
    dataDir,
    async start(options: Omit<PostgresOptions, 'dataDir'> = {}) {
      const postgres = await startPostgres({ dataDir, ...options })
      started.push(postgres)
      return postgres
    },
    async startServer() {
      const server = await startServer(dataDir)
      started.push(server)
      return server
    },
    async postmasterPid() {
      return Number.parseInt(await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
    },
  }
}

/** Another process that starts PostgreSQL and then idles, as the leader of a process group like in a terminal. */
async function startServer(dataDir: string) {
  const script = `
    const { startPostgres } = await import(${JSON.stringify(new URL('postgres.ts', import.meta.url).href)})
    const { url, adopted } = await startPostgres({ dataDir: ${JSON.stringify(dataDir)} })
    console.log(JSON.stringify({ url, adopted }))
    setInterval(() => {}, 1000)`
  const stdio = ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit']
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { detached: true, stdio })
  const exited = once(child, 'exit')
  const failed = exited.then(([code]) => Promise.reject(new Error(`the server ended with ${code}`)))
  const [line] = await Promise.race([once(child.stdout, 'data'), failed])
  return {
    ...(JSON.parse(String(line)) as { url: string; adopted: boolean }),
    pid: child.pid ?? 0,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    stop() {
      return this.kill()
    },
    exited,
  }
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url }).on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

async function restarted(url: string, postmasterPid: () => Promise<number>, before: number): Promise<void> {
  for (;;) {
    const isNew = await postmasterPid().then(
      (pid) => pid !== before,
      () => false,
    )
    if (
      isNew &&
      (await query(url, 'select 1').then(
        () => true,
        () => false,
      ))
    )
      return
    await sleep(10)
  }
}

/** The process belongs to PostgreSQL's user, which would take another user's process for a stale one. */
async function pidOfAnotherProcess(t: TestContext, directory: string): Promise<number> {
  const { uid, gid } = await stat(directory)
  const other = spawn('sleep', ['600'], { ...(process.getuid?.() === 0 ? { uid, gid } : {}), stdio: 'ignore' })
  t.after(() => other.kill('SIGKILL'))
  return other.pid ?? 0
}
