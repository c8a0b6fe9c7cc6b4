import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listSecurityEvents } from '../../tenancy/audit/operations.ts'
import { makeLink, setPassword } from '../accounts/links.ts'
import { hashPassword } from '../accounts/password.ts'
import { removeFactors } from '../accounts/factors/factors.ts'
import { openBrowser } from '../../../test/browser.ts'
import { codeOf, logIn, portal, withApp } from '../../../test/factors.ts'
import { letterTo } from '../../../test/letters.ts'
import { openOauthWorld, someAddress, type Merchant } from '../../../test/oauth.ts'
import { operator } from '../../kit/values/actor.ts'

const world = await openOauthWorld({ sweeps: true })
const { issuer } = world
const { db } = world.app

/** The same person at a computer that nobody knows. */
const elsewhere = (ana: Merchant): Merchant => ({ ...ana, browser: openBrowser({ 'x-forwarded-for': someAddress() }) })
const isSignedIn = async (ana: Merchant) => (await portal(world, ana, 'GET', '/session')).status === 200
const type = (ana: Merchant, code: string, by = 'totp') =>
  ana.browser.visit(`${issuer}/oauth/second-factor`, { method: 'POST', body: new URLSearchParams({ by, code }) })

test('after the password the code of the app is asked for, and only then there is a session', async () => {
  const ana = await world.newMerchant()
  const { secret } = await withApp(world, ana)
  const there = elsewhere(ana)
  const asked = await logIn(world, there)
  assert.match(asked.url, /\/oauth\/second-factor$/)
  assert.match(asked.text, /autocomplete="one-time-code"/)
  assert.equal(await isSignedIn(there), false)
  assert.equal(there.browser.cookies.has('stoa_session'), false)
  assert.equal((await type(there, '000000')).status, 401)
  const { status, location } = await type(there, ` ${codeOf(world, secret)} `)
  assert.deepEqual([status, location], [303, `${issuer}/dashboard`])
  assert.equal(await isSignedIn(there), true)
  assert.equal(there.browser.cookies.has('stoa_half'), false)
  const [event] = await listSecurityEvents(db, { subject: ana.id, limit: 1 })
  assert.deepEqual([event!.event, event!.details], ['signed_in', { how: 'password', second: 'totp' }])
})

test('links from letters do not open by themselves either: a sign-in, a new password, an invitation', async () => {
  const ana = await world.newMerchant()
  const { secret } = await withApp(world, ana)
  const there = elsewhere(ana)
  const link = await db.transaction((tx) => makeLink(tx, ana.userId, 'sign_in'))
  const page = await there.browser.submit(await there.browser.go(`${issuer}/oauth/sign-in/${link}`), {})
  assert.match(page.text, /Two-factor authentication/)
  const reset = await db.transaction((tx) => makeLink(tx, ana.userId, 'reset'))
  const changed = await there.browser.go(`${issuer}/oauth/reset/${reset}`)
  assert.match(
    (await there.browser.submit(changed, { password: 'a new and long one' })).text,
    /Two-factor authentication/,
  )
  assert.equal(await isSignedIn(there), false)
  assert.equal((await type(there, codeOf(world, secret))).status, 303)
  assert.equal(await isSignedIn(there), true)
})

test('a code counts once, also for who is quick, and those of before do not count any more', async () => {
  const ana = await world.newMerchant()
  const { secret } = await withApp(world, ana)
  const two = [elsewhere(ana), elsewhere(ana)]
  for (const one of two) await logIn(world, one)
  const [code, before] = [codeOf(world, secret), codeOf(world, secret, -30)]
  const answers = await Promise.all(two.map((one) => type(one, code)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 401])
  const third = elsewhere(ana)
  await logIn(world, third)
  assert.equal((await type(third, code)).status, 401)
  assert.equal((await type(third, before)).status, 401)
  world.clock.advance(30)
  assert.equal((await type(third, codeOf(world, secret))).status, 303)
})

test("a phone's clock may be half a minute off, and no more", async () => {
  const ana = await world.newMerchant()
  const { secret } = await withApp(world, ana)
  const there = elsewhere(ana)
  await logIn(world, there)
  for (const seconds of [-90, 90]) assert.equal((await type(there, codeOf(world, secret, seconds))).status, 401)
  assert.equal((await type(there, codeOf(world, secret, 30))).status, 303)
})

