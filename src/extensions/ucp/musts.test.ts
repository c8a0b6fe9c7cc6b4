// What a business MUST do by the specification, beside what the tests of catalog, checkout, profile and MCP say. Each
// test is one sentence of it, named with its chapter.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productOf } from '../../../test/checkouts.ts'
import {
  buyer,
  byCash,
  codesOf,
  home,
  lines,
  openUcpWorld,
  shipping,
  totalOf,
  whole,
  type Agent,
} from '../../../test/ucp.ts'
import { operations } from './operations.ts'
import { releases } from './releases.ts'

const world = await openUcpWorld()

/** A store that ships by two rates, has a place to pick up, and takes cash on delivery. */
const open = async () => {
  const shop = await world.newStore()
  const rate = async (body: object) => (await shop.api.post('/v1/store/shipping-rates', body)).data
  await rate({ code: 'standard', price: 5 })
  await rate({ code: 'express', price: 12.5 })
  await rate({ code: 'pickup', price: 0, requires_address: false, pickup_address: 'Main Street 1' })
  await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  const domain = await world.domainOf(shop)
  return { shop, domain, agent: world.agent(domain) }
}

const begin = async (agent: Agent, body: object) => (await agent.call('create_checkout', { body })).body
const itemsOf = ({ line_items }: any) => line_items.map(({ item, quantity }: any) => [item.id, quantity])

test('overview: every dev.ucp entry of a profile is of the profile’s version, a date', async () => {
  const { domain } = await open()
  for (const [path, release] of [
    ['', releases[0]],
    ['/2026-04-08', '2026-04-08'],
  ]) {
    const { body } = await world.http(domain, 'GET', `/.well-known/ucp${path}`)
    const entries = [body.ucp.services, body.ucp.capabilities].flatMap((registry) =>
      Object.values<any>(registry).flat(),
    )
    assert.ok(entries.length > 5)
    assert.deepEqual([...new Set(entries.map(({ version }) => version)), body.ucp.version], [release, release])
    assert.match(body.ucp.version, /^\d{4}-\d\d-\d\d$/)
  }
})

test('overview: spec and schema of a dev.ucp entry are https on ucp.dev, without user info', async () => {
  const { domain } = await open()
  const { body } = await world.http(domain, 'GET', '/.well-known/ucp')
  const entries = [body.ucp.services, body.ucp.capabilities].flatMap((registry) => Object.values<any>(registry).flat())
  for (const url of entries.flatMap(({ spec, schema }) => [new URL(spec), new URL(schema)])) {
    assert.deepEqual([url.origin, url.username, url.password], ['https://ucp.dev', '', ''])
  }
  const { spec } = body.ucp.capabilities['dev.ucp.shopping.discount'][0]
  assert.equal(new URL(spec).pathname, '/2026-08-25/specification/shopping/extensions/discount')
})

for (const release of releases) {
  for (const transport of ['rest', 'mcp'] as const) {
    test(`overview: every answer of ${release} by ${transport} has ucp with that version, an outcome too`, async () => {
      const { shop, domain } = await open()
      const { id } = await productOf(shop)
      const agent = world.agent(domain, { release, transport })
      const bodies: Record<string, object> = {
        search_catalog: { query: 'x' },
        lookup_catalog: { ids: [id] },
        get_product: { id: 'unknown' },
        create_cart: { line_items: lines(id) },
        create_checkout: { line_items: lines(id) },
      }
      for (const { name, hasId } of operations) {
        const body = bodies[name] ?? (name.startsWith('update') ? { line_items: lines(id) } : {})
        const answer = await agent.call(name, { body, ...(hasId ? { id: 'unknown' } : {}) })
        const expected = hasId || name === 'get_product' ? 'error' : 'success'
        assert.deepEqual([answer.body.ucp?.version, answer.body.ucp?.status], [release, expected], name)
        assert.match(answer.headers.get('content-type')!, /^application\/json/)
      }
    })
  }
}

test('overview: requests are application/json', async () => {
  const { domain, agent } = await open()
  for (const path of ['/ucp/carts', '/ucp/mcp']) {
    const headers = { 'content-type': 'text/plain', 'ucp-agent': `profile="${agent.profile}"` }
    const { status } = await world.http(domain, 'POST', path, { body: { line_items: [] }, headers })
    assert.ok(status >= 400 && status < 500, `${path} ${status}`)
  }
})

test('overview: credentials are not echoed', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  const secret = 'tok_4242424242424242'
  const credential = { type: 'token', token: secret }
  const payment = { instruments: [{ id: 'one', handler_id: 'cod', type: 'cod', credential }] }
  const begun = await begin(agent, { ...whole(id), payment })
  const done = await agent.call('complete_checkout', { id: begun.id, body: { payment } })
  const read = await agent.call('get_checkout', { id: begun.id })
  assert.equal(done.body.status, 'completed')
  assert.ok(![begun, done.body, read.body].some((body) => JSON.stringify(body).includes(secret)))
})

