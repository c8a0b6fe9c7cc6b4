// Checkouts of agents, from the first line to the order. Each test is a rule of the specification's checkout, cart or
// order.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { newUuid } from '../../../kit/values/ids.ts'
import { checkoutToken } from './view.ts'
import { sql } from '../../../kit/database/sql.ts'
import { buyer, byCash, codesOf, home, lines, openUcpWorld, shipping, totalOf, whole } from '../../../../test/ucp.ts'
import { productOf } from '../../../../test/checkouts.ts'
import { receiver } from '../../../../test/receiver.ts'
import type { TestStore } from '../../../../test/world.ts'

const world = await openUcpWorld()
const { db } = world.app

/** A store that ships by two rates and takes cash on delivery. */
const open = async ({ methods = ['cod'], ...options }: { methods?: string[] } & object = {}) => {
  const shop = await world.newStore(options)
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 5 })
  await shop.api.post('/v1/store/shipping-rates', { code: 'express', price: 12.5 })
  if (methods.includes('card')) await shop.api.patch('/v1/store', { test_payments: true })
  for (const code of methods) {
    const { status, error } = await shop.api.post('/v1/store/payment-methods', {
      code,
      ...(code === 'card' ? { provider: 'test' } : {}),
      ...(code === 'bank_transfer' ? { instructions: 'Account 1' } : {}),
    })
    assert.equal(status, 201, JSON.stringify(error))
  }
  const domain = await world.domainOf(shop)
  return { shop, domain, agent: world.agent(domain) }
}

const ordersOf = async ({ api }: TestStore) => (await api.get('/v1/orders')).data
const stockOf = async ({ api }: TestStore, id: string) =>
  (await api.get(`/v1/inventory/products/${id}`)).data.stock_quantity

for (const transport of ['rest', 'mcp'] as const) {
  for (const release of ['2026-08-25', '2026-04-08'] as const) {
    test(`an agent buys by ${transport} in release ${release}, from the checkout to the order`, async () => {
      const { shop, domain } = await open()
      const agent = world.agent(domain, { transport, release })
      const { id } = await productOf(shop, { name: 'Cup', price: 19.99, stock: 5 })
      const created = await agent.call('create_checkout', { body: whole(id, 2) })
      assert.equal(created.status, transport === 'rest' ? 201 : 200)
      assert.deepEqual([created.body.ucp.version, created.body.status], [release, 'ready_for_complete'])
      assert.deepEqual(codesOf(created.body), [])
      assert.equal(totalOf(created.body), 2 * 1999 + 500)
      const done = await agent.call('complete_checkout', { id: created.body.id, body: byCash })
      assert.equal(done.status, 200)
      assert.equal(done.body.status, 'completed', JSON.stringify(done.body.messages))
      assert.equal(done.body.continue_url, undefined)
      const { order } = done.body
      assert.equal(order.permalink_url, `https://${domain}/orders/${order.id.split('.').slice(0, 2).join('.')}`)
      const [placed] = await ordersOf(shop)
      assert.deepEqual(
        [placed.total, placed.payment_method, placed.customer_name, placed.shipping_address.city],
        [44.98, 'cod', 'Ana Torres', 'New York'],
      )
      assert.equal(order.label, `#${placed.order_number}`)
      assert.equal(await stockOf(shop, id), 3)
      const read = await agent.call('get_order', { id: order.id })
      assert.deepEqual(
        [read.body.id, read.body.checkout_id, totalOf(read.body)],
        [order.id, created.body.id, totalOf(created.body)],
      )
    })
  }
}

test('a new checkout has an ID, lines with totals, a currency, links, and where and until when to go on', async () => {
  const { shop, domain, agent } = await open()
  const { id } = await productOf(shop, { name: 'Cup', price: 20 })
  await shop.api.post('/v1/pages', { kind: 'terms', title: 'Terms', body: 'x' })
  await shop.api.post('/v1/pages', { kind: 'privacy', title: 'Privacy', body: 'x' })
  const { body } = await agent.call('create_checkout', { body: { line_items: lines(id, 3) } })
  assert.match(body.id, /^[\w-]{43}$/)
  const sums = [
    { type: 'subtotal', amount: 6000 },
    { type: 'total', amount: 6000 },
  ]
  assert.deepEqual(body.line_items, [
    { id: `line:${id}`, item: { id, title: 'Cup', price: 2000 }, quantity: 3, totals: sums },
  ])
  assert.equal(body.currency, 'USD')
  assert.deepEqual(body.links, [
    { type: 'terms_of_service', url: `https://${domain}/pages/terms`, title: 'Terms' },
    { type: 'privacy_policy', url: `https://${domain}/pages/privacy`, title: 'Privacy' },
  ])
  assert.equal(body.continue_url, `https://${domain}/continue/${body.id}`)
  assert.ok(new Date(body.expires_at) > world.app.db.clock.now())
})

