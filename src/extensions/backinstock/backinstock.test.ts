import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMailServer } from '../../../test/mailserver.ts'
import { blue, dataOf, newShop, red, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'

const server = await openMailServer()
const environment = { SMTP_URL: server.url, MAILS_PER_MINUTE: '100000', BASE_URL: 'http://shop.example' }
const world = await openWorld(environment, { sweeps: true })
const job = 'backinstock: email'
const hour = 60 * 60

const newEmail = () => `${newUuid()}@example.com`
const bodyOf = (raw: string) =>
  raw
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (hex) => Buffer.from(hex.replaceAll('=', ''), 'hex').toString('utf8'))

let visitors = 0
const nextAddress = () => `198.51.${Math.floor(++visitors / 200)}.${visitors % 200}`

async function visit({ store }: Shop, path: string, language = 'en') {
  const response = await fetch(`${world.url}/s/${store.slug}${path}`, { headers: { 'accept-language': language } })
  return { status: response.status, text: await response.text() }
}

async function send({ store }: Shop, path: string, form: Record<string, string>, headers: object = {}) {
  const response = await fetch(`${world.url}/s/${store.slug}${path}`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { origin: 'http://shop.example', 'accept-language': 'en', 'x-forwarded-for': nextAddress(), ...headers },
    redirect: 'manual',
  })
  return { status: response.status, location: response.headers.get('location'), text: await response.text() }
}

/** The letters to an address, after all due ones are sent. */
async function lettersTo(email: string) {
  await world.app.sender.sendDue()
  return server.received.filter(({ to }) => to === email)
}

const pathIn = (raw: string, pattern: RegExp) => {
  const url = pattern.exec(bodyOf(raw))![0]
  return new URL(url).pathname.replace(/^\/s\/[^/]+/, '')
}
const confirmLink = /http:\S+\/backinstock\/[0-9a-f-]{36}\.\S+/
const stopLink = /http:\S+\/backinstock\/stop\/\S+/

const requestsOf = async ({ api }: Shop, query = '') => (await api.get(`/v1/backinstock/requests${query}`)).data
const itemsOf = async ({ api }: Shop) =>
  (await api.get('/v1/backinstock/items')).data.map((item: any) => [item.product_name, item.variant_name, item.waiting])

const soldOut = (shop: Shop, more: object = {}) => shop.product({ stock_quantity: 0, ...more })

/** Asks for the email, and confirms the address. */
async function wait(shop: Shop, product: any, email = newEmail(), variant = '', language = 'en') {
  const form = { product: product.slug, variant, email }
  const asked = await send(shop, '/backinstock', form, { 'accept-language': language })
  assert.equal(asked.status, 303, asked.text)
  const [letter] = await lettersTo(email)
  const path = pathIn(letter!.raw, confirmLink)
  assert.equal((await send(shop, path, { act: 'confirm' })).status, 200)
  return { email, path }
}

const restock = async ({ api }: Shop, { id }: any, body: object) =>
  dataOf(await api.patch(`/v1/inventory/products/${id}`, body), 200)

