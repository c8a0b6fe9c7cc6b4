// Customer groups: by rules and by hand, in lists, in the audit log, and when a customer is erased.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, sold } from '../../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'

const world = await openWorld()

const createGroup = async ({ api }: Pick<TestStore, 'api'>, body: object) =>
  dataOf(await api.post('/v1/customer-groups', { name: 'VIP', ...body }), 201)
const createCustomer = async ({ api, events }: Pick<TestStore, 'api' | 'events'>, body: object) => {
  const made = dataOf(await api.post('/v1/customers', { name: 'Ana', ...body }), 201)
  await events()
  return made
}
const membersOf = async ({ api }: Pick<TestStore, 'api'>, { id }: { id: string }) => {
  const { data, body } = await api.get(`/v1/customer-groups/${id}/members?sort=name&order=asc`)
  assert.equal(body.pagination.total, data.length)
  return data.map(({ name }: any) => name)
}

test('a group is created with or without rules, changed, listed and found by its name', async () => {
  const { api } = await world.newStore()
  const hand = await createGroup({ api }, { name: 'Hand' })
  assert.deepEqual(
    [hand.match, hand.has_rules, hand.min_total_spent, hand.country_codes, hand.accepts_marketing],
    ['all', false, null, [], null],
  )
  const rules = { min_total_spent: 100.5, customer_tags: ['vip'], country_codes: ['US'], provinces: ['California'] }
  const group = await createGroup({ api }, { ...rules, match: 'any' })
  assert.deepEqual([group.has_rules, group.min_total_spent, group.provinces], [true, 100.5, ['US-CA']])
  const path = `/v1/customer-groups/${group.id}`
  const changed = dataOf(await api.patch(path, { provinces: ['new york', 'US-NY'], min_total_spent: null }), 200)
  assert.deepEqual([changed.provinces, changed.min_total_spent, changed.match], [['US-NY'], null, 'any'])
  assert.deepEqual(
    (await api.get('/v1/customer-groups')).data.map(({ name }: any) => name),
    ['Hand', 'VIP'],
  )
  assert.deepEqual(
    (await api.get('/v1/customer-groups?search=han')).data.map(({ name }: any) => name),
    ['Hand'],
  )
})

test('each invalid field of a group is reported, and names are unique regardless of case', async () => {
  const { api } = await world.newStore()
  const wrong = { min_orders_count: 3, max_orders_count: 2, provinces: ['Atlantis'], country_codes: ['XX'] }
  const refused = faultsOf(await api.post('/v1/customer-groups', { name: '', ...wrong }))
  assert.deepEqual(Object.keys(refused).sort(), ['country_codes.0', 'max_orders_count', 'name'])
  assert.deepEqual(
    Object.keys(faultsOf(await api.post('/v1/customer-groups', { name: 'A', provinces: ['Atlantis'] }))),
    ['provinces.0'],
  )
  const { id } = await createGroup({ api }, { min_total_spent: 10 })
  assert.deepEqual(Object.keys(faultsOf(await api.patch(`/v1/customer-groups/${id}`, { max_total_spent: 9.99 }))), [
    'max_total_spent',
  ])
  assert.equal((await api.post('/v1/customer-groups', { name: 'vip' })).status, 409)
})

test('the 101st group is refused', async () => {
  const { api } = await world.newStore()
  for (let at = 0; at < 100; at++) await createGroup({ api }, { name: `G${at}` })
  assert.deepEqual(Object.keys(faultsOf(await api.post('/v1/customer-groups', { name: 'More' }))), ['body'])
})

test('customers are added and removed by hand, each once and with an event', async () => {
  const shop = await world.newStore()
  const { api, events } = shop
  const [ana, bo] = [await createCustomer(shop, {}), await createCustomer(shop, { name: 'Bo' })]
  const group = await createGroup(shop, {})
  const path = `/v1/customer-groups/${group.id}/members`
  assert.deepEqual(dataOf(await api.post(path, { customer_ids: [ana.id, bo.id] }), 200), { count: 2 })
  assert.deepEqual(
    (await events()).map(({ event }) => event),
    ['customer_group.created', 'customer.updated', 'customer.updated'],
  )
  assert.deepEqual(dataOf(await api.post(path, { customer_ids: [ana.id] }), 200), { count: 0 })
  assert.deepEqual(await events(), [])
  assert.deepEqual(await membersOf(shop, group), ['Ana', 'Bo'])
  assert.deepEqual((await api.get(`/v1/customers/${ana.id}`)).data.group_ids, [group.id])
  const of = async ({ id }: any) => (await api.get(`/v1/customer-groups?customer_id=${id}`)).data.length
  assert.deepEqual([await of(ana), await of(bo)], [1, 1])
  dataOf(await api.delete(`${path}/${ana.id}`), 200)
  assert.equal((await events()).length, 1)
  assert.equal((await api.delete(`${path}/${ana.id}`)).status, 404)
  assert.deepEqual(await membersOf(shop, group), ['Bo'])
  const names = (await api.get(`/v1/customers?group=${group.id}`)).data.map(({ name }: any) => name)
  assert.deepEqual(names, ['Bo'])
  assert.equal((await api.get(`/v1/customers/count?group=${group.id}`)).data.count, 1)
})

test('who is in a group by its rules is not removed by hand, and says why', async () => {
  const shop = await world.newStore()
  const ana = await createCustomer(shop, { tags: ['vip'] })
  const group = await createGroup(shop, { customer_tags: ['VIP'] })
  const { status, error } = await shop.api.delete(`/v1/customer-groups/${group.id}/members/${ana.id}`)
  assert.deepEqual(
    [status, error.message],
    [409, 'The rules of the group match this customer, who was not added by hand'],
  )
})

