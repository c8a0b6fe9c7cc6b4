// Customers sign in to a shop by a link or a code, and see what is theirs in this store alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser, type Browser } from '../../../../test/browser.ts'
import { ana, buyer, productOf, setUp, shopperOf } from '../../../../test/checkouts.ts'
import { letterTo, linkIn } from '../../../../test/letters.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
let visitors = 0
let people = 0

const rootOf = ({ store }: TestStore) => `${world.url}/s/${store.slug}`
const newEmail = () => `shopper${++people}@example.com`

/** From an address of its own unless one is given. */
function newBrowser(ip = `10.8.${++visitors >> 8}.${visitors & 255}`): Browser {
  return openBrowser({ 'x-forwarded-for': ip, 'accept-language': 'en' })
}

function post(browser: Browser, url: string, fields: Record<string, string> = {}) {
  return browser.visit(url, { method: 'POST', body: new URLSearchParams(fields) })
}

async function ask(shop: TestStore, browser: Browser, email: string, more: Record<string, string> = {}) {
  const page = await post(browser, `${rootOf(shop)}/account`, { email, ...more })
  assert.equal(page.location, `${rootOf(shop)}/account/sign-in`)
  return page
}

/** The newest letter to this address: its link and its code. */
async function proofTo(email: string, count = 1) {
  const letters = await letterTo(world.app, email, count)
  const letter = letters.find(({ text }) => text.includes('/account/sign-in/'))
  const [, code] = /\s(\d{6})\s/.exec(letter!.text)!
  return { link: linkIn(letter!.text).replace('https://shop.example', world.url), code: code!, text: letter!.text }
}

async function signIn(shop: TestStore, email: string, browser = newBrowser()) {
  await ask(shop, browser, email)
  const { code } = await proofTo(email)
  const page = await post(browser, `${rootOf(shop)}/account/sign-in`, { code })
  assert.equal(page.location, `${rootOf(shop)}/account`, page.text)
  return browser
}

const isIn = async (shop: TestStore, browser: Browser) =>
  /Sign out/.test((await browser.visit(`${rootOf(shop)}/account`)).text)

async function placed(shop: TestStore, email: string) {
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const { data } = await shopperOf(world, shop).begin({ items, ...buyer(email) })
  return (await shopperOf(world, shop).complete(data.token)).data.order
}

test('an email is sent a link and a code, and the code signs in the browser that asked, once', async () => {
  const shop = await world.newStore({ name: 'Corner' })
  const [email, browser] = [newEmail(), newBrowser()]
  await ask(shop, browser, email)
  const cookie = browser.cookies.get('stoa_signin')!
  assert.match(cookie.attributes, /Max-Age=900; Path=\/s\/[^;]+; HttpOnly; Secure; SameSite=Lax/)
  const { code, text } = await proofTo(email)
  assert.match(text, /sign in to Corner/)
  const asked = await browser.visit(`${rootOf(shop)}/account/sign-in`)
  assert.match(asked.text, new RegExp(email))
  const other = newBrowser()
  assert.equal((await post(other, `${rootOf(shop)}/account/sign-in`, { code })).status, 410)
  assert.equal((await post(browser, `${rootOf(shop)}/account/sign-in`, { code })).status, 303)
  const session = browser.cookies.get('stoa_account')!
  assert.match(session.attributes, /Max-Age=2592000; Path=\/s\/[^;]+; HttpOnly; Secure; SameSite=Lax/)
  assert.ok(await isIn(shop, browser))
  browser.cookies.set('stoa_signin', cookie)
  assert.equal((await post(browser, `${rootOf(shop)}/account/sign-in`, { code })).status, 410)
  const { data } = await shop.api.get(`/v1/customers?search=${email}`)
  assert.deepEqual(
    data.map((one: any) => [one.email, one.name]),
    [[email, email]],
  )
})

