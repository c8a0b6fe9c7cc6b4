// node bench/writes.ts: what each write leaves in PostgreSQL: WAL, entries of indexes, statements and exchanges, with
// the jobs and logs that follow; and the share of updates that stayed in their page (HOT). COUNT (200) writes of each
// kind; DETAIL=1 prints the WAL of each table and index, RECORD=1 writes bench/RESULTS.md, "Writes".
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

Object.assign(process.env, { BENCH_STORES: '20', BENCH_LARGE: '2000', ...process.env })
// The modules below read the environment when they are loaded.
const { idsOf } = await import('./compare.ts')
const { smallStores } = await import('./load.ts')
const { openWorld } = await import('./world.ts')
const { checkoutOf } = await import('./against.ts')
const { beginEach, completeOne } = await import('./checkout/shoppers.ts')
const { scenarios, requestsOf } = await import('./scenarios.ts')
const { table } = await import('./report.ts')
const { writeSection } = await import('./results.ts')

const count = Number(process.env.COUNT ?? 200)
const watched = ['products', 'orders', 'customers', 'checkouts', 'deliveries', 'variants']

const world = await openWorld('writes', 4151)
const client = new pg.Client({ connectionString: world.database })
await client.connect()
await client.query('create extension if not exists pg_walinspect')
await client.query("alter system set wal_keep_size = '4GB'") // the log of many writes is read after them
await client.query('select pg_reload_conf()')

type Work = {
  name: string
  prepare?(count: number): Promise<void>
  send(): Promise<void>
  exchanges?(): Promise<{ text: string }[][]>
}

try {
  const ids = await idsOf(world.url)
  const works = await worksOf(ids)
  for (const { prepare, send } of works) {
    await prepare?.(2 * smallStores)
    for (let n = 0; n < 2 * smallStores; n++) await send()
  }
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  const before = await readUpdates()
  const rows: (string | number)[][] = []
  for (const work of works) rows.push([work.name, ...(await measureWrites(work))])
  await sleep(1500) // statistics of the sessions arrive
  const after = await readUpdates()
  const hot = watched.map((name) => {
    const [all, inPage] = ['all', 'hot'].map((key) => after[name]![key]! - before[name]![key]!) as [number, number]
    return [name, all, all === 0 ? '–' : `${Math.round((100 * inPage) / all)} %`]
  })
  const header = [
    'request',
    'WAL bytes',
    'of it full pages',
    'index entries',
    'heap records',
    'statements',
    'exchanges',
  ]
  const text = `${table(header, rows)}\n\n${table(['table', 'updates', 'HOT'], hot)}`
  console.log(text)
  if (process.env.RECORD) writeSection('Writes', text)
} finally {
  await client.end()
  await world.stop()
}

async function worksOf(ids: any): Promise<Work[]> {
  const names = ['create product', 'create order', 'update product', 'adjust inventory']
  const plain = names.map((name): Work => {
    const requests = requestsOf(
      scenarios.find((one) => one.name === name)!,
      ids,
    )
    let place = 0
    const next = () => {
      const request = requests[place++ % requests.length]!
      return name === 'create product' && !process.env.SAME
        ? { ...request, body: request.body!.replace('Enamel mug', `Enamel mug ${Date.now()}${place}`) }
        : request
    }
    return {
      name,
      async send() {
        const { method, path, headers, body } = next()
        const answer = await fetch(world.url + path, { method, headers: headers ?? {}, ...(body ? { body } : {}) })
        if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`)
        await answer.arrayBuffer()
      },
      exchanges: () => {
        const index = (place % smallStores) + 1
        return world.exchangesOf(index, next()) as any
      },
    }
  })
  let tokens: any[] = []
  const sale = requestsOf(
    scenarios.find(({ name }) => name === 'create order')!,
    ids,
  )
  let orders: { id: string; headers: Record<string, string> }[] = []
  return [
    ...plain,
    {
      name: 'mark an order paid',
      async prepare(count) {
        orders = []
        for (let n = 0; n < count; n++) {
          const { headers = {}, body } = sale[n % sale.length]!
          const answer = await fetch(`${world.url}/v1/orders`, { method: 'POST', headers, body: body! })
          orders.push({ id: ((await answer.json()) as any).data.id, headers })
        }
      },
      async send() {
        const { id, headers } = orders.pop()!
        const body = JSON.stringify({ payment_status: 'paid' })
        const answer = await fetch(`${world.url}/v1/orders/${id}`, { method: 'PATCH', headers, body })
        if (!answer.ok) throw new Error(`pay: ${answer.status} ${await answer.text()}`)
        await answer.arrayBuffer()
      },
    },
    {
      name: 'complete a checkout',
      async prepare(count) {
        tokens = (await beginEach(world, count, (n: number) => checkoutOf(ids, n))).tokens
      },
      send: () => completeOne(world.url, tokens.pop()!),
    },
  ]
}

async function measureWrites({ prepare, send, exchanges }: Work): Promise<(string | number)[]> {
  const sent = (await exchanges?.()) ?? []
  await prepare?.(count)
  await sleep(3000) // jobs that follow the writes before
  const from = await position()
  for (let n = 0; n < count; n++) await send()
  const until = await position()
  const { rows } = await client.query(
    `select "resource_manager/record_type" as type, count::float, combined_size::float as size, fpi_size::float as fpi
    from pg_get_wal_stats($1, $2, true)`,
    [from, until],
  )
  if (process.env.DETAIL) {
    const { rows: detail } = await client.query(
      `select coalesce(relname, block.relfilenode::text) as name, count(*)::float / ${count} as records,
        round(sum(record_length - block_fpi_length)::numeric / ${count}) as bytes
      from pg_get_wal_block_info($1, $2, true) as block
      left join pg_class on pg_relation_filenode(pg_class.oid) = block.relfilenode
      group by 1 order by 3 desc limit 70`,
      [from, until],
    )
    console.log(detail.map(({ name, records, bytes }) => `${name} ${records} ${bytes}`).join('\n'))
  }
  const sum = (key: string, of: RegExp) =>
    rows.filter(({ type }) => of.test(type)).reduce((total, row) => total + row[key], 0) / count
  const [size, fpi] = [sum('size', /./), sum('fpi', /./)]
  return [
    Math.round(size - fpi),
    Math.round(fpi),
    sum('count', /Btree\/INSERT|Btree\/SPLIT|Gin\/INSERT|Gin\/UPDATE_META/).toFixed(1),
    sum('count', /Heap\/|Heap2\/MULTI/).toFixed(1),
    exchanges ? sent.flat().length : '–',
    exchanges ? sent.length : '–',
  ]
}

async function position(): Promise<string> {
  const { rows } = await client.query('select pg_current_wal_insert_lsn()::text as lsn')
  return rows[0].lsn
}

async function readUpdates(): Promise<Record<string, Record<string, number>>> {
  const { rows } = await client.query(
    `select relname as name, n_tup_upd::float as all, n_tup_hot_upd::float as hot from pg_stat_user_tables
    where relname = any($1)`,
    [watched],
  )
  return Object.fromEntries(rows.map(({ name, ...row }) => [name, row]))
}
