// Screens of customer groups, as a browser without a script uses them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hiddenOf, staffOf } from '../../../../test/staff.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

async function open(role: 'owner' | 'staff' = 'owner') {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], role)
  const create = async (path: string, body: object) => dataOf(await shop.api.post(`/v1/${path}`, body), 201)
  const berta = await create('customers', { name: 'Berta', tags: ['vip'] })
  const carl = await create('customers', { name: 'Carl', email: 'carl@example.com' })
  return { shop, ana, create, berta, carl, base: `/${shop.store.id}` }
}

const rules = {
  match: 'any',
  min_total_spent: '',
  customer_tags: 'VIP\r\npress',
  country_codes: 'Mexico',
  provinces: '',
}

test('the rules are counted before they are saved, even without a name', async () => {
  const { ana, base, shop } = await open()
  const path = `${base}/customer-groups/new`
  const once = hiddenOf(await ana.get(path), 'once')
  const counted = await ana.post(path, { act: 'create', once, name: '', ...rules, rehearse: '1' })
  assert.equal(counted.status, 200)
  assert.match(counted.text, /data-total>1 customer in this group</)
  assert.equal((await shop.api.get('/v1/customer-groups')).data.length, 0)
  const made = await ana.post(path, { act: 'create', once, name: 'VIP', ...rules })
  assert.match(made.location, /\/customer-groups\/cgrp_\w+$/)
  const { data } = await shop.api.get('/v1/customer-groups')
  assert.deepEqual([data[0].match, data[0].customer_tags, data[0].country_codes], ['any', ['VIP', 'press'], ['MX']])
  const { text } = await ana.get(made.location)
  assert.match(text, /1 customer in this group/)
  assert.match((await ana.get(`${base}/customer-groups`)).text, /Any rule: Mexico · VIP · press/)
})

test('what is wrong with a group stands beside its fields', async () => {
  const { ana, base } = await open()
  const wrong = { act: 'create', name: '', match: 'all', min_orders_count: '3', max_orders_count: '2' }
  const { status, text } = await ana.post(`${base}/customer-groups/new`, wrong)
  assert.equal(status, 422)
  for (const said of ['This field is required.', 'Enter a value that isn’t below the minimum.']) {
    assert.ok(text.includes(said), said)
  }
})

test('customers come into a group from the list, from the group and from their page, and leave it', async () => {
  const { ana, base, create, berta, carl, shop } = await open()
  const group = await create('customer-groups', { name: 'Press' })
  const members = async () => {
    const { data } = await shop.api.get(`/v1/customer-groups/${group.id}/members?sort=name&order=asc`)
    return data.map(({ name }: any) => name)
  }
  const list = `${base}/customers`
  assert.match((await ana.get(list)).text, /Add to group/)
  assert.equal((await ana.post(list, { act: 'group', group_id: group.id })).status, 422)
  const added = await ana.post(list, { act: 'group', group_id: group.id, ticked: [berta.id, carl.id] })
  assert.equal(added.notice, 'group_added_count.2')
  assert.deepEqual(await members(), ['Berta', 'Carl'])
  const narrowed = (await ana.get(`${list}?group=${group.id}`)).text
  assert.match(narrowed, /Customer group: Press/)
  const csv = await ana.get(`${list}.csv?group=${group.id}&search=carl`)
  assert.ok(csv.text.includes('carl@example.com') && !csv.text.includes('Berta'))
  const path = `${base}/customer-groups/${group.id}`
  assert.match((await ana.get(path)).text, /2 customers in this group/)
  await ana.post(path, { act: 'out', customer_id: carl.id })
  await ana.post(`${list}/${berta.id}`, { act: 'leave', group_id: group.id })
  assert.deepEqual(await members(), [])
  await ana.post(path, { act: 'put', customer_ids: [carl.id] })
  const joined = await ana.post(`${list}/${berta.id}`, { act: 'join', group_id: group.id })
  assert.equal(joined.status, 303)
  assert.deepEqual(await members(), ['Berta', 'Carl'])
  assert.match((await ana.get(`${list}/${berta.id}`)).text, new RegExp(`customer-groups/${group.id}">Press</a>`))
})

test('all customers that match the filter of the list come into the group, not only those of the page', async () => {
  const { ana, base, create, shop } = await open()
  const group = await create('customer-groups', { name: 'All' })
  for (let at = 0; at < 30; at++) await create('customers', { name: `Extra ${at}` })
  const filter = 'search=extra&sort=name&order=asc'
  const added = await ana.post(`${base}/customers`, { act: 'group', group_id: group.id, all: '1', filter })
  assert.equal(added.notice, 'group_added_count.30')
  assert.equal((await shop.api.get(`/v1/customers/count?group=${group.id}`)).data.count, 30)
})

test('a group is deleted after a question, and a discount for it says so until its box is cleared', async () => {
  const { ana, base, create, shop } = await open()
  const group = await create('customer-groups', { name: 'Press' })
  const body = { code: 'TEN', type: 'percentage', value: 10, customer_group_ids: [group.id] }
  const discount = await create('discounts', body)
  const path = `${base}/customer-groups/${group.id}`
  assert.match((await ana.get(path)).text, /discounts\/disc_\w+">TEN</)
  const page = `${base}/discounts/${discount.id}`
  const tried = await ana.get(`${page}?total=50&email=carl@example.com`)
  for (const said of ['Not applied: in none of the groups', 'In one of the groups: Press']) {
    assert.ok(tried.text.includes(said), said)
  }
  assert.match((await ana.post(path, { act: 'delete', label: 'Press' })).text, /Delete Press\?/)
  const gone = await ana.post(path, { act: 'delete', label: 'Press', sure: '1' })
  assert.equal(gone.notice, 'group_deleted')
  assert.match((await ana.get(page)).text, /Deleted group/)
  const terms = { act: 'save', code: 'TEN', value: '20', applies_to_all: 'true', is_active: '1' }
  await ana.post(page, { ...terms, customer_group_ids: [group.id] })
  assert.equal((await shop.api.get(`/v1/discounts/${discount.id}`)).data.customer_group_ids.length, 1)
  await ana.post(page, terms)
  assert.deepEqual((await shop.api.get(`/v1/discounts/${discount.id}`)).data.customer_group_ids, [])
})