test('a shopper asks for a sold-out product, confirms, and gets one email when it can be bought', async () => {
  const shop = await newShop(world)
  const product = await soldOut(shop, { name: 'Mug' })
  const page = await visit(shop, `/products/${product.slug}`)
  assert.match(page.text, /<details class="facts" open>\s*<summary>Email me when it’s back<\/summary>/)
  const email = newEmail()
  const asked = await send(shop, '/backinstock', { product: product.slug, email })
  assert.deepEqual(
    [asked.status, asked.location],
    [303, `/s/${shop.store.slug}/backinstock/sent?product=${product.slug}`],
  )
  assert.match((await visit(shop, '/backinstock/sent')).text, /<h1>Check your email<\/h1>/)
  assert.deepEqual(await itemsOf(shop), [])

  const [letter, ...more] = await lettersTo(email)
  assert.deepEqual(more, [])
  assert.equal(letter!.header('Subject'), 'Confirm: email me when Mug is back')
  assert.equal(letter!.header('From'), 'Corner shop <no-reply@shop.example>')
  const path = pathIn(letter!.raw, confirmLink)
  // A program that opens the link confirms nothing.
  assert.match((await visit(shop, path)).text, /<h1>One more step<\/h1>/)
  assert.deepEqual(await itemsOf(shop), [])
  assert.match((await send(shop, path, { act: 'confirm' })).text, /<h1>You’re on the list<\/h1>/)
  assert.deepEqual(await itemsOf(shop), [['Mug', null, 1]])

  await world.app.jobs.run(job)
  assert.equal((await lettersTo(email)).length, 1)
  await restock(shop, product, { quantity: 3 })
  await world.app.jobs.run(job)
  const [, second, ...others] = await lettersTo(email)
  assert.deepEqual(others, [])
  assert.equal(second!.header('Subject'), 'Mug is back')
  assert.match(
    bodyOf(second!.raw),
    new RegExp(`http://shop.example/s/${shop.store.slug}/products/${product.slug}\\?lang=en`),
  )
  assert.match(second!.header('List-Unsubscribe')!, /\/backinstock\/stop\//)
  assert.deepEqual(await requestsOf(shop), [], 'the request is gone with its email')
  await world.app.jobs.run(job)
  assert.equal((await lettersTo(email)).length, 2)
  assert.equal((await visit(shop, path)).status, 410)
  const mails = (await shop.api.get('/v1/mails?kind=extension')).data
  assert.deepEqual(
    mails.map(({ kind, status, recipient }: any) => [kind, status, recipient]),
    [1, 2].map(() => ['extension', 'sent', email]),
  )
})

test('variants are waited for one by one, in the language of the shopper', async () => {
  const shop = await newShop(world)
  await shop.api.patch('/v1/store', { languages: ['en', 'es'] })
  const variants = [
    { title: 'Red', option_values: [red], stock_quantity: 0 },
    { title: 'Blue', option_values: [blue], stock_quantity: 0 },
  ]
  const shirt = await shop.product({ name: 'Shirt', options: [{ title: 'Colour', values: ['Red', 'Blue'] }], variants })
  const [first, second] = shirt.variants
  const page = await visit(shop, `/products/${shirt.slug}`)
  assert.match(page.text, /<select id="backinstock-variant" name="variant">/)
  const one = await wait(shop, shirt, newEmail(), first.id)
  const other = await wait(shop, shirt, newEmail(), second.id, 'es')
  await restock(shop, shirt, { quantity: 1, variant_id: first.id })
  assert.match((await visit(shop, `/products/${shirt.slug}`)).text, /Your choice is sold out/)
  await world.app.jobs.run(job)
  const subjects = async (email: string) =>
    (await lettersTo(email)).map(({ raw }) => /<title>([^<]*)<\/title>/.exec(bodyOf(raw))![1])
  assert.deepEqual(await subjects(one.email), ['Confirm: email me when Shirt · Red is back', 'Shirt · Red is back'])
  assert.deepEqual(await subjects(other.email), ['Confirma: avísame cuando vuelva Shirt · Blue'])
  const refused = await send(shop, '/backinstock', { product: shirt.slug, variant: first.id, email: newEmail() })
  assert.equal(refused.location, `/s/${shop.store.slug}/products/${shirt.slug}`, 'it can be bought')
})

test('a product that sells without stock, or is not tracked, or is in stock, offers nothing', async () => {
  const shop = await newShop(world)
  const bodies = [{ stock_quantity: 1 }, { stock_quantity: 0, continue_selling: true }, { track_inventory: false }]
  for (const body of bodies) {
    const product = await shop.product(body)
    assert.doesNotMatch((await visit(shop, `/products/${product.slug}`)).text, /backinstock/)
  }
})

test('a merchant who switches it off shows no form and accepts none', async () => {
  const shop = await newShop(world)
  const product = await soldOut(shop)
  const shown = async () => (await visit(shop, `/products/${product.slug}`)).text.includes('/backinstock"')
  assert.equal(await shown(), true)
  const { data } = await shop.api.patch('/v1/backinstock/settings', { is_active: false })
  assert.deepEqual([data, (await shop.api.get('/v1/backinstock/settings')).data], [{ is_active: false }, data])
  assert.equal(await shown(), false)
  const form = { product: product.slug, email: newEmail() }
  assert.equal((await send(shop, '/backinstock', form)).status, 404)
})

test('guessed and foreign links open nothing, and neither do forms of other sites', async () => {
  const [shop, other] = [await newShop(world), await newShop(world)]
  const product = await soldOut(shop)
  const { path } = await wait(shop, product)
  const [id] = path.split('/').at(-1)!.split('.')
  const guesses = [
    `/backinstock/${id}`,
    `/backinstock/${id}.x`,
    `${path}x`,
    `/backinstock/${newUuid()}.${path.split('.')[1]}`,
  ]
  for (const guess of guesses) assert.equal((await visit(shop, guess)).status, 404, guess)
  assert.equal((await visit(other, path)).status, 404)
  assert.equal((await send(shop, `/backinstock/stop/${path.split('/').at(-1)}`, {})).status, 404)
  const foreign = { origin: 'https://evil.example' }
  assert.equal((await send(shop, '/backinstock', { product: product.slug, email: newEmail() }, foreign)).status, 403)
  assert.equal((await send(shop, path, { act: 'stop' }, foreign)).status, 403)
  assert.equal((await requestsOf(shop)).length, 1)
})

test('wrong addresses are refused beside their field, and a product that is not there is not found', async () => {
  const shop = await newShop(world)
  const product = await soldOut(shop)
  for (const email of ['', 'ana', 'ana@', `${'a'.repeat(250)}@example.com`, 'a@b.example\nBcc: x@example.com']) {
    const { status, text } = await send(shop, '/backinstock', { product: product.slug, email })
    assert.equal(status, 422, email)
    assert.match(text, /id="backinstock-email-fault">Enter an email address/)
  }
  assert.equal((await send(shop, '/backinstock', { product: 'nothing', email: newEmail() })).status, 404)
  assert.deepEqual(await requestsOf(shop), [])
})

test('an address asks for the same thing once, and for at most twenty things', async () => {
  const shop = await newShop(world)
  const product = await soldOut(shop)
  const email = newEmail()
  for (const typed of [email, email.toUpperCase(), email]) {
    assert.equal((await send(shop, '/backinstock', { product: product.slug, email: typed })).status, 303)
  }
  assert.equal((await requestsOf(shop)).length, 1)
  assert.equal((await lettersTo(email)).length, 1)
  for (let count = 0; count < 21; count++) {
    const { slug } = await soldOut(shop)
    assert.equal((await send(shop, '/backinstock', { product: slug, email })).status, 303)
  }
  assert.equal((await requestsOf(shop, `?email=${email}&per_page=100`)).length, 20)
})

test('many requests from one address of the internet are turned away', async () => {
  const shop = await newShop(world)
  const product = await soldOut(shop)
  const headers = { 'x-forwarded-for': nextAddress() }
  const statuses: number[] = []
  for (let count = 0; count < 32; count++) {
    const form = { product: product.slug, email: newEmail() }
    statuses.push((await send(shop, '/backinstock', form, headers)).status)
  }
  assert.deepEqual([statuses.indexOf(429), statuses.filter((status) => status === 429).length], [30, 2])
})

test('a shopper stops one request by its link, and all of them by the link of the email', async () => {
  const shop = await newShop(world)
  const [mug, cap, bag] = [await soldOut(shop), await soldOut(shop), await soldOut(shop)]
  const email = newEmail()
  const asked = async (product: any) => {
    await send(shop, '/backinstock', { product: product.slug, email })
    const letters = await lettersTo(email)
    const path = pathIn(letters.at(-1)!.raw, confirmLink)
    await send(shop, path, { act: 'confirm' })
    return path
  }
  const first = await asked(mug)
  assert.match((await visit(shop, first)).text, /<button class="quiet" name="act" value="stop">/)
  assert.match((await send(shop, first, { act: 'stop' })).text, /<h1>Done<\/h1>/)
  await asked(cap)
  await asked(bag)
  await restock(shop, cap, { quantity: 1 })
  await world.app.jobs.run(job)
  const path = pathIn((await lettersTo(email)).at(-1)!.raw, stopLink)
  assert.match((await visit(shop, path)).text, /<h1>Stop these emails\?<\/h1>/)
  assert.equal((await requestsOf(shop)).length, 1)
  // A mail program sends a form of its own.
  const oneClick = await send(shop, path, { 'List-Unsubscribe': 'One-Click' }, { origin: 'https://mail.example' })
  assert.equal(oneClick.status, 204)
  assert.deepEqual(await requestsOf(shop), [])
})

test('two nodes that look at the same time send each email once', async () => {
  const shop = await newShop(world)
  const product = await soldOut(shop)
  const waiting = await Promise.all([1, 2, 3].map(() => wait(shop, product)))
  await restock(shop, product, { quantity: 1 })
  await Promise.all([world.app.jobs.run(job), world.app.jobs.run(job)])
  await world.app.jobs.run(job)
  for (const { email } of waiting) assert.equal((await lettersTo(email)).length, 2)
})

test('requests end: unconfirmed after two days, confirmed after 90, and with their product', async () => {
  const shop = await newShop(world)
  const [mug, cap] = [await soldOut(shop), await soldOut(shop)]
  await send(shop, '/backinstock', { product: mug.slug, email: newEmail() })
  const waiting = await wait(shop, mug)
  await wait(shop, cap)
  assert.equal((await requestsOf(shop)).length, 3)
  assert.equal((await shop.api.delete(`/v1/products/${cap.id}`)).status, 200)
  assert.equal((await requestsOf(shop)).length, 2)
  world.clock.advance(49 * hour)
  await world.app.jobs.run('backinstock: drop old requests')
  assert.deepEqual(
    (await requestsOf(shop)).map(({ email }: any) => email),
    [waiting.email],
  )
  world.clock.advance(88 * 24 * hour)
  await world.app.jobs.run('backinstock: drop old requests')
  assert.deepEqual(await requestsOf(shop), [])
})

test('an erased customer waits no more, and an export has what they wait for', async () => {
  const shop = await newShop(world)
  const product = await soldOut(shop)
  const { email } = await wait(shop, product)
  const customer = dataOf(await shop.api.post('/v1/customers', { name: 'Ana', email }), 201)
  const exported = dataOf(await shop.api.get(`/v1/customers/${customer.id}/data`), 200)
  assert.deepEqual(
    exported.backinstock_requests.map(({ product_id }: any) => product_id),
    [product.id],
  )
  dataOf(await shop.api.delete(`/v1/customers/${customer.id}`), 200)
  assert.deepEqual(await requestsOf(shop), [])
  const { rows } = {
    rows: await world.app.db.rows(sql`
    select from mails where store_id = ${shop.store.id} and kind = 'extension' and account is not null`),
  }
  assert.deepEqual(rows, [])
})

test('requests are read and deleted with the scopes of customers, and found by product and address', async () => {
  const shop = await newShop(world)
  const [mug, cap] = [await soldOut(shop), await soldOut(shop)]
  const { email } = await wait(shop, mug)
  await wait(shop, cap)
  const [request] = await requestsOf(shop, `?product_id=${mug.id}`)
  assert.deepEqual([request.email, request.variant_id, request.language], [email, null, 'en'])
  assert.deepEqual(await requestsOf(shop, `?email=${email.toUpperCase()}`), [request])
  assert.deepEqual(dataOf(await shop.api.get(`/v1/backinstock/requests/${request.id}`), 200), request)
  assert.equal((await shop.api.delete(`/v1/backinstock/requests/${request.id}`)).status, 200)
  assert.deepEqual(await requestsOf(shop, `?product_id=${mug.id}`), [])
})
