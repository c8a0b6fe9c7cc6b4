import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basic, newApp, newTokens, openOauthWorld, someAddress } from '../../../test/oauth.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { addressBlock } from '../../platform/ratelimit/addressblock.ts'

const world = await openOauthWorld()
const { post, register } = world
const from = (address: string) => ({ 'x-forwarded-for': address })

const refused = (answer: { status: number; headers: Headers; body: any }, atMost: number) => {
  assert.equal(answer.status, 429)
  assert.equal(answer.body.error, 'too_many_requests')
  const wait = Number(answer.headers.get('retry-after'))
  assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= atMost, `Retry-After: ${wait}`)
}

test('10 registrations an hour from an address; the 11th waits, another address does not', async () => {
  const address = someAddress()
  for (let count = 1; count <= 10; count++) assert.equal((await register({}, from(address))).status, 201)
  refused(await register({}, from(address)), 3600)
  assert.equal((await register({}, from(someAddress()))).status, 201)
  world.clock.advance(3601)
  assert.equal((await register({}, from(address))).status, 201)
})

test('refused registrations count too', async () => {
  const address = someAddress()
  for (let count = 1; count <= 10; count++)
    assert.equal((await register({ redirect_uris: [] }, from(address))).status, 400)
  refused(await register({}, from(address)), 3600)
})

test('60 token requests a minute from an address, whoever asks', async () => {
  const address = someAddress()
  for (let count = 1; count <= 60; count++) {
    const { status } = await post(
      '/oauth/token',
      { client_id: `client_${count}`, grant_type: 'refresh_token' },
      from(address),
    )
    assert.equal(status, 401)
  }
  refused(await post('/oauth/token', { client_id: 'client_61', grant_type: 'refresh_token' }, from(address)), 60)
  world.clock.advance(61)
  assert.equal(
    (await post('/oauth/token', { client_id: 'client_61', grant_type: 'refresh_token' }, from(address))).status,
    401,
  )
})

test('30 token requests a minute of a client, from any number of addresses', async () => {
  const app = await newApp(world)
  const ask = (headers = basic(app), body = {}) =>
    post('/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x', ...body }, headers)
  for (let count = 1; count <= 30; count++) assert.equal((await ask()).status, 400)
  refused(await ask(), 60)
  refused(await ask({}, { client_id: app.client_id, client_secret: app.client_secret }), 60)
  world.clock.advance(61)
  assert.equal((await ask()).status, 400)
})

test('wrong secrets do not use up the window of a client', async () => {
  const app = await newApp(world)
  for (let count = 1; count <= 40; count++) {
    const { status } = await post(
      '/oauth/token',
      { grant_type: 'refresh_token', refresh_token: 'x' },
      basic({ ...app, client_secret: 'wrong' }),
    )
    assert.equal(status, 401)
  }
  assert.equal(
    (await post('/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x' }, basic(app))).status,
    400,
  )
})

test('nor do they when they come all at once', async () => {
  const app = await newApp(world)
  const ask = (client: typeof app) =>
    post('/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x' }, basic(client))
  const wrong = { ...app, client_secret: 'wrong' }
  for (let burst = 1; burst <= 2; burst++) {
    const statuses = (await Promise.all(Array.from({ length: 60 }, () => ask(wrong)))).map(({ status }) => status)
    assert.ok(statuses.every((status) => status === 401 || status === 429))
  }
  for (let count = 1; count <= 30; count++) assert.equal((await ask(app)).status, 400)
  refused(await ask(app), 60)
})

test('1,000 introspections a minute of a client', async () => {
  const app = await newApp(world)
  const merchant = await world.newMerchant()
  const { access_token } = await newTokens(world, merchant, app)
  const ask = () => post('/oauth/introspect', { token: access_token }, basic(app))
  for (let hundred = 0; hundred < 10; hundred++) {
    const statuses = (await Promise.all(Array.from({ length: 100 }, ask))).map(({ status }) => status)
    assert.ok(statuses.every((status) => status === 200))
  }
  refused(await ask(), 60)
  world.clock.advance(61)
  assert.equal((await ask()).body.active, true)
})