test('a link is shown by GET as often as it is asked for, used once by POST, and not from another site', async () => {
  const shop = await world.newStore()
  const [email, phone] = [newEmail(), newBrowser()]
  await ask(shop, newBrowser(), email)
  const { link, code } = await proofTo(email)
  for (let times = 0; times < 3; times++) {
    const page = await phone.visit(link)
    assert.deepEqual([page.status, page.headers.get('cache-control')], [200, 'no-store'])
    assert.match(page.text, new RegExp(`You’re signing in as ${email}`))
  }
  assert.equal(phone.cookies.has('stoa_account'), false)
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const url = link.split('?')[0]!
  assert.equal((await phone.visit(url, { method: 'POST', body: '', headers: foreign })).status, 403)
  assert.equal((await post(phone, url)).location, `${rootOf(shop)}/account`)
  assert.ok(await isIn(shop, phone))
  const again = newBrowser()
  assert.deepEqual([(await again.visit(link)).status, (await post(again, url)).status], [410, 410])
  assert.equal(again.cookies.has('stoa_account'), false)
  assert.ok(code)
})

test('link and code end after 15 minutes, and with every other sign-in of the email', async () => {
  const shop = await world.newStore()
  const [email, browser] = [newEmail(), newBrowser()]
  await ask(shop, browser, email)
  const first = await proofTo(email)
  world.clock.advance(15 * 60)
  assert.equal((await browser.visit(first.link)).status, 410)
  assert.equal((await post(browser, `${rootOf(shop)}/account/sign-in`, { code: first.code })).status, 410)
  const stranger = newBrowser()
  await ask(shop, stranger, email)
  const theirs = await proofTo(email, 2)
  await ask(shop, browser, email.toUpperCase())
  const mine = await proofTo(email.toUpperCase())
  assert.equal((await post(browser, `${rootOf(shop)}/account/sign-in`, { code: mine.code })).status, 303)
  assert.equal((await post(stranger, `${rootOf(shop)}/account/sign-in`, { code: theirs.code })).status, 410)
})

test('five wrong codes end a sign-in, also when they come at once', async () => {
  const shop = await world.newStore()
  const [email, browser] = [newEmail(), newBrowser()]
  await ask(shop, browser, email)
  const { code } = await proofTo(email)
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
  const url = `${rootOf(shop)}/account/sign-in`
  const first = await post(browser, url, { code: wrong })
  assert.equal(first.status, 422)
  assert.match(first.text, /You have 4 tries left/)
  const cookie = browser.cookies.get('stoa_signin')!
  const others = await Promise.all(Array.from({ length: 10 }, () => post(browser, url, { code: wrong })))
  assert.equal(others.filter(({ status }) => status === 422).length, 3)
  browser.cookies.set('stoa_signin', cookie)
  assert.equal((await post(browser, url, { code })).status, 410)
})

test('who is a customer is told to nobody, and requests are limited before anything is written', async () => {
  const shop = await world.newStore()
  const known = newEmail()
  await placed(shop, known)
  const pageOf = async (email: string) => {
    const browser = newBrowser()
    const page = await ask(shop, browser, email)
    const shown = await browser.visit(`${rootOf(shop)}/account/sign-in`)
    return [page.status, page.text, shown.status, shown.text.replaceAll(email, '')]
  }
  assert.deepEqual(await pageOf(known), await pageOf(newEmail()))
  const [target, url] = [newEmail(), `${rootOf(shop)}/account`]
  const statuses: number[] = []
  for (let times = 0; times < 7; times++) statuses.push((await post(newBrowser(), url, { email: target })).status)
  assert.deepEqual(new Set(statuses), new Set([303]))
  assert.equal((await letterTo(world.app, target, 5)).length, 5)
  const busy = newBrowser()
  for (let times = 0; times < 20; times++) await post(busy, url, { email: newEmail() })
  assert.equal((await post(busy, url, { email: newEmail() })).status, 429)
  const bad = await post(newBrowser(), url, { email: 'no address' })
  assert.equal(bad.status, 422)
  assert.match(bad.text, /aria-invalid="true"/)
})

