// Entries that were chained in their own rows, before there were seals, stay in their chains.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openWorld } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { verifyAudit } from './verify.ts'

const world = await openWorld({}, { sweeps: true })
const { db, jobs } = world.app

test('a chain of entries becomes a chain of seals with the same hashes', async () => {
  const shop = await world.newStore()
  const rename = (name: string) => shop.api.patch('/v1/store', { name })
  for (const name of ['A', 'B']) await rename(name)
  world.clock.advance(24 * 3600)
  await rename('C')
  await jobs.run('seal the audit log')
  await rename('D')
  const log = async () => (await shop.api.get('/v1/audit')).data
  const before = await log()
  const verified = await verifyAudit(db)
  await backToRows()
  await migrateAgain()
  assert.deepEqual(await verifyAudit(db), verified)
  assert.deepEqual(await log(), before)
  const seals = await db.rows(sql`select from audit_seals where store_id = ${shop.store.id}`)
  assert.equal(seals.length, 2)
  await jobs.run('seal the audit log')
  const [{ broken, rows }] = (await verifyAudit(db, shop.store.id)) as [any]
  assert.deepEqual([broken, rows], [null, before.length])
  assert.deepEqual((await shop.api.get(`/v1/audit?id=${shop.store.id}`)).status, 200)
})

test('a gap in a chain of entries is still found', async () => {
  const shop = await world.newStore()
  for (const name of ['A', 'B', 'C']) await shop.api.patch('/v1/store', { name })
  await jobs.run('seal the audit log')
  await backToRows()
  await db.rows(sql`delete from audit_log where store_id = ${shop.store.id} and sequence = 2`)
  await migrateAgain()
  const [{ broken }] = (await verifyAudit(db, shop.store.id)) as [any]
  assert.deepEqual(broken, { sequence: 2, reason: 'a row is missing' })
})

const statements = (text: string) => db.pool.query(text)

/** As it was before the migration. */
async function backToRows(): Promise<void> {
  await statements(`
    alter table audit_log add sequence bigint, add hash bytea;
    update audit_log
    set sequence = audit_seals.sequence + position - 1, hash = entry.hash
    from audit_seals
    cross join unnest(entries, hashes) with ordinality as entry (id, hash, position)
    where audit_log.store_id = audit_seals.store_id and audit_log.id = entry.id;
    create index audit_log_records on audit_log using gin (records);
    drop table audit_seals, audit_records, audit_unsealed;
    drop trigger complete_entry on audit_log;
    drop function complete_audit_entry`)
}

async function migrateAgain(): Promise<void> {
  const file = new URL('../../../migrations/0011_audit_seals.sql', import.meta.url)
  await statements(readFileSync(file, 'utf8'))
}
