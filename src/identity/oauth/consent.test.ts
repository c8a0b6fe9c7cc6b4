import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBrowser } from '../../../test/browser.ts'
import { allow, authorizeUrl, basic, newApp, openOauthWorld, pkce, toConsent } from '../../../test/oauth.ts'
import { changeRole } from '../accounts/team.ts'
import { sql } from '../../kit/database/sql.ts'
import { verifySoftware } from './software.ts'

const world = await openOauthWorld()
const { issuer } = world
const { db } = world.app

test('the page shows who asks, for what in words, where it leads and for which store', async () => {
  const merchant = await world.newMerchant()
  const app = await newApp(world, {
    logo_uri: 'https://cdn.printer.example/logo.png',
    policy_uri: 'https://printer.example/policy',
  })
  const page = await toConsent(merchant, authorizeUrl(issuer, app, { scope: 'read:orders read:products' }))
  assert.equal(page.status, 200)
  assert.match(page.text, /<h1>Connect Order printer\?<\/h1>/)
  assert.match(page.text, /<span class="host">printer\.example<\/span>/)
  assert.match(page.text, /<li>View orders, including names and addresses<\/li>/)
  assert.match(page.text, /<li>View products<\/li>/)
  assert.match(page.text, /Corner shop/)
  assert.match(page.text, /isn’t verified/)
  assert.match(page.text, /https:\/\/printer\.example\/policy/)
  assert.doesNotMatch(page.text, /<script/)
})

test('the sign-in page names the app that asks, after a wrong password too, and no name from a link', async () => {
  const merchant = await world.newMerchant()
  const browser = openBrowser()
  const page = await browser.go(authorizeUrl(issuer, await newApp(world)))
  assert.match(page.text, /Sign in to connect Order printer\./)
  const again = await browser.submit(page, { email: merchant.email, password: 'wrong' })
  assert.equal(again.status, 401)
  assert.match(again.text, /Sign in to connect Order printer\./)
  const forged = await browser.go(`${issuer}/oauth/login?app=Your%20bank`)
  assert.doesNotMatch(forged.text, /Your bank|Sign in to connect/)
})

test('it speaks Spanish to who prefers it', async () => {
  const merchant = await world.newMerchant()
  const app = await newApp(world)
  await toConsent(merchant, authorizeUrl(issuer, app))
  const page = await merchant.browser.visit((await merchant.browser.go(authorizeUrl(issuer, app))).url, {
    headers: { 'accept-language': 'es-MX,es;q=0.9' },
  })
  assert.match(page.text, /<html lang="es">/)
  assert.match(page.text, /¿Conectar Order printer\?/)
  assert.match(page.text, /Ver pedidos/)
})

test('no script, no frame, images from the logo only, forms to here and the app only', async () => {
  const merchant = await world.newMerchant()
  const app = await newApp(world, { logo_uri: 'https://cdn.printer.example/logo.png' })
  const { headers } = await toConsent(merchant, authorizeUrl(issuer, app))
  assert.equal(
    headers.get('content-security-policy'),
    "default-src 'none'; style-src 'self'; " +
      "img-src 'self' https://cdn.printer.example; font-src 'self'; form-action 'self' https://printer.example; " +
      "frame-ancestors 'none'; base-uri 'none'",
  )
  assert.equal(headers.get('x-frame-options'), 'DENY')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('referrer-policy'), 'same-origin')
  assert.equal(headers.get('cache-control'), 'no-store')
})

test('the form may lead to an app on [::1], which a policy cannot name', async () => {
  const merchant = await world.newMerchant()
  const local = await newApp(world, { redirect_uris: ['http://[::1]/callback'] })
  const page = await toConsent(merchant, authorizeUrl(issuer, local, { redirect_uri: 'http://[::1]:4321/callback' }))
  assert.match(page.headers.get('content-security-policy')!, /form-action 'self' http:;/)
  assert.match(page.text, /\[::1\]:4321/)
})

test('a name with markup is text', async () => {
  const merchant = await world.newMerchant()
  const app = await newApp(world, { client_name: '<img src=x onerror=alert(1)> & "Co"' })
  const { text } = await toConsent(merchant, authorizeUrl(issuer, app))
  assert.doesNotMatch(text, /<img/)
  assert.match(text, /&lt;img src=x/)
})

test('the app is told when the merchant does not allow it', async () => {
  const merchant = await world.newMerchant()
  const app = await newApp(world)
  const page = await toConsent(merchant, authorizeUrl(issuer, app))
  const { location } = await merchant.browser.submit(page, { decision: 'deny' }, (to) =>
    to.startsWith(app.redirect_uri),
  )
  const answer = new URL(location!).searchParams
  assert.equal(answer.get('error'), 'access_denied')
  assert.equal(answer.get('state'), 'xyz')
  assert.equal(answer.get('iss'), issuer)
})

