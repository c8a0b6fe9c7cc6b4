import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { bringUpToDate, formatDatabaseAddress, provideDatabase, type ProvidedDatabase } from './provide.ts'
import { runningPostgres } from './postgres.ts'

test('the last user of an embedded PostgreSQL stops it', async (t) => {
  const { dataDir, provide } = await newHome(t)
  const server = await provide()
  const command = await provide()
  assert.deepEqual([server.source, command.source], ['started', 'shared'])
  await command.release()
  assert.equal(await runningPostgres(dataDir), server.url)

  const other = await provide()
  await server.release()
  assert.equal(await runningPostgres(dataDir), server.url)
  await other.release()
  assert.equal(await runningPostgres(dataDir), null)
})

test('servers are counted, commands are not', async (t) => {
  const { provide } = await newHome(t)
  const servers = async (as?: { serves: boolean }) => (await provide(as)).servers
  assert.deepEqual([await servers(), await servers({ serves: true })], [0, 0])
  assert.deepEqual([await servers(), await servers({ serves: true }), await servers()], [1, 1, 2])
})

test('many users that come and go at once leave nothing running', async (t) => {
  const { dataDir, provide } = await newHome(t)
  await (await provide()).release()
  const visits = Array.from({ length: 5 }, async () => {
    const visit = await provide()
    await visit.release()
  })
  await Promise.all(visits)
  assert.equal(await runningPostgres(dataDir), null)
})

test('a user joins again after a crash of PostgreSQL', async (t) => {
  const { dataDir, provide } = await newHome(t)
  const { url } = await provide()
  const postmaster = Number.parseInt(await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
  assert.equal(await placesTaken(url), 1)
  process.kill(postmaster, 'SIGKILL')
  while ((await placesTaken(url).catch(() => 0)) === 0) await sleep(20)
  const visit = await provide()
  assert.equal(visit.source, 'shared')
  await visit.release()
  assert.equal(await runningPostgres(dataDir), url)
})

test('a database that is ours alone is migrated, once', async (t) => {
  const { provide } = await newHome(t)
  const database = await provide()
  assert.equal((await bringUpToDate(database))[0], '0001_platform')
  assert.deepEqual(await bringUpToDate(database), [])
})

test('an outside database that is behind is rejected with the command to type', async (t) => {
  const { provide } = await newHome(t)
  const { url } = await provide()
  const outside: ProvidedDatabase = { url, source: 'outside', servers: 0, async release() {} }
  await assert.rejects(bringUpToDate(outside), /lacks 0001_platform, .*Run: npm run -s stoa -- migrate/)
  await assert.rejects(bringUpToDate({ ...outside, source: 'shared' }), /a server of an older version is using it/)
})

test('an outside database that does not answer is named, without its password', async () => {
  const url = 'postgresql://shop:secret@127.0.0.1:1/stoa'
  assert.equal(formatDatabaseAddress(url), '127.0.0.1:1/stoa')
  await assert.rejects(
    bringUpToDate({ url, source: 'outside', servers: 0, async release() {} }),
    (error: Error) =>
      /^The database at 127\.0\.0\.1:1\/stoa cannot be used: .*ECONNREFUSED/.test(error.message) &&
      !error.message.includes('secret'),
  )
})

async function placesTaken(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url }).on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query("select from pg_locks where locktype = 'advisory' and granted")
    return rows.length
  } finally {
    await client.end().catch(() => {})
  }
}

async function newHome(t: TestContext) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'stoa-presence-'))
  const provided = new Set<ProvidedDatabase>()
  t.after(async () => {
    for (const each of provided) await each.release()
    await rm(dataDir, { recursive: true, force: true })
  })
  return {
    dataDir,
    async provide({ serves = false } = {}) {
      const one = await provideDatabase({ dataDir, databaseUrl: null, serves })
      provided.add(one)
      return { ...one, release: () => (provided.delete(one), one.release()) }
    },
  }
}