test('totals add up, with a discount below zero and tax that is added', async () => {
  const { shop, agent } = await open()
  await shop.api.patch('/v1/store', { tax_rate: 10, tax_included: false })
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const { id } = await productOf(shop, { price: 33.33 })
  const { body } = await agent.call('create_checkout', { body: { ...whole(id, 3), discounts: { codes: ['ten'] } } })
  const parts = ['subtotal', 'discount', 'fulfillment', 'tax'].map((type) => totalOf(body, type) ?? 0)
  assert.equal(
    parts.reduce((sum, part) => sum + part, 0),
    totalOf(body),
  )
  assert.equal(body.totals.filter(({ type }: any) => type === 'subtotal' || type === 'total').length, 2)
  assert.ok(totalOf(body, 'discount')! < 0)
  assert.deepEqual(body.discounts.codes, ['TEN'])
  assert.deepEqual(
    body.discounts.applied.map(({ code, amount }: any) => [code, amount]),
    [['TEN', 1000]],
  )
})

test('a missing value is reported with its path, and the checkout is incomplete', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  const { body } = await agent.call('create_checkout', { body: { line_items: lines(id) } })
  assert.equal(body.status, 'incomplete')
  const destination = '$.fulfillment.methods[0].destinations[0]'
  assert.deepEqual(
    codesOf(body),
    [
      'field_required recoverable $.buyer.email',
      'field_required recoverable $.buyer.first_name',
      `field_required recoverable ${destination}.street_address`,
      `field_required recoverable ${destination}.address_locality`,
      `field_required recoverable ${destination}.postal_code`,
      `field_required recoverable ${destination}.address_country`,
      `field_required recoverable ${destination}.address_region`,
      'field_required recoverable $.fulfillment.methods[0].groups[0].selected_option_id',
    ].filter((code) => codesOf(body).includes(code)),
  )
  assert.ok(codesOf(body).length >= 5)
})

test('an update replaces the whole checkout: what it leaves out is taken out', async () => {
  const { shop, agent } = await open()
  const [one, two] = [await productOf(shop, { name: 'One' }), await productOf(shop, { name: 'Two' })]
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const { body: begun } = await agent.call('create_checkout', {
    body: { ...whole(one.id), discounts: { codes: ['TEN'] } },
  })
  const { status, body } = await agent.call('update_checkout', { id: begun.id, body: { line_items: lines(two.id, 2) } })
  assert.deepEqual([status, body.id, body.status], [200, begun.id, 'incomplete'])
  assert.deepEqual(
    body.line_items.map(({ item, quantity }: any) => [item.id, quantity]),
    [[two.id, 2]],
  )
  assert.equal(body.buyer, undefined)
  assert.equal(body.fulfillment.methods[0].destinations, undefined)
  assert.equal(body.fulfillment.methods[0].groups[0].selected_option_id, null)
  assert.deepEqual(body.discounts, { applied: [] })
  const read = await agent.call('get_checkout', { id: begun.id })
  const { expires_at: _, ...rest } = body
  const { expires_at: __, ...known } = read.body
  assert.deepEqual(known, rest)
})

test('lines keep their IDs, and lines of one item are one', async () => {
  const { shop, agent } = await open()
  const [one, two] = [await productOf(shop, { name: 'One' }), await productOf(shop, { name: 'Two' })]
  const { body } = await agent.call('create_checkout', {
    body: { line_items: [...lines(one.id), ...lines(two.id), ...lines(one.id, 2)] },
  })
  assert.deepEqual(
    body.line_items.map(({ item, quantity }: any) => [item.id, quantity]),
    [
      [one.id, 3],
      [two.id, 1],
    ],
  )
  const kept = body.line_items[1]
  const next = await agent.call('update_checkout', {
    id: body.id,
    body: { line_items: [{ id: kept.id, item: { id: two.id }, quantity: 4 }] },
  })
  assert.deepEqual(
    next.body.line_items.map(({ id, quantity }: any) => [id, quantity]),
    [[kept.id, 4]],
  )
})

test('a buyer and an address come back as they were given', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  const { body } = await agent.call('create_checkout', { body: whole(id) })
  assert.deepEqual(body.buyer, buyer)
  const [method] = body.fulfillment.methods
  assert.equal(method.selected_destination_id, method.destinations[0].id)
  const { first_name, last_name, phone_number } = buyer
  assert.deepEqual(method.destinations[0], {
    id: 'destination',
    type: 'shipping_address',
    first_name,
    last_name,
    phone_number,
    ...home,
  })
})

