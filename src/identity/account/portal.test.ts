import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { basic, newApp, newTokens, openOauthWorld, someAddress, type Merchant } from '../../../test/oauth.ts'
import { openBrowser } from '../../../test/browser.ts'
import { makeLink } from '../accounts/links.ts'
import { sql } from '../../kit/database/sql.ts'

const world = await openOauthWorld()
const { issuer } = world
const { db } = world.app
const api = `${issuer}/oauth/portal/api`

async function signedIn(merchant: Merchant): Promise<Merchant> {
  const page = await merchant.browser.go(`${issuer}/oauth/portal`)
  const portal = await merchant.browser.submit(page, { email: merchant.email, password: merchant.password })
  assert.match(portal.text, /Signed in as/)
  return merchant
}

async function call(merchant: Merchant, method: string, path: string, body?: object) {
  const page = await merchant.browser.visit(api + path, {
    method,
    ...(body ? { body: JSON.stringify(body) } : {}),
    headers: { 'content-type': 'application/json' },
  })
  return { status: page.status, headers: page.headers, ...(JSON.parse(page.text) as { data: any; error: any }) }
}

const details = { client_name: 'Back office', redirect_uris: ['https://office.example/cb'], scope: 'read:orders' }

test('a client made by hand gets a secret once, and it never expires', async () => {
  const ana = await signedIn(await world.newMerchant())
  const { status, data } = await call(ana, 'POST', '/clients', details)
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(data).sort(), ['client_id', 'client_secret'])
  const [listed] = (await call(ana, 'GET', '/clients')).data
  const { client_id_issued_at: _issued, created_at: _created, ...rest } = listed
  assert.deepEqual(rest, {
    ...details,
    client_id: data.client_id,
    client_secret_expires_at: 0,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_basic',
  })
  world.clock.advance(100 * 24 * 3600)
  const tokens = await newTokens(world, await world.newMerchant(), { ...data, redirect_uri: details.redirect_uris[0] })
  assert.equal(tokens.expires_in, 3600)
})

test('a new secret replaces the old one at once', async () => {
  const ana = await signedIn(await world.newMerchant())
  const { data: made } = await call(ana, 'POST', '/clients', details)
  const app = { ...made, redirect_uri: details.redirect_uris[0] }
  // A resource server that is known already, too.
  assert.equal((await world.post('/oauth/introspect', { token: 'x' }, basic(app))).status, 200)
  const { status, data: rotated } = await call(ana, 'POST', `/clients/${made.client_id}/secret`)
  assert.equal(status, 200)
  assert.notEqual(rotated.client_secret, made.client_secret)
  const ask = (secret: string) =>
    world.post('/oauth/introspect', { token: 'x' }, basic({ ...app, client_secret: secret }))
  assert.equal((await ask(rotated.client_secret)).status, 200)
  assert.equal(
    (await world.post('/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x' }, basic(app))).status,
    401,
  )
})

