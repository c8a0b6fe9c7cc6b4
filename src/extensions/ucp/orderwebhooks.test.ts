// Agents are told of the orders that they placed, by signed webhooks.
import assert from 'node:assert/strict'
import { createPublicKey, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createVerifier, httpbis } from 'http-message-signatures'
import { productOf, setUp, shopperOf } from '../../../test/checkouts.ts'
import type { Received } from '../../../test/receiver.ts'
import { callSigned, digestOf, signingKey } from '../../../test/signing.ts'
import { byCash, openUcpWorld, platformProfile, whole } from '../../../test/ucp.ts'
import { workerProcess } from '../../../test/worker-process.ts'
import { sql } from '../../kit/database/sql.ts'
import { capabilityNames, keysMember, newest, releases, type Release } from './releases.ts'

const world = await openUcpWorld({}, { sweeps: true })
const shop = await setUp(await world.newStore())
const domain = await world.domainOf(shop)
const { id: product } = await productOf(shop)
const key = signingKey()
const job = 'tell agents of orders'

type TestAgent = { profile: string; webhook: string; received: () => Received[] }

/** An agent with a webhook of its own, which answers `status`. */
function newAgent(webhook = world.publish({ status: 200 }), release: Release = newest): TestAgent {
  const profile: any = platformProfile(release, capabilityNames)
  profile.ucp.capabilities['dev.ucp.shopping.order'][0].config = { webhook_url: webhook }
  const url = world.publish({ body: JSON.stringify({ ...profile, [keysMember[release]]: [key.jwk] }) })
  const { pathname } = new URL(webhook)
  return { profile: url, webhook, received: () => world.host.received.filter(({ path }) => path === pathname) }
}

const write = async ({ profile }: TestAgent, path: string, body: unknown) => {
  const answer = await callSigned(world, domain, {
    profile,
    key,
    path,
    body,
    headers: { 'idempotency-key': randomUUID() },
  })
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
  return answer.body
}
const begin = (agent: TestAgent) => write(agent, '/ucp/checkout-sessions', whole(product))
const place = async (agent: TestAgent) => {
  const { id } = await begin(agent)
  const { order } = await write(agent, `/ucp/checkout-sessions/${id}/complete`, byCash)
  return { ...order, own: order.id.split('.')[0] }
}
const bodies = (agent: TestAgent) => agent.received().map(({ body }) => JSON.parse(body.toString()))
/** Answers with `answers` in turn, and then with 200. */
const answerWith = ({ webhook }: TestAgent, ...answers: Awaited<ReturnType<typeof world.host.answer>>[]) => {
  const documents = world.host.answer
  world.host.answer = (request) =>
    request.path === new URL(webhook).pathname ? (answers.shift() ?? { status: 200 }) : documents(request)
}
const later = (seconds: number) => {
  world.clock.advance(seconds)
  return world.app.jobs.run(job)
}

// The first, as the process has a clock of its own.
test('an order that a process was sending when it was killed is sent again', async () => {
  const agent = newAgent()
  answerWith(agent, 'hang')
  const { own } = await place(agent)
  const server = await workerProcess(world.app.db.pool.options.connectionString!)
  while (agent.received().length === 0) await new Promise((wake) => setTimeout(wake, 20))
  await server.end('SIGKILL')
  await later(25)
  assert.deepEqual(
    agent.received().map(({ headers }) => headers['webhook-id']),
    [`${own}.1`, `${own}.1`],
  )
  await later(3600)
  assert.equal(agent.received().length, 2)
})

for (const release of releases) {
  test(`an agent of ${release} is told of its order, signed with a key of the store's profile`, async () => {
    const agent = newAgent(undefined, release)
    const order = await place(agent)
    assert.equal(agent.received().length, 0)
    await later(0)
    const [request, ...others] = agent.received()
    assert.deepEqual([request!.method, others], ['POST', []])
    const { headers, body } = request!
    const read = await world.agent(domain, { profile: agent.profile, release }).call('get_order', { id: order.id })
    assert.deepEqual(JSON.parse(body.toString()), read.body)
    assert.equal(read.body.ucp.version, release)
    assert.equal(headers['ucp-agent'], `profile="https://${domain}/.well-known/ucp"`)
    assert.equal(headers['content-digest'], digestOf(body.toString()))
    assert.equal(headers['webhook-id'], `${order.own}.1`)
    assert.match(String(headers['webhook-timestamp']), /^\d{10}$/)
    assert.ok(await isSigned(agent, request!))
    assert.ok(!(await isSigned(agent, { ...request!, headers: { ...headers, 'webhook-id': 'other' } })))
    await later(3600)
    assert.equal(agent.received().length, 1)
  })
}

test('each change of the order is told: paid, fulfilled, refunded, canceled', async () => {
  const agent = newAgent()
  const [first, second] = [await place(agent), await place(agent)]
  await later(0)
  const path = `/v1/orders/${first.own}`
  const last = async () => {
    await later(0)
    return bodies(agent).at(-1)
  }
  const ok = ({ status, error }: { status: number; error?: unknown }) => assert.ok(status < 300, JSON.stringify(error))
  ok(await shop.api.patch(path, { payment_status: 'paid' }))
  assert.equal((await last()).id, first.id)
  assert.equal(agent.received().length, 3)
  ok(await shop.api.post(`${path}/fulfillments`, { tracking_number: 'T1' }))
  const shipped = await last()
  assert.deepEqual([shipped.line_items[0].status, shipped.fulfillment.events[0].tracking_number], ['fulfilled', 'T1'])
  ok(await shop.api.post(`${path}/refunds`, { amount: 1 }))
  assert.deepEqual(
    (await last()).adjustments.map(({ type }: { type: string }) => type),
    ['refund'],
  )
  ok(await shop.api.patch(`/v1/orders/${second.own}`, { status: 'cancelled' }))
  const canceled = await last()
  assert.deepEqual([canceled.id, canceled.adjustments[0].type], [second.id, 'cancellation'])
  assert.equal(new Set(agent.received().map(({ headers }) => headers['webhook-id'])).size, agent.received().length)
})

