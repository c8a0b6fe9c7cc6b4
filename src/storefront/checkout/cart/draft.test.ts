import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, buyer, faultsOf, home, productOf, shopperOf, type Shopper } from '../../../../test/checkouts.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { vault } from '../../../kit/values/secrets.ts'
import { sql } from '../../../kit/database/sql.ts'
import { setPlan } from '../../../tenancy/stores/operations.ts'
import { openRecovery } from '../drafts/recovery.ts'

const world = await openWorld({}, { sweeps: true })
const deps = {
  vault: world.app.vault,
  checkout: { baseUrl: 'https://shop.example', abandonAfterSeconds: 1800, expireAfterSeconds: 30 * 86_400 },
}
const minute = 60,
  day = 24 * 60 * 60

const sweep = () => world.app.jobs.run('sweep checkouts')

/** Moves the clock and looks at what is due. */
async function pass(seconds: number) {
  world.clock.advance(seconds)
  assert.ok(await sweep())
}

async function begin(shop: TestStore, shopper: Shopper, body: object = {}) {
  const product = await productOf(shop, { name: 'Canvas backpack' })
  const { data, status } = await shopper.begin({
    items: [{ product_id: product.id, quantity: 2 }],
    ...buyer(),
    ...body,
  })
  assert.equal(status, 201)
  await shop.events()
  return { ...data, product }
}

async function statusOf({ api }: TestStore, { id }: { id: string }) {
  const found = await api.get(`/v1/checkout-drafts/${id}`)
  return found.status === 200 ? found.data.status : found.status
}

/** The token of a draft's recovery link. */
const linkOf = async ({ api }: TestStore, { id }: { id: string }) =>
  (await api.get(`/v1/checkout-drafts/${id}`)).data.recovery_token

const open = (shop: TestStore, link: string, token?: string): Promise<any> =>
  world.app.db.transaction((tx) => openRecovery(tx, shop.store, link, { token, deps }))

const eventsOf = async ({ events }: TestStore) => (await events()).map(({ event }) => event)

test('a draft exists once an e-mail or a phone is known', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const count = async () => (await shop.api.get('/v1/checkout-drafts/count?status=active')).data.count
  const begun = await begin(shop, shopper, { customer: { name: 'Ana' } })
  assert.deepEqual([await count(), await statusOf(shop, begun)], [0, 404])
  await shopper.change(begun.token, { customer: { phone: ana.phone } })
  assert.deepEqual([await count(), await statusOf(shop, begun)], [1, 'active'])
  await shopper.change(begun.token, { customer: { email: ana.email, phone: null } })
  const refused = await shopper.change(begun.token, { customer: { email: null } })
  assert.deepEqual([refused.status, refused.error.details[0].field], [422, 'customer.email'])
  assert.equal(await count(), 1)
})

test('a draft is listed with every field of the contract', async () => {
  const shop = await world.newStore({ currency: 'MXN' })
  const shopper = shopperOf(world, shop)
  const begun = await begin(shop, shopper, { shipping_address: home })
  await pass(30 * minute)
  const { data, pagination } = (await shop.api.get('/v1/checkout-drafts')).body
  assert.deepEqual(pagination, { page: 1, per_page: 25, total: 1, total_pages: 1 })
  const { id, status, recovery_token, recovery_url, customer, shipping_address, items, ...rest } = data[0]
  assert.deepEqual([id, status], [begun.id, 'abandoned'])
  assert.match(recovery_token, /^[\w-]{43}$/)
  assert.notEqual(recovery_token, begun.token)
  assert.equal(recovery_url, `https://shop.example/s/${shop.store.slug}/recover/${recovery_token}`)
  assert.deepEqual(customer, ana)
  assert.deepEqual(shipping_address, {
    ...home,
    name: null,
    phone: null,
    country: null,
    notes: null,
    address_2: null,
    company: null,
    province_code: 'MX-CMX',
  })
  assert.deepEqual(items, [
    {
      product_id: begun.product.id,
      variant_id: null,
      product_name: 'Canvas backpack',
      variant_name: null,
      quantity: 2,
      unit_price: 20,
      total_price: 40,
      bump_id: null,
      available_on: null,
      requires_shipping: true,
    },
  ])
  const { created_at, updated_at, abandoned_at, recovered_at, subtotal, discount, shipping, total, currency } = rest
  assert.deepEqual([subtotal, discount, shipping, total, currency, recovered_at], [40, 0, 0, 40, 'MXN', null])
  assert.equal(created_at, begun.created_at)
  assert.equal(updated_at, abandoned_at)
  assert.deepEqual((await shop.api.get(`/v1/checkout-drafts/${id}`)).data, data[0])
})

