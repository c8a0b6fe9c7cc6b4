// Every link that can be sent, opened by another person: the sender reads nothing of what its visitor has saved or
// enters.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderPath } from '../src/commerce/orders/link.ts'
import { openBrowser, type Browser, type Page } from './browser.ts'
import { buyer, productOf, setUp, shopperOf } from './checkouts.ts'
import { letterTo } from './letters.ts'
import { lines, openUcpWorld } from './ucp.ts'
import type { TestStore } from './world.ts'

const world = await openUcpWorld({}, { sweeps: true })
let people = 0

const rootOf = ({ store }: TestStore) => `${world.url}/s/${store.slug}`
const newBrowser = () => openBrowser({ 'x-forwarded-for': `10.9.0.${++people}`, 'accept-language': 'en' })

type Planted = {
  path: string
  /** All that the sender can read once the visitor has bought. */
  read(): Promise<string[]>
}
type Plant = (shop: TestStore, product: { id: string }) => Promise<Planted>

const sender = 'sender@example.com'
const text = (answer: object) => JSON.stringify(answer)
const opened = async (shop: TestStore, path: string) => (await newBrowser().go(rootOf(shop) + path)).text

/** An order of the sender's own, not paid. */
async function orderOf(shop: TestStore, product: { id: string }, more: object = {}) {
  const items = [{ product_id: product.id, quantity: 1 }]
  const body = { items, customer_name: 'Sid Sender', customer_email: sender, payment_method: 'bank_transfer', ...more }
  const { data } = await shop.api.post('/v1/orders', body)
  return { order: data, path: orderPath(world.app.vault, shop.store.id, data.id) }
}

/** What anyone with the token of a checkout is told by the storefront API. */
async function readByApi(shop: TestStore, token: string): Promise<string[]> {
  const shopper = shopperOf(world, shop)
  const answers = [
    await shopper.read(token),
    await shopper.change(token, { customer_notes: 'x' }),
    await shopper.complete(token),
  ]
  return answers.map(text)
}

async function begunByApi(shop: TestStore, product: { id: string }, more: object = {}) {
  const { data } = await shopperOf(world, shop).begin({ items: [{ product_id: product.id, quantity: 1 }], ...more })
  return data.token as string
}

const plants: Record<string, Plant> = {
  'continue link of a checkout begun by the storefront API': async (shop, product) => {
    const token = await begunByApi(shop, product)
    const path = `/continue/${token}`
    return { path, read: async () => [...(await readByApi(shop, token)), await opened(shop, path)] }
  },
  'continue link of an unsigned agent': async (shop, product) => {
    const domain = await world.domainOf(shop)
    const agent = world.agent(domain)
    const { body } = await agent.call('create_checkout', { body: { line_items: lines(product.id) } })
    const read = async () => {
      const { body: done } = await agent.call('get_checkout', { id: body.id })
      assert.equal(done.status, 'completed')
      const { order } = done
      const orders = await agent.call('get_order', { id: order.id })
      const page = await opened(shop, new URL(order.permalink_url).pathname)
      const cart = await agent.call('get_cart', { id: body.id })
      return [text(done), text(orders.body), text(cart.body), page, ...(await readByApi(shop, body.id))]
    }
    return { path: `/continue/${body.id}`, read }
  },
  'recovery link of a draft with the email of the sender': async (shop, product) => {
    const token = await begunByApi(shop, product, { customer: { email: sender } })
    const [draft] = (await shop.api.get('/v1/checkout-drafts?status=active')).data
    const path = new URL(draft.recovery_url).pathname.replace(/^\/s\/[^/]+/, '')
    return { path, read: async () => [...(await readByApi(shop, token)), await opened(shop, path)] }
  },
  'link to unsubscribe': async (shop, product) => {
    await begunByApi(shop, product, { customer: { email: sender } })
    const [draft] = (await shop.api.get('/v1/checkout-drafts?status=active')).data
    const path = `/unsubscribe/${draft.recovery_token}`
    return { path, read: async () => [await opened(shop, path)] }
  },
  'payment link of a draft order': async (shop, product) => {
    const body = { items: [{ product_id: product.id, quantity: 1 }], customer_name: 'Sid', customer_email: sender }
    const { data: draft } = await shop.api.post('/v1/draft-orders', body)
    const { data } = await shop.api.post(`/v1/draft-orders/${draft.id}/payment-link`, { send: false })
    const path = new URL(data.url).pathname.replace(/^\/s\/[^/]+/, '')
    return { path, read: async () => [await opened(shop, path)] }
  },
  'payment link of an order': async (shop, product) => {
    const { path } = await orderOf(shop, product)
    return { path: `${path}/pay`, read: async () => [await opened(shop, `${path}/pay`), await opened(shop, path)] }
  },
  'page of an order': async (shop, product) => {
    const { path } = await orderOf(shop, product)
    return { path, read: async () => [await opened(shop, path)] }
  },
  'return link of an order': async (shop, product) => {
    const { path, order } = await orderOf(shop, product, { payment_status: 'paid' })
    await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {})
    return {
      path: `${path}/return`,
      read: async () => [await opened(shop, `${path}/return`), await opened(shop, path)],
    }
  },
  'sign-in link of the sender': async (shop) => {
    const own = newBrowser()
    await own.visit(`${rootOf(shop)}/account`, { method: 'POST', body: new URLSearchParams({ email: sender }) })
    const [letter] = await letterTo(world.app, sender)
    const [, path] = /(\/account\/sign-in\/[\w-]+)/.exec(letter!.text)!
    return { path: path!, read: async () => [await opened(shop, path!)] }
  },
}