test('strangers who use up the emails of a store keep nobody out who has signed in before', async () => {
  const shop = await world.newStore()
  const [owner, customer] = [newEmail(), newEmail()]
  const browser = await signIn(shop, owner)
  await placed(shop, customer)
  const url = `${rootOf(shop)}/account`
  for (let times = 0; times < 6; times++) await post(newBrowser(), url, { email: owner })
  for (let visitor = 0; visitor < 16; visitor++) {
    const stranger = newBrowser()
    await Promise.all(Array.from({ length: 20 }, () => post(stranger, url, { email: newEmail() })))
  }
  // 1 of the first sign-in, 4 of the strangers, 1 of the browser that is known.
  await ask(shop, browser, owner)
  assert.equal((await letterTo(world.app, owner, 6)).length, 6)
  await ask(shop, newBrowser(), customer)
  await proofTo(customer)
})

test('codes without a pending sign-in count for nobody', async () => {
  const shop = await world.newStore()
  const [email, ip] = [newEmail(), '10.9.0.1']
  const browser = newBrowser(ip)
  await ask(shop, browser, email)
  const url = `${rootOf(shop)}/account/sign-in`
  for (let times = 0; times < 40; times++)
    assert.equal((await post(newBrowser(ip), url, { code: '123456' })).status, 410)
  const { code } = await proofTo(email)
  assert.equal((await post(browser, url, { code })).location, `${rootOf(shop)}/account`)
})

test('all addresses of an IPv6 /48 have one limit for sign-ins', async () => {
  const shop = await world.newStore()
  const url = `${rootOf(shop)}/account`
  const statuses: number[] = []
  for (let net = 0; net < 21; net++) {
    statuses.push((await post(newBrowser(`2001:db8:7:${net.toString(16)}::1`), url, { email: newEmail() })).status)
  }
  assert.deepEqual(statuses, [...Array.from({ length: 20 }, () => 303), 429])
})

test('a session is of one store, and a value that the browser had before is not used', async () => {
  const [shop, other] = [await world.newStore(), await world.newStore()]
  const email = newEmail()
  const browser = newBrowser()
  browser.cookies.set('stoa_account', { value: 'fixed', path: `/s/${shop.store.slug}`, attributes: '' })
  await signIn(shop, email, browser)
  const { value } = browser.cookies.get('stoa_account')!
  assert.notEqual(value, 'fixed')
  const thief = newBrowser()
  thief.cookies.set('stoa_account', { value, path: '/', attributes: '' })
  assert.ok(await isIn(shop, thief))
  thief.cookies.set('stoa_account', { value, path: '/', attributes: '' })
  assert.equal(await isIn(other, thief), false)
  for (const path of ['/addresses', '/profile', '/data.json']) {
    const page = await newBrowser().visit(`${rootOf(other)}/account${path}`, {
      headers: { cookie: `stoa_account=${value}` },
    })
    assert.equal(page.location, `${rootOf(other)}/account`)
  }
})

test('signing out ends this session or all of them, and forgets the checkout', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  const [one, two, three] = [await signIn(shop, email), await signIn(shop, email), await signIn(shop, email)]
  const kept = one.cookies.get('stoa_account')!
  await post(one, `${rootOf(shop)}/account/sign-out`)
  assert.equal(one.cookies.has('stoa_account'), false)
  one.cookies.set('stoa_account', kept)
  assert.deepEqual([await isIn(shop, one), await isIn(shop, two)], [false, true])
  await post(two, `${rootOf(shop)}/account/sign-out`, { act: 'everywhere' })
  assert.equal(await isIn(shop, three), false)
})