test('shipping rates are options of fulfillment, with what each costs this checkout', async () => {
  const { shop, agent } = await open()
  await shop.api.post('/v1/store/shipping-rates', {
    code: 'pickup',
    price: 0,
    requires_address: false,
    pickup_address: 'Here 1',
  })
  const { id } = await productOf(shop)
  const { body } = await agent.call('create_checkout', {
    body: { line_items: lines(id), buyer, fulfillment: shipping() },
  })
  const [shipped, fetched] = body.fulfillment.methods
  assert.deepEqual(
    shipped.groups[0].options.map(({ id: option, totals }: any) => [option, totals[0].amount]),
    [
      ['standard', 500],
      ['express', 1250],
    ],
  )
  assert.deepEqual([shipped.line_item_ids, fetched.type], [[`line:${id}`], 'pickup'])
  assert.deepEqual(
    fetched.destinations.map(({ type, id: place }: any) => [type, place]),
    [['business_location', 'pickup']],
  )
  const express = await agent.call('update_checkout', {
    id: body.id,
    body: { line_items: lines(id), buyer, fulfillment: shipping('express') },
  })
  assert.deepEqual([totalOf(express.body, 'fulfillment'), express.body.status], [1250, 'ready_for_complete'])
  const pickup = { methods: [{ type: 'pickup', selected_destination_id: 'pickup' }] }
  const picked = await agent.call('update_checkout', {
    id: body.id,
    body: { line_items: lines(id), buyer, fulfillment: pickup },
  })
  assert.deepEqual([totalOf(picked.body, 'fulfillment'), picked.body.status], [0, 'ready_for_complete'])
  assert.equal(picked.body.fulfillment.methods[1].selected_destination_id, 'pickup')
})

test('what is not shipped is bought without an address, and taxed where the instrument is billed', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop, { requires_shipping: false })
  const begun = await agent.call('create_checkout', { body: { line_items: lines(id), buyer } })
  assert.deepEqual([begun.body.status, begun.body.fulfillment], ['ready_for_complete', { methods: [] }])
  for (const [country_code, rate] of [
    ['US', 5],
    ['DE', 19],
  ])
    await shop.api.post('/v1/store/tax-zones', { name: 'VAT', country_code, rate, included: false })
  const unbilled = await agent.call('update_checkout', { id: begun.body.id, body: { line_items: lines(id), buyer } })
  assert.deepEqual(
    unbilled.body.messages.map(({ path, severity }: any) => [path, severity]),
    [['$.payment.instruments[0].billing_address', 'recoverable']],
  )
  const billing_address = {
    street_address: 'Lange Str. 1',
    address_locality: 'Kiel',
    postal_code: '24103',
    address_country: 'DE',
  }
  const payment = { instruments: [{ ...byCash.payment.instruments[0], billing_address }] }
  const billed = await agent.call('update_checkout', {
    id: begun.body.id,
    body: { line_items: lines(id), buyer, payment },
  })
  assert.deepEqual([billed.body.status, totalOf(billed.body)], ['ready_for_complete', 2380])
  const done = await agent.call('complete_checkout', { id: begun.body.id, body: { payment } })
  assert.deepEqual([done.body.status, done.body.fulfillment], ['completed', { methods: [] }])
  const [order] = await ordersOf(shop)
  assert.deepEqual([order.shipping_method, order.tax_amount, order.shipping_address], ['digital', 3.8, null])
})

test('a store without a shipping rate sells what is not shipped', async () => {
  const shop = await world.newStore()
  await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  const agent = world.agent(await world.domainOf(shop))
  const { id } = await productOf(shop, { requires_shipping: false })
  const begun = await agent.call('create_checkout', { body: { line_items: lines(id), buyer } })
  assert.deepEqual([begun.body.status, begun.body.fulfillment], ['ready_for_complete', { methods: [] }])
  const done = await agent.call('complete_checkout', { id: begun.body.id, body: byCash })
  assert.equal(done.body.status, 'completed', JSON.stringify(done.body.messages))
  assert.deepEqual(
    (await ordersOf(shop)).map(({ shipping_method: code }: any) => code),
    ['digital'],
  )
})

test('an address that the store does not ship to is reported as undeliverable', async () => {
  const { shop, agent } = await open()
  const { data } = await shop.api.get('/v1/store/shipping-rates')
  for (const { id } of data) await shop.api.patch(`/v1/store/shipping-rates/${id}`, { country_codes: ['MX'] })
  const { id } = await productOf(shop)
  const { body } = await agent.call('create_checkout', { body: whole(id) })
  assert.equal(body.status, 'incomplete')
  assert.ok(
    codesOf(body).some((code) => code.startsWith('address_undeliverable recoverable')),
    codesOf(body).join(),
  )
})