type Visitor = { email: string; secrets: string[]; form: Record<string, string> }

/** A customer of the store with a saved address, or somebody who types the same. */
async function visitorOf(shop: TestStore): Promise<Visitor> {
  const email = `vera${++people}@example.com`
  const [name, phone, address, city, postal_code] = ['Vera Victim', '+12125550188', '17 Hidden Lane', 'Albany', '12207']
  const { data } = await shop.api.post('/v1/customers', { name, email, phone })
  const place = { address, city, province: 'NY', postal_code, country_code: 'US', is_default_shipping: true }
  const { status } = await shop.api.post(`/v1/customers/${data.id}/addresses`, place)
  assert.equal(status, 201)
  const form = {
    'customer.name': name,
    'customer.email': email,
    'customer.phone': phone,
    'shipping_address.address': address,
    'shipping_address.city': city,
    'shipping_address.province': 'NY',
    'shipping_address.postal_code': postal_code,
    'shipping_address.country_code': 'US',
  }
  return { email, secrets: [name, email, address, city, postal_code, '555 0188', '5550188'], form }
}

async function signIn(shop: TestStore, browser: Browser, { email }: Visitor): Promise<void> {
  const post = (path: string, fields: Record<string, string>) =>
    browser.visit(`${rootOf(shop)}${path}`, { method: 'POST', body: new URLSearchParams(fields) })
  await post('/account', { email, next: 'checkout' })
  const [letter] = await letterTo(world.app, email)
  const [, code] = /\s(\d{6})\s/.exec(letter!.text)!
  assert.equal((await post('/account/sign-in', { code: code! })).status, 303)
}

