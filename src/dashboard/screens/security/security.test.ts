import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../../../../test/browser.ts'
import { codeOf, logIn, portal, withApp } from '../../../../test/factors.ts'
import { letterTo, linkIn } from '../../../../test/letters.ts'
import { openOauthWorld, password, someAddress, type Merchant } from '../../../../test/oauth.ts'
import { newUuid } from '../../../kit/values/ids.ts'

const world = await openOauthWorld({ sweeps: true })

const screenOf = ({ store }: Merchant) => `${world.issuer}/dashboard/${store.store.id}/settings/security`
const elsewhere = (ana: Merchant): Merchant => ({ ...ana, browser: openBrowser({ 'x-forwarded-for': someAddress() }) })
const show = (ana: Merchant, query = '') => ana.browser.visit(screenOf(ana) + query)
const send = (ana: Merchant, fields: Record<string, string>) =>
  ana.browser.visit(screenOf(ana), { method: 'POST', body: new URLSearchParams(fields) })

async function signedIn(): Promise<Merchant> {
  const ana = await world.newMerchant()
  await logIn(world, ana)
  return ana
}

test('a name is changed', async () => {
  const ana = await signedIn()
  assert.match((await send(ana, { act: 'rename', name: 'Ana María' })).notice, /^saved$/)
  assert.match((await show(ana)).text, /value="Ana María"/)
  assert.equal((await portal(world, ana, 'GET', '/session')).data.user.name, 'Ana María')
})

test('an address changes once the link that is sent there is opened; the old one is told', async () => {
  const ana = await signedIn()
  const to = `new-${newUuid()}@example.com`
  assert.match((await send(ana, { act: 'email', email: to })).notice, /^email_asked$/)
  assert.match((await show(ana)).text, new RegExp(`Waiting for confirmation of ${to}`))
  const link = linkIn((await letterTo(world.app, to))[0]!.text)
  const scanner = openBrowser()
  const page = await scanner.visit(link)
  assert.equal((await portal(world, ana, 'GET', '/session')).data.user.email, ana.email)
  assert.match((await scanner.submit(page, {})).text, new RegExp(`email is now ${to}`))
  assert.equal((await scanner.visit(link)).status, 410)
  assert.match((await letterTo(world.app, ana.email))[0]!.text, new RegExp(`from ${ana.email} to ${to}`))
  assert.match((await logIn(world, elsewhere({ ...ana, email: to }))).text, /Signed in as/)
  assert.equal((await logIn(world, elsewhere(ana))).status, 401)
})

test('whose address it is is told to nobody but its owner, and two accounts never share one', async () => {
  const [ana, ben] = [await signedIn(), await world.newMerchant()]
  const asked = await send(ana, { act: 'email', email: ben.email.toUpperCase() })
  assert.match(asked.notice, /^email_asked$/)
  const [letter] = await letterTo(world.app, ben.email.toUpperCase())
  const browser = openBrowser()
  const refused = await browser.submit(await browser.visit(linkIn(letter!.text)), {})
  assert.equal(refused.status, 409)
  assert.match(refused.text, /Another account already uses this email/)
})

test('a password is changed with this session going on; all others end, and its owner is told', async () => {
  const ana = await signedIn()
  const other = elsewhere(ana)
  await logIn(world, other)
  for (const [given, said] of [
    ['short', /Use 8 to 200 characters/],
    ['password1', /most common passwords/],
    [ana.email, /use your email or the store’s name/],
  ] as const) {
    const refused = await send(ana, { act: 'password', password: given })
    assert.equal(refused.status, 422, given)
    assert.match(refused.text, said)
    assert.ok(!refused.text.includes(`value="${given}"`))
  }
  assert.match((await send(ana, { act: 'password', password: 'a new and long one' })).notice, /^password_saved$/)
  assert.equal((await show(ana)).status, 200)
  assert.equal((await portal(world, other, 'GET', '/session')).status, 401)
  assert.equal((await logIn(world, elsewhere(ana), password)).status, 401)
  assert.match((await letterTo(world.app, ana.email))[0]!.subject, /Your password was changed/)
})