test('drafts are filtered by status, abandoned by default, and counted by the same', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  await begin(shop, shopper, { customer: { email: 'expired@example.com' } })
  await pass(30 * day)
  await begin(shop, shopper, { customer: { email: 'abandoned@example.com' } })
  const recovered = await begin(shop, shopper, { customer: { ...ana, email: 'recovered@example.com' } })
  await pass(30 * minute)
  await shopper.complete(recovered.token)
  await begin(shop, shopper, { customer: { email: 'active@example.com' } })
  const completed = await begin(shop, shopper, { customer: { ...ana, email: 'completed@example.com' } })
  await shopper.complete(completed.token)
  for (const status of ['active', 'abandoned', 'recovered', 'expired', 'all', '']) {
    const query = status && `?status=${status}`
    const { data, pagination } = (await shop.api.get(`/v1/checkout-drafts${query}`)).body
    const expected = status === 'all' ? ['active', 'recovered', 'abandoned', 'expired'] : [status || 'abandoned']
    assert.deepEqual(
      data.map(({ customer }: any) => customer.email),
      expected.map((one) => `${one}@example.com`),
    )
    assert.equal(pagination.total, expected.length)
    assert.equal((await shop.api.get(`/v1/checkout-drafts/count${query}`)).data.count, expected.length)
  }
  assert.equal((await shop.api.get('/v1/checkout-drafts?status=completed')).status, 422)
  assert.equal((await shop.api.get('/v1/checkout-drafts?status=all&per_page=2&page=2')).data.length, 2)
})

test('drafts need their scope and their feature, and are those of one store', async () => {
  const shop = await world.newStore(),
    other = await world.newStore()
  const begun = await begin(shop, shopperOf(world, shop))
  const without = await shop.withKey({ scopes: ['read:orders'] })
  const starter = await world.newStore({ plan: 'starter' })
  for (const path of ['', '/count', `/${begun.id}`]) {
    const scope = await without.get(`/v1/checkout-drafts${path}`)
    assert.deepEqual([scope.status, scope.error.code], [403, 'SCOPE_INSUFFICIENT'])
    const feature = await starter.api.get(`/v1/checkout-drafts${path}`)
    assert.deepEqual(
      [feature.status, feature.error.code, feature.error.details],
      [403, 'FEATURE_ACCESS_DENIED', { feature: 'abandoned_checkouts' }],
    )
  }
  assert.equal((await other.api.get(`/v1/checkout-drafts/${begun.id}`)).status, 404)
  assert.equal((await other.api.get('/v1/checkout-drafts?status=all')).body.pagination.total, 0)
})

test('a draft is abandoned after 30 minutes without change, and told of once as the contract says', async () => {
  const shop = await world.newStore({ currency: 'MXN', timezone: 'America/Mexico_City' })
  const shopper = shopperOf(world, shop)
  const begun = await begin(shop, shopper, { shipping_address: home })
  await pass(20 * minute)
  await shopper.change(begun.token, { customer: { name: 'Ana T.' } })
  await pass(30 * minute - 1)
  assert.deepEqual([await statusOf(shop, begun), await shop.events()], ['active', []])
  await pass(1)
  const { abandoned_at, created_at } = (await shop.api.get(`/v1/checkout-drafts/${begun.id}`)).data
  const [told, ...others] = await shop.events()
  assert.deepEqual(others, [])
  assert.equal(told!.event, 'checkout.abandoned')
  assert.deepEqual(told!.body, {
    event_id: begun.id,
    occurred_at: abandoned_at,
    checkout: {
      id: begun.id,
      status: 'abandoned',
      total: 40,
      subtotal: 40,
      shipping: 0,
      discount: 0,
      currency: 'MXN',
      recovery_url: `https://shop.example/s/${shop.store.slug}/recover/${await linkOf(shop, begun)}`,
      created_at,
      abandoned_at,
      shipping_address: {
        name: 'Ana T.',
        phone: ana.phone,
        address: home.address,
        city: home.city,
        province: home.province,
        country: 'Mexico',
        postal_code: home.postal_code,
        notes: null,
        address_2: null,
        company: null,
        province_code: 'MX-CMX',
      },
      items: [
        {
          product_id: begun.product.id,
          product_name: 'Canvas backpack',
          variant_name: null,
          quantity: 2,
          unit_price: 20,
          total_price: 40,
        },
      ],
    },
    customer: { ...ana, name: 'Ana T.' },
    store: { id: shop.store.id, name: 'Corner shop', timezone: 'America/Mexico_City' },
  })
  // It stays abandoned when its shopper comes back to it, and is told of no second time.
  assert.equal((await shopper.change(begun.token, { customer_notes: 'Hm' })).data.status, 'abandoned')
  await pass(day)
  assert.deepEqual([await statusOf(shop, begun), await shop.events()], ['abandoned', []])
})

