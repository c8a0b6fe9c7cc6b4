import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hiddenOf, staffOf } from '../../../../test/staff.ts'
import { client } from '../../../../test/client.ts'
import { openWorld } from '../../../../test/world.ts'
import { scopes } from '../../../identity/apikeys/scopes.ts'

const world = await openWorld()
const asked = { act: 'create', name: 'Stock sync', mode: 'live', scopes: ['read:products', 'write:inventory'] }

async function open() {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop])
  return { shop, ana, path: `/${shop.store.id}/settings/developer/api-keys` }
}

const keyIn = ({ text }: { text: string }) => /<code>(wk_(?:live|test)_\w+)<\/code>/.exec(text)?.[1] ?? ''
const using = (key: string) => client(world.url, { 'x-api-key': key })

test('a key is made with what is ticked, shown once, and opens the API', async () => {
  const { ana, path } = await open()
  const made = await ana.post(path, asked)
  assert.equal(made.status, 200)
  const key = keyIn(made)
  assert.equal((await using(key).get('/v1/products')).status, 200)
  assert.equal((await using(key).get('/v1/orders')).error.code, 'SCOPE_INSUFFICIENT')
  const { text } = await ana.get(path)
  assert.ok(!text.includes(key))
  assert.match(text, new RegExp(`wk_live_…${key.slice(-4)}`))
})

test('the group Automatizaciones gives its scopes, and is called so in Spanish', async () => {
  const { ana, path } = await open()
  const { text } = await ana.get(path, { 'accept-language': 'es-MX' })
  assert.match(text, /<strong>Automatizaciones<\/strong>/)
  const made = await ana.post(path, { ...asked, scopes: [], group: 'group_automations' })
  assert.equal((await using(keyIn(made)).get('/v1/webhooks')).status, 200)
  assert.equal((await using(keyIn(made)).get('/v1/checkout-drafts')).status, 200)
  assert.equal((await using(keyIn(made)).get('/v1/store')).status, 403)
})

test('the same form twice makes one key', async () => {
  const { ana, path } = await open()
  const once = hiddenOf(await ana.get(path), 'once')
  const [first, second] = await Promise.all([ana.post(path, { ...asked, once }), ana.post(path, { ...asked, once })])
  assert.equal(keyIn(first), keyIn(second))
  assert.equal(keyIn(await ana.post(path, { ...asked, once })), keyIn(first))
  assert.equal((await ana.get(path)).text.match(/Stock sync<\/strong>/g)!.length, 1)
})

test('what is wrong stands beside its field, and what was typed and ticked stays', async () => {
  const { ana, path } = await open()
  const { status, text } = await ana.post(path, {
    ...asked,
    scopes: [],
    name: 'x'.repeat(10_000),
    expires_at: 'tomorrow',
    mode: 'gold',
  })
  assert.equal(status, 422)
  assert.match(text, /Use at most 120 characters/)
  assert.match(text, /Enter a date and time/)
  assert.match(text, /Choose at least one option/)
  assert.ok(text.includes('x'.repeat(10_000)))
})

test('a rotated key works beside the new one for as long as was chosen', async () => {
  const { ana, path } = await open()
  const old = keyIn(await ana.post(path, asked))
  const key = /name="key" value="(key_\w+)"/.exec((await ana.get(path)).text)![1]!
  const rotated = keyIn(await ana.post(path, { act: 'rotate', key, overlap_hours: '2' }))
  assert.notEqual(rotated, old)
  for (const one of [old, rotated]) assert.equal((await using(one).get('/v1/products')).status, 200)
  world.clock.advance(3 * 3600)
  assert.equal((await using(old).get('/v1/products')).error.message, 'API key has expired')
  assert.equal((await using(rotated).get('/v1/products')).status, 200)
})

test('a key is switched off and on again, and deleted after a question', async () => {
  const { ana, path } = await open()
  const made = keyIn(await ana.post(path, { ...asked, scopes: [...scopes] }))
  const key = /name="key" value="(key_\w+)"/.exec((await ana.get(path)).text)![1]!
  const statusNow = async () => {
    world.clock.advance(6)
    return (await using(made).get('/v1/products')).status
  }
  assert.match((await ana.post(path, { act: 'deactivate', key })).notice, /^key_deactivated$/)
  assert.equal(await statusNow(), 401)
  await ana.post(path, { act: 'activate', key })
  assert.equal(await statusNow(), 200)
  const asking = await ana.post(path, { act: 'delete', key, label: 'Stock sync' })
  assert.match(asking.text, /Delete the key Stock sync\?/)
  assert.equal(await statusNow(), 200)
  await ana.post(path, { act: 'delete', key, sure: '1' })
  assert.equal(await statusNow(), 401)
})

test('staff see neither the screen nor a way to it', async () => {
  const { shop, path } = await open()
  const ben = await staffOf(world, [shop], 'staff')
  assert.equal((await ben.get(path)).status, 403)
  assert.ok(!(await ben.get(`/${shop.store.id}/settings`)).text.includes('api-keys'))
})

test('limits are set when a key is made and later, and shown; what is wrong stands beside its input', async () => {
  const { ana, path, shop } = await open()
  const limits = {
    'policy.max_amount': '99.5',
    'policy.max_per_day': '1',
    'policy.from_hour': '0',
    'policy.until_hour': '24',
  }
  const made = keyIn(await ana.post(path, { ...asked, scopes: ['write:categories'], ...limits }))
  const { text } = await ana.get(path)
  assert.match(text, /Limits: \$99\.50 per order or refund · 1 write per day · from 0:00 to 24:00/)
  assert.equal((await using(made).post('/v1/categories', { name: 'Hats' })).status, 201)
  assert.equal((await using(made).post('/v1/categories', { name: 'Bags' })).error.code, 'POLICY_EXCEEDED')
  const key = /name="key" value="(key_\w+)"/.exec(text)![1]!
  const wrong = await ana.post(path, {
    act: 'limit',
    key,
    label: 'Stock sync',
    'policy.max_per_day': '0',
    'policy.from_hour': '25',
  })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /Enter at least 1\./)
  assert.match(wrong.text, /Enter at most 23\./)
  assert.match((await ana.post(path, { act: 'limit', key })).notice, /^key_limited$/)
  assert.doesNotMatch((await ana.get(path)).text, /Limits: /)
  world.clock.advance(6)
  assert.equal((await using(made).post('/v1/categories', { name: 'Bags' })).status, 201)
  const [entry] = (await shop.api.get('/v1/audit?resource=api_key')).data
  assert.equal(entry.changes[0].after.policy, null)
})

test('a rotated key keeps the limits of the old one', async () => {
  const { ana, path } = await open()
  await ana.post(path, { ...asked, 'policy.max_per_day': '7' })
  const key = /name="key" value="(key_\w+)"/.exec((await ana.get(path)).text)![1]!
  await ana.post(path, { act: 'rotate', key, overlap_hours: '2' })
  assert.equal((await ana.get(path)).text.match(/Limits: 7 writes per day/g)!.length, 2)
})