test('sessions are listed with their browsers; one is ended, or all others', async () => {
  const ana = await signedIn()
  const phone = {
    ...ana,
    browser: openBrowser({ 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Safari/604.1' }),
  }
  for (const one of [elsewhere(ana), phone]) await logIn(world, one)
  const { text } = await show(ana)
  assert.match(text, /Safari · iPhone/)
  const [session] = [...text.matchAll(/name="session" value="([^"]+)"/g)].map(([, id]) => id!)
  assert.match((await send(ana, { act: 'end', session: session! })).notice, /^session_ended_there$/)
  assert.equal((await portal(world, ana, 'GET', '/sessions')).data.length, 2)
  assert.match((await send(ana, { act: 'end_others' })).notice, /^sessions_ended$/)
  assert.equal((await portal(world, phone, 'GET', '/session')).status, 401)
  assert.equal((await portal(world, ana, 'GET', '/sessions')).data.length, 1)
})

test('an app is set up, its codes shown once, renewed and removed; each is told by mail', async () => {
  const ana = await signedIn()
  assert.match((await show(ana)).text, /Anyone with your password can sign in/)
  assert.match((await send(ana, { act: 'begin_totp' })).notice, /^totp_begun$/)
  const setup = await show(ana)
  assert.match(setup.text, /<svg[^>]*>/)
  assert.doesNotMatch(setup.text, / style="/)
  const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(setup.text)![1]!
  assert.equal((await send(ana, { act: 'confirm_totp', code: '000000' })).status, 422)
  const made = await send(ana, { act: 'confirm_totp', code: codeOf(world, secret) })
  assert.match(made.text, /Your recovery codes/)
  const codesIn = (text: string) => /<code class="codes">([^<]+)/.exec(text)?.[1]!.split('\n') ?? []
  assert.equal(codesIn(made.text).length, 10)
  const after = await show(ana)
  assert.equal(codesIn(after.text).length, 0)
  assert.ok(!after.text.includes(secret))
  assert.match(after.text, /10 left/)
  const renewed = await send(ana, { act: 'codes', sure: '1' })
  assert.notDeepEqual(codesIn(renewed.text), codesIn(made.text))
  assert.match((await send(ana, { act: 'remove_totp' })).text, /Remove the authenticator app\?/)
  assert.match((await send(ana, { act: 'remove_totp', sure: '1' })).notice, /^totp_removed$/)
  const { data } = await portal(world, ana, 'GET', '/account')
  assert.deepEqual([data.has_totp, data.recovery_codes], [false, 0])
  const subjects = (await letterTo(world.app, ana.email, 3)).map(({ subject }) => subject)
  assert.deepEqual(subjects.sort(), [
    'An authenticator app was added',
    'New recovery codes were created',
    'Your authenticator app was removed',
  ])
})

test('an app that is set up is not replaced unseen', async () => {
  const ana = await world.newMerchant()
  await withApp(world, ana)
  const refused = await send(ana, { act: 'begin_totp' })
  assert.equal(refused.status, 409)
  assert.match(refused.text, /role="alert">An authenticator app is already set up/)
})

test('how somebody signs in is changed only within an hour of signing in', async () => {
  const own = await openOauthWorld()
  const ana = await own.newMerchant()
  await logIn(own, ana)
  own.clock.advance(3601)
  const screen = `${own.issuer}/dashboard/${ana.store.store.id}/settings/security`
  const { text } = await ana.browser.visit(screen)
  assert.match(text, /before you change how you sign in\. <a href="\/oauth\/login\?again=1/)
  for (const act of ['begin_totp', 'password', 'email', 'add_passkey'])
    assert.ok(!text.includes(`name="act" value="${act}"`), act)
  const body = new URLSearchParams({ act: 'password', password: 'a new and long one' })
  assert.equal((await ana.browser.visit(screen, { method: 'POST', body })).status, 403)
})

test('an answer that is none makes no passkey, and a name without a host has none at all', async () => {
  const ana = await signedIn()
  assert.match((await show(ana)).text, /Passkeys need a site with a domain name and https/)
  const refused = await send(ana, { act: 'add_passkey', name: 'Phone', answer: '{"id":"AAAA"}' })
  assert.equal(refused.status, 422)
  assert.equal((await portal(world, ana, 'GET', '/account')).data.passkeys.length, 0)
})
