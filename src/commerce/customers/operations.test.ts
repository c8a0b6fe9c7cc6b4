// Operations on customers for orders: matching and counting.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid, publicId, toUuid } from '../../kit/values/ids.ts'
import type { Decimal } from '../../kit/values/money.ts'
import { moveCounters } from '../../tenancy/plans/plan.ts'
import { recordStatements } from '../../../test/statements.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { matchCustomer, phoneKey } from './matching.ts'
import { countOrder, createBuyer } from './operations.ts'

const world = await openWorld()
const { db } = world.app

type Contact = { name?: string; email?: string | null; phone?: string | null }

const place = { country_code: 'MX', province_code: null }

/** As an unpaid first order does. */
const match = ({ store }: TestStore, { name = '', email = null, phone = null }: Contact) =>
  db.transaction(async (tx) => {
    const matched = await matchCustomer(tx, store, { email, phone })
    if (matched.isNew) {
      createBuyer(tx, store, matched.id, { name, email, phone }, { id: newUuid(), spent: 0, place })
      moveCounters(tx, store.id, { customers: 1 })
    }
    return matched
  })

const newCustomer = async ({ api }: TestStore, name = 'Ana') =>
  toUuid('cus', (await api.post('/v1/customers', { name })).data.id)!

type Move = { orders: 1 | 0 | -1; spent: Decimal.Value; lastOrder?: { id: string; at: Date } }
const order = ({ store }: TestStore, id: string, move: Move) =>
  db.transaction(async (tx) => {
    const { lastOrder, ...sums } = move
    countOrder(tx, store.id, id, { ...sums, ...(lastOrder && { lastOrder: { ...lastOrder, place } }) })
  })

test("an order's customer is found by e-mail in any case, else by phone however it is written", async () => {
  const mexican = await world.newStore({ country_code: 'MX' })
  const ana = await match(mexican, { name: 'Ana', email: 'Ana@Example.com', phone: '55 1234 5678' })
  assert.equal(ana.isNew, true)
  const berta = await match(mexican, { name: 'Berta', email: 'berta@example.com', phone: null })
  for (const [contact, id] of [
    [{ email: 'ANA@example.com' }, ana.id],
    [{ phone: '+52 (55) 1234-5678' }, ana.id],
    [{ email: 'berta@example.com', phone: '55 1234 5678' }, berta.id],
  ] as const) {
    assert.deepEqual(await match(mexican, contact), { id, isNew: false })
  }
})

test('a match leaves the record as it is and emits nothing; a new one emits customer.created and counts', async () => {
  const shop = await world.newStore()
  const { id } = await match(shop, { name: 'Ana', email: 'ana@example.com', phone: null })
  const publicOne = publicId('cus', id)
  const { data } = await shop.api.get(`/v1/customers/${publicOne}`)
  const emitted = await shop.events()
  assert.deepEqual(
    emitted.map(({ event, body }) => [event, body.event_id]),
    [['customer.created', publicOne]],
  )
  await match(shop, { name: 'Impostor', email: 'ana@example.com', phone: '+1 213 373 4253' })
  assert.deepEqual((await shop.api.get(`/v1/customers/${publicOne}`)).data, data)
  assert.deepEqual(await shop.events(), [])
  assert.equal((await shop.api.get('/v1/customers')).body.pagination.total, 1)
})

test('without e-mail and phone nobody is matched; without a name the contact is the name', async () => {
  const shop = await world.newStore()
  const first = await match(shop, { name: 'Guest' })
  const second = await match(shop, { name: 'Guest', email: '', phone: null })
  assert.deepEqual([first.isNew, second.isNew, first.id === second.id], [true, true, false])
  const { id } = await match(shop, { phone: '+1 213 373 4253' })
  assert.equal((await shop.api.get(`/v1/customers/${publicId('cus', id)}`)).data.name, '+1 213 373 4253')
  await assert.rejects(match(shop, {}), /needs a name/)
})

test("of several with one e-mail the oldest is matched, and never another store's", async () => {
  const shop = await world.newStore(),
    other = await world.newStore()
  const { data: first } = await shop.api.post('/v1/customers', { name: 'First', email: 'ana@example.com' })
  await shop.api.post('/v1/customers', { name: 'Second', email: 'ana@example.com' })
  assert.equal(publicId('cus', (await match(shop, { email: 'ana@example.com' })).id), first.id)
  assert.equal((await match(other, { email: 'ana@example.com' })).isNew, true)
})

test('20 first orders of one e-mail at once make one customer', async () => {
  const shop = await world.newStore()
  const found = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      match(shop, {
        name: `Ana ${index}`,
        email: index % 2 ? 'ana@example.com' : 'ANA@example.com',
        phone: `+1 213 373 42${10 + index}`,
      }),
    ),
  )
  assert.equal(new Set(found.map(({ id }) => id)).size, 1)
  assert.equal(found.filter(({ isNew }) => isNew).length, 1)
  assert.equal((await shop.api.get('/v1/customers')).body.pagination.total, 1)
  assert.equal((await shop.events()).length, 1)
})

test('20 first orders of one phone at once make one customer', async () => {
  const shop = await world.newStore()
  const found = await Promise.all(Array.from({ length: 20 }, () => match(shop, { name: 'Ana', phone: '213-373-4253' })))
  assert.equal(new Set(found.map(({ id }) => id)).size, 1)
})

test('first orders that share contacts crosswise do not block each other for ever', async () => {
  const shop = await world.newStore()
  const contacts = ['a@example.com', 'b@example.com'].flatMap((email) =>
    ['+12133734253', '+12133734254'].map((phone) => ({ email, phone })),
  )
  const found = await Promise.all([...contacts, ...contacts, ...contacts].map((contact) => match(shop, contact)))
  const made = found.filter(({ isNew }) => isNew).length
  assert.equal((await shop.api.get('/v1/customers')).body.pagination.total, made)
  assert.equal(new Set(found.map(({ id }) => id)).size, made)
})