test('an agent that cannot say where to ship hands over to the buyer', async () => {
  const { shop, domain } = await open()
  const { id } = await productOf(shop)
  const agent = world.agent(domain, { profile: world.profileOf('2026-08-25', ['dev.ucp.shopping.checkout']) })
  const { body } = await agent.call('create_checkout', { body: { line_items: lines(id), buyer } })
  assert.equal(body.status, 'requires_escalation')
  assert.ok(body.continue_url)
  assert.ok(body.messages.every(({ severity }: any) => severity === 'requires_buyer_input'))
})

test('where methods need a page of theirs, a message wants the buyer at continue_url', async () => {
  const { shop, agent } = await open({ methods: ['card'] })
  const { id } = await productOf(shop)
  const { body } = await agent.call('create_checkout', { body: whole(id) })
  assert.deepEqual([body.status, codesOf(body)], ['requires_escalation', ['payment_required requires_buyer_input']])
  assert.ok(body.continue_url)
  assert.deepEqual(body.ucp.payment_handlers, {})
  const done = await agent.call('complete_checkout', { id: body.id, body: {} })
  assert.deepEqual([done.body.status, done.body.order], ['requires_escalation', undefined])
  assert.deepEqual(await ordersOf(shop), [])
})

test('a buyer who pays by card beside cash on delivery goes on at continue_url', async () => {
  const { shop, agent } = await open({ methods: ['cod', 'card'] })
  const { id } = await productOf(shop)
  const { body } = await agent.call('create_checkout', { body: whole(id) })
  assert.equal(body.status, 'ready_for_complete')
  for (const instrument of [
    { id: '1', handler_id: 'card', type: 'card' },
    { id: '1', handler_id: 'com.google.pay', type: 'card' },
  ]) {
    const done = await agent.call('complete_checkout', {
      id: body.id,
      body: { payment: { instruments: [instrument] } },
    })
    assert.deepEqual(
      [done.body.status, codesOf(done.body)],
      ['requires_escalation', ['payment_required requires_buyer_input']],
    )
    assert.ok(done.body.continue_url)
  }
  const unknown = { payment: { instruments: [{ id: '1', handler_id: 'barter', type: 'barter' }] } }
  const refused = await agent.call('complete_checkout', { id: body.id, body: unknown })
  assert.deepEqual(codesOf(refused.body), ['payment_failed recoverable $.payment.instruments'])
  assert.deepEqual(await ordersOf(shop), [])
})

test('the buyer goes on at continue_url with everything that the agent entered', async () => {
  const { shop, agent } = await open({ methods: ['card'] })
  const { id } = await productOf(shop)
  const { body } = await agent.call('create_checkout', { body: whole(id) })
  const root = `${world.url}/s/${shop.store.slug}`
  const moved = await fetch(`${root}/continue/${body.id}`, { redirect: 'manual' })
  assert.deepEqual([moved.status, moved.headers.get('location')], [303, `/s/${shop.store.slug}/checkout`])
  const cookie = moved.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const page = await (await fetch(`${root}/checkout`, { headers: { cookie } })).text()
  for (const text of ['ana@example.com', 'Ana Torres', '350 Fifth Avenue', '10118'])
    assert.ok(page.includes(text), text)
  assert.equal((await fetch(`${root}/continue/${body.id.slice(1)}x`, { redirect: 'manual' })).status, 404)
})

test('only methods without a provider are handlers, and an order takes exactly one instrument of theirs', async () => {
  const { shop, agent } = await open({ methods: ['cod', 'bank_transfer', 'card'] })
  const { id } = await productOf(shop)
  const { body } = await agent.call('create_checkout', { body: whole(id) })
  const handlers = body.ucp.payment_handlers['alt.stoa.manual_payment']
  assert.deepEqual(
    handlers.map((one: any) => one.id),
    ['cod', 'bank_transfer'],
  )
  const instrument = (handler_id: string) => ({ id: 'one', handler_id, type: handler_id })
  for (const instruments of [[], [instrument('cod'), instrument('bank_transfer')], [instrument('x')]]) {
    const { body: refused } = await agent.call('complete_checkout', { id: body.id, body: { payment: { instruments } } })
    assert.ok(
      codesOf(refused).includes('payment_failed recoverable $.payment.instruments'),
      JSON.stringify(refused.messages),
    )
    assert.equal(refused.status, 'incomplete')
  }
  const none = await agent.call('complete_checkout', { id: body.id, body: {} })
  assert.ok(codesOf(none.body).includes('payment_failed recoverable $.payment.instruments'))
  const { body: done } = await agent.call('complete_checkout', {
    id: body.id,
    body: { payment: { instruments: [instrument('bank_transfer')] } },
  })
  assert.equal(done.status, 'completed')
  assert.equal((await ordersOf(shop))[0].payment_method, 'bank_transfer')
})

