import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { answering } from '../../../../test/strangers.ts'

const world = await openWorld({}, { network: { resolver: answering(['93.184.216.34']) } })

async function open() {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop])
  return { shop, ana, path: `/${shop.store.id}/settings/developer` }
}

/** Creates a proposal with a key that may propose changes of products. */
async function proposed(shop: TestStore, more: object = {}) {
  const { data: product } = await shop.api.post('/v1/products', { name: 'Mug', price: 5 })
  const agent = await shop.withKey({ scopes: ['propose:products'] })
  const asked = { method: 'PATCH', path: `/v1/products/${product.id}`, body: { price: 6 }, note: 'Costs', ...more }
  return { product, proposal: (await agent.post('/v1/proposals', asked)).data }
}

test('the log of requests is listed with filters, and an id leads to its request', async () => {
  const { shop, ana, path } = await open()
  const made = await shop.api.post('/v1/categories', { name: 'Hats' })
  await shop.api.post('/v1/categories', {})
  const own = { headers: { 'x-request-id': 'import-17', prefer: 'dry-run' } }
  await shop.api.post('/v1/categories', { name: 'Bags' }, own)
  await world.app.requestLog!.flush()
  const rowsOf = async (query: string) =>
    (await ana.get(`${path}/requests?${query}`)).text.match(/class="main log"/g)?.length ?? 0
  assert.equal(await rowsOf(''), 3)
  assert.equal(await rowsOf('status=4xx'), 1)
  assert.equal(await rowsOf('is_rehearsal=true'), 1)
  assert.equal(await rowsOf('request_id=import-17'), 1)
  assert.equal(await rowsOf(`request_id=${made.headers.get('x-request-id')}`), 1)
  assert.equal(await rowsOf(`after=${made.headers.get('x-request-id')}`), 2)
  assert.equal(await rowsOf('after=nonsense'), 0)
  assert.match((await ana.get(`${path}/requests?id=import-17`)).location, /request_id=import-17$/)
})

test('events are listed by type and by record, and one is sent again to a webhook that wants it', async () => {
  const { shop, ana, path } = await open()
  const { data: mug } = await shop.api.post('/v1/products', { name: 'Mug', price: 5 })
  const { data: cup } = await shop.api.post('/v1/products', { name: 'Cup', price: 5 })
  await shop.api.patch(`/v1/products/${mug.id}`, { price: 6 })
  const [first] = (await shop.api.get('/v1/events')).data
  const { data: hook } = await shop.api.post('/v1/webhooks', {
    url: 'https://hooks.example/',
    events: ['product.created'],
  })
  const rowsOf = async (query: string) => (await ana.get(`${path}/events?${query}`)).text.match(/<tr><td/g)?.length ?? 0
  assert.deepEqual(
    [
      await rowsOf(''),
      await rowsOf('event=product.updated'),
      await rowsOf(`event_id=${mug.id}`),
      await rowsOf('event_id=x'),
    ],
    [3, 1, 2, 0],
  )
  const where = `${path}/events/${first.id}`
  assert.match((await ana.get(where)).text, new RegExp(`<option value="${hook.id}">`))
  const fields = { act: 'replay', webhook: hook.id }
  assert.match((await ana.post(where, { ...fields, span: 'one' })).notice, /^replayed$/)
  const sent = async () =>
    (await shop.api.get(`/v1/webhooks/${hook.id}/deliveries`)).data.map((each: any) => each.event_id)
  assert.deepEqual(await sent(), [mug.id])
  await ana.post(where, { ...fields, span: 'rest' })
  assert.deepEqual((await sent()).toSorted(), [cup.id, mug.id].toSorted())
})

test('a proposal shows what it would change and who may decide; approved, it is done', async () => {
  const { shop, ana, path } = await open()
  const { product, proposal } = await proposed(shop)
  assert.match((await ana.get(`${path}/proposals`)).text, new RegExp(`${proposal.id}"`))
  const where = `${path}/proposals/${proposal.id}`
  const { text } = await ana.get(where)
  for (const part of [/<th scope="row">price<\/th><td>5<\/td><td>6<\/td>/, /Owner, Administrator, Staff/, /Costs/])
    assert.match(text, part)
  assert.match((await ana.post(where, { act: 'approve' })).notice, /^proposal_is_approved$/)
  assert.equal((await shop.api.get(`/v1/products/${product.id}`)).data.price, 6)
  assert.match((await ana.get(where)).text, /mark good">Approved/)
  const again = await ana.post(where, { act: 'approve' })
  assert.equal(again.status, 409)
})

test('what has changed since is named, and stands in the way of approving', async () => {
  const { shop, ana, path } = await open()
  const { product, proposal } = await proposed(shop)
  await shop.api.patch(`/v1/products/${product.id}`, { price: 7 })
  const where = `${path}/proposals/${proposal.id}`
  assert.match((await ana.get(where)).text, /have changed since[^]*price/)
  const { status, text } = await ana.post(where, { act: 'approve' })
  assert.deepEqual([status, /role="alert">The affected records have changed since/.test(text)], [409, true])
  assert.match((await ana.post(where, { act: 'refuse', reason: 'Too dear' })).notice, /^proposal_is_refused$/)
  assert.match((await ana.get(where)).text, /Too dear/)
})

test('staff decide what they may write themselves, and see nothing of the rest', async () => {
  const { shop, path } = await open()
  const ben = await staffOf(world, [shop], 'staff')
  const { proposal } = await proposed(shop)
  const store = await proposed(shop, { method: 'PATCH', path: '/v1/store', body: { name: 'Another' } })
  assert.equal(store.proposal, undefined, 'its key may not propose that')
  const agent = await shop.withKey({ scopes: ['propose:store'] })
  const { data: hidden } = await agent.post('/v1/proposals', {
    method: 'PATCH',
    path: '/v1/store',
    body: { name: 'New' },
  })
  const { text } = await ben.get(`${path}/proposals`)
  assert.deepEqual([text.includes(proposal.id), text.includes(hidden.id)], [true, false])
  assert.equal((await ben.get(`${path}/proposals/${hidden.id}`)).status, 404)
  assert.match((await ben.post(`${path}/proposals/${proposal.id}`, { act: 'approve' })).notice, /approved/)
  assert.equal((await ben.get(`${path}/requests`)).status, 403)
  assert.equal((await ben.get(`${path}/events`)).status, 403)
})
