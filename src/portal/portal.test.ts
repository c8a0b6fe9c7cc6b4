import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  allow,
  authorizeUrl,
  basic,
  newApp,
  newTokens,
  openOauthWorld,
  pkce,
  someAddress,
  toConsent,
  type Merchant,
} from '../../test/oauth.ts'
import { openBrowser } from '../../test/browser.ts'
import { makeLink } from '../accounts/links.ts'
import { sql } from '../kit/database/sql.ts'

const world = await openOauthWorld()
const { issuer } = world
const { db } = world.app
const api = `${issuer}/oauth/portal/api`

async function signedIn(merchant: Merchant): Promise<Merchant> {
  const page = await merchant.browser.go(`${issuer}/oauth/portal`)
  const portal = await merchant.browser.submit(page, { email: merchant.email, password: merchant.password })
  assert.match(portal.text, /Your apps/)
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
    const page = await sendApp(ana, { client_name: 'Theirs', scope: 'read:orders' }, headers)
    assert.equal(page.status, 403, JSON.stringify(headers))
  }
  assert.deepEqual((await call(ana, 'GET', '/clients')).data, [])
})

test('all of it can be done on pages without a script', async () => {
  const ana = await signedIn(await world.newMerchant())
  const body = new URLSearchParams([
    ['act', 'create'],
    ['client_name', 'Page app'],
    ['redirects', 'https://a.example/cb\nhttps://b.example/cb'],
    ['scope', 'read:orders'],
    ['scope', 'read:products'],
  ])
  const sent = await ana.browser.visit(`${issuer}/oauth/portal/clients`, { method: 'POST', body })
  assert.deepEqual([sent.status, sent.location], [303, `${issuer}/oauth/portal/clients`])
  const made = await ana.browser.visit(sent.location!)
  const [, client_id] = /client_id <code class="secret">(\w+)</.exec(made.text)!
  const [, client_secret] = /client_secret <code class="secret">(\w+)</.exec(made.text)!
  const { verifier, challenge } = pkce()
  const app = { client_id: client_id!, client_secret: client_secret!, redirect_uri: 'https://b.example/cb' }
  const answer = await allow(ana, app, authorizeUrl(issuer, app, { scope: undefined, code_challenge: challenge }))
  const { status } = await world.post(
    '/oauth/token',
    {
      grant_type: 'authorization_code',
      code: answer.get('code')!,
      redirect_uri: app.redirect_uri,
      code_verifier: verifier,
    },
    basic(app),
  )
  assert.equal(status, 200)
  const apps = await ana.browser.visit(`${issuer}/oauth/portal/apps`)
  assert.match(apps.text, /Page app/)
  const asked = await ana.browser.visit(`${issuer}/oauth/portal/apps?store=${ana.store.store.id}`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: client_id! }),
  })
  assert.match(asked.text, /Remove the access of Page app to Corner shop\?/)
  assert.equal((await ana.browser.submit(asked, {})).status, 200)
  assert.match((await ana.browser.visit(`${issuer}/oauth/portal/apps`)).text, /No app is connected/)
  const refused = await ana.browser.visit(`${issuer}/oauth/portal/clients`, {
    method: 'POST',
    body: new URLSearchParams({ act: 'create', client_name: '<b>x', redirects: 'ftp://x', scope: 'read:orders' }),
  })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /role="alert"/)
  assert.match(refused.text, /&lt;b&gt;x/)
  const question = await ana.browser.visit(`${issuer}/oauth/portal/clients`, {
    method: 'POST',
    body: new URLSearchParams({ act: 'delete', id: client_id! }),
  })
  assert.match(question.text, /Delete Page app\?/)
  assert.match((await ana.browser.submit(question, {})).text, /You have made no app yet/)
  assert.match((await toConsent(ana, authorizeUrl(issuer, app))).text, /invalid_client/)
})

/** The form of the page, without following where it leads. */
function sendApp({ browser }: Merchant, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const body = new URLSearchParams({ act: 'create', redirects: 'https://a.example/cb', ...fields })
  return browser.visit(`${issuer}/oauth/portal/clients`, { method: 'POST', body, headers })
}

test('an app without a permission is not made, and what was typed stays', async () => {
  const ana = await signedIn(await world.newMerchant())
  const { status, text } = await sendApp(ana, { client_name: 'Page app' })
  assert.equal(status, 422)
  assert.match(text, /role="alert">Please choose at least one permission\./)
  assert.match(text, /<details open>[\s\S]*value="Page app"[\s\S]*https:\/\/a\.example\/cb<\/textarea>/)
  assert.deepEqual((await call(ana, 'GET', '/clients')).data, [])
})

test('the page of an app just made shows its secret once; asking for it again makes no second app', async () => {
  const ana = await signedIn(await world.newMerchant())
  const { status, location, text } = await sendApp(ana, { client_name: 'Page app', scope: 'read:orders' })
  assert.deepEqual([status, location], [303, `${issuer}/oauth/portal/clients`])
  assert.doesNotMatch(text, /client_secret/)
  const shown = await ana.browser.visit(location!)
  assert.match(shown.text, /client_secret <code class="secret">\w+</)
  const again = await ana.browser.visit(location!)
  assert.match(again.text, /Page app/)
  assert.doesNotMatch(again.text, /client_secret/)
  assert.equal((await call(ana, 'GET', '/clients')).data.length, 1)
})

