// Agents whose requests come twice, in another order, or whose answers are lost: nothing is ordered twice, and stock
// and totals are exact. UCP_SESSIONS says how many; a seed repeats a run.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { randomBy, seed } from '../../../test/random.ts'
import { byCash, buyer, openUcpWorld, shipping, totalOf, type Agent, type UcpAnswer } from '../../../test/ucp.ts'
import { releases } from './releases.ts'
import { productOf } from '../../../test/checkouts.ts'

const sessions = Number(process.env.UCP_SESSIONS ?? 200)
const atOnce = 6
const stock = Math.ceil(sessions * 0.4)
const world = await openUcpWorld()

type Random = ReturnType<typeof randomBy>

/** What one agent was told of its order; null: it has been told of none. */
type Told = { id: string; orders: Set<string>; total: number | null }

/** Sends it once, or more often; answers come back, or are lost. */
async function send(
  random: Random,
  agent: Agent,
  name: string,
  given: { id?: string; body?: unknown },
): Promise<UcpAnswer> {
  const key = randomUUID()
  const call = () => agent.call(name, { ...given, key })
  switch (random.below(5)) {
    case 0: {
      const answers = await Promise.all([call(), call(), call()])
      return answers[random.below(3)]!
    }
    case 1:
      // The answer is lost, and asked for again.
      await call()
      return call()
    default:
      return call()
  }
}

async function session(random: Random, agent: Agent, ids: readonly string[]): Promise<Told | null> {
  const bodyOf = () => ({
    line_items: [...new Set([random.pick(ids), random.pick(ids)])].map((id) => ({
      item: { id },
      quantity: 1 + random.below(2),
    })),
    buyer,
    fulfillment: shipping(random.pick(['standard', 'express'])),
    discounts: { codes: random.below(3) === 0 ? ['TEN'] : [] },
  })
  const begun = await send(random, agent, 'create_checkout', { body: bodyOf() })
  const { id } = begun.body
  if (!id) return null
  const told: Told = { id, orders: new Set(), total: null }
  const hear = ({ body }: UcpAnswer) => {
    if (body.status === 'completed') told.total = totalOf(body)!
    if (body.order) told.orders.add(body.order.id)
  }
  const steps: (() => Promise<UcpAnswer>)[] = [
    () => send(random, agent, 'update_checkout', { id, body: bodyOf() }),
    () => send(random, agent, 'complete_checkout', { id, body: byCash }),
    () => send(random, agent, 'get_checkout', { id }),
    () => send(random, agent, 'complete_checkout', { id, body: byCash }),
    ...(random.below(10) === 0 ? [() => send(random, agent, 'cancel_checkout', { id })] : []),
  ]
  for (let turns = 0; turns < 3; turns++) {
    const chosen = Array.from({ length: 1 + random.below(3) }, () => random.pick(steps))
    const answers = random.below(2) === 0 ? await Promise.all(chosen.map((step) => step())) : [await chosen[0]!()]
    answers.forEach(hear)
    for (const { status, body } of answers) assert.ok(status < 500, `${status} ${JSON.stringify(body)}`)
  }
  hear(await send(random, agent, 'complete_checkout', { id, body: byCash }))
  return told
}

test(`${sessions} sessions with repeated and lost answers: no order twice, stock and totals exact`, async () => {
  const shop = await world.newStore()
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 5 })
  await shop.api.post('/v1/store/shipping-rates', { code: 'express', price: 12.5 })
  await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const products = []
  for (const price of [19.99, 7.25, 0.1]) products.push(await productOf(shop, { name: `P${price}`, price, stock }))
  const ids = products.map(({ id }) => id)
  const domain = await world.domainOf(shop)

  const told: Told[] = []
  let next = 0
  const work = async () => {
    while (next < sessions) {
      const random = randomBy(seed + next++)
      const agent = world.agent(domain, { transport: random.pick(['rest', 'mcp']), release: random.pick(releases) })
      const own = await session(random, agent, ids)
      if (own) told.push(own)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))

  const orders: any[] = []
  for (let page = 1; ; page++) {
    const { data, body } = await shop.api.get(`/v1/orders?per_page=100&page=${page}`)
    orders.push(...data)
    if (page >= body.pagination.total_pages) break
  }
  const why = `seed ${seed}`
  const ordered = told.filter(({ orders: own }) => own.size > 0)
  assert.ok(ordered.length > sessions / 10, why)
  assert.ok(
    told.every(({ orders: own }) => own.size <= 1),
    why,
  )
  // Every order was told to the agent that placed it, and to no other.
  const known = ordered.map(({ orders: own }) => [...own][0]!.split('.')[0])
  assert.deepEqual(known.sort(), orders.map(({ id }) => id).sort(), why)
  for (const { orders: own, total } of ordered) {
    const order = orders.find(({ id }) => id === [...own][0]!.split('.')[0])
    assert.equal(total, Math.round(order.total * 100), why)
    const sum = order.subtotal - order.discount_amount + order.shipping_cost + order.tax_amount
    assert.equal(Math.round(sum * 100), total, why)
  }
  for (const { id } of products) {
    const sold = orders.flatMap(({ items }) => items).filter((item: any) => item.product_id === id)
    const units = sold.reduce((sum: number, { quantity }: any) => sum + quantity, 0)
    const { data } = await shop.api.get(`/v1/inventory/products/${id}`)
    assert.deepEqual([data.stock_quantity, data.stock_quantity >= 0], [stock - units, true], why)
  }
})