test('a session ends when staff change the email or erase the customer, and after 30 days unseen', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  const browser = await signIn(shop, email)
  const [{ id }] = (await shop.api.get(`/v1/customers?search=${email}`)).data
  dataOf(await shop.api.patch(`/v1/customers/${id}`, { email: newEmail() }), 200)
  assert.equal(await isIn(shop, browser), false)
  dataOf(await shop.api.patch(`/v1/customers/${id}`, { email }), 200)
  assert.equal(await isIn(shop, browser), false)
  const again = await signIn(shop, email)
  world.clock.advance(29 * 86400)
  assert.ok(await isIn(shop, again))
  world.clock.advance(29 * 86400)
  assert.ok(await isIn(shop, again))
  dataOf(await shop.api.delete(`/v1/customers/${id}`), 200)
  assert.equal(await isIn(shop, again), false)
  const last = await signIn(shop, newEmail())
  world.clock.advance(31 * 86400)
  assert.equal(await isIn(shop, last), false)
})

test('orders of the verified email are in the account, also those placed as a guest, and no others', async () => {
  const [shop, other] = [await world.newStore(), await world.newStore()]
  const email = newEmail()
  const mine = await placed(shop, email.toUpperCase())
  const theirs = await placed(shop, newEmail())
  await placed(other, email)
  const browser = await signIn(shop, email)
  const { text } = await browser.visit(`${rootOf(shop)}/account`)
  assert.match(text, new RegExp(`Order ${mine.order_number}\\b`))
  assert.doesNotMatch(text, new RegExp(`Order ${theirs.order_number}\\b`))
  const [, link] = /href="([^"]*\/orders\/[^"]*)"/.exec(text) ?? assert.fail(text)
  const order = await browser.visit(world.url + link)
  assert.deepEqual([order.status, order.text.includes(String(mine.order_number))], [200, true])
})

test('orders come ten a page', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  const items = [{ product_name: 'Mug', unit_price: 5, quantity: 1 }]
  for (let count = 0; count < 11; count++) {
    dataOf(await shop.api.post('/v1/orders', { items, customer_email: email, customer_name: 'Ana' }), 201)
    world.clock.advance(1)
  }
  const browser = await signIn(shop, email)
  const numbersOn = async (page: string) => {
    const { text } = await browser.visit(`${rootOf(shop)}/account${page}`)
    return [...text.matchAll(/Order (\d+)/g)].map(([, number]) => Number(number))
  }
  const [first, second] = [await numbersOn(''), await numbersOn('?page=2')]
  assert.deepEqual([first.length, second.length, new Set([...first, ...second]).size], [10, 1, 11])
  assert.ok(first[0]! > second[0]!)
})

test('pages of the catalog are the same for everybody, and those of an account are never kept', async () => {
  const shop = await world.newStore()
  const { slug } = await productOf(shop)
  const email = newEmail()
  const browser = await signIn(shop, email)
  const guest = newBrowser()
  for (const path of ['', `/products/${slug}`]) {
    for (let times = 0; times < 3; times++) {
      const [own, others] = [await browser.visit(rootOf(shop) + path), await guest.visit(rootOf(shop) + path)]
      assert.equal(own.text, others.text)
      assert.doesNotMatch(own.text, new RegExp(email))
    }
  }
  const second = newEmail()
  const other = await signIn(shop, second)
  for (const path of ['/account', '/account/addresses', '/account/profile', '/account/data.json']) {
    const [a, b] = [await browser.visit(rootOf(shop) + path), await other.visit(rootOf(shop) + path)]
    assert.deepEqual([a.headers.get('cache-control'), b.headers.get('cache-control')], ['no-store', 'no-store'])
    assert.deepEqual([a.text.includes(email), a.text.includes(second)], [true, false], path)
    assert.deepEqual([b.text.includes(email), b.text.includes(second)], [false, true], path)
  }
  const { headers, location } = await guest.visit(`${rootOf(shop)}/account/profile`)
  assert.deepEqual([headers.get('cache-control'), location], ['no-store', `${rootOf(shop)}/account`])
})