test('overview: attribution, signals and fields that are not known change nothing', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  const plain = await begin(agent, whole(id))
  const more = {
    attribution: { source: 'x' },
    signals: { 'dev.ucp.buyer_ip': '203.0.113.7' },
    ucp: { version: '1999-01-01', status: 'error', ucp: {} },
    'com.example.extra': { deep: [1] },
    id: 'other',
  }
  const marked = await begin(agent, { ...whole(id), ...more })
  const without = ({ id: _, continue_url: __, expires_at: ___, ...rest }: any) => rest
  assert.deepEqual(without(marked), without(plain))
})

test('overview: payment handlers are those for this checkout', async () => {
  const { shop, agent } = await open()
  await shop.api.post('/v1/store/payment-methods', { code: 'bank_transfer', instructions: 'Account 1' })
  const { data } = await shop.api.get('/v1/store/shipping-rates')
  const express = data.find(({ code }: any) => code === 'express')
  await shop.api.patch(`/v1/store/shipping-rates/${express.id}`, { payment_methods: ['bank_transfer'] })
  const { id } = await productOf(shop)
  const handlersBy = async (option: string) => {
    const { ucp } = await begin(agent, { ...whole(id), fulfillment: shipping(option) })
    return ucp.payment_handlers['alt.stoa.manual_payment'].map((handler: any) => handler.id)
  }
  assert.deepEqual(await handlersBy('standard'), ['cod', 'bank_transfer'])
  assert.deepEqual(await handlersBy('express'), ['bank_transfer'])
})

test('checkout: an eligibility claim that is not known does not block it', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  const { id: token, status } = await begin(agent, { ...whole(id), context: { eligibility: ['com.example.member'] } })
  assert.equal(status, 'ready_for_complete')
  assert.equal((await agent.call('complete_checkout', { id: token, body: byCash })).body.status, 'completed')
})

const inUnit = (id: string, quantity_unit: object) => ({ item: { id, quantity_unit }, quantity: 2 })
const kilograms = { unit: 'KGM', scale: 2, display_text: 'kg' }

test('checkout: an asserted unit is compared; the piece, however it is called, is ours', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  for (const unit of [{ unit: 'C62' }, { unit: 'C62', scale: 0, display_text: 'Stück', increment: 1 }]) {
    const body = await begin(agent, { line_items: [inUnit(id, unit)] })
    assert.deepEqual(itemsOf(body), [[id, 2]])
    assert.ok(!codesOf(body).some((code) => code.startsWith('quantity_unit')))
  }
})

test('checkout: a line in another unit is not created, and named by a recoverable message', async () => {
  const { shop, agent } = await open()
  const [cup, other] = [await productOf(shop), await productOf(shop, { name: 'Other' })]
  for (const unit of [kilograms, { unit: 'C62', scale: 1, display_text: 'tenth' }]) {
    const body = await begin(agent, { line_items: [inUnit(cup.id, unit), ...lines(other.id)] })
    assert.deepEqual(itemsOf(body), [[other.id, 1]])
    const [message] = body.messages.filter(({ code }: any) => code === 'quantity_unit_mismatch')
    assert.equal(message.severity, 'recoverable')
    assert.ok(message.content.includes(cup.id) && message.content.includes('C62'))
    const none = await begin(agent, { line_items: [inUnit(cup.id, unit)] })
    assert.deepEqual(
      [none.ucp.status, codesOf(none)[0]],
      ['error', 'quantity_unit_mismatch unrecoverable $.line_items[0]'],
    )
  }
})

test('checkout, cart: an update in another unit leaves the lines as they were', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  for (const kind of ['checkout', 'cart']) {
    const { body: begun } = await agent.call(`create_${kind}`, { body: { line_items: lines(id, 3) } })
    const update = { line_items: [inUnit(id, kilograms)], buyer }
    const { body } = await agent.call(`update_${kind}`, { id: begun.id, body: update })
    assert.deepEqual([itemsOf(body), body.buyer], [[[id, 3]], undefined])
    assert.ok(codesOf(body).includes('quantity_unit_mismatch recoverable $.line_items[0]'))
  }
})

test('checkout: a quantity is never revised silently', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop, { stock: 2 })
  const begun = await begin(agent, { line_items: lines(id, 2) })
  const { body } = await agent.call('update_checkout', { id: begun.id, body: { line_items: lines(id, 5) } })
  assert.deepEqual(itemsOf(body), [[id, 2]])
  assert.ok(codesOf(body).some((code) => code.startsWith('out_of_stock recoverable')))
})

