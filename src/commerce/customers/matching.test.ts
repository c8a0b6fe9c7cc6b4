// Who counts as one person: every pair of contacts, and one pair through every door by which an order comes in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { home, productOf, setUp, shopperOf } from '../../../test/checkouts.ts'
import { imported } from '../../../test/imports.ts'
import { dataOf, sold } from '../../../test/shop.ts'
import { openUcpWorld, whole, byCash } from '../../../test/ucp.ts'
import type { TestStore } from '../../../test/world.ts'

const world = await openUcpWorld({}, { sweeps: true })

type Contact = { email: string | null; phone: string | null }

const phones = ['+1 212 555 0101', '+1 212 555 0102', null]
const contacts: Contact[] = ['ann@example.com', 'bob@example.com', null].flatMap((email) =>
  phones.flatMap((phone) => (email || phone ? { email, phone } : [])),
)

const isOnePerson = (one: Contact, other: Contact) =>
  one.email && other.email ? one.email === other.email : one.phone !== null && one.phone === other.phone

/** The number is written as somebody else would. */
const rewritten = (phone: string | null) => phone?.replace(/\+1 (\d+) (\d+) (\d+)/, '($1) $2-$3')

for (const first of contacts) {
  test(`after an order of ${first.email} ${first.phone}, only an order of the same person is theirs`, async () => {
    for (const second of contacts) {
      const shop = await setUp(await world.newStore())
      const product = await productOf(shop)
      const order = async ({ email, phone }: { [K in keyof Contact]: string | null | undefined }) => {
        const buyer = { customer_name: 'N', customer_email: email, customer_phone: phone }
        return dataOf(await shop.api.post('/v1/orders', { items: [sold(product)], ...buyer }), 201).customer_id
      }
      const [one, other] = [
        await order(first),
        await order({ email: second.email?.toUpperCase(), phone: rewritten(second.phone) }),
      ]
      assert.equal(one === other, isOnePerson(first, second), `${second.email} ${second.phone}`)
    }
  })
}

type Buyer = { name: string; email: string; phone: string }

const doors: Record<string, (shop: TestStore, product: any, buyer: Buyer) => Promise<unknown>> = {
  checkout: async (shop, product, customer) => {
    const shopper = shopperOf(world, shop)
    const begun = await shopper.begin({ items: [sold(product)], customer, shipping_address: home })
    dataOf(await shopper.complete(dataOf(begun, 201).token), 201)
  },
  'abandoned checkout': async (shop, product, customer) => {
    const shopper = shopperOf(world, shop)
    dataOf(await shopper.begin({ items: [sold(product)], customer, shipping_address: home }), 201)
  },
  'order by API': async ({ api }, product, customer) =>
    dataOf(await api.post('/v1/orders', { items: [sold(product)], customer }), 201),
  'draft order': async ({ api }, product, { name, email, phone }) => {
    const contact = { customer_name: name, customer_email: email, customer_phone: phone }
    const draft = dataOf(await api.post('/v1/draft-orders', { items: [sold(product)], ...contact }), 201)
    dataOf(await api.post(`/v1/draft-orders/${draft.id}/complete`, {}), 200)
  },
  'imported order': async ({ api }, _, { name, email, phone }) => {
    const text = `order_number,customer_name,customer_email,customer_phone,item_name,item_quantity,item_price,created_at
${phone === ann.phone ? 7 : 8},${name},${email},${phone},Mug,1,10,2024-03-05T15:00:00Z\n`
    const done = await imported(world, api, text, { kind: 'orders' })
    assert.equal(done.rows_created, 1, JSON.stringify(done))
  },
  'imported customer': async ({ api }, _, { name, email, phone }) => {
    const done = await imported(world, api, `name,email,phone\n${name},${email},${phone}\n`, { kind: 'customers' })
    assert.equal(done.rows_created, 1, JSON.stringify(done))
  },
  'order of an agent': async (shop, product, { name, email, phone }) => {
    const agent = world.agent(await world.domainOf(shop))
    const body = whole(product.id)
    const [first_name, last_name] = name.split(' ')
    const buyer = { ...body.buyer, first_name, last_name, email, phone_number: phone }
    const { body: begun } = await agent.call('create_checkout', { body: { ...body, buyer } })
    const { body: done } = await agent.call('complete_checkout', { id: begun.id, body: byCash })
    assert.equal(done.status, 'completed', JSON.stringify(done.messages))
  },
}