test('of several stores the merchant chooses one, and the token is bound to it', async () => {
  const stores = await Promise.all([world.newStore({ name: 'First' }), world.newStore({ name: 'Second' })])
  const merchant = await world.newMerchant({ stores })
  const app = await newApp(world)
  const { verifier, challenge } = pkce()
  const url = authorizeUrl(issuer, app, { code_challenge: challenge })
  const page = await toConsent(merchant, url)
  const undecided = await merchant.browser.submit(page, { decision: 'allow' })
  assert.equal(undecided.status, 422)
  assert.match(undecided.text, /Choose a store/)
  const answer = await allow(merchant, app, url, { store_id: stores[1]!.store.id })
  const { body } = await world.post(
    '/oauth/token',
    {
      grant_type: 'authorization_code',
      code: answer.get('code')!,
      redirect_uri: app.redirect_uri,
      code_verifier: verifier,
    },
    basic(app),
  )
  const { body: token } = await world.post('/oauth/introspect', { token: body.access_token }, basic(app))
  assert.equal(token.service_store_id, stores[1]!.store.id)
})

test("a store that is not the merchant's cannot be chosen", async () => {
  const [mine, other, theirs] = await Promise.all([world.newStore(), world.newStore(), world.newStore()])
  const merchant = await world.newMerchant({ stores: [mine, other] })
  const app = await newApp(world)
  const page = await toConsent(merchant, authorizeUrl(issuer, app))
  const answer = await merchant.browser.submit(page, { decision: 'allow', store_id: theirs.store.id })
  assert.equal(answer.status, 422)
  assert.deepEqual(await db.rows(sql`select id from oauth_grants where store_id = ${theirs.store.id}`), [])
})

test('staff may not let an app in', async () => {
  const merchant = await world.newMerchant({ role: 'staff' })
  const app = await newApp(world)
  const page = await toConsent(merchant, authorizeUrl(issuer, app))
  assert.match(page.text, /Only a store’s owners and administrators/)
  assert.doesNotMatch(page.text, /value="allow"/)
  const answer = await merchant.browser.submit(page, { decision: 'allow', store_id: merchant.store.store.id })
  assert.equal(answer.status, 422)
})

test('who is demoted while allowing an app in leaves no grant behind', async () => {
  const ana = await world.newMerchant()
  const ben = await world.newMerchant({ role: 'admin', stores: [ana.store] })
  const app = await newApp(world)
  const page = await toConsent(ben, authorizeUrl(issuer, app))
  const store = ana.store.store.id
  const allowing = await db.transaction(async (tx) => {
    await changeRole(tx, store, ben.userId, { role: 'staff', actorId: ana.userId })
    // Not committed yet: the session that is read has still the old role.
    const answer = ben.browser.submit(page, { decision: 'allow' }, (to) => to.startsWith(app.redirect_uri))
    await Promise.race([answer, sleep(300)])
    return { answer }
  })
  assert.ok((await allowing.answer).status >= 400)
  assert.deepEqual(await db.rows(sql`select id from oauth_grants where user_id = ${ben.userId}`), [])
})

test('prompt=login asks for the password again', async () => {
  const merchant = await world.newMerchant()
  const app = await newApp(world)
  await toConsent(merchant, authorizeUrl(issuer, app))
  world.clock.advance(5)
  const page = await merchant.browser.go(authorizeUrl(issuer, app, { prompt: 'login' }))
  assert.match(page.text, /Confirm it’s you/)
  const consent = await merchant.browser.submit(page, { email: merchant.email, password: merchant.password })
  assert.match(consent.text, /Connect Order printer/)
  const end = await merchant.browser.submit(consent, { decision: 'allow' }, (to) => to.startsWith(app.redirect_uri))
  assert.ok(new URL(end.location!).searchParams.get('code'))
})

test('the request belongs to the browser that began it', async () => {
  const merchant = await world.newMerchant()
  const app = await newApp(world)
  const page = await toConsent(merchant, authorizeUrl(issuer, app))
  const stranger = openBrowser()
  assert.equal((await stranger.visit(page.url)).status, 400)
  const thief = openBrowser()
  thief.cookies.set('stoa_session', merchant.browser.cookies.get('stoa_session')!)
  assert.equal((await thief.visit(page.url)).status, 400)
  assert.equal(
    (await thief.visit(page.url, { method: 'POST', body: new URLSearchParams({ decision: 'allow' }) })).status,
    400,
  )
})