test('items that are unknown, of another store or sold out are left out of a new checkout, and named', async () => {
  const { shop, agent } = await open()
  const other = await open()
  const good = await productOf(shop)
  const bad: [id: string, code: string][] = [
    [newUuid(), 'item_unavailable'],
    ['nonsense', 'item_unavailable'],
    [(await productOf(other.shop)).id, 'item_unavailable'],
    [(await productOf(shop, { product_status: 'draft' })).id, 'item_unavailable'],
    [(await productOf(shop, { stock: 0 })).id, 'out_of_stock'],
  ]
  for (const [id, code] of bad) {
    const { status, body } = await agent.call('create_checkout', {
      body: { line_items: [...lines(id), ...lines(good.id)] },
    })
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual(
      body.line_items.map(({ item }: any) => item.id),
      [good.id],
    )
    const told = body.messages.find(({ content }: any) => content.startsWith(id))
    assert.deepEqual([told?.code, told?.path, told?.severity], [code, '$.line_items', 'recoverable'], id)
    const alone = await agent.call('create_checkout', { body: { line_items: lines(id) } })
    assert.deepEqual([alone.status, alone.body.ucp.status, alone.body.id], [200, 'error', undefined])
    assert.deepEqual(codesOf(alone.body), [
      `${code} unrecoverable $.line_items[0]${code === 'out_of_stock' ? '.quantity' : ''}`,
    ])
    assert.ok(alone.body.continue_url)
  }
})

test('an update that a store cannot accept leaves the checkout as it was, and says why', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop, { stock: 3 })
  const { body: begun } = await agent.call('create_checkout', { body: whole(id) })
  for (const [change, code] of [
    [{ line_items: lines(id, 4) }, 'out_of_stock recoverable $.line_items[0].quantity'],
    [{ line_items: [...lines(id), ...lines(newUuid())] }, 'item_unavailable recoverable $.line_items[1]'],
    [{ buyer: { ...buyer, email: 'not an address' } }, 'invalid recoverable $.buyer.email'],
    [
      { fulfillment: shipping('nonsense') },
      'invalid recoverable $.fulfillment.methods[0].groups[0].selected_option_id',
    ],
  ] as const) {
    const { status, body } = await agent.call('update_checkout', { id: begun.id, body: { ...whole(id), ...change } })
    assert.equal(status, 200)
    assert.ok(codesOf(body).includes(code), JSON.stringify([code, codesOf(body)]))
    assert.deepEqual([body.line_items, body.buyer, body.totals], [begun.line_items, begun.buyer, begun.totals])
  }
  assert.equal((await agent.call('get_checkout', { id: begun.id })).body.status, 'ready_for_complete')
})

test('a discount code that does not apply is a warning, and the checkout goes on', async () => {
  const { shop, agent } = await open()
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const { id } = await productOf(shop)
  const { body } = await agent.call('create_checkout', { body: { ...whole(id), discounts: { codes: ['WRONG'] } } })
  assert.deepEqual([body.status, codesOf(body)], ['ready_for_complete', ['discount_code_invalid $.discounts.codes[0]']])
  const both = await agent.call('update_checkout', {
    id: body.id,
    body: { ...whole(id), discounts: { codes: ['TEN', 'MORE'] } },
  })
  assert.deepEqual(codesOf(both.body), ['discount_code_invalid $.discounts.codes[1]'])
  assert.deepEqual(both.body.discounts.codes, ['TEN'])
  await shop.api.post('/v1/discounts', { code: 'FIVE', type: 'percentage', value: 5 })
  await shop.api.post('/v1/discounts', { code: 'FREE', type: 'free_shipping', value: 0, combines_with: ['order'] })
  await shop.api.post('/v1/discounts', { code: 'TWO', type: 'fixed_amount', value: 2, combines_with: ['shipping'] })
  const several = await agent.call('update_checkout', {
    id: body.id,
    body: { ...whole(id), discounts: { codes: ['five', 'two', 'free', 'FIVE', 'A', 'B', 'C'] } },
  })
  assert.deepEqual(codesOf(several.body), [
    'discount_code_combination_disallowed $.discounts.codes[5]',
    'discount_code_invalid $.discounts.codes[3]',
    'discount_code_invalid $.discounts.codes[4]',
    'discount_code_combination_disallowed $.discounts.codes[0]',
  ])
  assert.deepEqual(several.body.discounts.codes, ['FIVE', 'TWO', 'FREE'])
  assert.deepEqual(
    several.body.discounts.applied.map(({ code, amount }: any) => [code, amount]),
    [
      ['TWO', 200],
      ['FREE', 0],
    ],
  )
})

