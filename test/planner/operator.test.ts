// What the operator's commands ask of a distributed database: doctor reads all stores, and catalogs of the coordinator.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { diagnose } from '../../src/program/cli/doctor.ts'
import { readConfig } from '../../src/program/config.ts'
import { migrateAndDistribute } from '../../src/platform/postgres/migrate.ts'
import { placement } from '../../src/developer/tables.ts'
import { newCluster } from '../citus/cluster.ts'
import { secretKey } from '../world.ts'
import { recordStatements } from '../statements.ts'
import { breachesIn } from './names.ts'
import { newJudge } from './judge.ts'
import { Reader } from './reader.ts'
import { parse } from './tree.ts'

const cluster = await newCluster({ after })
const client = new pg.Client({ connectionString: cluster.url })
client.on('error', () => {})
await client.connect()
const folder = await mkdtemp(path.join(os.tmpdir(), 'stoa-doctor-'))
after(async () => {
  await client.end().catch(() => {})
  await rm(folder, { recursive: true })
})
const judge = await newJudge(client)
const { statements, begin } = recordStatements({ withPlain: true })
const sentFor = (what: string) => statements.keys().filter((text) => statements.get(text) === what)

before(async () => {
  begin('migrate --distribute')
  await migrateAndDistribute(cluster.url, placement, { distributes: true })
  begin('doctor')
  const config = readConfig({ DATABASE_URL: cluster.url, DISTRIBUTED: 'on', DATA_DIR: folder, SECRET_KEY: secretKey })
  const provided = { url: cluster.url, source: 'outside', servers: 0, async release() {} } as const
  const { json, failed } = await diagnose(config, provided)
  assert.equal(failed, false, JSON.stringify(json))
  begin('')
})

for (const [command, count] of Object.entries({ doctor: 40, 'migrate --distribute': 12 }))
  test(`${command} asks nothing that a distributed database refuses`, async () => {
    const sent = [...sentFor(command)]
    assert.ok(sent.length >= count, `${sent.length}`)
    assert.deepEqual(await breachesIn(sent, judge), {})
  })

test('migrate --distribute reads catalogs and the register of migrations, which are where it connects', () => {
  const places = [...sentFor('migrate --distribute')].flatMap(usesIn)
  assert.ok(places.some(({ table }) => table.startsWith('pg_')))
  assert.deepEqual(
    places.filter(({ place }) => place !== 'local' && place !== 'unregistered'),
    [],
  )
})

function usesIn(text: string): Reader['uses'] {
  return /^\s*(select|with|insert|update|delete)\b/i.test(text) ? new Reader(parse(text), placement).uses : []
}