test('a store without customer accounts has no such pages and no link to them', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  const browser = await signIn(shop, email)
  assert.match((await browser.visit(rootOf(shop))).text, /href="[^"]*\/account"/)
  dataOf(await shop.api.patch('/v1/store', { customer_accounts: false }), 200)
  const setting = async () => (await shop.api.get('/v1/store/mails/account_sign_in')).data.is_active
  assert.equal(await setting(), false)
  assert.doesNotMatch((await browser.visit(rootOf(shop))).text, /href="[^"]*\/account"/)
  for (const path of ['', '/sign-in', '/profile', '/data.json']) {
    assert.equal((await browser.visit(`${rootOf(shop)}/account${path}`)).status, 404)
  }
  assert.equal((await post(browser, `${rootOf(shop)}/account`, { email })).status, 404)
  dataOf(await shop.api.patch('/v1/store/mails/account_sign_in', { is_active: true }), 200)
  assert.equal((await shop.api.get('/v1/store')).data.customer_accounts, true)
  assert.equal((await browser.visit(`${rootOf(shop)}/account/profile`)).status, 200)
})

test('profile and addresses are changed by their owner alone, and what is wrong stands beside its field', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  const browser = await signIn(shop, email)
  const account = `${rootOf(shop)}/account`
  await shop.events()
  const wrong = await post(browser, `${account}/profile`, { name: '', phone: 'none' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="name-fault"[\s\S]*id="phone-fault"/)
  await post(browser, `${account}/profile`, { name: 'Ana Torres', phone: '+52 55 1234 5678', accepts_marketing: '1' })
  const [customer] = (await shop.api.get(`/v1/customers?search=${email}`)).data
  assert.deepEqual(
    [customer.name, customer.phone, customer.accepts_marketing],
    ['Ana Torres', '+52 55 1234 5678', true],
  )
  const events = (await shop.events()).map(({ event }) => event)
  assert.deepEqual(events, ['customer.updated'])
  const home = { name: 'Ana Torres', address: 'Calle 60', city: 'Mérida', country_code: 'MX' }
  const missing = await post(browser, `${account}/addresses/new`, { ...home, city: '' })
  assert.equal(missing.status, 422)
  assert.match(missing.text, /id="city-fault">Enter your city/)
  assert.match(missing.text, /value="Calle 60"/)
  assert.equal((await post(browser, `${account}/addresses/new`, home)).location, `${account}/addresses?done=added`)
  const [added] = (await shop.api.get(`/v1/customers/${customer.id}/addresses`)).data
  assert.deepEqual([added.city, added.is_default_shipping], ['Mérida', true])
  assert.match((await browser.visit(`${account}/addresses`)).text, /Calle 60/)
  const stranger = await signIn(shop, newEmail())
  assert.equal((await stranger.visit(`${account}/addresses/${added.id}`)).status, 404)
  assert.equal((await post(stranger, `${account}/addresses/${added.id}`, home)).status, 404)
  assert.equal((await post(newBrowser(), `${account}/addresses/${added.id}`, home)).location, account)
  await post(browser, `${account}/addresses/${added.id}`, { ...home, address: 'Calle 61' })
  await post(browser, `${account}/addresses/${added.id}`, { act: 'remove' })
  assert.deepEqual((await shop.api.get(`/v1/customers/${customer.id}/addresses`)).data, [])
})

test('who signs in is not called by what an order with their email said, until they have saved it', async () => {
  const shop = await setUp(await world.newStore({ country_code: 'MX' }))
  const email = newEmail()
  await placed(shop, email)
  const { name, phone } = ana
  const browser = await signIn(shop, email)
  const profile = `${rootOf(shop)}/account/profile`
  const { slug } = await productOf(shop)
  await post(browser, `${rootOf(shop)}/products/${slug}`, { quantity: '1' })
  const checkout = await browser.go((await post(browser, `${rootOf(shop)}/cart`, { act: 'checkout' })).location!)
  for (const { text } of [await browser.visit(profile), checkout]) {
    assert.match(text, /name="(customer\.)?name"/)
    for (const typed of [name, phone]) assert.equal(text.includes(typed), false, typed)
  }
  await shop.events()
  assert.equal((await post(browser, profile, { name, phone })).location, `${profile}?done=saved`)
  assert.deepEqual(await shop.events(), [], 'the same values are no change')
  const { text } = await browser.visit(profile)
  assert.ok(text.includes(name) && text.includes(phone))
})