test('order bumps that are no products go along with checkout.abandoned, others are items', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const strap = await productOf(shop, { name: 'Strap', price: 10 })
  const wrapping = (await shop.api.post('/v1/store/order-bumps', { title: 'Gift wrapping', price: 4.5 })).data
  const bump = (await shop.api.post('/v1/store/order-bumps', { title: 'A strap', product_id: strap.id })).data
  await begin(shop, shopper, { order_bumps: [wrapping.id, bump.id] })
  await pass(30 * minute)
  const [
    {
      body: { checkout },
    },
  ] = (await shop.events()) as any
  assert.deepEqual(checkout.order_bumps, {
    total: 4.5,
    items: [{ bump_id: wrapping.id, title: 'Gift wrapping', price: 4.5 }],
  })
  assert.deepEqual(
    checkout.items.map(({ product_name }: any) => product_name),
    ['Canvas backpack', 'Strap'],
  )
  assert.equal(checkout.total, 54.5)
})

test('the period of a store goes before the usual one', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  await shop.api.patch('/v1/store', { checkout_abandon_after_minutes: 10 })
  const begun = await begin(shop, shopper)
  await pass(10 * minute - 1)
  assert.equal(await statusOf(shop, begun), 'active')
  await pass(1)
  assert.equal(await statusOf(shop, begun), 'abandoned')

  const longer = await begin(shop, shopper)
  await shop.api.patch('/v1/store', { checkout_abandon_after_minutes: 60 })
  await pass(59 * minute)
  assert.equal(await statusOf(shop, longer), 'active', 'a period that became longer holds at once')
  await pass(minute)
  assert.equal(await statusOf(shop, longer), 'abandoned')
})

test('without the feature a draft is abandoned quietly', async () => {
  const shop = await world.newStore({ plan: 'starter' })
  const begun = await begin(shop, shopperOf(world, shop))
  await pass(30 * minute)
  assert.deepEqual(await shop.events(), [])
  await world.app.db.transaction((tx) => setPlan(tx, shop.store.id, 'growth'))
  assert.equal(await statusOf(shop, begun), 'abandoned')
  await pass(day)
  assert.deepEqual(await shop.events(), [], 'nor is it told of later')
})

test('a draft whose contact has ordered since, by email or phone, is not abandoned', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const orderOf = (customer: object) =>
    shop.api.post('/v1/orders', { customer, items: [{ product_name: 'A bag', unit_price: 5, quantity: 1 }] })
  assert.equal((await orderOf({ email: 'before@example.com' })).status, 201)
  world.clock.advance(1)
  const before = await begin(shop, shopper, { customer: { email: 'before@example.com' } })
  const mailed = await begin(shop, shopper, { customer: { email: 'Mailed@example.com' } })
  const phoned = await begin(shop, shopper, { customer: { phone: '+52 55 1234 5678' } })
  const another = await begin(shop, shopper, { customer: { email: 'another@example.com', phone: '+52 55 8765 4321' } })
  await orderOf({ email: 'mailed@EXAMPLE.com' })
  await orderOf({ name: 'Ana', phone: '(55) 1234-5678' })
  await shop.events()
  await pass(30 * minute)
  const told = (await shop.events()).map(({ body }) => body.event_id)
  assert.deepEqual(told.sort(), [before.id, another.id].sort())
  assert.deepEqual([await statusOf(shop, mailed), await statusOf(shop, phoned)], ['active', 'active'])
  await pass(30 * day)
  assert.deepEqual([await statusOf(shop, mailed), await shop.events()], ['expired', []])
})