test('a client that is deleted is unknown, and its tokens are dead', async () => {
  const ana = await signedIn(await world.newMerchant())
  const { data: made } = await call(ana, 'POST', '/clients', details)
  const tokens = await newTokens(world, ana, { ...made, redirect_uri: details.redirect_uris[0] })
  assert.deepEqual((await call(ana, 'DELETE', `/clients/${made.client_id}`)).data, { deleted: true })
  const { body } = await world.post('/oauth/introspect', { token: tokens.access_token }, basic(await newApp(world)))
  assert.deepEqual(body, { active: false })
  const again = await world.post(
    '/oauth/token',
    { grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
    basic(made),
  )
  assert.deepEqual([again.status, again.body.error], [401, 'invalid_client'])
})

test('a public client made by hand has no secret, and none can be made', async () => {
  const ana = await signedIn(await world.newMerchant())
  const { data } = await call(ana, 'POST', '/clients', { ...details, token_endpoint_auth_method: 'none' })
  assert.deepEqual(Object.keys(data), ['client_id'])
  assert.equal((await call(ana, 'POST', `/clients/${data.client_id}/secret`)).status, 404)
})

test("another developer's client is as unknown as none", async () => {
  const [ana, ben] = [await signedIn(await world.newMerchant()), await signedIn(await world.newMerchant())]
  const { data } = await call(ana, 'POST', '/clients', details)
  for (const id of [data.client_id, 'client_unknown']) {
    for (const [method, path] of [
      ['POST', `/clients/${id}/secret`],
      ['DELETE', `/clients/${id}`],
    ] as const) {
      const { status, error } = await call(ben, method, path)
      assert.deepEqual([status, error.code, error.message], [404, 'NOT_FOUND', 'Client not found'])
    }
  }
  assert.equal((await call(ben, 'DELETE', '/clients/client%00')).status, 404)
  assert.equal((await call(ana, 'GET', '/clients')).data.length, 1)
  assert.equal((await call(ben, 'GET', '/clients')).data.length, 0)
})

test('the rules of registration hold here too, as validation errors', async () => {
  const ana = await signedIn(await world.newMerchant())
  const wrong = [
    { client_name: '' },
    { redirect_uris: [] },
    { redirect_uris: 'x' },
    { redirect_uris: ['javascript:alert(1)'] },
    { redirect_uris: ['http://office.example'] },
    { scope: 'everything' },
    { token_endpoint_auth_method: 'private_key_jwt' },
  ]
  for (const change of wrong) {
    const { status, error } = await call(ana, 'POST', '/clients', { ...details, ...change })
    assert.deepEqual([status, error.code], [422, 'VALIDATION_ERROR'], JSON.stringify(change))
    assert.equal(error.details[0].field, Object.keys(change)[0])
  }
})

test('a developer has at most 100 clients, however many are asked for at once', async () => {
  const ana = await signedIn(await world.newMerchant())
  await db.transaction((tx) =>
    tx.rows(sql`
    insert into oauth_clients (id, origin, owner_id, name, metadata, created_at)
    select ${ana.userId} || number, 'portal', ${ana.userId}::uuid, 'App', '{}', ${tx.now}::timestamptz
    from generate_series(1, 98) as number`),
  )
  const made = await Promise.all(Array.from({ length: 6 }, () => call(ana, 'POST', '/clients', details)))
  assert.deepEqual(made.map(({ status }) => status).sort(), [201, 201, 422, 422, 422, 422])
})

test('secrets are handed out only to who signed in within the hour', async () => {
  const ana = await signedIn(await world.newMerchant())
  world.clock.advance(3601)
  assert.equal((await call(ana, 'GET', '/clients')).status, 200)
  const { status, error } = await call(ana, 'POST', '/clients', details)
  assert.deepEqual([status, error.code], [401, 'AUTHENTICATION_ERROR'])
})

test('without a session the API answers 401 and the pages lead to the login', async () => {
  const ana = await world.newMerchant()
  assert.equal((await call(ana, 'GET', '/clients')).status, 401)
  const page = await ana.browser.visit(`${issuer}/oauth/portal/apps?store=x`)
  assert.equal(page.location, `${issuer}/oauth/login?return_to=${encodeURIComponent('/oauth/portal/apps?store=x')}`)
})

test('the apps of a store are listed with their scopes and last use, once each, and end together', async () => {
  const ana = await signedIn(await world.newMerchant())
  const app = await newApp(world)
  const store = ana.store.store.id
  const [one, two] = [
    await newTokens(world, ana, app, { scope: 'read:orders' }),
    await newTokens(world, ana, app, { scope: 'read:products' }),
  ]
  const listed = async () => (await call(ana, 'GET', `/stores/${store}/apps`)).data
  const [entry, ...more] = await listed()
  assert.deepEqual(more, [])
  assert.deepEqual(
    [entry.client_id, entry.name, entry.scopes, entry.granted_by],
    [app.client_id, 'Order printer', ['read:orders', 'read:products'], [ana.email]],
  )
  assert.equal(entry.last_used_at, null)
  await world.post('/oauth/introspect', { token: one.access_token }, basic(app))
  for (let tries = 0; tries < 50 && (await listed())[0].last_used_at === null; tries++) await sleep(20)
  assert.ok((await listed())[0].last_used_at)
  assert.deepEqual((await call(ana, 'DELETE', `/stores/${store}/apps/${app.client_id}`)).data, { deleted: true })
  assert.deepEqual(await listed(), [])
  for (const { access_token } of [one, two]) {
    assert.deepEqual((await world.post('/oauth/introspect', { token: access_token }, basic(app))).body, {
      active: false,
    })
  }
  assert.equal((await call(ana, 'DELETE', `/stores/${store}/apps/${app.client_id}`)).status, 404)
})

test('who is no member sees no store; staff sees its apps and ends none', async () => {
  const ana = await signedIn(await world.newMerchant())
  const ben = await signedIn(await world.newMerchant({ role: 'staff', stores: [ana.store] }))
  const eve = await signedIn(await world.newMerchant())
  const app = await newApp(world)
  await newTokens(world, ana, app)
  const path = `/stores/${ana.store.store.id}/apps`
  assert.equal((await call(ben, 'GET', path)).data.length, 1)
  assert.equal((await call(ben, 'DELETE', `${path}/${app.client_id}`)).status, 403)
  assert.equal((await call(eve, 'GET', path)).status, 404)
  assert.deepEqual((await call(eve, 'GET', path)).error, (await call(eve, 'GET', '/stores/AA-00000000/apps')).error)
  assert.equal((await call(eve, 'DELETE', `${path}/${app.client_id}`)).status, 404)
})

test('a request of another site changes nothing', async () => {
  const ana = await signedIn(await world.newMerchant())
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: issuer, 'sec-fetch-site': 'cross-site' },
    { origin: issuer.replace('http:', 'https:') },
    { origin: 'null' },
  ]
  for (const headers of foreign) {
    const { status } = await ana.browser.visit(`${api}/clients`, {
      method: 'POST',
      body: JSON.stringify(details),
      headers: { 'content-type': 'text/plain', ...headers },
    })
    assert.equal(status, 403, JSON.stringify(headers))
  }
  assert.deepEqual((await call(ana, 'GET', '/clients')).data, [])
})