const ann: Buyer = { name: 'Ann Ames', email: 'ann@example.com', phone: '+1 212 555 0101' }
const bob: Buyer = { name: 'Bob Burr', email: 'bob@example.com', phone: '(212) 555-0101' }

for (const [door, enter] of Object.entries(doors)) {
  test(`what is exported of a customer has nothing of another with the same phone: ${door}`, async () => {
    const shop = await setUp(await world.newStore())
    const product = await productOf(shop)
    await enter(shop, product, ann)
    await enter(shop, product, bob)
    if (door === 'abandoned checkout') for (const one of [ann, bob]) await shop.api.post('/v1/customers', one)
    const { data: customers } = await shop.api.get('/v1/customers?sort=created_at&order=asc')
    assert.deepEqual(
      customers.map(({ email }: Buyer) => email),
      [ann.email, bob.email],
    )
    for (const [index, other] of [bob, ann].entries()) {
      const text = JSON.stringify(dataOf(await shop.api.get(`/v1/customers/${customers[index].id}/data`), 200))
      assert.ok(!text.includes(other.email) && !text.includes(other.name), text)
    }
  })
}

test('an imported customer with an email is the one of the phone who has none, and no order with another', async () => {
  const shop = await setUp(await world.newStore())
  const product = await productOf(shop)
  const [free, taken] = ['+1 212 555 0101', '+1 212 555 0102']
  for (const phone of [free, taken]) await shop.api.post('/v1/customers', { name: 'Caller', phone })
  const buyer = { customer_email: bob.email, customer_phone: taken }
  dataOf(await shop.api.post('/v1/orders', { items: [sold(product)], ...buyer }), 201)
  const text = `name,email,phone\nAnn Ames,ANN@example.com,(212) 555-0101\nCarl Coe,carl@example.com,${taken}\n`
  const done = await imported(world, shop.api, text, { kind: 'customers', on_duplicate: 'update' })
  assert.deepEqual([done.rows_created, done.rows_updated], [1, 1], JSON.stringify(done))
  const { data } = await shop.api.get('/v1/customers?sort=created_at&order=asc')
  assert.deepEqual(
    data.map(({ email = null, phone }: Contact) => [email?.toLowerCase() ?? null, phone]),
    [
      [ann.email, '(212) 555-0101'],
      [null, taken],
      ['carl@example.com', taken],
    ],
  )
})

test('a customer without an email is one person: orders with two emails are not both theirs', async () => {
  const shop = await setUp(await world.newStore())
  const product = await productOf(shop)
  const order = async (buyer: object) =>
    dataOf(await shop.api.post('/v1/orders', { items: [sold(product)], ...buyer }), 201).customer_id
  const { phone } = ann
  const caller = await order({ customer_name: 'Caller', customer_phone: phone })
  assert.equal(await order({ customer_email: ann.email, customer_phone: phone }), caller)
  assert.notEqual(await order({ customer_email: bob.email, customer_phone: phone }), caller)
  assert.equal(await order({ customer_email: ann.email.toUpperCase(), customer_phone: phone }), caller)
})

test('an international domain is one address, however it is spelled, and an invalid one is refused', async () => {
  const shop = await setUp(await world.newStore())
  const product = await productOf(shop)
  const order = (customer_email: string) =>
    shop.api.post('/v1/orders', { items: [sold(product)], customer_name: 'Ana', customer_email })
  const spellings = ['ana@bücher.example', 'ana@xn--bcher-kva.example', 'Ana@BÜCHER.example']
  const placed = []
  for (const spelling of spellings) placed.push(dataOf(await order(spelling), 201))
  assert.equal(new Set(placed.map(({ customer_id }) => customer_id)).size, 1)
  assert.equal(placed[0].customer_email, 'ana@xn--bcher-kva.example')
  const { data } = await shop.api.get(`/v1/customers/${placed[0].customer_id}`)
  assert.deepEqual([data.email, data.orders_count], ['ana@xn--bcher-kva.example', 3])
  for (const wrong of ['ana@bü cher.example', '@bücher.example', `ana@${'é'.repeat(120)}.${'ü'.repeat(120)}`])
    assert.equal((await order(wrong)).status, 422, wrong)
})