test('an order completed from an abandoned draft recovers it', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const begun = await begin(shop, shopper)
  await pass(30 * minute)
  await shop.events()
  const link = await linkOf(shop, begun)
  assert.equal((await open(shop, link, begun.token)).token, begun.token)
  const seen = (await shop.api.get(`/v1/checkout-drafts/${begun.id}`)).data
  assert.deepEqual([seen.status, seen.recovered_at], ['abandoned', null])
  assert.ok(seen.recovery_opened_at)
  world.clock.advance(minute)
  await open(shop, link, begun.token)
  const completed = await shopper.complete(begun.token)
  assert.equal(completed.status, 201)
  const { status, recovered_at, recovery_opened_at } = (await shop.api.get(`/v1/checkout-drafts/${begun.id}`)).data
  assert.deepEqual([status, recovery_opened_at], ['recovered', seen.recovery_opened_at])
  assert.ok(recovered_at > recovery_opened_at)
  const emitted = await shop.events()
  assert.deepEqual(
    emitted.map(({ event }) => event),
    ['customer.created', 'order.created', 'checkout.completed'],
  )
  const { checkout } = emitted[2]!.body
  assert.deepEqual([checkout.recovered, checkout.status, checkout.completed_at], [true, 'recovered', recovered_at])
  assert.equal(checkout.recovered_checkout_id, null)
  assert.ok(checkout.abandoned_at < recovered_at)
  await pass(40 * day)
  assert.equal(await statusOf(shop, begun), 'recovered', 'recovered is the end')
})

test('by its recovery link another browser gets the cart, and nothing of the person', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const begun = await begin(shop, shopper, { discount_code: 'TEN', customer_notes: 'Ring twice' })
  await pass(30 * minute)
  const link = await linkOf(shop, begun)
  await shop.events()
  const opened = await open(shop, link)
  assert.notEqual(opened.token, begun.token)
  const nobody = { name: null, email: null, phone: null }
  const seen = (await shopper.read(link)).data
  for (const { customer, customer_notes, shipping_address, discount_code, total, items } of [opened, seen]) {
    assert.deepEqual([customer, customer_notes, discount_code, total], [nobody, null, 'TEN', 36])
    assert.deepEqual([shipping_address.address, shipping_address.postal_code], [null, null])
    assert.equal(items[0].product_id, begun.product.id)
  }
  assert.deepEqual(
    [seen.token, (await shopper.change(link, {})).status, (await shopper.complete(link)).status],
    [link, 404, 404],
  )
  assert.equal((await open(shop, link, opened.token)).token, opened.token, 'again, it is the same')
  assert.deepEqual(faultsOf(await shopper.complete(opened.token)).slice(0, 2), [
    'customer.email: is required unless a phone number is given',
    'customer.name: is required',
  ])

  const { data } = await shopper.complete(opened.token, buyer())
  const { status, recovered_at } = (await shop.api.get(`/v1/checkout-drafts/${begun.id}`)).data
  assert.deepEqual([status, recovered_at !== null], ['recovered', true])
  const emitted = await shop.events()
  assert.deepEqual(
    emitted.map(({ event }) => event),
    ['customer.created', 'order.created', 'checkout.completed'],
  )
  const { checkout, order } = emitted[2]!.body
  assert.deepEqual([checkout.recovered, checkout.id, order.id], [true, opened.id, data.order.id])
  assert.equal(checkout.recovered_checkout_id, begun.id, 'a receiver that was told of it learns that it came back')
  assert.equal((await open(shop, link)).customer.email, null, 'nor is the order shown to who has only the link')
})

