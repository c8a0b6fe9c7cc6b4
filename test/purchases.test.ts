// Whatever goes wrong between a shopper, the server, its database and the payment provider: who was charged has an
// order or the money back, and both once.
// PURCHASES=10000 npm test -- test/purchases.test.ts, where PURCHASES_WITHIN_S=600 ends it early.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { sql } from '../src/kit/database/sql.ts'
import { deriveWebhookSecret } from '../src/extensions/sandbox/account.ts'
import { openSandbox, type Sandbox } from '../src/extensions/sandbox/server.ts'
import { sumMovements } from '../src/extensions/sandbox/session.ts'
import type { Switches } from '../src/extensions/sandbox/switches.ts'
import { buy, type Bought, type Market } from './buyers.ts'
import { client, type Client } from './client.ts'
import { asking, killPostgres, ready, type Asked } from './killed.ts'
import { newDataDir, newStore, startServer, type Server } from './server.ts'
import { assertSumsOf } from './sums.ts'

const purchases = Number(process.env.PURCHASES ?? 20)
const kills = Number(process.env.PURCHASE_KILLS ?? Math.max(1, Math.floor(purchases / 250)))
const withinMs = Number(process.env.PURCHASES_WITHIN_S ?? Infinity) * 1000
const shoppersAtOnce = 16
const kinds = ['server', 'PostgreSQL', 'both'] as const

// prettier-ignore
const switches: Switches = {
  duplicate: 0.1, out_of_order: 0.1, delay: 0.1, lose: 0.2, lie: 0.1,
  '500_after_charging': 0.05, rubbish: 0.05, hang: 0.01,
}

test(`${purchases} purchases with everything going wrong, and ${kills} times kill -9`, async (t) => {
  const sandbox = await openSandbox({ switches, timing: { lateMs: 300, delayMs: 500, retriesMs: [200, 1000, 5000] } })
  t.after(() => sandbox.close())
  let server: Server | undefined
  t.after(() => server?.end('SIGKILL'))
  const dataDir = await newDataDir(t)
  const env: Record<string, string> = { SANDBOX_URL: sandbox.url, TRUSTED_PROXIES: '127.0.0.1' }
  server = await startServer(dataDir, env)
  env.PORT = new URL(server.url).port
  const { id: storeId, key } = await newStore(dataDir)
  const { market, stock } = await openMarket(server.url, client(server.url, { 'x-api-key': key }), sandbox)

  const startedAt = performance.now()
  const endsAt = startedAt + withinMs
  const bought: Bought[] = []
  let next = 0
  const isOver = () => next >= purchases || performance.now() > endsAt
  const shoppers = Array.from({ length: shoppersAtOnce }, async () => {
    while (!isOver()) bought.push(await buy(market, next++))
  })
  const all = Promise.all(shoppers)
  all.catch(() => {})
  let killed = 0
  while (killed < kills) {
    const share = (purchases * (killed + 1)) / (kills + 1)
    while (!isOver() && bought.length < share) await Promise.race([sleep(5), all])
    if (isOver()) break
    const kind = kinds[++killed % kinds.length]!
    if (kind !== 'server') await killPostgres(dataDir, { awaitsNext: kind === 'PostgreSQL' })
    if (kind !== 'PostgreSQL') {
      await server.end('SIGKILL')
      server = await startServer(dataDir, env)
    }
    await ready(server)
  }
  await all
  const boughtMs = performance.now() - startedAt

  sandbox.provider.switches = {}
  await asking(dataDir, async (db) => {
    const rounds = await settleAll(db, sandbox)
    const figures = await assertBothSidesAgree(db, storeId, sandbox)
    await assertOrdersAreThere(db, storeId, bought)
    await assertStock(db, storeId, stock)
    await assertSumsOf(db, storeId)
    const seconds = Math.round(boughtMs / 1000)
    t.diagnostic(JSON.stringify({ purchases: next, killed, seconds, rounds, ...figures, refusals: countOf(bought) }))
  })
})

const enough = 1_000_000
/** So many shoppers one after the other: a fifth of them want one thing, and half of these can have it. */
const crowd = 40

/** Two methods of the sandbox; two products of which there is enough, and others that run out. */
async function openMarket(url: string, api: Client, sandbox: Sandbox): Promise<{ market: Market; stock: number }> {
  const account = { key: 'sk_sandbox_of_the_market', name: 'Market', webhook_url: null as string | null }
  const settings = { api_key: account.key, webhook_secret: deriveWebhookSecret(account) }
  const method = async (code: string, capture: string) => {
    const body = { code, provider: 'sandbox', settings: { ...settings, capture } }
    const { status, data, error } = await api.post('/v1/store/payment-methods', body)
    assert.equal(status, 201, JSON.stringify(error))
    return data
  }
  const { webhook_url } = await method('card', 'automatic')
  await method('wallet', 'manual')
  sandbox.provider.accounts.put(account.key, { ...account, webhook_url: `${url}${new URL(webhook_url).pathname}` })
  const product = async (name: string, stock_quantity: number) => {
    const { data } = await api.post('/v1/products', { name, price: 12.5, track_inventory: true, stock_quantity })
    return data.id as string
  }
  const plenty = [await product('Mug', enough), await product('Plate', enough)]
  const rare: string[] = []
  for (let n = 0; n < purchases / crowd; n++) rare.push(await product(`Last vases ${n}`, crowd / 10))
  const { data: store } = await api.get('/v1/store')
  const market = { url, slug: store.slug, plenty, rare, crowd, sandboxUrl: sandbox.url }
  return { market, stock: 2 * enough + rare.length * (crowd / 10) }
}

