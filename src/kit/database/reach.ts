// The stores of a cluster whose servers can be reached. While a server is away, a statement over all stores fails as a
// whole: work over all stores then leaves out those of that server (inReach), and goes on for the others.
import type { Clock } from '../values/clock.ts'
import { isDatabaseAway, isFromServer } from './errors.ts'
import type { StatementResult } from './exchange.ts'
import { compile, sql, type Sql, type Statement } from './sql.ts'
import { parseRowTexts } from './values.ts'

export type Reach = {
  /** Undefined as long as all servers are there. */
  storeIds(): readonly string[] | undefined
  /** Runs work over all stores, and once more if it failed because of a server that is away. */
  run<T>(work: () => Promise<T>): Promise<T>
}

type ReachOptions = {
  read: (statements: readonly Statement[]) => Promise<StatementResult[]>
  clock: Clock
  /** Called with the servers that are away when these change. */
  onChange: (away: readonly string[]) => void
}

const lookEveryMs = 5000

export function openReach({ read, clock, onChange }: ReachOptions): Reach {
  let away = ''
  let storeIds: readonly string[] | undefined
  let lastMs = -Infinity
  let underWay: Promise<void> | undefined

  const look = async () => {
    const servers = await readServers(read)
    const missing = servers
      .filter(({ is_there }) => !is_there)
      .map(({ place }) => place)
      .sort()
    if (missing.join() === away) return
    const groups = servers.filter(({ is_there }) => is_there).map(({ group_id }) => group_id)
    storeIds = missing.length > 0 ? await listStores(read, groups) : undefined
    away = missing.join()
    onChange(missing)
  }
  /** Those who come meanwhile wait for the same answer. */
  const lookAgain = () => {
    if (clock.elapsedMs() - lastMs < lookEveryMs) return underWay
    lastMs = clock.elapsedMs()
    underWay = look()
      .catch(() => {})
      .finally(() => (underWay = undefined))
    return underWay
  }
  return {
    storeIds() {
      if (storeIds) void lookAgain()
      return storeIds
    },
    async run(work) {
      const before = storeIds
      try {
        return await work()
      } catch (error) {
        // Only then is it certain that nothing was written.
        if (!isDatabaseAway(error) || !isFromServer(error as Error)) throw error
        await lookAgain()
        if (storeIds === before) throw error
        return work()
      }
    },
  }
}

type Server = { group_id: number; place: string; is_there: boolean }

/** Each answers within a second, or is away. */
async function readServers(read: ReachOptions['read']): Promise<Server[]> {
  const [, servers] = await read([
    compile(sql`select set_config('citus.node_connection_timeout', '1s', true)`),
    compile(sql`
    select groupid as group_id, nodename || ':' || nodeport as place,
      isactive and citus_check_connection_to_node(nodename, nodeport) as is_there
    from pg_dist_node
    where noderole = 'primary'
      and groupid <> 0`),
  ])
  return parseRows<Server>(servers!)
}

/** All tables of stores are distributed in the same way. Rows of no store have an empty one. */
async function listStores(read: ReachOptions['read'], groups: readonly unknown[]): Promise<string[]> {
  const list = async (query: Sql) => {
    const [answer] = await read([compile(query)])
    return parseRows<{ id: string }>(answer!).map(({ id }) => id)
  }
  const storeIds = await list(sql`select id from stores`)
  return list(sql`
    select id
    from unnest(${['', ...storeIds]}::text[]) as id
    join pg_dist_placement on shardid = get_shard_id_for_distribution_column((
      select logicalrelid from pg_dist_partition where partmethod = 'h' limit 1), id)
    where groupid = any(${groups}::int[])`)
}

function parseRows<Row>({ columns, rows }: StatementResult): Row[] {
  return rows.map((row) => parseRowTexts(row, columns) as Row)
}
