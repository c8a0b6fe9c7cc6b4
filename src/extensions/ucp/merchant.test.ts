// What merchants see of shoppers' agents, and what they let them do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, home, productOf, shopperOf } from '../../../test/checkouts.ts'
import { byCash, codesOf, openUcpWorld, whole } from '../../../test/ucp.ts'
import { dataOf } from '../../../test/shop.ts'

const world = await openUcpWorld({}, { sweeps: true })
const name = new URL(world.host.url).host

const open = async () => {
  const shop = await world.newStore()
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 5 })
  await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  const { id } = await productOf(shop, { name: 'Cup', price: 10, stock: 90 })
  return { shop, id, agent: world.agent(await world.domainOf(shop)) }
}

test('orders say where they come from: the shop, the API, or an agent by its name', async () => {
  const { shop, id, agent } = await open()
  const { api } = shop
  const { body } = await agent.call('create_checkout', { body: whole(id, 1) })
  assert.equal((await agent.call('complete_checkout', { id: body.id, body: byCash })).body.status, 'completed')
  await api.post('/v1/orders', { items: [{ product_id: id, quantity: 1 }] })
  const shopper = shopperOf(world, shop)
  const { data } = await shopper.begin({ items: [{ product_id: id, quantity: 1 }], customer: ana })
  const change = { shipping_method: 'standard', payment_method: 'cod', shipping_address: home }
  dataOf(await shopper.change(data.token, change), 200)
  dataOf(await shopper.complete(data.token, {}), 201)
  const orders = (await api.get('/v1/orders?sort=created_at&order=asc')).data
  assert.deepEqual(
    orders.map(({ channel, agent }: any) => [channel, agent]),
    [
      ['agent', name],
      ['api', null],
      ['shop', null],
    ],
  )
  const numbers = async (query: string) =>
    (await api.get(`/v1/orders?sort=created_at&order=asc&${query}`)).data.map(({ order_number }: any) => order_number)
  assert.deepEqual(await numbers('channel=agent'), [orders[0].order_number])
  assert.deepEqual(await numbers('channel=shop'), [orders[2].order_number])
  assert.deepEqual(await numbers(`agent=${name}`), [orders[0].order_number])
  assert.deepEqual(await numbers('agent=other.example'), [])
  assert.equal((await api.get('/v1/orders?channel=fax')).status, 422)
  const csv = await (await fetch(`${world.url}/v1/orders.csv`, { headers: { 'x-api-key': api.key } })).text()
  assert.match(csv, new RegExp(`,agent,${name.replace('.', '\\.')},`))
})

test('a checkout that an agent leaves is a draft of the agent', async () => {
  const { shop, id, agent } = await open()
  await agent.call('create_checkout', { body: whole(id, 1) })
  const [draft] = (await shop.api.get('/v1/checkout-drafts?status=active&channel=agent')).data
  assert.deepEqual([draft.channel, draft.agent], ['agent', name])
  assert.deepEqual((await shop.api.get('/v1/checkout-drafts?status=active&channel=shop')).data, [])
})

test('the log of requests has the calls of agents, by REST and MCP, with who asked and nothing personal', async () => {
  const { shop, id } = await open()
  const domain = await world.domainOf(shop)
  await world.agent(domain).call('create_checkout', { body: whole(id, 1) })
  await world.agent(domain, { transport: 'mcp' }).call('create_checkout', { body: whole(id, 1) })
  await world.http(domain, 'POST', '/ucp/checkout-sessions', { body: {} })
  await world.app.requestLog?.flush()
  const { data } = await shop.api.get(`/v1/requests?agent=${name}`)
  assert.deepEqual(
    data.map(({ route, tool, agent, credential, status }: any) => [route, tool, agent, credential, status]).sort(),
    [
      ['/ucp/checkout-sessions', null, name, null, 201],
      ['/ucp/mcp', 'create_checkout', name, null, 200],
    ],
  )
  assert.doesNotMatch(JSON.stringify(data), /ana@|Torres/)
})

test('a store without agents has no profile and takes no calls', async () => {
  const { shop, id, agent } = await open()
  const domain = await world.domainOf(shop)
  dataOf(await shop.api.patch('/v1/store', { agent_checkouts: false }), 200)
  assert.equal((await world.http(domain, 'GET', '/.well-known/ucp')).status, 404)
  assert.equal((await agent.call('create_checkout', { body: whole(id, 1) })).status, 404)
  dataOf(await shop.api.patch('/v1/store', { agent_checkouts: true }), 200)
  assert.equal((await world.http(domain, 'GET', '/.well-known/ucp')).status, 200)
})

test('where agents may not place orders, the shopper completes the checkout', async () => {
  const { shop, id, agent } = await open()
  dataOf(await shop.api.patch('/v1/store', { agent_orders: false }), 200)
  const { body } = await agent.call('create_checkout', { body: whole(id, 1) })
  assert.deepEqual([body.status, codesOf(body)], ['requires_escalation', ['payment_required requires_buyer_input']])
  assert.ok(body.continue_url)
  assert.deepEqual(body.ucp.payment_handlers, {})
  const refused = await agent.call('complete_checkout', { id: body.id, body: byCash })
  assert.equal(refused.body.status, 'requires_escalation')
  assert.deepEqual((await shop.api.get('/v1/orders')).data, [])
})