test('an address may not guess discount codes', async () => {
  const { shop, domain } = await open()
  const { id } = await productOf(shop)
  const agent = world.agent(domain, { address: '10.8.8.8' })
  const { body } = await agent.call('create_checkout', { body: whole(id) })
  const guess = (tries: number) =>
    agent.call('update_checkout', { id: body.id, body: { ...whole(id), discounts: { codes: [`G${tries}`] } } })
  for (let tries = 0; tries < 10; tries++) assert.equal((await guess(tries)).status, 200)
  assert.deepEqual([(await guess(10)).status, (await guess(10)).body.code], [429, 'rate_limited'])
})

test('what no checkout can be is refused before anything is done', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  for (const body of [
    {},
    { line_items: 'x' },
    { line_items: [{ item: {}, quantity: 1 }] },
    { line_items: lines(id, 0) },
    { line_items: lines(id, 1.5) },
    { line_items: lines(id, -1) },
    { line_items: lines(id), buyer: 'Ana' },
    { line_items: lines(id), buyer: { email: 'x'.repeat(300) } },
    { line_items: Array.from({ length: 101 }, () => lines(id)[0]) },
  ]) {
    const { status, body: answer } = await agent.call('create_checkout', { body })
    assert.deepEqual([status, answer.code], [400, 'invalid_request'], JSON.stringify(body).slice(0, 80))
  }
  assert.equal((await db.rows(sql`select from checkouts where store_id = ${shop.store.id}`)).length, 0)
})

test('an agent is told if a price is not the one that it expected', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop, { price: 20 })
  const { body } = await agent.call('create_checkout', {
    body: { ...whole(id), line_items: [{ item: { id, price: 1 }, quantity: 1 }] },
  })
  assert.deepEqual(codesOf(body), ['price_changed $.line_items[0].item.price'])
  assert.equal(body.line_items[0].item.price, 2000)
})

test('a total that has risen refuses the order until an update accepts it', async () => {
  const { shop, agent } = await open()
  const product = await productOf(shop, { price: 20 })
  const { body: begun } = await agent.call('create_checkout', { body: whole(product.id) })
  const low = await agent.call('complete_checkout', {
    id: begun.id,
    body: { ...byCash, totals: [{ type: 'total', amount: 100 }] },
  })
  assert.ok(
    codesOf(low.body).some((code) => code.startsWith('price_changed recoverable')),
    codesOf(low.body).join(),
  )
  await shop.api.patch(`/v1/products/${product.id}`, { price: 30 })
  const refused = await agent.call('complete_checkout', { id: begun.id, body: byCash })
  assert.equal(refused.body.status, 'incomplete')
  assert.ok(codesOf(refused.body).some((code) => code.startsWith('price_changed recoverable')))
  assert.deepEqual(await ordersOf(shop), [])
  const read = await agent.call('get_checkout', { id: begun.id })
  assert.deepEqual([read.body.status, totalOf(read.body)], ['incomplete', 3500])
  const accepted = await agent.call('update_checkout', { id: begun.id, body: whole(product.id) })
  assert.equal(accepted.body.status, 'ready_for_complete')
  assert.ok(codesOf(accepted.body).every((code) => code.startsWith('price_changed $')))
  const done = await agent.call('complete_checkout', { id: begun.id, body: byCash })
  assert.deepEqual([done.body.status, (await ordersOf(shop))[0].total], ['completed', 35])
})

test('an item that is sold out at completion is reported, and no order is placed', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop, { stock: 1 })
  const [one, two] = [
    await agent.call('create_checkout', { body: whole(id) }),
    await agent.call('create_checkout', { body: whole(id) }),
  ]
  assert.equal((await agent.call('complete_checkout', { id: one.body.id, body: byCash })).body.status, 'completed')
  const late = await agent.call('complete_checkout', { id: two.body.id, body: byCash })
  assert.equal(late.body.status, 'incomplete')
  assert.ok(codesOf(late.body).includes('out_of_stock recoverable $.line_items[0].quantity'), codesOf(late.body).join())
  assert.deepEqual([(await ordersOf(shop)).length, await stockOf(shop, id)], [1, 0])
})

test('a completed checkout stays as it is', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  const { body } = await agent.call('create_checkout', { body: whole(id) })
  const done = await agent.call('complete_checkout', { id: body.id, body: byCash })
  const again = await agent.call('complete_checkout', { id: body.id, body: byCash })
  assert.deepEqual(again.body.order, done.body.order)
  const changed = await agent.call('update_checkout', { id: body.id, body: { line_items: lines(id, 9) } })
  assert.deepEqual([changed.body.status, changed.body.line_items], ['completed', done.body.line_items])
  assert.deepEqual(codesOf(changed.body), ['checkout_closed recoverable'])
  const canceled = await agent.call('cancel_checkout', { id: body.id })
  assert.deepEqual([canceled.body.status, codesOf(canceled.body)], ['completed', ['checkout_closed recoverable']])
  assert.equal((await ordersOf(shop)).length, 1)
})