test('active and abandoned drafts expire after 30 days without change, and are gone for their shopper', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const begun = await begin(shop, shopper)
  const link = await linkOf(shop, begun)
  await pass(30 * minute)
  await pass(29 * day)
  await shopper.change(begun.token, { customer_notes: 'Back' })
  await pass(30 * day - 1)
  assert.equal(await statusOf(shop, begun), 'abandoned')
  await pass(1)
  assert.equal(await statusOf(shop, begun), 'expired')
  for (const answer of [
    await shopper.read(begun.token),
    await shopper.change(begun.token, {}),
    await shopper.complete(begun.token),
  ]) {
    assert.deepEqual([answer.status, answer.error.code], [410, 'GONE'])
  }
  await assert.rejects(open(shop, link), { status: 410 })
  // One that no sweep has seen for 30 days expires at once: nobody is told of a cart a month later.
  const late = await begin(shop, shopper)
  await shop.events()
  await pass(30 * day)
  assert.deepEqual([await statusOf(shop, late), await shop.events()], ['expired', []])
})

test('contact data of ended drafts is purged after 90 days; what was never a draft or was completed goes', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const nobody = await begin(shop, shopper, { customer: {} })
  const expired = await begin(shop, shopper, { shipping_address: home, customer_notes: 'Ring twice' })
  const completed = await begin(shop, shopper, { customer: { ...ana, email: 'completed@example.com' } })
  await shopper.complete(completed.token)
  await pass(day - 1)
  assert.equal((await shopper.read(nobody.token)).status, 200)
  await pass(1)
  assert.equal((await shopper.read(nobody.token)).status, 404, 'who cannot be reached has a day')
  await pass(29 * day)
  await pass(60 * day - 1)
  assert.equal((await shopper.read(completed.token)).data.status, 'completed')
  await pass(1)
  assert.equal((await shopper.read(completed.token)).status, 404)
  await pass(30 * day)
  const { data } = await shop.api.get(`/v1/checkout-drafts/${expired.id}`)
  assert.deepEqual(data.customer, { name: null, email: null, phone: null })
  assert.deepEqual([...new Set(Object.values(data.shipping_address))], [null])
  assert.deepEqual(
    [data.status, data.recovery_token, data.recovery_url, data.customer_notes, data.total],
    ['expired', null, null, null, 40],
  )
  await pass(365 * day)
  assert.equal(await statusOf(shop, expired), 'expired')
})

test('several sweeps at once tell of each draft once', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const product = await productOf(shop)
  await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      shopper.begin({
        items: [{ product_id: product.id, quantity: 1 }],
        customer: { email: `shopper${n}@example.com` },
      }),
    ),
  )
  await shop.events()
  world.clock.advance(30 * minute)
  const done = await Promise.all(Array.from({ length: 6 }, sweep))
  assert.ok(done.includes(true))
  await sweep()
  assert.deepEqual(await eventsOf(shop), Array(60).fill('checkout.abandoned'))
})

test('a draft that is completed while it is swept is one or the other', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const drafts = await Promise.all(
    Array.from({ length: 20 }, async () => (await shopper.begin({ items, ...buyer() })).data),
  )
  world.clock.advance(30 * minute)
  const [answers] = await Promise.all([Promise.all(drafts.map(({ token }) => shopper.complete(token))), sweep()])
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
  const emitted = await shop.events()
  const abandoned = emitted.filter(({ event }) => event === 'checkout.abandoned').map(({ body }) => body.event_id)
  const recovered = emitted
    .filter(({ event, body }) => event === 'checkout.completed' && body.checkout.recovered)
    .map(({ body }) => body.event_id)
  assert.deepEqual(recovered.sort(), abandoned.sort())
  assert.equal((await shop.api.get('/v1/checkout-drafts/count?status=recovered')).data.count, recovered.length)
})

test('a draft whose link cannot be read any more, after a change of SECRET_KEY, holds up no other', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const lost = await begin(shop, shopper, { customer: { ...ana, email: 'lost@example.com' } })
  const kept = await begin(shop, shopper, { customer: { email: 'kept@example.com' } })
  await world.app.db.rows(sql`
    update checkouts
    set token = ${vault('another key of the tests, 32 letters').seal('x', 'y')}
    where store_id = ${shop.store.id}
      and customer_email = 'lost@example.com'`)
  await pass(30 * minute)
  assert.deepEqual(
    (await shop.events()).map(({ body }) => body.event_id),
    [kept.id],
  )
  const { data } = await shop.api.get('/v1/checkout-drafts')
  assert.deepEqual(
    data.map(({ recovery_token }: any) => recovery_token),
    [await linkOf(shop, kept), null],
  )
  assert.equal(await statusOf(shop, lost), 'abandoned')
  assert.equal((await shopper.complete(lost.token)).status, 201)
})
