// PostgreSQL on a real file system that fills up: writes are refused until there is room again, reads are not, and
// nothing that was acknowledged is lost.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, test } from 'node:test'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import { newDataDir, startServer } from './server.ts'
import { mountSmallDisk, type SmallDisk } from './smalldisk.ts'
import { stoaOn } from './stoa.ts'

let disk: SmallDisk | null = null
try {
  disk = mountSmallDisk(260)
} catch {}
after(() => disk?.remove())

test(
  'a full disk refuses writes and loses none',
  { skip: disk ? false : 'only root may mount a file system' },
  async (t) => {
    const { folder, fill, empty } = disk!
    const postgres = await startPostgres({ dataDir: folder, settings: { max_wal_size: '64MB', min_wal_size: '32MB' } })
    after(() => postgres.stop())
    await migrate(postgres.url)
    const dataDir = await newDataDir(t)
    const server = await startServer(dataDir, { DATABASE_URL: postgres.url })
    const stoa = stoaOn({ DATA_DIR: dataDir, DATABASE_URL: postgres.url })
    const { id: store } = (await stoa.json('store', 'create', '--name', 'Corner')).store
    const { key } = await stoa.json('key', 'create', '--store', store, '--mode', 'live', '--scopes', 'all')
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const answer = await fetch(server.url + path, {
        method,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return {
        ...((await answer.json()) as { data?: any; error?: any }),
        status: answer.status,
        headers: answer.headers,
      }
    }
    const acknowledged = new Set<string>()
    // Text that cannot be compressed, so that tables need new pages.
    const write = async (name: string) => {
      const answer = await ask('POST', '/v1/products', {
        name,
        price: 1,
        description: randomBytes(2000).toString('hex'),
      })
      if (answer.status === 201) acknowledged.add(answer.data.id)
      return answer
    }
    for (let n = 0; n < 20; n++) assert.equal((await write(`Before ${n}`)).status, 201)

    await fill()
    let refused = 0
    for (let n = 0; refused < 5; n++) {
      assert.ok(n < 500, 'the disk has room')
      const { status, error, headers } = await write(`While full ${n}`)
      if (status === 201) continue
      assert.deepEqual([status, error.code], [503, 'UNAVAILABLE'])
      assert.ok(headers.get('retry-after'))
      refused++
    }
    while ((await ask('GET', '/readyz')).status !== 503) await sleep(100)
    assert.equal((await ask('GET', '/healthz')).status, 200)

    empty()
    while ((await ask('GET', '/readyz')).status !== 200) await sleep(100)
    while ((await write('After')).status !== 201) await sleep(100)
    for (const id of acknowledged) assert.equal((await ask('GET', `/v1/products/${id}`)).status, 200)
    const { data } = await ask('GET', '/v1/products/count')
    assert.equal(data.count, acknowledged.size)
  },
)
