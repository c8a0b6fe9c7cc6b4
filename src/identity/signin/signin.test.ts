import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../../../test/browser.ts'
import { until } from '../../../test/deliveries.ts'
import { letterTo, linkIn } from '../../../test/letters.ts'
import { openOauthWorld, password, someAddress, type Merchant } from '../../../test/oauth.ts'
import { preferredLanguage } from '../../kit/values/language.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { sql } from '../../kit/database/sql.ts'
import { readOutbox } from '../../platform/outbound/mail.ts'
import { makeLink, setPassword } from '../accounts/links.ts'
import { addMember, createUser } from '../accounts/operations.ts'
import { hashPassword } from '../accounts/password.ts'

const world = await openOauthWorld({ sweeps: true })
const { issuer } = world
const { db, vault } = world.app

async function logIn({ browser, email }: Pick<Merchant, 'browser' | 'email'>, given = password, returnTo = '') {
  const page = await browser.go(`${issuer}/oauth/login?return_to=${encodeURIComponent(returnTo)}`)
  return browser.submit(page, { email, password: given })
}

async function api({ browser }: Pick<Merchant, 'browser'>, method: string, path: string, body?: object) {
  const page = await browser.visit(`${issuer}/oauth/portal/api${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body) } : {}),
    headers: { 'content-type': 'application/json' },
  })
  return { status: page.status, ...(JSON.parse(page.text) as { data: any; error: any }) }
}

async function lastLetter(to: string, about = ''): Promise<{ subject: string; text: string }> {
  const letter = (await letterTo(world.app, to)).find(({ subject }) => subject.includes(about))
  if (!letter) throw new Error(`no letter to ${to} about ${about}`)
  return letter
}

test('the right password opens a session, in a cookie that no script and no other site can use', async () => {
  const ana = await world.newMerchant()
  const page = await logIn(ana)
  assert.match(page.text, /Signed in as/)
  const cookie = ana.browser.cookies.get('stoa_session')!
  assert.match(cookie.attributes, /^Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
  const { data } = await api(ana, 'GET', '/session')
  assert.deepEqual(
    [data.user, data.stores],
    [
      { id: ana.id, email: ana.email, name: 'Ana' },
      [{ id: ana.store.store.id, name: 'Corner shop', role: 'owner', role_name: null, status: 'active' }],
    ],
  )
})

test('a form is answered by 303, so that no browser sends the password on', async () => {
  const ana = await world.newMerchant()
  const body = new URLSearchParams({ email: ana.email, password })
  const { status, location } = await ana.browser.visit(`${issuer}/oauth/login`, { method: 'POST', body })
  assert.deepEqual([status, location], [303, `${issuer}/dashboard`])
})

test('over https the cookie is bound to its host and to https', async () => {
  const secure = await openOauthWorld({ environment: { AUTH_URL: 'https://auth.example' } })
  const ana = await secure.newMerchant()
  const response = await fetch(`${secure.url}/oauth/login`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email: ana.email, password }),
    headers: { origin: 'https://auth.example' },
  })
  const [session = '', device = ''] = response.headers.getSetCookie()
  assert.match(session, /^__Host-stoa_session=\w{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  assert.match(device, /^__Host-stoa_device=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
})

test('an unknown e-mail and a wrong password are answered alike', async () => {
  const ana = await world.newMerchant()
  const wrong = await logIn(ana, 'wrong password')
  const unknown = await logIn({ browser: openBrowser(), email: 'nobody@example.com' })
  assert.deepEqual([wrong.status, unknown.status], [401, 401])
  assert.equal(wrong.text.replaceAll(ana.email, ''), unknown.text.replaceAll('nobody@example.com', ''))
  assert.equal(ana.browser.cookies.has('stoa_session'), false)
})

/** By a browser of an address of its own, straight to the form's address. */
function guess(email: string, browser = openBrowser({ 'x-forwarded-for': someAddress() }), given = 'wrong password') {
  const body = new URLSearchParams({ email, password: given })
  return browser.visit(`${issuer}/oauth/login`, { method: 'POST', body })
}

test('after ten wrong passwords of one address it has one try in 30 seconds', async () => {
  const ana = await world.newMerchant()
  for (let count = 1; count <= 10; count++) assert.equal((await logIn(ana, 'wrong password')).status, 401)
  const closed = await logIn(ana)
  assert.equal(closed.status, 429)
  const wait = Number(closed.headers.get('retry-after'))
  assert.ok(wait > 0 && wait <= 30)
  world.clock.advance(31)
  assert.equal((await logIn(ana)).status, 200)
})

test('wrong passwords of one address close an account for no other', async () => {
  const ana = await world.newMerchant()
  const eve = openBrowser({ 'x-forwarded-for': someAddress() })
  for (let count = 1; count <= 10; count++) await guess(ana.email, eve)
  assert.equal((await guess(ana.email, eve)).status, 429)
  assert.equal((await logIn(ana)).status, 200)
})

test('wrong passwords of many addresses close an account to strangers, not where it was signed in', async () => {
  const ana = await world.newMerchant()
  await logIn(ana)
  const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await guess(ana.email)).status))
  assert.deepEqual(new Set(statuses), new Set([401]))
  assert.equal((await guess(ana.email)).status, 429)
  const stranger = await guess(ana.email, undefined, password)
  assert.equal(stranger.status, 429, 'the right password of a stranger waits too')
  const abroad = openBrowser({ 'x-forwarded-for': someAddress() })
  abroad.cookies.set('stoa_device', ana.browser.cookies.get('stoa_device')!)
  assert.equal((await guess(ana.email, abroad, password)).status, 303, 'a browser that has signed in before')
  ana.browser.cookies.clear()
  assert.equal((await logIn(ana)).status, 200, 'an address that has signed in before')
})

test('a distributed guesser has at most 170 tries an hour at an account', async () => {
  const ana = await world.newMerchant()
  let tries = 0
  for (let second = 0; second < 3600; second += 20) {
    if ((await guess(ana.email)).status === 401) tries++
    world.clock.advance(20)
  }
  assert.ok(tries > 50 && tries <= 170, String(tries))
})

test('a browser that is known has bounded guesses too, and is known to its own account only', async () => {
  const [ana, ben] = [await world.newMerchant(), await world.newMerchant()]
  await logIn(ana)
  const device = ana.browser.cookies.get('stoa_device')!
  const statusesOf = async (email: string, count: number) => {
    const statuses: number[] = []
    const browser = openBrowser({ 'x-forwarded-for': someAddress() })
    browser.cookies.set('stoa_device', device)
    for (let tries = 0; tries < count; tries++) statuses.push((await guess(email, browser)).status)
    return statuses
  }
  assert.deepEqual(await statusesOf(ana.email, 21), [...Array(20).fill(401), 429])
  assert.deepEqual(await statusesOf(ben.email, 11), [...Array(10).fill(401), 429])
  const forged = device.value.replace(/[^.]*$/, 'x'.repeat(43))
  const browser = openBrowser({ 'x-forwarded-for': someAddress() })
  browser.cookies.set('stoa_device', { ...device, value: forged })
  for (let tries = 0; tries < 10; tries++) await guess(ben.email, browser)
  assert.equal((await guess(ben.email, browser)).status, 429)
})

test('a device is known no more once the password is another', async () => {
  const ana = await world.newMerchant()
  await logIn(ana)
  const thief = openBrowser({ 'x-forwarded-for': someAddress() })
  thief.cookies.set('stoa_device', ana.browser.cookies.get('stoa_device')!)
  const hash = await hashPassword('a new and long one')
  await db.transaction((tx) => setPassword(tx, ana.userId, hash, { kind: 'user', id: null }))
  for (let tries = 0; tries < 10; tries++) await guess(ana.email, thief)
  assert.equal((await guess(ana.email, thief)).status, 429)
})

test('in a flood of strangers from many addresses whoever is right gets in', async () => {
  const ana = await world.newMerchant()
  const flood = Array.from({ length: 60 }, () => guess(`${newUuid()}@example.com`))
  const right = await Promise.all(Array.from({ length: 5 }, () => guess(ana.email, undefined, password)))
  assert.deepEqual(
    right.map(({ status }) => status),
    Array(5).fill(303),
  )
  await Promise.all(flood)
})

test('right passwords do not count', async () => {
  const ana = await world.newMerchant()
  for (let count = 1; count <= 12; count++) assert.equal((await logIn(ana)).status, 200)
})

test('after signing in only a path of this site is gone to', async () => {
  for (const evil of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/ /evil.example',
    'javascript:alert(1)',
    '/\u0000',
    '\\evil',
    '/x\\..\\y',
  ]) {
    const ana = await world.newMerchant()
    const page = await ana.browser.visit(`${issuer}/oauth/login`, {
      method: 'POST',
      body: new URLSearchParams({ email: ana.email, password, return_to: evil }),
    })
    assert.equal(page.location, `${issuer}/dashboard`, evil)
  }
})

test('odd input makes no 5xx', async () => {
  for (const given of ['\u0000', '\ud800', 'x'.repeat(60_000), "' or 1=1 --", '%']) {
    for (const fields of [
      { email: given, password },
      { email: 'a@example.com', password: given },
    ]) {
      const { status } = await openBrowser().visit(`${issuer}/oauth/login`, {
        method: 'POST',
        body: new URLSearchParams(fields),
      })
      assert.ok(status < 500, `${status} ${given.slice(0, 20)}`)
    }
  }
})

test("a login of another site's form is refused", async () => {
  const ana = await world.newMerchant()
  const page = await ana.browser.visit(`${issuer}/oauth/login`, {
    method: 'POST',
    body: new URLSearchParams({ email: ana.email, password }),
    headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  })
  assert.equal(page.status, 403)
  assert.equal(page.headers.get('set-cookie'), null)
})

test('a session ends at logout, and a new login has a new one', async () => {
  const ana = await world.newMerchant()
  await logIn(ana)
  const first = ana.browser.cookies.get('stoa_session')!
  await logIn(ana)
  assert.notEqual(ana.browser.cookies.get('stoa_session')!.value, first.value)
  const old = openBrowser()
  old.cookies.set('stoa_session', first)
  assert.equal((await api({ browser: old }, 'GET', '/session')).status, 401)
  const before = ana.browser.cookies.get('stoa_session')!
  await ana.browser.visit(`${issuer}/oauth/logout`, { method: 'POST', body: new URLSearchParams() })
  assert.equal(ana.browser.cookies.has('stoa_session'), false)
  old.cookies.set('stoa_session', before)
  assert.equal((await api({ browser: old }, 'GET', '/session')).status, 401)
})

test('a session ends after 14 days without a visit, and after 30 in any case', async () => {
  const own = await openOauthWorld()
  const ana = await own.newMerchant()
  const visit = async () => (await ana.browser.visit(`${own.issuer}/oauth/portal/api/session`)).status
  const day = 24 * 3600
  await ana.browser.submit(await ana.browser.go(`${own.issuer}/oauth/login`), { email: ana.email, password })
  own.clock.advance(13 * day)
  assert.equal(await visit(), 200)
  await new Promise((wake) => setTimeout(wake, 100))
  own.clock.advance(13 * day)
  assert.equal(await visit(), 200)
  await new Promise((wake) => setTimeout(wake, 100))
  own.clock.advance(5 * day)
  assert.equal(await visit(), 401)
  await ana.browser.submit(await ana.browser.go(`${own.issuer}/oauth/login`), { email: ana.email, password })
  own.clock.advance(15 * day)
  assert.equal(await visit(), 401)
})

test("sessions can be listed and ended, one's own only", async () => {
  const ana = await world.newMerchant()
  await logIn(ana)
  const phone = { ...ana, browser: openBrowser({ 'user-agent': 'A phone' }) }
  await logIn(phone)
  const { data } = await api(ana, 'GET', '/sessions')
  assert.deepEqual(
    data.map((one: any) => one.is_current),
    [false, true],
  )
  assert.equal(data[0].user_agent, 'A phone')
  assert.deepEqual(Object.keys(data[0]).sort(), ['created_at', 'id', 'ip', 'is_current', 'last_seen_at', 'user_agent'])
  const eve = await world.newMerchant()
  await logIn(eve)
  assert.equal((await api(eve, 'DELETE', `/sessions/${data[0].id}`)).status, 404)
  assert.equal((await api(ana, 'DELETE', `/sessions/${data[0].id}`)).status, 200)
  assert.equal((await api(phone, 'GET', '/session')).status, 401)
  await logIn(phone)
  await api(ana, 'DELETE', '/sessions')
  assert.equal((await api(phone, 'GET', '/session')).status, 401)
  assert.equal((await api(ana, 'GET', '/session')).status, 200)
})

test('a new password comes by mail, once, within half an hour, and ends every session', async () => {
  const ana = await world.newMerchant()
  await logIn(ana)
  const stranger = openBrowser()
  const ask = async (email: string) => stranger.submit(await stranger.go(`${issuer}/oauth/reset`), { email })
  const [known, unknown] = [await ask(ana.email), await ask('nobody@example.com')]
  assert.equal(known.text.replaceAll(ana.email, ''), unknown.text.replaceAll('nobody@example.com', ''))
  const { subject, text } = await lastLetter(ana.email)
  assert.equal(subject, 'Reset your password')
  const page = await stranger.go(linkIn(text))
  const short = await stranger.submit(page, { password: 'short' })
  assert.equal(short.status, 422)
  const end = await stranger.submit(page, { password: 'a new and long one' })
  assert.match(end.text, /Signed in as/)
  assert.equal((await lastLetter(ana.email, 'Your password was changed')).subject, 'Your password was changed')
  assert.equal((await api(ana, 'GET', '/session')).status, 401)
  assert.equal((await logIn({ browser: openBrowser(), email: ana.email })).status, 401)
  assert.equal((await logIn({ browser: openBrowser(), email: ana.email }, 'a new and long one')).status, 200)
  const again = await openBrowser().go(linkIn(text))
  assert.equal(again.status, 410)
  assert.equal(
    (
      await stranger.visit(page.form!.action, {
        method: 'POST',
        body: new URLSearchParams({ password: 'another long one' }),
      })
    ).status,
    410,
  )
})

test('an address that asks for too many new passwords is told to wait, and the database is not asked', async () => {
  const browser = openBrowser({ 'x-forwarded-for': someAddress() })
  const form = await browser.go(`${issuer}/oauth/reset`)
  for (let count = 1; count <= 20; count++) {
    assert.equal((await browser.submit(form, { email: `${count}@example.com` })).status, 200)
  }
  const { one } = db
  db.one = () => assert.fail('the database was asked')
  const refused = await browser.submit(form, { email: 'a@example.com' })
  db.one = one
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 3000)
  assert.match(refused.text, /Too many attempts/)
})

test('a new password is none that is easy to guess, in both languages', async () => {
  const ana = await world.newMerchant()
  const link = await db.transaction((tx) => makeLink(tx, ana.userId, 'reset'))
  const say = async (given: string, language: string) => {
    const browser = openBrowser({ 'accept-language': language })
    const page = await browser.submit(await browser.go(`${issuer}/oauth/reset/${link}`), { password: given })
    return `${page.status} ${/role="alert">([^<]*)/.exec(page.text)?.[1]}`
  }
  assert.deepEqual(
    [
      await say('Password1', 'en'),
      await say('password1', 'es'),
      await say('abcabcabcabc', 'en'),
      await say(ana.email, 'en'),
      await say('cornershop12', 'es'),
    ],
    [
      '422 This is one of the 100,000 most common passwords. Choose another.',
      '422 Es una de las 100 000 contraseñas más comunes. Elige otra.',
      '422 Don’t repeat the same few characters.',
      '422 Don’t use your email or the store’s name as the password.',
      '422 No uses tu correo ni el nombre de la tienda como contraseña.',
    ],
  )
})

test('a link for a new password dies after 30 minutes, and no address gets more than three an hour', async () => {
  const ana = await world.newMerchant()
  const browser = openBrowser()
  const form = await browser.go(`${issuer}/oauth/reset`)
  for (let count = 1; count <= 5; count++) await browser.submit(form, { email: ana.email })
  const { text } = await lastLetter(ana.email)
  assert.equal((await letterTo(world.app, ana.email)).length, 3)
  world.clock.advance(1801)
  assert.equal((await browser.go(linkIn(text))).status, 410)
})

test("a link for a new password goes to the account's own address, however it was typed", async () => {
  const id = newUuid()
  const email = `alice-${id}@example.com`
  await db.transaction((tx) => createUser(tx, { email, password }))
  // PostgreSQL's lower() makes an i of it, and somebody else may have that address.
  const alike = email.replace('i', 'İ')
  const browser = openBrowser()
  await browser.submit(await browser.go(`${issuer}/oauth/reset`), { email: alike })
  assert.match((await lastLetter(email)).text, /oauth\/reset/)
  assert.ok(!(await readOutbox(db, vault, 500)).some(({ to }) => to === alike))
})

test('wrong passwords of one account count together, however its address is typed', async () => {
  const email = `iii-${newUuid()}@example.com`
  await db.transaction((tx) => createUser(tx, { email, password }))
  const statuses: number[] = []
  for (let count = 0; count < 11; count++) {
    const typed = email.replace('i', count % 2 ? 'İ' : 'I')
    statuses.push((await logIn({ browser: openBrowser(), email: typed }, 'a wrong one')).status)
  }
  assert.deepEqual(statuses, [...Array(10).fill(401), 429])
})

test('an account is found by its address as it looks, whatever a paste brings along', async () => {
  const email = `ana-${newUuid()}@example.com`
  await db.transaction((tx) => createUser(tx, { email, password }))
  for (const typed of [`\u200b${email}\u2060`, email.replace('ana', 'ａｎａ'), `\u00a0${email.toUpperCase()} `]) {
    const page = await logIn({ browser: openBrowser(), email: typed })
    assert.match(page.text, /Signed in as/, JSON.stringify(typed))
  }
})

test('a request for a new password is answered before anything is written, known address or not', async () => {
  const ana = await world.newMerchant()
  const answered = await db.transaction(async (tx) => {
    // A link refers to its user: while this row is locked none can be made.
    await tx.rows(sql`select id from users where id = ${ana.userId} for update`)
    return openBrowser().visit(`${issuer}/oauth/reset`, {
      method: 'POST',
      body: new URLSearchParams({ email: ana.email }),
    })
  })
  assert.equal(answered.status, 200)
  await until(async () => (await db.rows(sql`select from mails where recipient = ${ana.email}`)).length > 0)
  assert.match((await lastLetter(ana.email)).text, /oauth\/reset/)
})

test('the one-time link of the operator signs in by its button, once', async () => {
  const ana = await world.newMerchant()
  const link = await db.transaction((tx) => makeLink(tx, ana.userId, 'sign_in'))
  // A scanner of mail that opens it does no harm.
  assert.equal((await openBrowser().visit(`${issuer}/oauth/sign-in/${link}`)).status, 200)
  const page = await ana.browser.go(`${issuer}/oauth/sign-in/${link}`)
  assert.match((await ana.browser.submit(page, {})).text, /Signed in as/)
  assert.equal((await openBrowser().visit(`${issuer}/oauth/sign-in/${link}`)).status, 410)
  assert.equal((await openBrowser().visit(`${issuer}/oauth/reset/${link}`)).status, 410)
})

test('an invitation makes a newcomer an account and a member, once', async () => {
  const ana = await world.newMerchant()
  await logIn(ana)
  const email = `new-${ana.userId}@example.com`
  const store = ana.store.store.id
  assert.equal((await api(ana, 'POST', `/stores/${store}/team`, { email, role: 'admin' })).status, 201)
  const team = (await api(ana, 'GET', `/stores/${store}/team`)).data
  assert.deepEqual(
    team.map((one: any) => [one.email, one.role, one.is_invited]),
    [
      [ana.email, 'owner', false],
      [email, 'admin', true],
    ],
  )
  const { subject, text } = await lastLetter(email)
  assert.equal(subject, 'You’re invited to Corner shop')
  const newcomer = openBrowser()
  const page = await newcomer.go(linkIn(text))
  assert.match(page.text, /Join Corner shop/)
  assert.match((await newcomer.submit(page, { name: 'Ben', password: 'a long password' })).text, /Signed in as/)
  const { data } = await api({ browser: newcomer }, 'GET', '/session')
  assert.deepEqual([data.user.email, data.user.name, data.stores[0].role], [email, 'Ben', 'admin'])
  assert.equal((await openBrowser().go(linkIn(text))).status, 410)
  assert.equal((await api(ana, 'POST', `/stores/${store}/team`, { email, role: 'staff' })).status, 409)
})

test('who has an account joins with its password; the address alone is not enough', async () => {
  const [ana, ben] = [await world.newMerchant(), await world.newMerchant()]
  await logIn(ana)
  await api(ana, 'POST', `/stores/${ana.store.store.id}/team`, { email: ben.email, role: 'staff' })
  const { text } = await lastLetter(ben.email)
  const page = await ben.browser.go(linkIn(text))
  assert.equal((await ben.browser.submit(page, { password: 'a guess of eve' })).status, 422)
  await ben.browser.submit(page, { password })
  assert.deepEqual((await api(ben, 'GET', '/session')).data.stores.map((one: any) => one.role).sort(), [
    'owner',
    'staff',
  ])
})

test('owners name owners, administrators do not; staff invites nobody; a stranger finds nothing', async () => {
  const ana = await world.newMerchant()
  const store = ana.store.store.id
  const [admin, staff, eve] = [
    await world.newMerchant({ role: 'admin', stores: [ana.store] }),
    await world.newMerchant({ role: 'staff', stores: [ana.store] }),
    await world.newMerchant(),
  ]
  for (const one of [ana, admin, staff, eve]) await logIn(one)
  const invite = async (by: Merchant, role: string) =>
    (await api(by, 'POST', `/stores/${store}/team`, { email: `x-${role}-${by.userId}@example.com`, role })).status
  assert.deepEqual(
    [
      await invite(ana, 'owner'),
      await invite(admin, 'admin'),
      await invite(admin, 'owner'),
      await invite(staff, 'staff'),
      await invite(eve, 'staff'),
    ],
    [201, 201, 403, 403, 404],
  )
  assert.equal((await api(ana, 'POST', `/stores/${store}/team`, { email: 'no address', role: 'staff' })).status, 422)
  assert.equal((await api(ana, 'POST', `/stores/${store}/team`, { email: 'a@example.com', role: 'king' })).status, 422)
  const change = async (by: Merchant, whom: Merchant, role: string) =>
    (await api(by, 'POST', `/stores/${store}/team/${whom.id}`, { role })).status
  assert.deepEqual(
    [await change(admin, staff, 'admin'), await change(ana, staff, 'admin'), await change(ana, eve, 'admin')],
    [403, 200, 404],
  )
  const remove = async (by: Merchant, whom: Merchant) =>
    (await api(by, 'DELETE', `/stores/${store}/team/${whom.id}`)).status
  assert.deepEqual(
    [await remove(eve, staff), await remove(admin, ana), await remove(admin, staff), await remove(ana, staff)],
    [404, 404, 404, 200],
  )
  assert.equal((await api(staff, 'GET', `/stores/${store}/team`)).status, 404)
})

test('an invitation opens nothing once who sent it may not invite as much', async () => {
  const ana = await world.newMerchant()
  const store = ana.store.store.id
  await logIn(ana)
  for (const [role, as, change] of [
    ['admin', 'admin', (id: string) => api(ana, 'DELETE', `/stores/${store}/team/${id}`)],
    ['admin', 'staff', (id: string) => api(ana, 'POST', `/stores/${store}/team/${id}`, { role: 'staff' })],
    ['owner', 'owner', (id: string) => api(ana, 'POST', `/stores/${store}/team/${id}`, { role: 'admin' })],
  ] as const) {
    const ben = await world.newMerchant({ role, stores: [ana.store] })
    await logIn(ben)
    const email = `friend-${ben.userId}@example.com`
    assert.equal((await api(ben, 'POST', `/stores/${store}/team`, { email, role: as })).status, 201)
    const link = linkIn((await lastLetter(email)).text)
    const page = await openBrowser().go(link)
    assert.equal(page.status, 200)
    assert.equal((await change(ben.id)).status, 200)
    assert.equal((await openBrowser().go(link)).status, 410, `an ${as} by a former ${role}`)
    assert.equal((await openBrowser().submit(page, { name: 'Eve', password: 'a long password' })).status, 410)
    const team = (await api(ana, 'GET', `/stores/${store}/team`)).data
    assert.ok(!team.some((one: any) => one.email === email))
  }
})

test('who invites has given the password within the hour', async () => {
  const own = await openOauthWorld()
  const ana = await own.newMerchant()
  await ana.browser.submit(await ana.browser.go(`${own.issuer}/oauth/login`), { email: ana.email, password })
  own.clock.advance(3601)
  const { status } = await ana.browser.visit(`${own.issuer}/oauth/portal/api/stores/${ana.store.store.id}/team`, {
    method: 'POST',
    body: JSON.stringify({ email: 'a@example.com', role: 'owner' }),
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(status, 401)
})

test('a store keeps at least one owner, also when two remove each other at once', async () => {
  const ana = await world.newMerchant()
  const store = ana.store.store.id
  await logIn(ana)
  assert.equal((await api(ana, 'DELETE', `/stores/${store}/team/${ana.id}`)).status, 409)
  assert.equal((await api(ana, 'POST', `/stores/${store}/team/${ana.id}`, { role: 'staff' })).status, 409)
  const ben = await world.newMerchant({ stores: [ana.store] })
  await logIn(ben)
  await Promise.all([
    api(ana, 'DELETE', `/stores/${store}/team/${ben.id}`),
    api(ben, 'DELETE', `/stores/${store}/team/${ana.id}`),
  ])
  const owners = await db.rows(sql`select user_id from members where store_id = ${store} and role = 'owner'`)
  assert.equal(owners.length, 1)
})

test("a plan's limit of staff holds for who joins", async () => {
  const small = await world.newStore({ plan: 'free' })
  const ana = await world.newMerchant({ stores: [small] })
  await logIn(ana)
  const email = `third-${ana.userId}@example.com`
  await api(ana, 'POST', `/stores/${small.store.id}/team`, { email, role: 'staff' })
  const browser = openBrowser()
  const page = await browser.submit(await browser.go(linkIn((await lastLetter(email)).text)), {
    name: 'Ben',
    password: 'a long password',
  })
  assert.match(page.text, /Staff limit reached \(1\/1\)/)
  await assert.rejects(db.transaction((tx) => addMember(tx, small.store, ana.userId, 'staff')))
})

test('who tries too many passwords on an invitation is told to wait', async () => {
  const [ana, ben] = [await world.newMerchant(), await world.newMerchant()]
  await logIn(ana)
  await api(ana, 'POST', `/stores/${ana.store.store.id}/team`, { email: ben.email, role: 'staff' })
  const page = await ben.browser.go(linkIn((await lastLetter(ben.email)).text))
  for (let count = 1; count <= 10; count++) {
    assert.equal((await ben.browser.submit(page, { password: 'wrong' })).status, 422)
  }
  const { status, headers, text } = await ben.browser.submit(page, { password })
  assert.equal(status, 429)
  assert.ok(Number(headers.get('retry-after')) <= 30)
  assert.match(text, /Too many attempts/)
})

test('the language is the best that both know', () => {
  assert.deepEqual(
    [
      'es',
      'es-MX,es;q=0.9',
      'fr,es;q=0.2,en;q=0.1',
      'de',
      undefined,
      'en;q=0.2, es;q=0.8',
      'es;q=0, en',
      '*',
      ';;;,,',
    ].map((header) => preferredLanguage(header)),
    ['es', 'es', 'fr', 'de', null, 'es', 'en', null, null],
  )
})