test('a recovery code signs in once, however it is typed; its owner is told', async () => {
  const ana = await world.newMerchant()
  const { codes } = await withApp(world, ana)
  assert.equal(codes.length, 10)
  assert.equal(new Set(codes).size, 10)
  const [first, second] = [elsewhere(ana), elsewhere(ana)]
  for (const one of [first, second]) await logIn(world, one)
  const typed = codes[3]!.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')
  assert.equal((await type(first, typed, 'recovery_code')).status, 303)
  const again = await type(second, codes[3]!, 'recovery_code')
  assert.equal(again.status, 401)
  assert.match(again.text, /recovery code is incorrect[\s\S]*<details open>/)
  const [letter] = (await letterTo(world.app, ana.email, 2)).filter(({ subject }) => subject.includes('recovery code'))
  assert.match(letter!.text, /Codes left: 9/)
  const { data } = await portal(world, first, 'GET', '/account')
  assert.equal(data.recovery_codes, 9)
})

test('recovery codes are kept as hashes, and the secret of the app sealed', async () => {
  const ana = await world.newMerchant()
  const { secret, codes } = await withApp(world, ana)
  const kept = await db.rows({
    strings: [
      `select (select string_agg(totp_factors::text, ' ') from totp_factors) as apps,
              (select string_agg(recovery_codes::text, ' ') from recovery_codes) as codes`,
    ],
    values: [],
    isSql: true,
  })
  const text = JSON.stringify(kept)
  for (const one of [secret, ...codes]) assert.ok(!text.includes(one.replaceAll('-', '')))
})

test('wrong codes of strangers are slowed down, and do not close the way of who has signed in before', async () => {
  const own = await openOauthWorld()
  const ana = await own.newMerchant()
  const { secret } = await withApp(own, ana)
  const thief = elsewhere(ana)
  const typeAs = (one: Merchant, code: string) =>
    one.browser.visit(`${own.issuer}/oauth/second-factor`, { method: 'POST', body: new URLSearchParams({ code }) })
  await logIn(own, thief)
  for (let count = 1; count <= 20; count++) assert.equal((await typeAs(thief, '000000')).status, 401)
  const closed = await typeAs(thief, codeOf(own, secret))
  assert.equal(closed.status, 429)
  assert.ok(Number(closed.headers.get('retry-after')) <= 300)
  await logIn(own, ana)
  assert.equal((await typeAs(ana, codeOf(own, secret))).status, 303)
  const events = await listSecurityEvents(own.app.db, { subject: ana.id, limit: 100 })
  assert.ok(events.some(({ event }) => event === 'second_factor_failed'))
  // One goes through in each slot.
  own.clock.advance(300)
  assert.equal((await typeAs(thief, codeOf(own, secret))).status, 303, 'the way is never shut for good')
})

test('what is half signed in ends after ten minutes, with another password, and is of no use to others', async () => {
  const [ana, ben] = [await world.newMerchant(), await world.newMerchant()]
  const { secret } = await withApp(world, ana)
  const there = elsewhere(ana)
  await logIn(world, there)
  const half = there.browser.cookies.get('stoa_half')!
  assert.match(half.attributes, /HttpOnly; SameSite=Lax/)
  await withApp(world, ben)
  assert.ok(!half.value.includes(ana.userId))
  const hash = await hashPassword('another long one')
  await db.transaction((tx) => setPassword(tx, ana.userId, hash, { kind: 'user', id: null }))
  assert.equal((await type(there, codeOf(world, secret))).location, `${issuer}/oauth/login`)
  await logIn(world, there, 'another long one')
  world.clock.advance(601)
  assert.equal((await type(there, codeOf(world, secret))).location, `${issuer}/oauth/login`)
  there.browser.cookies.set('stoa_half', { value: 'made-up', path: '/oauth', attributes: '' })
  assert.equal((await there.browser.visit(`${issuer}/oauth/second-factor`)).location, `${issuer}/oauth/login`)
})

test('the operator helps whoever has lost all factors: the password alone opens again', async () => {
  const ana = await world.newMerchant()
  await withApp(world, ana)
  await db.transaction((tx) => removeFactors(tx, ana.userId, operator))
  const there = elsewhere(ana)
  assert.match((await logIn(world, there)).text, /Signed in as/)
})

test('an answer that no passkey has given opens nothing', async () => {
  const { browser } = await world.newMerchant()
  const send = (answer: string) =>
    browser.visit(`${issuer}/oauth/passkey`, { method: 'POST', body: new URLSearchParams({ answer }) })
  for (const answer of ['', 'null', '{}', '[]', '{"id":"AAAA"}', 'x'.repeat(30_000), '{"id":1,"response":{}}']) {
    const { status, text } = await send(answer)
    assert.equal(status, 401, answer.slice(0, 40))
    assert.match(text, /doesn’t belong to this account/)
  }
})
