// On a distributed database no setting of a session reaches the rows. The audit log, dry runs, limits of credentials
// and row-level security then depend on the settings of each transaction. These are their tests, once more.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from '../src/kit/database/sql.ts'
import { openWorld } from './world.ts'

process.env.TEST_ENVIRONMENT = JSON.stringify({ DISTRIBUTED: 'on' })

const suites = [
  '../src/tenancy/audit/audit.test.ts',
  '../src/developer/auditlog/audit.test.ts',
  '../src/developer/auditlog/revert.test.ts',
  '../src/developer/dryruns/dryrun.test.ts',
  './rowsecurity.test.ts',
]
// Node ends the apps of the files that it knows as soon as no test is left: they wait for each other.
const loaded = Promise.withResolvers<void>()
before(() => loaded.promise)

const world = await openWorld({ ROW_SECURITY: 'on' })

test('a session has no setting of ours, a transaction has them all', async () => {
  const { store } = await world.newStore()
  const settings = sql`
    select nullif(current_setting('stoa.journal', true), '') as journal,
      nullif(current_setting('stoa.store_id', true), '') as store_id`
  const client = await world.app.db.pool.connect()
  try {
    const { rows } = await client.query(settings.strings.join(''))
    assert.deepEqual(rows, [{ journal: null, store_id: null }])
  } finally {
    client.release()
  }
  const own = world.app.db.ofStore(store.id)
  assert.deepEqual(await own.transaction((tx) => tx.one(settings)), { journal: 'on', store_id: store.id })
  assert.deepEqual(await own.one(settings), { journal: null, store_id: store.id })
  assert.deepEqual(await world.app.db.one(settings), { journal: null, store_id: '*' })
})

try {
  for (const suite of suites) await import(suite)
} finally {
  loaded.resolve()
}