/** Goes on from the link as far as it leads: to an order where there is a checkout. */
async function follow(shop: TestStore, browser: Browser, path: string, { form }: Visitor): Promise<Page> {
  const checkout = await browser.visit(`${rootOf(shop)}/checkout`)
  if (checkout.status !== 200 || !/\/(continue|recover)\//.test(path)) return checkout
  const [mark, total] = ['checkout', 'total'].map(
    (name) => new RegExp(`name="${name}" value="([^"]*)"`).exec(checkout.text)![1]!,
  )
  const fields = {
    ...form,
    checkout: mark!,
    total: total!,
    act: 'place',
    payment_method: 'cod',
    shipping_method: 'standard',
  }
  const placed = await browser.visit(`${rootOf(shop)}/checkout`, { method: 'POST', body: new URLSearchParams(fields) })
  assert.match(placed.location ?? '', /\/orders\//, placed.text.replaceAll(/<[^>]*>/g, ' ').slice(0, 3000))
  const order = await browser.go(placed.location!)
  assert.match(order.text, /17 Hidden Lane/)
  return order
}

const modes = ['a guest', 'signed in before', 'signed in afterwards'] as const

for (const [name, plant] of Object.entries(plants)) {
  for (const mode of modes) {
    test(`the sender of the ${name} reads nothing of a visitor who is ${mode}`, async () => {
      const shop = await setUp(await world.newStore())
      const product = await productOf(shop)
      const planted = await plant(shop, product)
      const visitor = await visitorOf(shop)
      const browser = newBrowser()
      if (mode === 'signed in before') await signIn(shop, browser, visitor)
      const first = await browser.go(rootOf(shop) + planted.path)
      assert.ok(first.status < 400, String(first.status))
      if (mode === 'signed in afterwards') await signIn(shop, browser, visitor)
      await follow(shop, browser, planted.path, visitor)
      for (const seen of await planted.read())
        for (const secret of visitor.secrets) assert.ok(!seen.includes(secret), `${secret} in ${seen.slice(0, 2000)}`)
    })
  }
}

test('a checkout that is handed over brings what was entered, and gets nothing back but its order', async () => {
  const shop = await setUp(await world.newStore())
  const product = await productOf(shop)
  const token = await begunByApi(shop, product, buyer('ana@example.com'))
  const browser = newBrowser()
  const page = await browser.go(`${rootOf(shop)}/continue/${token}`)
  for (const one of ['ana@example.com', 'Ana Torres', 'Av. Reforma 222']) assert.ok(page.text.includes(one), one)
  const own = browser.cookies.get('stoa_checkout')!.value
  assert.notEqual(own, token)
  // The same link leads the same browser to the same checkout, until the first one changes.
  await browser.go(`${rootOf(shop)}/continue/${token}`)
  assert.equal(browser.cookies.get('stoa_checkout')!.value, own)
  world.clock.advance(1)
  const shopper = shopperOf(world, shop)
  await shopper.change(token, { items: [{ product_id: product.id, quantity: 3 }] })
  await browser.visit(`${rootOf(shop)}/continue/${token}`)
  const asked = await browser.visit(`${rootOf(shop)}/continue/${token}`)
  assert.match(asked.text, /Replace your cart\?/)
  const replaced = await browser.submit(asked, { act: 'replace' })
  assert.match(replaced.text, /3/)
  const latest = browser.cookies.get('stoa_checkout')!.value
  assert.ok(![own, token].includes(latest))
  await shopper.change(latest, { customer: { email: 'other@example.com' } })
  const { data } = await shopper.complete(latest)
  const { data: first } = await shopper.read(token)
  assert.deepEqual(
    [first.status, first.order.id, first.customer.email, first.items[0].quantity],
    ['completed', data.order.id, 'ana@example.com', 3],
  )
  assert.equal((await shop.api.get('/v1/orders/count')).data.count, 1)
  // Completing the first one again answers the same order.
  assert.equal((await shopper.complete(token)).data.order.id, data.order.id)
  assert.equal((await newBrowser().visit(`${rootOf(shop)}/continue/${token}`)).location, `${rootOf(shop)}/`)
})

test('a link that somebody sent asks before it replaces a cart', async () => {
  const shop = await setUp(await world.newStore())
  const [mine, theirs] = [await productOf(shop, { name: 'Mirror' }), await productOf(shop, { name: 'Theirs' })]
  const browser = newBrowser()
  await browser.visit(`${rootOf(shop)}/products/${mine.slug}`, {
    method: 'POST',
    body: new URLSearchParams({ quantity: '2' }),
  })
  const token = await begunByApi(shop, theirs, { customer: { email: sender } })
  const [draft] = (await shop.api.get('/v1/checkout-drafts?status=active')).data
  for (const path of [`/continue/${token}`, `/recover/${draft.recovery_token}`]) {
    const asked = await browser.go(rootOf(shop) + path)
    assert.equal(asked.status, 200)
    assert.match(asked.text, /Replace your cart\?/)
    assert.match((await browser.go(`${rootOf(shop)}/cart`)).text, /Mirror/)
  }
  const page = await browser.submit(await browser.go(`${rootOf(shop)}/continue/${token}`), { act: 'replace' })
  assert.match(page.text, /Theirs/)
  assert.doesNotMatch(page.text, /Mirror/)
})