test("a phone's key is E.164 by the store's country, else its digits", () => {
  const of = (country_code: string, phone: string | null) => phoneKey({ country_code }, phone)
  assert.equal(of('MX', '55 1234 5678'), '+525512345678')
  assert.equal(of('US', '(213) 373-4253'), '+12133734253')
  assert.equal(of('US', '+52 55 1234 5678'), '+525512345678')
  assert.equal(of('US', '12'), '12')
  assert.equal(of('US', 'none'), null)
  assert.equal(of('US', null), null)
})

test('the first order of a new customer writes the customer once, with its totals', async () => {
  const { api } = await world.newStore()
  const { data: bag } = await api.post('/v1/products', { name: 'Bag', price: 12.5, status: 'active' })
  const body = {
    items: [{ product_id: bag.id, quantity: 1 }],
    customer_name: 'Ana',
    customer_email: 'ana@example.com',
    payment_status: 'paid',
  }
  const { statements } = recordStatements()
  const { data: placed } = await api.post('/v1/orders', body)
  const { data } = await api.get(`/v1/customers/${placed.customer_id}`)
  assert.deepEqual(
    [data.orders_count, data.total_spent, data.last_order_id, data.last_order_at],
    [1, 12.5, placed.id, placed.created_at],
  )
  const writes = [...statements.keys()].filter((text) => /^\s*(insert into|update) customers\b/.test(text))
  assert.deepEqual(
    writes.map((text) => text.trim().split(' ')[0]),
    ['insert'],
  )
})

test("orders move a customer's count, sum and last order", async () => {
  const shop = await world.newStore()
  const { data } = await shop.api.post('/v1/customers', { name: 'Ana' })
  const id = await newCustomer(shop)
  const seen = async () => {
    const { data } = await shop.api.get(`/v1/customers/${publicId('cus', id)}`)
    return [data.orders_count, data.total_spent, data.last_order_at, data.last_order_id]
  }
  const [early, late] = [new Date('2026-01-01T10:00:00.000Z'), new Date('2026-02-01T10:00:00.000Z')]
  const first = newUuid(),
    second = newUuid()
  await order(shop, id, { orders: 1, spent: 1500.5, lastOrder: { id: second, at: late } })
  assert.deepEqual(await seen(), [1, 1500.5, late.toISOString(), publicId('ord', second)])
  await order(shop, id, { orders: 1, spent: 0, lastOrder: { id: first, at: early } })
  assert.deepEqual(await seen(), [2, 1500.5, late.toISOString(), publicId('ord', second)])
  await order(shop, id, { orders: 0, spent: 0.1 })
  await order(shop, id, { orders: -1, spent: -1500.6 })
  assert.deepEqual(await seen(), [1, 0, late.toISOString(), publicId('ord', second)])
  assert.equal((await shop.api.get(`/v1/customers/${data.id}`)).data.orders_count, 0)
})

test('20 orders counted at once all count', async () => {
  const shop = await world.newStore()
  const id = await newCustomer(shop)
  await Promise.all(Array.from({ length: 20 }, () => order(shop, id, { orders: 1, spent: 0.1 })))
  const { data } = await shop.api.get(`/v1/customers/${publicId('cus', id)}`)
  assert.deepEqual([data.orders_count, data.total_spent], [20, 2])
})

test('lists filter and sort by what orders add up to, without any order last', async () => {
  const shop = await world.newStore()
  for (const [name, orders, spent, day] of [
    ['A', 1, 10, 3],
    ['B', 3, 5.5, 1],
    ['C', 2, 99.99, 2],
  ] as const) {
    const id = await newCustomer(shop, name)
    for (let index = 0; index < orders; index++) {
      const lastOrder = { id: newUuid(), at: new Date(Date.UTC(2026, 0, day)) }
      await order(shop, id, { orders: 1, spent: index ? 0 : spent, lastOrder })
    }
  }
  await newCustomer(shop, 'D')
  for (const [query, names] of Object.entries({
    'sort=name': 'DCBA',
    'sort=name&order=asc': 'ABCD',
    'sort=updated_at&order=asc': 'ABCD',
    'sort=orders_count': 'BCAD',
    'sort=orders_count&order=asc': 'DACB',
    'sort=total_spent': 'CABD',
    'sort=total_spent&order=asc': 'DBAC',
    'sort=last_order_at': 'ACBD',
    'sort=last_order_at&order=asc': 'BCAD',
    'has_orders=true&sort=name': 'CBA',
    'has_orders=0': 'D',
    'has_orders=false&orders_count[gte]=1': '',
    'orders_count[gte]=2&sort=name': 'CB',
    'orders_count[lte]=1.5&sort=name': 'DA',
    'orders_count[gte]=1&orders_count[lte]=2&sort=name': 'CA',
    'total_spent[gte]=10&sort=name': 'CA',
    'total_spent[lte]=9.99&sort=name': 'DB',
    'total_spent[gte]=5.5&total_spent[lte]=10&sort=name': 'BA',
    'last_order_at[gte]=2026-01-02T00:00:00Z&sort=name': 'CA',
    'last_order_at[lte]=2026-01-02T01:00:00%2B01:00&sort=name': 'CB',
  })) {
    const { body } = await shop.api.get(`/v1/customers?${query}`)
    assert.equal(body.data.map(({ name }: any) => name).join(''), names, query)
    assert.equal(body.pagination.total, names.length, query)
  }
})