test('who is made staff loses what apps were granted', async () => {
  const ana = await signedIn(await world.newMerchant())
  const ben = await world.newMerchant({ role: 'admin', stores: [ana.store] })
  const app = await newApp(world)
  const tokens = [await newTokens(world, ana, app), await newTokens(world, ben, app)]
  assert.equal((await call(ana, 'POST', `/stores/${ana.store.store.id}/team/${ben.id}`, { role: 'staff' })).status, 200)
  const active = await Promise.all(
    tokens.map(
      async ({ access_token }) =>
        (await world.post('/oauth/introspect', { token: access_token }, basic(app))).body.active,
    ),
  )
  assert.deepEqual(active, [true, false])
})

test('after a new password the apps that are let in are listed, and one button ends them', async () => {
  const ana = await world.newMerchant()
  const app = await newApp(world, { client_name: 'Order printer' })
  const tokens = await newTokens(world, ana, app)
  const link = await world.app.db.transaction((tx) => makeLink(tx, ana.userId, 'reset'))
  const browser = openBrowser({ 'x-forwarded-for': someAddress() })
  const form = await browser.go(`${world.issuer}/oauth/reset/${link}`)
  const page = await browser.submit(form, { password: 'a new and long one' })
  assert.match(page.text, /Order printer[\s\S]*Corner shop/)
  const refresh = (refresh_token: string) =>
    world.post('/oauth/token', { grant_type: 'refresh_token', refresh_token }, basic(app))
  const { status, body } = await refresh(tokens.refresh_token)
  assert.equal(status, 200, 'what was let in stays until it is ended')
  const end = new URLSearchParams({ act: 'end_all', sure: '1' })
  assert.equal((await browser.visit(page.url, { method: 'POST', body: end })).status, 303)
  assert.equal((await refresh(body.refresh_token)).body.error, 'invalid_grant')
})

test('the addresses where the pages of the portal were lead to the screens of the dashboard', async () => {
  const [own, other] = [await world.newStore(), await world.newStore()]
  const ana = await signedIn(await world.newMerchant({ stores: [own, other] }))
  const first = `${issuer}/dashboard/${ana.store.store.id}`
  const leads = async (path: string) => (await ana.browser.visit(`${issuer}/oauth/portal${path}`)).location
  assert.equal(await leads(''), first)
  assert.equal(await leads('/clients'), `${first}/settings/developer/oauth-clients`)
  assert.equal(await leads('/sessions'), `${first}/settings/security`)
  assert.equal(await leads(`/team?store=${other.store.id}`), `${issuer}/dashboard/${other.store.id}/settings/team`)
  assert.equal(await leads('/requests?id=abc'), `${first}/settings/developer/requests?id=abc`)
  assert.equal(await leads('/team?store=ZZ-00000000'), `${first}/settings/team`)
})
