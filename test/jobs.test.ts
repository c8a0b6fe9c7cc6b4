// What a run of a job reads does not grow with what is stored. JOB_ROWS=1000000 measures it with more rows.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { readConfig } from '../src/program/config.ts'
import { openSizing } from '../src/commerce/media/sizing.ts'
import { buildJobs } from '../src/program/jobs.ts'
import type { Job } from '../src/platform/process/jobs.ts'
import { sql } from '../src/kit/database/sql.ts'
import { ownDatabase } from './database.ts'
import { addRows } from './stored.ts'
import { openWorld } from './world.ts'

const rows = Number(process.env.JOB_ROWS ?? 0)
const database = await ownDatabase()
const { app } = await openWorld({}, { database })
const { db } = app
const client = new pg.Client({ connectionString: database.url })
client.on('error', () => {})
await client.connect()
after(() => client.end().catch(() => {}))

const config = readConfig({ BASE_URL: 'https://shop.example', PORT: '0' })
const log = { warn() {}, error() {} } as any
const storage = { remove: async () => {}, removeDrafts: async () => {} } as any
const media = { storage, sizing: openSizing(db, storage, { close: async () => {} } as any, log) }
const installation = { databaseUrl: database.url, secretKey: 'a key of the tests, 32 characters' }
const deps = { media, checkout: config } as any
const jobs = await buildJobs({ config, db, ...installation, log, deps, isInner: false })

type Count = { table: string; reads: number }

const counts = sql`
  select relname as table, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as reads
  from pg_stat_xact_user_tables`

/** Rows that a run read, in all of its rounds. */
async function readsOf(job: Job): Promise<{ reads: number; rounds: number; ms: number; tables: string }> {
  const tables = new Map<string, number>()
  const startedAt = performance.now()
  for (let rounds = 1; ; rounds++) {
    const more = await db.transaction(async (tx) => {
      // The counts of this connection, not of this transaction alone.
      const before = await tx.rows<Count>(counts)
      const round = await job.run(tx)
      const after = await tx.rows<Count>(counts)
      for (const { table, reads } of before) tables.set(table, (tables.get(table) ?? 0) - reads)
      for (const { table, reads } of after) tables.set(table, (tables.get(table) ?? 0) + reads)
      return round?.more
    })
    if (more) continue
    const read = [...tables].filter(([, reads]) => reads > 200).map(([table, reads]) => `${table} ${reads}`)
    const reads = tables.values().reduce((sum, each) => sum + each, 0)
    return { reads, rounds, ms: Math.round(performance.now() - startedAt), tables: read.join(', ') }
  }
}

async function readsOfAll() {
  const all: Record<string, Awaited<ReturnType<typeof readsOf>>> = {}
  for (const job of jobs) all[job.name] = await readsOf(job)
  return all
}

test('a run of a job reads what is due, whatever is stored', async () => {
  await addRows(client, 'kept', rows || 2000, 'a')
  await readsOfAll()
  await addRows(client, 'due', 10, 'c')
  const few = await readsOfAll()
  if (rows) return console.table(few)
  await addRows(client, 'kept', 20_000, 'b')
  await readsOfAll()
  await addRows(client, 'due', 10, 'd')
  const many = await readsOfAll()
  const grown = Object.keys(many).filter((job) => many[job]!.reads > few[job]!.reads + 1000)
  assert.deepEqual(
    grown.map((job) => [job, few[job], many[job]]),
    [],
  )
})