test('a canceled checkout is answered as canceled, and is not found afterwards', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop)
  for (const body of [whole(id), { line_items: lines(id) }]) {
    const { body: begun } = await agent.call('create_checkout', { body })
    const key = randomUUID()
    const canceled = await agent.call('cancel_checkout', { id: begun.id, key })
    assert.deepEqual([canceled.status, canceled.body.status, canceled.body.id], [200, 'canceled', begun.id])
    assert.deepEqual([canceled.body.continue_url, canceled.body.messages], [undefined, undefined])
    assert.deepEqual((await agent.call('cancel_checkout', { id: begun.id, key })).body, canceled.body)
    for (const name of ['get_checkout', 'update_checkout', 'complete_checkout', 'cancel_checkout']) {
      const after = await agent.call(name, { id: begun.id, body: name === 'complete_checkout' ? byCash : whole(id) })
      assert.deepEqual([after.status, codesOf(after.body)], [200, ['not_found unrecoverable']], name)
    }
  }
  // Nobody is reminded of it.
  assert.deepEqual((await shop.api.get('/v1/checkout-drafts?status=abandoned')).data, [])
})

test('a checkout of another store, and an ID that is none, are not found', async () => {
  const { shop, agent } = await open()
  const other = await open()
  const { id } = await productOf(shop)
  const { body } = await agent.call('create_checkout', { body: whole(id) })
  for (const [who, asked] of [
    [other.agent, body.id],
    [agent, 'x'],
    [agent, body.id.replace(/.$/, '_')],
  ] as const) {
    for (const name of ['get_checkout', 'get_cart', 'get_order']) {
      const { status, body: answer } = await who.call(name, { id: asked })
      assert.deepEqual([status, codesOf(answer)], [200, ['not_found unrecoverable']])
    }
  }
})

test('a key does a thing once: the same request gets the same answer, another one a conflict', async () => {
  const { shop, domain } = await open()
  for (const transport of ['rest', 'mcp'] as const) {
    const agent = world.agent(domain, { transport })
    const { id } = await productOf(shop)
    const key = randomUUID()
    const made = await agent.call('create_checkout', { body: whole(id), key })
    assert.deepEqual((await agent.call('create_checkout', { body: whole(id), key })).body, made.body)
    const other = await agent.call('create_checkout', { body: whole(id, 2), key })
    assert.deepEqual([other.status, other.body.code], [409, 'idempotency_conflict'])
    const before = (await ordersOf(shop)).length
    const paid = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => agent.call('complete_checkout', { id: made.body.id, body: byCash, key: paid })),
    )
    assert.ok(answers.every(({ body }) => body.order?.id === answers[0]!.body.order.id))
    assert.equal((await ordersOf(shop)).length, before + 1)
    // A later release of the same answer, though the checkout could not do it again.
    assert.deepEqual(
      (await agent.call('complete_checkout', { id: made.body.id, body: byCash, key: paid })).body,
      answers[0]!.body,
    )
  }
})

test('a refusal is kept by its key too, for a day', async () => {
  const { shop, agent } = await open()
  const { id } = await productOf(shop, { stock: 1 })
  const { body } = await agent.call('create_checkout', { body: whole(id) })
  await shop.api.patch(`/v1/inventory/products/${id}`, { quantity: -1, reason: 'correction' })
  const key = randomUUID()
  const refused = await agent.call('complete_checkout', { id: body.id, body: byCash, key })
  assert.equal(refused.body.status, 'incomplete')
  await shop.api.patch(`/v1/inventory/products/${id}`, { quantity: 5, reason: 'correction' })
  assert.deepEqual((await agent.call('complete_checkout', { id: body.id, body: byCash, key })).body, refused.body)
  assert.equal((await agent.call('complete_checkout', { id: body.id, body: byCash })).body.status, 'completed')
})

test('a buyer who pays at once is asked for no instrument if nothing is due', async () => {
  const { shop, agent } = await open()
  await shop.api.post('/v1/discounts', { code: 'ALL', type: 'percentage', value: 100 })
  await shop.api.post('/v1/store/shipping-rates', { code: 'free', name: 'Free', price: 0 })
  const { id } = await productOf(shop)
  const body = { ...whole(id), fulfillment: shipping('free'), discounts: { codes: ['ALL'] } }
  const { body: begun } = await agent.call('create_checkout', { body })
  assert.deepEqual([totalOf(begun), begun.status, codesOf(begun)], [0, 'ready_for_complete', []])
  assert.equal((await agent.call('complete_checkout', { id: begun.id, body: byCash })).body.status, 'completed')
})