test('cart: a checkout made of it uses its contents, and ignores what overlaps', async () => {
  const { shop, agent } = await open()
  const [cup, other] = [await productOf(shop), await productOf(shop, { name: 'Other' })]
  const { body: cart } = await agent.call('create_cart', { body: { line_items: lines(cup.id, 2), buyer } })
  const strange = { line_items: lines(other.id, 9), buyer: { email: 'other@example.com' } }
  const made = await begin(agent, { cart_id: cart.id, ...strange, fulfillment: shipping('standard') })
  assert.deepEqual([itemsOf(made), made.buyer], [[[cup.id, 2]], buyer])
  assert.deepEqual(
    [made.status, made.fulfillment.methods[0].destinations[0].street_address],
    ['ready_for_complete', home.street_address],
  )
})

test('cart: a second checkout of a cart is the one that there is', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  const { body: cart } = await agent.call('create_cart', { body: { line_items: lines(id) } })
  const made = await Promise.all([1, 2, 3].map(() => begin(agent, { cart_id: cart.id, line_items: [] })))
  assert.equal(new Set(made.map((checkout) => checkout.id)).size, 1)
  const read = await agent.call('get_checkout', { id: made[0].id })
  assert.deepEqual(itemsOf(read.body), [[id, 1]])
})

test('discount: codes of a cart are carried into its checkout', async () => {
  const { shop, agent } = await open()
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const { id } = await productOf(shop, { price: 50 })
  const { body: cart } = await agent.call('create_cart', {
    body: { line_items: lines(id), discounts: { codes: ['TEN'] } },
  })
  const made = await begin(agent, { cart_id: cart.id, line_items: [] })
  assert.deepEqual([made.discounts.codes, totalOf(made, 'discount')], [['TEN'], -500])
})

test('cart: an update replaces it', async () => {
  const { shop, agent } = await open()
  const [cup, other] = [await productOf(shop), await productOf(shop, { name: 'Other' })]
  const { body: cart } = await agent.call('create_cart', { body: { line_items: lines(cup.id, 2), buyer } })
  const { body } = await agent.call('update_cart', { id: cart.id, body: { line_items: lines(other.id) } })
  assert.deepEqual([body.id, itemsOf(body), body.buyer], [cart.id, [[other.id, 1]], undefined])
})

test('cart: canceling answers with its state before, and it is not found afterwards', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  const { body: cart } = await agent.call('create_cart', { body: { line_items: lines(id, 2) } })
  const { status, body } = await agent.call('cancel_cart', { id: cart.id, body: {} })
  assert.deepEqual([status, body.id, itemsOf(body), totalOf(body)], [200, cart.id, [[id, 2]], totalOf(cart)])
  for (const name of ['get_cart', 'update_cart', 'cancel_cart']) {
    const gone = await agent.call(name, { id: cart.id, body: { line_items: lines(id) } })
    assert.deepEqual(codesOf(gone.body), ['not_found unrecoverable'], name)
  }
})

test('catalog: selected names each option once, whatever was sent', async () => {
  const { shop, agent } = await open()
  const { data: shirt } = await shop.api.post('/v1/products', {
    name: 'Shirt',
    price: 10,
    variants: ['Red', 'Blue'].map((value) => ({ option_values: [{ option_title: 'Colour', value }] })),
  })
  const selected = ['Red', 'Blue'].map((label) => ({ name: 'Colour', label }))
  for (const choice of [selected, [...selected].reverse(), [selected[0], selected[0]]]) {
    const { body } = await agent.call('get_product', { body: { id: shirt.id, selected: choice } })
    assert.deepEqual(body.product.selected, [choice[0]])
    assert.deepEqual(body.product.variants[0].options, [choice[0]])
  }
})

test('fulfillment: a selected destination is carried by its ID, exactly once', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  const sent = { type: 'shipping', groups: [{ selected_option_id: 'standard' }] }
  const destinations = [
    { id: 'work', ...home, street_address: 'Broadway 1' },
    { id: 'home', ...home },
  ]
  const method = { ...sent, destinations, selected_destination_id: 'home' }
  const body = await begin(agent, { ...whole(id), fulfillment: { methods: [method] } })
  const [shipped] = body.fulfillment.methods
  assert.equal(shipped.selected_destination_id, 'home')
  assert.deepEqual(
    shipped.destinations.map((one: any) => [one.id, one.street_address]),
    [['home', home.street_address]],
  )
  // The ID that later answers have selects the address that there is.
  const read = await agent.call('get_checkout', { id: body.id })
  const { selected_destination_id } = read.body.fulfillment.methods[0]
  const again = { ...whole(id, 2), fulfillment: { methods: [{ ...sent, selected_destination_id }] } }
  const updated = await agent.call('update_checkout', { id: body.id, body: again })
  assert.deepEqual([codesOf(updated.body), updated.body.status], [[], 'ready_for_complete'])
  assert.equal(updated.body.fulfillment.methods[0].destinations[0].street_address, home.street_address)
})