test('the download has what is proven to be theirs: nothing of a shared phone, and no notes of staff', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  const mine = await placed(shop, email)
  // The same phone, another email.
  const theirs = await placed(shop, newEmail())
  const [customer] = (await shop.api.get(`/v1/customers?search=${email}`)).data
  dataOf(await shop.api.patch(`/v1/customers/${customer.id}`, { notes: 'Difficult', tags: ['watch'] }), 200)
  dataOf(await shop.api.patch(`/v1/orders/${mine.id}`, { internal_notes: 'Check twice' }), 200)
  const browser = await signIn(shop, email)
  const page = await browser.visit(`${rootOf(shop)}/account/data.json`)
  assert.match(page.headers.get('content-disposition') ?? '', /^attachment/)
  const data = JSON.parse(page.text)
  assert.deepEqual(
    data.orders.map(({ id }: any) => id),
    [mine.id],
  )
  assert.equal(data.customer.email, email)
  for (const hidden of ['Difficult', 'watch', 'Check twice', theirs.id, 'order_notice']) {
    assert.equal(page.text.includes(hidden), false, hidden)
  }
})

test('the checkout of who is signed in has their contact and default address, and takes another', async () => {
  const shop = await setUp(await world.newStore({ country_code: 'MX' }))
  const email = newEmail()
  const customer = { name: 'Ana Torres', email, phone: ana.phone }
  const addresses = [
    { address: 'Calle 60', city: 'Mérida', country_code: 'MX' },
    { name: 'Luz Torres', address: 'Calle 61', city: 'Campeche', country_code: 'MX' },
  ]
  dataOf(await shop.api.post('/v1/customers', { ...customer, addresses }), 201)
  const { slug } = await productOf(shop)
  const browser = newBrowser()
  const begin = async () => {
    await post(browser, `${rootOf(shop)}/products/${slug}`, { quantity: '1' })
    return browser.go((await post(browser, `${rootOf(shop)}/cart`, { act: 'checkout' })).location!)
  }
  const before = await begin()
  assert.match(before.text, /account\?next=checkout/)
  assert.doesNotMatch(before.text, /Calle 60/)
  await ask(shop, browser, email, { next: 'checkout' })
  const { code } = await proofTo(email)
  const entered = await post(browser, `${rootOf(shop)}/account/sign-in`, { code })
  assert.equal(entered.location, `${rootOf(shop)}/checkout`)
  const page = await browser.visit(entered.location!)
  const valueOf = (text: string, name: string) => new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(text)?.[1]
  const names = ['customer.name', 'customer.email', 'shipping_address.address', 'shipping_address.city']
  assert.deepEqual(
    names.map((name) => valueOf(page.text, name)),
    ['Ana Torres', email, 'Calle 60', 'Mérida'],
  )
  const [, second] = [...page.text.matchAll(/<option value="(addr_[^"]*)"/g)].map(([, id]) => id!)
  const mark = /name="checkout" value="([^"]*)"/.exec(page.text)![1]!
  const kept = {
    checkout: mark,
    'customer.name': 'Ana T.',
    'customer.email': email,
    'shipping_address.country_code': 'MX',
  }
  const changed = await post(browser, `${rootOf(shop)}/checkout`, { ...kept, act: 'address', saved_address: second! })
  assert.deepEqual(
    names.map((name) => valueOf(changed.text, name)),
    ['Ana T.', email, 'Calle 61', 'Campeche'],
  )
  await post(browser, `${rootOf(shop)}/account/sign-out`)
  assert.equal(browser.cookies.has('stoa_checkout'), false)
  assert.doesNotMatch((await begin()).text, /Calle/)
})