const maximumRounds = 10

/** As when hours pass: the job looks at whatever is open, until there is nothing left to do about it. */
async function settleAll(db: Asked, sandbox: Sandbox): Promise<number> {
  for (let rounds = 1; rounds <= maximumRounds; rounds++) {
    await db.rows(sql`
      update payment_sessions
      set look_at = now() - interval '1 second'
      where look_at is not null`)
    while ((await db.rows(sql`select from payment_sessions where look_at <= now() limit 1`)).length > 0)
      await sleep(200)
    // What the job has claimed last it may still be asking about.
    await sleep(2000)
    const open = await db.rows<Row>(openSessions)
    const isOpen = open.some(({ reference }) => {
      const session = reference === null ? undefined : sandbox.provider.sessions.get(reference)
      return session && owed(session) > 0
    })
    if (!isOpen) return rounds
  }
  return maximumRounds
}

/** Those without an order. */
const openSessions = sql`
  select id, reference, checkout_id, order_id, captured_amount, refunded_amount
  from payment_sessions
  where order_id is null`

type Row = {
  id: string
  reference: string | null
  checkout_id: string | null
  order_id: string | null
  captured_amount: string
  refunded_amount: string
}

type Paid = Parameters<typeof sumMovements>[0]

/** What the shopper has paid, or has reserved, and not back. */
function owed(session: Paid): number {
  const { authorized, captured, refunded } = sumMovements(session)
  return Math.max(authorized, captured) - refunded
}

async function assertBothSidesAgree(db: Asked, storeId: string, sandbox: Sandbox) {
  const ledger = sandbox.provider.sessions.all()
  const rows = await db.rows<Row>(sql`
    select id, reference, checkout_id, order_id, captured_amount, refunded_amount
    from payment_sessions
    where store_id = ${storeId}`)
  const orders = await db.rows<{ id: string; total: string; captured_amount: string }>(sql`
    select id, total, captured_amount
    from orders
    where store_id = ${storeId}`)
  const rowOf = new Map(rows.map((row) => [row.reference, row]))
  const charged = ledger.filter((session) => owed(session) > 0)

  const withoutOrder = charged.filter(({ id }) => !rowOf.get(id)?.order_id)
  assert.deepEqual(withoutOrder, [], 'charged without order or refund')

  const paymentsOf = Map.groupBy(charged, ({ id }) => rowOf.get(id)!.order_id)
  const unpaid = orders.filter(({ id }) => !paymentsOf.has(id))
  assert.deepEqual(unpaid, [], 'orders without charge')
  const twice = [...paymentsOf.values()].filter((payments) => payments.length > 1)
  assert.deepEqual(twice, [], 'charged twice')
  for (const { id, total, captured_amount } of orders) {
    const payment = paymentsOf.get(id)![0]!
    assert.equal(owed(payment), Math.round(Number(total) * 100), 'charged what the order comes to')
    assert.equal(Math.round(Number(captured_amount) * 100), sumMovements(payment).captured)
  }

  for (const session of ledger) {
    const refunds = session.movements.filter(({ type }) => type === 'refund')
    assert.ok(refunds.length <= 1, 'each refund once')
    const row = rowOf.get(session.id)
    // A session whose answer was lost before anybody was told where to pay.
    if (!row) assert.deepEqual(session.movements, [])
    const { captured, refunded } = sumMovements(session)
    if (row && refunded > 0) assert.equal(refunded, captured, 'all of it')
    if (row) assert.deepEqual([row.captured_amount, row.refunded_amount].map(cents), [captured, refunded])
  }
  const refunded = ledger.filter((session) => sumMovements(session).refunded > 0).length
  const voided = ledger.filter(({ movements }) => movements.some(({ type }) => type === 'void')).length
  return { sessions: ledger.length, orders: orders.length, charged: charged.length, refunded, voided }
}

function cents(amount: string): number {
  return Math.round(Number(amount) * 100)
}

/** What a shopper was told to have bought is there. */
async function assertOrdersAreThere(db: Asked, storeId: string, bought: Bought[]): Promise<void> {
  const told = bought.flatMap(({ order }) => (order ? [order] : []))
  assert.equal(new Set(told).size, told.length)
  const [found] = await db.rows<{ orders: number }>(sql`
    select count(*)::int as orders from orders where store_id = ${storeId}`)
  assert.ok(found!.orders >= told.length, `${found!.orders} orders, but ${told.length} shoppers were told of one`)
}

async function assertStock(db: Asked, storeId: string, stock: number): Promise<void> {
  const [counts] = await db.rows<{ left: number; sold: number }>(sql`
    select (select sum(stock_quantity)::int from products where store_id = ${storeId}) as left,
      (select coalesce(sum(quantity), 0)::int from order_items where store_id = ${storeId}) as sold`)
  assert.equal(counts!.left + counts!.sold, stock)
}

function countOf(bought: Bought[]): Record<string, number> {
  const refusals = bought.flatMap(({ refusal }) => (refusal ? [refusal] : []))
  return Object.fromEntries([...Map.groupBy(refusals, (text) => text)].map(([text, all]) => [text, all.length]))
}