test('fulfillment: a destination that is not known is refused, never replaced by another', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  const begun = await begin(agent, whole(id))
  const path = '$.fulfillment.methods[0].selected_destination_id'
  const wrong = [
    { type: 'shipping', destinations: [{ id: 'a', ...home, street_address: 'X' }], selected_destination_id: 'b' },
    { type: 'shipping', selected_destination_id: 'b' },
    { type: 'pickup', selected_destination_id: 'standard' },
    { type: 'pickup', selected_destination_id: 'nowhere' },
    { type: 'pickup', selected_destination_id: 'pickup', groups: [{ selected_option_id: 'standard' }] },
  ]
  for (const method of wrong) {
    const body = { ...whole(id, 3), fulfillment: { methods: [method] } }
    const { body: same } = await agent.call('update_checkout', { id: begun.id, body })
    assert.ok(codesOf(same).includes(`invalid recoverable ${path}`), JSON.stringify([method, same.messages]))
    assert.deepEqual([itemsOf(same), same.fulfillment], [[[id, 1]], begun.fulfillment])
    const fresh = await begin(agent, body)
    assert.ok(codesOf(fresh).includes(`invalid recoverable ${path}`))
    assert.equal(fresh.fulfillment.methods[0].selected_destination_id, undefined)
  }
})

test('fulfillment: all items of a method are one group, whose options have titles of their own', async () => {
  const { shop, agent } = await open()
  const [one, two] = [await productOf(shop, { name: 'One' }), await productOf(shop, { name: 'Two' })]
  const body = await begin(agent, { line_items: [...lines(one.id), ...lines(two.id)], fulfillment: shipping() })
  for (const { groups, line_item_ids } of body.fulfillment.methods) {
    assert.deepEqual([groups.length, groups[0].line_item_ids], [1, line_item_ids])
    assert.deepEqual(
      line_item_ids,
      body.line_items.map(({ id }: any) => id),
    )
    const titles = groups[0].options.map(({ title }: any) => title)
    assert.equal(new Set(titles).size, titles.length)
  }
})

const orderOf = async (agent: Agent, body: object) => {
  const { id } = await begin(agent, body)
  return (await agent.call('complete_checkout', { id, body: byCash })).body.order
}

test('order: it has all lines that it ever had, whatever edits removed', async () => {
  const { shop, agent } = await open()
  const [one, two] = [await productOf(shop, { name: 'One' }), await productOf(shop, { name: 'Two' })]
  const placed = await orderOf(agent, { ...whole(one.id), line_items: [...lines(one.id, 3), ...lines(two.id, 2)] })
  const [order] = (await shop.api.get('/v1/orders')).data
  const itemOf = ({ id }: any) => order.items.find(({ product_id }: any) => product_id === id).id
  const items = [
    { item_id: itemOf(one), quantity: 1 },
    { item_id: itemOf(two), quantity: 0 },
  ]
  const { status, error } = await shop.api.post(`/v1/orders/${order.id}/edits`, { items })
  assert.equal(status, 200, JSON.stringify(error))
  const { body } = await agent.call('get_order', { id: placed.id })
  assert.deepEqual(
    body.line_items.map(({ item, quantity, status: state }: any) => [item.id, quantity, state]),
    [
      [one.id, { original: 3, total: 1, fulfilled: 0 }, 'processing'],
      [two.id, { original: 2, total: 0, fulfilled: 0 }, 'removed'],
    ],
  )
})

test('order: every answer is the whole order, before and after it is sent', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  const placed = await orderOf(agent, whole(id, 2))
  const before = (await agent.call('get_order', { id: placed.id })).body
  const [order] = (await shop.api.get('/v1/orders')).data
  await shop.api.post(`/v1/orders/${order.id}/fulfillments`, { items: [{ item_id: order.items[0].id, quantity: 1 }] })
  const after = (await agent.call('get_order', { id: placed.id })).body
  assert.deepEqual(Object.keys(after), Object.keys(before))
  assert.deepEqual([after.line_items[0].status, after.fulfillment.events.length], ['partial', 1])
})

test('order: who does not prove to know it is not told of it', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  const placed = await orderOf(agent, whole(id))
  const [order, signature, checkout] = placed.id.split('.')
  const forged = [
    `${order}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}.${checkout}`,
    order,
    'x.y.z',
  ]
  for (const guess of forged) {
    const { body } = await agent.call('get_order', { id: guess })
    assert.deepEqual(codesOf(body), ['not_found unrecoverable'], guess)
  }
})