test('unknown customers and those of another store are refused, and nobody is added', async () => {
  const [shop, other] = [await world.newStore(), await world.newStore()]
  const [ana, foreign] = [await createCustomer(shop, {}), await createCustomer(other, {})]
  const [group, theirs] = [await createGroup(shop, {}), await createGroup(other, {})]
  const path = `/v1/customer-groups/${group.id}/members`
  assert.deepEqual(Object.keys(faultsOf(await shop.api.post(path, { customer_ids: [ana.id, foreign.id] }))), [
    'customer_ids.1',
  ])
  assert.deepEqual(await membersOf(shop, group), [])
  assert.equal((await shop.api.get(`/v1/customer-groups/${theirs.id}/members`)).status, 404)
  assert.deepEqual((await shop.api.get(`/v1/customers?group=${theirs.id}`)).data, [])
  const patch = { group_ids: [group.id, theirs.id] }
  assert.deepEqual(Object.keys(faultsOf(await shop.api.patch(`/v1/customers/${ana.id}`, patch))), ['group_ids.1'])
})

test('spend, orders and the place of the last order follow orders at once', async () => {
  const shop = await newShop(world)
  const { api } = shop
  const mug = await shop.product()
  const ana = await createCustomer(shop, { email: 'ana@example.com' })
  const spent = await createGroup(shop, { name: 'Spent', min_total_spent: 20 })
  const twice = await createGroup(shop, { name: 'Twice', min_orders_count: 2 })
  const west = await createGroup(shop, { name: 'West', provinces: ['US-CA'] })
  const recent = await createGroup(shop, { name: 'Recent', max_days_since_order: 30 })
  const lapsed = await createGroup(shop, { name: 'Lapsed', min_days_since_order: 31 })
  const groups = async () =>
    (await api.get(`/v1/customer-groups?customer_id=${ana.id}`)).data.map(({ name }: any) => name)
  assert.deepEqual(await groups(), [])
  const to = (province: string) => ({ customer_id: ana.id, shipping_address: { country: 'US', province } })
  await shop.order(mug, { ...to('ca'), payment_status: 'paid' })
  assert.deepEqual(await groups(), ['Recent', 'West'])
  const order = await shop.order([sold(mug)], { ...to('New York'), payment_status: 'paid' })
  assert.deepEqual(await groups(), ['Recent', 'Spent', 'Twice'])
  dataOf(await api.patch(`/v1/orders/${order.id}`, { shipping_address: { province: 'California' } }), 200)
  assert.deepEqual(await groups(), ['Recent', 'Spent', 'Twice', 'West'])
  dataOf(await api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' }), 200)
  assert.deepEqual(await groups(), ['Recent', 'Spent', 'West'])
  world.clock.advance(31 * 24 * 3600)
  assert.deepEqual(await groups(), ['Lapsed', 'Spent', 'West'])
  for (const group of [spent, twice, west, recent, lapsed]) assert.equal(group.has_rules, true)
})

test('a dry run of a group, of its rules and of members changes nothing', async () => {
  const shop = await world.newStore()
  const ana = await createCustomer(shop, {})
  const dry = { headers: { prefer: 'dry-run' } }
  assert.equal((await shop.api.post('/v1/customer-groups', { name: 'Dry' }, dry)).data.name, 'Dry')
  const group = await createGroup(shop, {})
  const path = `/v1/customer-groups/${group.id}`
  assert.deepEqual((await shop.api.post(`${path}/members`, { customer_ids: [ana.id] }, dry)).data.count, 1)
  assert.equal((await shop.api.patch(path, { min_orders_count: 0 }, dry)).data.has_rules, true)
  assert.deepEqual(await membersOf(shop, group), [])
  assert.equal((await shop.api.get('/v1/customer-groups')).data.length, 1)
})

test('undo takes back rules, members, a new group and a deleted one, which comes back with its customers', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const ana = await createCustomer(shop, {})
  const created = await api.post('/v1/customer-groups', { name: 'VIP', min_orders_count: 3 })
  const path = `/v1/customer-groups/${created.data.id}`
  const revert = async ({ headers }: { headers: Headers }) =>
    dataOf(await api.post(`/v1/changes/${headers.get('x-request-id')}/revert`), 200)
  await revert(await api.patch(path, { min_orders_count: 1, customer_tags: ['a'] }))
  assert.deepEqual([(await api.get(path)).data.min_orders_count, (await api.get(path)).data.customer_tags], [3, []])
  const added = await api.post(`${path}/members`, { customer_ids: [ana.id] })
  const taken = await api.post(`/v1/changes/${created.headers.get('x-request-id')}/revert`)
  assert.equal(taken.status, 409)
  const deletion = await api.delete(path)
  assert.equal((await api.get(path)).status, 404)
  assert.deepEqual((await api.get(`/v1/customer-groups?customer_id=${ana.id}`)).data, [])
  await revert(deletion)
  assert.deepEqual(await membersOf(shop, created.data), ['Ana'])
  await revert(added)
  assert.deepEqual(await membersOf(shop, created.data), [])
  await revert(created)
  assert.equal((await api.get(path)).status, 404)
})

test('an erased customer is in no group any more', async () => {
  const shop = await world.newStore()
  const ana = await createCustomer(shop, { tags: ['vip'] })
  const group = await createGroup(shop, { customer_tags: ['vip'] })
  dataOf(await shop.api.post(`/v1/customer-groups/${group.id}/members`, { customer_ids: [ana.id] }), 200)
  dataOf(await shop.api.delete(`/v1/customers/${ana.id}`), 200)
  assert.deepEqual(await membersOf(shop, group), [])
})