test("an order that the buyer places on the shop's page is told too", async () => {
  const agent = newAgent()
  const { id } = await begin(agent)
  const { status } = await shopperOf(world, shop).complete(id, { payment_method: 'cod' })
  assert.equal(status, 201)
  await later(0)
  assert.equal(bodies(agent)[0].line_items[0].quantity.original, 1)
})

test('what is not accepted is sent again, with the same ID, until it is', async () => {
  const agent = newAgent()
  answerWith(agent, { status: 500 }, 'reset', { status: 302, headers: { location: 'https://10.0.0.1/' } })
  const { own } = await place(agent)
  for (const [seconds, count] of [
    [0, 1],
    [19, 1],
    [1, 2],
    [40, 3],
    [80, 4],
    [3600, 4],
  ] as const) {
    await later(seconds)
    assert.equal(agent.received().length, count, `${seconds} s later`)
  }
  assert.deepEqual([...new Set(agent.received().map(({ headers }) => headers['webhook-id']))], [`${own}.1`])
})

test('a change that comes while the order is being sent is sent after it', async () => {
  const agent = newAgent()
  answerWith(agent, { status: 200, delayMs: 500 })
  const { own } = await place(agent)
  const sending = later(0)
  await world.host.waitFor(world.host.received.length + 1)
  await shop.api.patch(`/v1/orders/${own}`, { payment_status: 'paid' })
  await sending
  await later(0)
  assert.deepEqual(
    agent.received().map(({ headers }) => headers['webhook-id']),
    [`${own}.1`, `${own}.2`],
  )
})

test('one who hangs does not hold up the others, and is left alone for a while', async () => {
  const [hanging, other] = [newAgent(), newAgent()]
  answerWith(hanging, 'hang', 'hang')
  await place(hanging)
  await place(hanging)
  await place(other)
  let isOver = false
  const run = later(0).finally(() => (isOver = true))
  while (other.received().length === 0) await new Promise((wake) => setTimeout(wake, 20))
  assert.equal(isOver, false, 'the first one still hangs')
  await run
  assert.equal(hanging.received().length, 2)
  await later(20)
  assert.equal(hanging.received().length, 2)
  await later(60)
  assert.equal(hanging.received().length, 4)
})

test('a receiver that is gone, or fails for three days, is told no more of this change', async () => {
  const [gone, failing] = [newAgent(world.publish({ status: 410 })), newAgent(world.publish({ status: 500 }))]
  await place(gone)
  const { own } = await place(failing)
  for (const hours of [0, 1, 71, 1]) await later(hours * 3600)
  const count = failing.received().length
  await later(24 * 3600)
  assert.deepEqual([gone.received().length, failing.received().length], [1, count])
  await shop.api.patch(`/v1/orders/${own}`, { payment_status: 'paid' })
  await later(0)
  assert.equal(failing.received().length, count + 1)
})

test('nobody is told who did not sign, declares no webhook, or has it inside the network', async () => {
  const [unsigned, inside] = [newAgent(), newAgent('https://10.0.0.1/orders')]
  const agent = world.agent(domain, { profile: unsigned.profile })
  const { body } = await agent.call('create_checkout', { body: whole(product) })
  await agent.call('complete_checkout', { id: body.id, body: byCash })
  await place(inside)
  await place({
    ...unsigned,
    profile: world.publish({ body: JSON.stringify({ ...platformProfile(newest, capabilityNames), keys: [key.jwk] }) }),
  })
  await later(0)
  assert.equal(unsigned.received().length, 0)
  const rows = await world.app.db.rows<{ profile: string }>(sql`
    select profile from agent_orders where store_id = ${shop.store.id} and due_at is not null`)
  assert.ok(rows.some(({ profile }) => profile === inside.profile))
})

test('a checkout that is never placed is forgotten after 90 days', async () => {
  const agent = newAgent()
  await begin(agent)
  const left = async () =>
    (await world.app.db.rows(sql`select from agent_orders where profile = ${agent.profile}`)).length
  world.clock.advance(89 * 24 * 3600)
  await world.app.jobs.run('drop checkouts of agents')
  assert.equal(await left(), 1)
  world.clock.advance(24 * 3600)
  await world.app.jobs.run('drop checkouts of agents')
  assert.equal(await left(), 0)
})

/** By a library that others wrote, with the keys of the profile that the webhook names. */
async function isSigned({ webhook }: TestAgent, { headers }: Received): Promise<boolean> {
  const { keys } = (await world.http(domain, 'GET', '/.well-known/ucp')).body
  const request = { method: 'POST', url: webhook, headers: headers as Record<string, string> }
  const required = ['@method', '@authority', '@path', 'ucp-agent', 'content-digest', 'content-type', 'webhook-id']
  const verified = await httpbis
    .verifyMessage(
      {
        requiredFields: required,
        keyLookup: async ({ keyid }) => {
          const jwk = keys.find(({ kid }: { kid: string }) => kid === keyid)
          return { verify: createVerifier(createPublicKey({ format: 'jwk', key: jwk }), 'ecdsa-p256-sha256') }
        },
        notAfter: world.clock.now(),
      },
      request,
    )
    .catch(() => false)
  return verified === true
}