test('a billing address comes with the payment instrument, and its faults have its path', async () => {
  const { shop, agent } = await open({ methods: ['cod'] })
  const { id } = await productOf(shop)
  const billing_address = {
    first_name: 'Ana',
    last_name: 'Torres',
    street_address: 'Lange Str. 1',
    address_locality: 'Kiel',
    postal_code: '24103',
    address_country: 'DE',
  }
  const pay = (place: object) => ({
    instruments: [{ id: 'one', handler_id: 'cod', type: 'cod', billing_address: place }],
  })
  const { body } = await agent.call('create_checkout', { body: { ...whole(id), payment: pay(billing_address) } })
  assert.deepEqual(body.payment.instruments[0].billing_address, billing_address)
  const wrong = { id: body.id, body: { payment: pay({ ...billing_address, postal_code: 'x' }) } }
  const refused = await agent.call('complete_checkout', wrong)
  assert.deepEqual(codesOf(refused.body), ['invalid recoverable $.payment.instruments[0].billing_address'])
  await agent.call('complete_checkout', { id: body.id, body: { payment: pay(billing_address) } })
  const [order] = await ordersOf(shop)
  assert.deepEqual([order.billing_address.city, order.billing_address.country_code], ['Kiel', 'DE'])
})

test('agents read what the store asks, and answer it; what is missing has its path', async () => {
  const { shop, agent } = await open({ methods: ['cod'] })
  const define = (field: object) =>
    shop.api.post('/v1/store/custom-fields', { applies_to: 'order', asked_at_checkout: true, ...field })
  await define({ key: 'gift_message', label: 'Gift message' })
  await define({ key: 'adult', label: 'I am over 18', type: 'boolean', is_required: true })
  const { id } = await productOf(shop)
  const custom_fields = { gift_message: 'For Mia', adult: 'yes' }
  const { body } = await agent.call('create_checkout', { body: { ...whole(id), custom_fields } })
  assert.deepEqual(codesOf(body), ['invalid recoverable $.custom_fields.adult'])
  assert.deepEqual([body.status, body.custom_fields], ['incomplete', { gift_message: 'For Mia' }])
  assert.deepEqual(
    body.custom_field_definitions.map(({ key, type }: any) => [key, type]),
    [
      ['gift_message', 'text'],
      ['adult', 'boolean'],
    ],
  )
  const update = { ...whole(id), custom_fields: { adult: true } }
  const { body: ready } = await agent.call('update_checkout', { id: body.id, body: update })
  assert.deepEqual(
    [ready.status, ready.custom_fields],
    ['ready_for_complete', { gift_message: 'For Mia', adult: true }],
  )
  await agent.call('complete_checkout', { id: body.id, body: byCash })
  const [order] = await ordersOf(shop)
  assert.deepEqual(
    order.custom_fields.map(({ label, value }: any) => [label, value]),
    [
      ['Gift message', 'For Mia'],
      ['I am over 18', true],
    ],
  )
})

test('apps are asked for the price of shipping, and the order keeps to what the agent was told', async () => {
  const { shop, agent } = await open()
  const app = await receiver()
  let price = 7.5
  app.answer = () => ({ body: JSON.stringify({ price }) })
  try {
    const [rate] = (await shop.api.get('/v1/store/shipping-rates')).data.filter(({ code }: any) => code === 'standard')
    await shop.api.patch(`/v1/store/shipping-rates/${rate.id}`, { quote_url: `${app.url}/quote` })
    await shop.api.post(`/v1/store/shipping-rates/${rate.id}/rotate-secret`)
    const { id } = await productOf(shop, { price: 20, stock: 9 })
    const created = await agent.call('create_checkout', { body: whole(id, 1) })
    assert.deepEqual([totalOf(created.body), app.received.length], [2750, 1])
    price = 9
    const changed = await agent.call('update_checkout', { id: created.body.id, body: whole(id, 2) })
    assert.deepEqual([totalOf(changed.body), app.received.length], [4900, 2])
    price = 99
    const done = await agent.call('complete_checkout', { id: created.body.id, body: byCash })
    assert.deepEqual([done.body.status, app.received.length], ['completed', 2])
    assert.equal((await ordersOf(shop))[0].total, 49)
    // An app that fails leaves the rate its own price.
    app.answer = () => ({ status: 500 })
    assert.equal(totalOf((await agent.call('create_checkout', { body: whole(id, 1) })).body), 2500)
  } finally {
    await app.close()
  }
})

test('the ID of a checkout begins with no dash, which a command line takes for a flag', () => {
  const sign = (text: string) => ({ sign: () => text })
  for (const [signed, id] of [
    ['-a-b', '_a-b'],
    ['a-b', 'a-b'],
  ] as const)
    assert.equal(checkoutToken({ deps: { vault: sign(signed) }, store: { id: 'SH-1' } } as any, 'chk_1'), id)
})