test('the portal sets a new password: other sessions end, and the old one opens nothing', async () => {
  const ana = await signedIn(await world.newMerchant())
  const elsewhere = await signedIn({ ...ana, browser: openBrowser({ 'x-forwarded-for': someAddress() }) })
  const address = `${issuer}/oauth/portal/password`
  const send = (password: string) =>
    ana.browser.visit(address, { method: 'POST', body: new URLSearchParams({ password }) })
  for (const [password, said] of [
    ['short', /must have 8 to 200 characters/],
    ['password1', /most common passwords/],
  ] as const) {
    const refused = await send(password)
    assert.equal(refused.status, 422, password)
    assert.match(refused.text, said)
    assert.match(refused.text, /aria-invalid="true"/)
  }
  assert.equal((await call(elsewhere, 'GET', '/session')).status, 200)

  const saved = await send('a new and long one')
  assert.deepEqual([saved.status, saved.location], [303, `${issuer}/oauth/portal/sessions?saved=1`])
  assert.match((await ana.browser.visit(saved.location!)).text, /role="status"/)
  assert.equal((await call(elsewhere, 'GET', '/session')).status, 401)
  const logIn = async (password: string) => {
    const browser = openBrowser({ 'x-forwarded-for': someAddress() })
    return (await browser.submit(await browser.go(`${issuer}/oauth/portal`), { email: ana.email, password })).status
  }
  assert.deepEqual([await logIn(ana.password), await logIn('a new and long one')], [401, 200])
})

test('the portal sets a password only for who signed in within the hour', async () => {
  const ana = await signedIn(await world.newMerchant())
  world.clock.advance(3601)
  const body = new URLSearchParams({ password: 'a new and long one' })
  const { status, location } = await ana.browser.visit(`${issuer}/oauth/portal/password`, { method: 'POST', body })
  assert.equal(status, 303)
  assert.match(location!, /\/oauth\/login\?.*again=1/)
})

test('an owner changes a role on the page; the last owner keeps it, in words', async () => {
  const ana = await signedIn(await world.newMerchant())
  const ben = await world.newMerchant({ role: 'staff', stores: [ana.store] })
  const { id: storeId } = ana.store.store
  const change = ({ id }: Merchant, role: string) =>
    ana.browser.visit(`${issuer}/oauth/portal/team?store=${storeId}`, {
      method: 'POST',
      body: new URLSearchParams({ act: 'role', person: id, role }),
    })
  const roleOf = async ({ id }: Merchant) =>
    (await call(ana, 'GET', `/stores/${storeId}/team`)).data.find((person: any) => person.id === id).role
  const { status, location } = await change(ben, 'admin')
  assert.deepEqual([status, location], [303, `${issuer}/oauth/portal/team?store=${storeId}`])
  assert.equal(await roleOf(ben), 'admin')
  assert.equal((await change(ben, 'king')).status, 422)

  const refused = await change(ana, 'admin')
  assert.equal(refused.status, 409)
  assert.match(refused.text, /role="alert">A store keeps at least one owner\./)
  assert.equal(await roleOf(ana), 'owner')
  assert.equal((await change(ben, 'owner')).status, 303)
  assert.equal((await change(ana, 'admin')).status, 303)
  assert.deepEqual([await roleOf(ana), await roleOf(ben)], ['admin', 'owner'])
  assert.equal((await change(ana, 'owner')).status, 403, 'who is owner no more names none')
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
  assert.match((await browser.submit(page, {})).text, /Your apps/)
  assert.equal((await refresh(body.refresh_token)).body.error, 'invalid_grant')
})

test('an owner reads what was asked of the API, and what became of a request; staff does not', async () => {
  const ana = await signedIn(await world.newMerchant())
  const { api } = ana.store
  const { headers } = await api.post('/v1/products', { name: 'Mug' })
  await world.app.requestLog!.flush()
  const listed = await ana.browser.visit(`${issuer}/oauth/portal/requests`)
  assert.match(listed.text, /POST \/v1\/products<\/a>.*\n.*422 · VALIDATION_ERROR/)
  const id = headers.get('x-request-id')
  const explained = await ana.browser.visit(`${issuer}/oauth/portal/requests?id=${id}`)
  assert.match(explained.text, /What was sent: refused \(price: is required\)/)
  assert.match(explained.text, /Conflict: not reached/)
  const spanish = { headers: { 'accept-language': 'es' } }
  const inSpanish = await ana.browser.visit(`${issuer}/oauth/portal/requests?id=${id}`, spanish)
  assert.match(inSpanish.text, /Lo enviado: rechazado/)

  const stranger = await signedIn(await world.newMerchant())
  const unknown = await stranger.browser.visit(`${issuer}/oauth/portal/requests?id=${id}`)
  assert.equal(unknown.status, 404)
  assert.match(unknown.text, /There was no such request/)
  const staff = await signedIn(await world.newMerchant({ role: 'staff' }))
  const refused = await staff.browser.visit(`${issuer}/oauth/portal/requests?id=${id}`)
  assert.match(refused.text, /Only owners and administrators/)
})
