// Queries a Citus coordinator about its cluster.
import type pg from 'pg'

/** The lowest version that Stoa was tried with. */
const minVersion = [14, 0] as const

/** True if the database has the extension. */
export async function hasCitus(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`select where to_regclass('pg_dist_partition') is not null`)
  return rows.length > 0
}

/** True if a table is distributed. */
export async function isDistributed(client: pg.Client): Promise<boolean> {
  if (!(await hasCitus(client))) return false
  const { rows } = await client.query(`select from pg_dist_partition where partmethod = 'h' limit 1`)
  return rows.length > 0
}

/** The reason why the server cannot coordinate a cluster of Stoa; null if it can. */
export async function faultOfCoordinator(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ version: string; group_id: number | null }>(`
    select citus_version() as version, (select groupid from pg_dist_local_group) as group_id`)
  const { version, group_id } = rows[0]!
  const number = versionIn(version)
  if (isOlder(number)) return `DATABASE_URL has Citus ${number}; Stoa requires ${minVersion.join('.')} or later`
  // Only one server has the locks and notifications of all processes.
  if (group_id) return 'DATABASE_URL points to a worker of the cluster. Point it to the coordinator'
  return null
}

/** 'Citus 14.0.1 on x86_64…' */
const versionIn = (text: string): string => text.split(' ')[1] ?? text

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  return major < minVersion[0] || (major === minVersion[0] && minor < minVersion[1])
}

type Node = {
  id: number
  group_id: number
  name: string
  port: number
  place: string
  is_active: boolean
  has_shards: boolean
}

/** Problems that keep nodes from serving Stoa, each with its remedy. */
export async function faultsOfNodes(client: pg.Client): Promise<string[]> {
  const nodes = await listPrimaryNodes(client)
  const faults = faultsOfRegister(nodes)
  const unreachable = await unreachableNodes(client)
  const inactive = nodes.filter(({ is_active, place }) => !is_active && !unreachable.includes(place))
  faults.push(
    ...unreachable.map((place) => `node ${place} is down. Its stores are unavailable until it is back`),
    ...inactive.map(
      ({ place, name, port }) => `node ${place} is inactive. Run: select citus_activate_node('${name}', ${port})`,
    ),
  )
  // Asking all nodes fails while one of them is down.
  return unreachable.length > 0 ? faults : [...faults, ...(await faultsOfSettings(client, nodes))]
}

function faultsOfRegister(nodes: Node[]): string[] {
  const faults: string[] = []
  if (!nodes.some(({ group_id }) => group_id === 0)) {
    faults.push(`the coordinator is not registered. Run: select citus_set_coordinator_host('its address')`)
  }
  if (!nodes.some(({ has_shards }) => has_shards)) {
    faults.push(`no node takes rows. Run: select citus_add_node('address of a worker', 5432)`)
  }
  return faults
}

async function listPrimaryNodes(client: pg.Client): Promise<Node[]> {
  const { rows } = await client.query<Node>(`
    select nodeid as id, groupid as group_id, nodename as name, nodeport as port,
      nodename || ':' || nodeport as place, isactive as is_active,
      shouldhaveshards as has_shards
    from pg_dist_node
    where noderole = 'primary'
    order by nodeid`)
  return rows
}

/** Checks the connection of each node to each other node; null where a node cannot be reached to check. */
async function unreachableNodes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ place: string }>(`
    select distinct case when result is null then from_nodename || ':' || from_nodeport
      else to_nodename || ':' || to_nodeport end as place
    from citus_check_cluster_node_health()
    where result is not true
    order by place`)
  return rows.map(({ place }) => place)
}

/** Each node makes the triggers of the rows that it has. */
const settings = { 'citus.enable_unsafe_triggers': 'on' }

async function faultsOfSettings(client: pg.Client, nodes: Node[]): Promise<string[]> {
  const faults: string[] = []
  for (const [setting, value] of Object.entries(settings)) {
    const { rows } = await client.query<{ id: number; success: boolean; result: string }>(
      `select nodeid as id, success, result from run_command_on_all_nodes($1)`,
      [`show ${setting}`],
    )
    const wrong = rows.filter(({ success, result }) => !success || result !== value)
    const places = wrong.map(({ id }) => nodes.find((node) => node.id === id)?.place ?? 'the coordinator')
    const remedy = `alter system set ${setting} = ${value}; select pg_reload_conf()`
    if (places.length > 0) faults.push(`${setting} is not ${value} on ${places.join(', ')}. Run there: ${remedy}`)
  }
  return faults
}

export async function describeCluster(client: pg.Client): Promise<string> {
  const nodes = await listPrimaryNodes(client)
  const { rows } = await client.query<{ version: string }>('select citus_version() as version')
  return `Citus ${versionIn(rows[0]!.version)}, ${nodes.length} nodes, all tables at their places`
}
