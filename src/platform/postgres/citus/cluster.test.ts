import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { placement } from '../../../developer/tables.ts'
import { newCluster, type Cluster } from '../../../../test/citus/cluster.ts'
import { newDatabase } from '../../../../test/database.ts'
import { newDataDir } from '../../../../test/server.ts'
import { stoaOn } from '../../../../test/stoa.ts'
import { migrateAndDistribute } from '../migrate.ts'

test('doctor says what is wrong with a cluster, and nothing of one that is fit', async (t) => {
  const cluster = await newCluster(t)
  const faultAfter = (change: string) => clusterFinding(t, cluster, change)
  assert.match(
    (await faultAfter('select')).detail,
    /^misplaced: plans \(unknown to Citus, not reference\), .*, \d+ more\. Run: .* migrate --distribute$/,
  )
  await migrateAndDistribute(cluster.url, placement, { distributes: true })
  assert.deepEqual(await faultAfter('select'), {
    name: 'cluster',
    ok: true,
    detail: 'Citus 14.0.1, 3 nodes, all tables at their places',
  })
  assert.equal(
    (
      await faultAfter(`update citus.pg_dist_partition set partmethod = 'n', repmodel = 't'
      where logicalrelid = 'pages'::regclass`)
    ).detail,
    'misplaced: pages (reference, not distributed). Run: npm run -s stoa -- migrate --distribute',
  )
  await cluster.run(`
    update citus.pg_dist_partition set partmethod = 'h', repmodel = 's'
    where logicalrelid = 'pages'::regclass`)
  assert.equal(
    (await faultAfter(`update citus.pg_dist_node set unsafe_triggers = 'off' where nodeid in (2, 3)`)).detail,
    'citus.enable_unsafe_triggers is not on on one:5432, two:5432. ' +
      'Run there: alter system set citus.enable_unsafe_triggers = on; select pg_reload_conf()',
  )
  await cluster.run(`update citus.pg_dist_node set unsafe_triggers = 'on'`)
  assert.equal(
    (await faultAfter(`update citus.pg_dist_node set is_down = true where nodeid = 2`)).detail,
    'node one:5432 is down. Its stores are unavailable until it is back',
  )
  await cluster.run('update citus.pg_dist_node set is_down = false')
  assert.equal(
    (await faultAfter(`update citus.pg_dist_node set isactive = false where nodeid = 3`)).detail,
    `node two:5432 is inactive. Run: select citus_activate_node('two', 5432)`,
  )
})

test('doctor and the server refuse PostgreSQL without Citus, an outdated Citus, a worker', async (t) => {
  const plain = await diagnosis(t, await newDatabase(t))
  assert.equal(plain.database.detail, 'DISTRIBUTED is on, but the database does not have the extension citus')
  const cluster = await newCluster(t)
  await cluster.run(`update citus.installed set version = '13.2.0'`)
  const outdated = await diagnosis(t, cluster.url)
  assert.equal(outdated.database.detail, 'DATABASE_URL has Citus 13.2.0; Stoa requires 14.0 or later')
  await cluster.run(`update citus.installed set version = '15.0devel'`)
  await cluster.run('update citus.pg_dist_local_group set groupid = 1')
  const worker = await diagnosis(t, cluster.url)
  assert.equal(worker.database.detail, 'DATABASE_URL points to a worker of the cluster. Point it to the coordinator')
})

test('commands have no dry run where rows are on several servers', async (t) => {
  const { url } = await newCluster(t)
  await migrateAndDistribute(url, placement, { distributes: true })
  const stoa = stoaOn({ DATABASE_URL: url, DISTRIBUTED: 'on' })
  const { code, error } = await stoa.refused('store', 'create', '--name', 'First', '--dry-run')
  assert.equal(code, 1)
  assert.match(error.message, /is not supported by this command: it changes rows of several servers/)
})

async function clusterFinding(t: TestContext, cluster: Cluster, change: string) {
  await cluster.run(change)
  return (await diagnosis(t, cluster.url)).cluster
}

async function diagnosis(t: TestContext, DATABASE_URL: string): Promise<Record<string, any>> {
  const stoa = stoaOn({ DATABASE_URL, DISTRIBUTED: 'on', DATA_DIR: await newDataDir(t) })
  const { stdout } = await stoa('doctor', '--json').ended
  return Object.fromEntries(JSON.parse(stdout).findings.map((finding: any) => [finding.name, finding]))
}
