import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import pg from 'pg'
import { placement } from '../../developer/tables.ts'
import { databaseUrl, newDatabase } from '../../../test/database.ts'
import { newCluster } from '../../../test/citus/cluster.ts'
import { migrateAndDistribute } from './migrate.ts'
import { faultOfCollation, faultOfExtensions, faultOfMoment, faultOfServer, poolerFault } from './suitability.ts'

const needs = { hasRowSecurity: false, isDistributed: false }

/** A server that implements the protocol as far as the queries need; `answer` has the cells of each query. */
async function stranger(t: { after(hook: () => void): void }, answer: (query: string, session: number) => string[]) {
  let sessions = 0
  const message = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length + 4)
    return Buffer.concat([Buffer.from(type), length, body])
  }
  const int16 = (number: number) => Buffer.from([number >> 8, number & 255])
  const int32 = (number: number) => Buffer.from([0, 0, number >> 8, number & 255])
  const ready = message('Z', Buffer.from('I'))
  const rowsOf = (cells: string[]) => {
    const names = cells.map((_, index) => (index === 0 ? (cells.length > 1 ? 'pid' : 'version') : 'probe'))
    const fields = names.map((name, index) =>
      Buffer.concat([
        Buffer.from(`${name}\0`),
        int32(0),
        int16(0),
        int32(names[index] === 'pid' ? 23 : 25),
        Buffer.alloc(8),
      ]),
    )
    const values = cells.map((cell) => Buffer.concat([int32(cell.length), Buffer.from(cell)]))
    return Buffer.concat([
      message('T', Buffer.concat([int16(cells.length), ...fields])),
      message('D', Buffer.concat([int16(cells.length), ...values])),
    ])
  }
  const server = net.createServer((socket) => {
    const session = ++sessions
    let hasStarted = false
    socket
      .on('error', () => {})
      .on('data', (data) => {
        if (!hasStarted) {
          hasStarted = true
          return void socket.write(Buffer.concat([message('R', int32(0)), ready]))
        }
        if (data[0] !== 81) return void socket.end()
        const query = data.subarray(5, data.length - 1).toString()
        const cells = answer(query, session)
        const rows = cells.length > 0 ? rowsOf(cells) : Buffer.alloc(0)
        socket.write(Buffer.concat([rows, message('C', Buffer.from('SELECT 1\0')), ready]))
      })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  return `postgresql://stoa@127.0.0.1:${(server.address() as net.AddressInfo).port}/stoa`
}

test('PostgreSQL itself is suitable', async () => {
  assert.equal(await faultOfServer(databaseUrl(), needs), null)
  assert.equal(await faultOfServer(databaseUrl(), { ...needs, hasRowSecurity: true }), null)
})

test('DISTRIBUTED says what the database is, or the start is refused', async (t) => {
  const placed = { ...needs, isDistributed: true }
  const missing = 'DISTRIBUTED is on, but the database does not have the extension citus'
  assert.equal(await faultOfServer(await newDatabase(t), placed), missing)
  const { url, run } = await newCluster(t)
  assert.deepEqual([await faultOfServer(url, needs), await faultOfServer(url, placed)], [null, null])
  await migrateAndDistribute(url, placement, { distributes: true })
  const wrong = 'The tables of DATABASE_URL are distributed by Citus. Set DISTRIBUTED=on'
  assert.deepEqual([await faultOfServer(url, needs), await faultOfServer(url, placed)], [wrong, null])
  await run(`update citus.installed set version = '13.0.3'`)
  const old = 'DATABASE_URL has Citus 13.0.3; Stoa requires 14.0 or later'
  assert.equal(await faultOfServer(url, placed), old)
})

test('with row-level security, the role of requests must be able to log in to the nodes', async (t) => {
  const { url, run } = await newCluster(t)
  const fault = await faultOfServer(url, { hasRowSecurity: true, isDistributed: true })
  const login = (await run(`select rolcanlogin as can from pg_roles where rolname = 'stoa_tenant'`))[0]!.can
  // Roles are of the server, whose other tests use this one as it is.
  assert.equal(login, false)
  assert.match(fault!, /stoa_tenant cannot log in to the nodes\. Run: alter role stoa_tenant login$/)
})

test('an old version is rejected by its number', async (t) => {
  const url = await stranger(t, () => ['14.9'])
  assert.equal(await faultOfServer(url, needs), 'DATABASE_URL points to PostgreSQL 14.9; Stoa requires 15 or later')
})

const version = (query: string) => query.includes('server_version')

test('a pooler is recognized by shared sessions or dropped settings', async (t) => {
  const lending = await stranger(t, (query) =>
    version(query) ? ['17.2'] : query.includes('pid') ? ['77', 'kept'] : [],
  )
  assert.equal(await faultOfServer(lending, needs), poolerFault)
  const forgetful = await stranger(t, (query, session) =>
    version(query) ? ['17.2'] : query.includes('pid') ? [String(session), ''] : [],
  )
  assert.equal(await faultOfServer(forgetful, needs), poolerFault)
  const faithful = await stranger(t, (query, session) =>
    version(query) ? ['17.2'] : query.includes('pid') ? [String(session), session === 1 ? 'kept' : ''] : [],
  )
  assert.equal(await faultOfServer(faithful, needs), null)
})

test('clocks more than five minutes apart are reported, with the direction', async (t) => {
  const client = new pg.Client({ connectionString: databaseUrl() })
  await client.connect()
  t.after(() => client.end())
  assert.equal(await faultOfMoment(client), null)
  assert.equal(await faultOfMoment(client, Date.now() + 200_000), null)
  const advice = " the database server's. Synchronize both, e.g. with chrony or systemd-timesyncd"
  const faultAt = async (hours: number) =>
    (await faultOfMoment(client, Date.now() + hours * 3600_000))!.replace(/3\d{3} s/, 'an hour')
  assert.equal(await faultAt(1), `The clock of this machine is an hour ahead of${advice}`)
  assert.equal(await faultAt(-1), `The clock of this machine is an hour behind${advice}`)
})

test('extensions must be there, or be created by the migrations', async (t) => {
  const client = new pg.Client({ connectionString: await newDatabase(t, { migrated: false }) })
  client.on('error', () => {}) // it is cut when the database is dropped
  await client.connect()
  t.after(() => client.end().catch(() => {}))
  assert.equal(await faultOfExtensions(client), null)
  const lacks = 'The database lacks the extensions btree_gin and pg_trgm'
  const advice = 'Run as its owner: create extension btree_gin; create extension pg_trgm'
  assert.equal(await faultOfExtensions(client, { isMigrated: true }), `${lacks}. ${advice}`)
  await client.query('create extension btree_gin; create extension pg_trgm')
  assert.equal(await faultOfExtensions(client, { isMigrated: true }), null)
  const bare = await stranger(t, (query) => (query.includes('pg_extension') ? ['1'] : ['17.2']))
  const other = new pg.Client({ connectionString: bare })
  await other.connect()
  assert.match((await faultOfExtensions(other))!, /^The database lacks .* Install postgresql-contrib/)
  await other.end()
})

test('a collation that changed after the indexes were built is reported, with commands that repair them', async (t) => {
  const client = new pg.Client({ connectionString: await newDatabase(t) })
  client.on('error', () => {}) // it is cut when the database is dropped
  await client.connect()
  t.after(() => client.end().catch(() => {}))
  assert.equal(await faultOfCollation(client), null)
  await client.query(`update pg_database set datcollversion = '2.31' where datname = current_database()`)
  const fault = await faultOfCollation(client)
  assert.match(fault!, /sorted by version 2\.31 of the collation/)
  const [reindex, refresh] = fault!.split('run: ')[1]!.split('; ')
  await client.query(reindex!)
  await client.query(refresh!)
  assert.equal(await faultOfCollation(client), null)
})