test('a request that was planted in another browser gives nothing to who began it', async () => {
  const [ana, eve] = [await world.newMerchant(), await world.newMerchant()]
  const app = await newApp(world)
  const begun = await toConsent(eve, authorizeUrl(issuer, app))
  await ana.browser.submit(await ana.browser.go(`${issuer}/oauth/login`), { email: ana.email, password: ana.password })
  for (const name of ['stoa_interaction', 'stoa_interaction.sig']) {
    ana.browser.cookies.set(name, eve.browser.cookies.get(name)!)
  }
  const isApp = (to: string) => to.startsWith(app.redirect_uri)
  const planted = await ana.browser.visit(begun.url)
  const allowed = await ana.browser.submit(planted, { decision: 'allow' }, isApp)
  const uid = new URL(begun.url).pathname.split('/').at(-1)
  const resumed = await eve.browser.go(`${issuer}/oauth/authorize/${uid}`, isApp)
  assert.deepEqual(
    [allowed, resumed].filter(({ location }) => location?.includes('code=')),
    [],
  )
  assert.deepEqual(await db.rows(sql`select id from oauth_tokens where store_id = ${ana.store.store.id}`), [])
})

test('a form of another site, or of a sandboxed frame, does nothing', async () => {
  const merchant = await world.newMerchant()
  const app = await newApp(world)
  const page = await toConsent(merchant, authorizeUrl(issuer, app))
  const body = () => new URLSearchParams({ ...page.form!.fields, decision: 'allow' })
  for (const origin of ['https://evil.example', 'null']) {
    const answer = await merchant.browser.visit(page.form!.action, {
      method: 'POST',
      body: body(),
      headers: { origin, 'sec-fetch-site': 'cross-site' },
    })
    assert.equal(answer.status, 403)
  }
  assert.deepEqual(await db.rows(sql`select id from oauth_grants where store_id = ${merchant.store.store.id}`), [])
})

test('who signs in as somebody else on the way decides as that person', async () => {
  const [first, second] = [await world.newMerchant(), await world.newMerchant()]
  const app = await newApp(world)
  await allow(first, app, authorizeUrl(issuer, app))
  const page = await first.browser.go(authorizeUrl(issuer, app))
  const login = await first.browser.submit(
    { ...page, form: { action: `${issuer}/oauth/logout`, fields: { return_to: new URL(page.url).pathname } } },
    {},
  )
  assert.match(login.url, /\/oauth\/login/)
  const consent = await first.browser.submit(login, { email: second.email, password: second.password })
  const { location } = await first.browser.submit(consent, { decision: 'allow' }, (to) =>
    to.startsWith(app.redirect_uri),
  )
  assert.ok(new URL(location!).searchParams.get('code'))
  const [grant] = await db.rows<{ user_id: string }>(
    sql`select user_id from oauth_grants where client_id = ${app.client_id} order by created_at desc, id limit 1`,
  )
  assert.equal(grant!.user_id, second.userId)
})

test('the mark of verified software needs its redirect hosts, too', async () => {
  const merchant = await world.newMerchant()
  await db.transaction((tx) => verifySoftware(tx, 'verified-printer', ['printer.example', 'www.printer.example']))
  const shown = async (metadata: object) =>
    (await toConsent(merchant, authorizeUrl(issuer, await newApp(world, metadata)))).text
  assert.match(await shown({ software_id: 'verified-printer' }), /✓ Verified/)
  assert.match(
    await shown({ software_id: 'verified-printer', redirect_uris: ['https://www.printer.example/x'] }),
    /✓ Verified/,
  )
  const impostors = [
    { software_id: 'verified-printer', redirect_uris: ['https://evil.example/callback'] },
    {
      software_id: 'verified-printer',
      redirect_uris: ['https://printer.example/callback', 'https://evil.example/callback'],
    },
    { software_id: 'verified-printer', redirect_uris: ['http://localhost:1234/callback'] },
    { software_id: 'other-printer' },
  ]
  for (const metadata of impostors) {
    const text = await shown(metadata)
    assert.doesNotMatch(text, /✓ Verified/)
    assert.match(text, /isn’t verified/)
  }
  await db.transaction((tx) => verifySoftware(tx, 'verified-printer', []))
  assert.doesNotMatch(await shown({ software_id: 'verified-printer' }), /✓ Verified/)
})

test("an app on the merchant's own computer is warned of", async () => {
  const merchant = await world.newMerchant()
  const app = await newApp(world, { redirect_uris: ['http://127.0.0.1:8080/cb'] })
  const { text } = await toConsent(merchant, authorizeUrl(issuer, app))
  assert.match(text, /runs on your computer/)
  assert.match(text, /<span class="host">127\.0\.0\.1:8080<\/span>/)
})

test('a request that waited an hour has expired', async () => {
  const merchant = await world.newMerchant()
  const app = await newApp(world)
  const page = await toConsent(merchant, authorizeUrl(issuer, app))
  world.clock.advance(3601)
  const late = await merchant.browser.submit(page, { decision: 'allow' })
  assert.equal(late.status, 400)
  assert.match(late.text, /has expired/)
})
