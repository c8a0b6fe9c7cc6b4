// A server of a cluster that is away. On one PostgreSQL, restrictive policies stand in for it: a statement that comes
// to rows of its stores fails, as Citus fails one that asks their server.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { placement } from '../../../developer/tables.ts'
import { newCluster } from '../../../../test/citus/cluster.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { openLog } from '../../process/log.ts'
import { migrateAndDistribute } from '../migrate.ts'

const cluster = await newCluster({ after })
await migrateAndDistribute(cluster.url, placement, { distributes: true })
await cluster.run(`
  create function citus.has_server(store_id text) returns boolean language plpgsql security definer cost 100000 as $$
  declare
    server citus.pg_dist_node;
  begin
    select pg_dist_node.* into server from citus.pg_dist_placement
    join citus.pg_dist_node on pg_dist_node.groupid = pg_dist_placement.groupid
    where shardid = citus.get_shard_id_for_distribution_column('orders', store_id);
    if server.is_down then
      raise exception 'connection to the remote node %:% failed', server.nodename, server.nodeport
      using errcode = '08006';
    end if;
    return true;
  end $$`)
await cluster.run(`
  do $$
  declare
    one regclass;
  begin
    for one in select logicalrelid from citus.pg_dist_partition where partmethod = 'h' loop
      execute format('create policy server on %s as restrictive using (citus.has_server(store_id))', one);
    end loop;
  end $$`)
await cluster.run(`
  grant usage on schema citus to stoa_tenant;
  grant select on all tables in schema citus to stoa_tenant`)

const lines: string[] = []
const terminal = { isTTY: true, write: (line: string) => lines.push(line) }
const log = openLog('info', terminal as unknown as NodeJS.WriteStream)
const { app, clock, url, newStore } = await openWorld(
  { DISTRIBUTED: 'on', ROW_SECURITY: 'on' },
  { database: { url: cluster.url, drop: async () => {} }, log },
)

/** A store on each of two servers. */
async function newStores(): Promise<{ near: TestStore; far: TestStore }> {
  const stores = new Map<number, TestStore>()
  while (stores.size < 2) {
    const shop = await newStore()
    const [row] = await cluster.run(`select citus.get_shard_id_for_distribution_column('orders', $1) as shard`, [
      shop.store.id,
    ])
    stores.set(Number(row!.shard), shop)
  }
  return { near: stores.get(102000)!, far: stores.get(102001)! }
}

async function setDown(isDown: boolean): Promise<void> {
  await cluster.run('update citus.pg_dist_node set is_down = $1 where nodeid = 3', [isDown])
  clock.advance(60)
}

const runJobs = async () => {
  for (const { name } of app.jobs.list) await app.jobs.run(name)
}

test('while a server is away, only its stores wait: reads, writes and jobs of the others go on', async () => {
  const { near, far } = await newStores()
  const draft = (name: string) => ({
    name,
    price: 5,
    product_status: 'draft',
    publish_at: new Date(clock.now().getTime() + 30_000).toISOString(),
  })
  const [{ data: mug }, { data: hat }] = [
    await near.api.post('/v1/products', draft('Mug')),
    await far.api.post('/v1/products', draft('Hat')),
  ]
  const status = async ({ api }: TestStore, { id }: { id: string }) =>
    (await api.get(`/v1/products/${id}`)).data.product_status
  await setDown(true)

  assert.equal((await far.api.get('/v1/products')).status, 503)
  assert.equal((await near.api.get('/v1/products')).status, 200)
  assert.equal((await near.api.post('/v1/products', { name: 'Cup', price: 5 })).status, 201)
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  await runJobs()
  assert.equal(await status(near, mug), 'active', 'the job that publishes')
  // What the job that publishes has changed.
  await app.jobs.run('seal the audit log')
  assert.deepEqual(
    await cluster.run('select store_id from audit_unsealed where store_id = $1', [near.store.id]),
    [],
    'the job that seals',
  )
  assert.notDeepEqual(await cluster.run('select store_id from audit_unsealed where store_id = $1', [far.store.id]), [])
  const notes = () => lines.filter((line) => line.includes('servers of the distributed'))
  assert.equal(notes().length, 1)
  assert.match(notes()[0]!, /away; .*\(servers: \["two:5432"\]\)/)

  await setDown(false)
  await runJobs()
  await app.jobs.run('seal the audit log')
  assert.equal(await status(far, hat), 'active')
  assert.deepEqual(await cluster.run('select store_id from audit_unsealed'), [])
  assert.equal(notes().length, 2)
})