test('60 wrong secrets a minute of an address; a client that was right there goes on', async () => {
  const [app, other] = [await newApp(world), await newApp(world)]
  const address = someAddress()
  const ask = (client: typeof app, headers = from(address)) =>
    post('/oauth/introspect', { token: 'x' }, { ...basic(client), ...headers })
  assert.equal((await ask(app)).status, 200)
  for (let count = 1; count <= 60; count++) {
    assert.equal((await ask({ client_id: `client_${count}`, client_secret: 'a guess', redirect_uri: '' })).status, 401)
  }
  refused(await ask({ ...other, client_secret: 'a guess' }), 60)
  refused(await ask(other), 60)
  assert.equal((await ask(app)).status, 200)
  assert.equal((await ask(other, from(someAddress()))).status, 200)
  world.clock.advance(61)
  assert.equal((await ask(other)).status, 200)
})

test('nor is a client right where nothing looked at its secret', async () => {
  const app = await newApp(world)
  const address = someAddress()
  const ask = (client: typeof app) => post('/oauth/introspect', { token: 'x' }, { ...basic(client), ...from(address) })
  assert.equal((await register({}, { ...basic({ ...app, client_secret: 'a guess' }), ...from(address) })).status, 201)
  for (let count = 1; count <= 60; count++) {
    assert.equal((await ask({ client_id: `client_${count}`, client_secret: 'a guess', redirect_uri: '' })).status, 401)
  }
  refused(await ask(app), 60)
})

test('also where a client was right, its wrong secrets are limited', async () => {
  const app = await newApp(world)
  const address = someAddress()
  const ask = (client: typeof app) => post('/oauth/introspect', { token: 'x' }, { ...basic(client), ...from(address) })
  assert.equal((await ask(app)).status, 200)
  for (let count = 1; count <= 60; count++) {
    assert.equal((await ask({ ...app, client_secret: 'a guess' })).status, 401)
  }
  refused(await ask({ ...app, client_secret: 'a guess' }), 60)
})

test('an address of IPv6 counts with its /64, one of IPv4 by itself however it is written', () => {
  assert.equal(addressBlock('2001:db8:1:2:3:4:5:6'), addressBlock('2001:db8:1:2:ffff::1'))
  assert.notEqual(addressBlock('2001:db8:1:2::1'), addressBlock('2001:db8:1:3::1'))
  assert.equal(addressBlock('::ffff:192.0.2.1'), '192.0.2.1')
  assert.notEqual(addressBlock('192.0.2.1'), addressBlock('192.0.2.2'))
})

test('every limit of an address counts its /64: changing the rest of it helps nobody', async () => {
  const block = `2001:db8:${newUuid().slice(0, 4)}:${newUuid().slice(9, 13)}`
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, index) =>
      fetch(`${world.url}/v1/products`, { headers: from(`${block}::${index + 1}`) }),
    ),
  )
  assert.deepEqual(
    answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining'))).sort(),
    [996, 997, 998, 999],
  )
  const shop = await world.newStore()
  const left = async (end: string) =>
    Number(
      (
        await fetch(`${world.url}/storefront/${shop.store.slug}/products`, { headers: from(`${block}::${end}`) })
      ).headers.get('x-ratelimit-remaining'),
    )
  assert.deepEqual([await left('a'), await left('b')], [999, 998])
  const statuses: number[] = []
  for (let count = 1; count <= 61; count++) {
    const { status } = await post('/oauth/login', { email: '' }, from(`${block}::${count.toString(16)}`))
    statuses.push(status)
  }
  assert.equal(statuses.at(-1), 429)
})

test('X-Forwarded-For counts only from a trusted proxy', async () => {
  const open = await openOauthWorld({ environment: { TRUSTED_PROXIES: '' } })
  for (let count = 1; count <= 10; count++) assert.equal((await open.register({}, from(someAddress()))).status, 201)
  refused(await open.register({}, from(someAddress())), 3600)
})
