// The client of another house, as it comes from npm: from the address of a shop to an order.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openChromium } from '../../../test/chromium.ts'
import { productOf } from '../../../test/checkouts.ts'
import { buyer, byCash, lines, openUcpWorld, shipping, totalOf } from '../../../test/ucp.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

const home = await mkdtemp(join(tmpdir(), 'stoa-ucp-'))
after(() => rm(home, { recursive: true, force: true }))
const port = await freePort()
const business = `http://localhost:${port}`
// A database of its own: the only store of a service is at the service's own address.
const world = await openUcpWorld({ PORT: String(port), BASE_URL: business }, { sweeps: true })
const shop = await world.newStore({ name: 'Corner shop' })
await shop.api.patch('/v1/store', { test_payments: true })
await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 5 })
await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
await shop.api.post('/v1/store/payment-methods', { code: 'card', provider: 'test' })
await productOf(shop, { name: 'Enamel cup', price: 19.99, stock: 10 })

const program = new URL('../../../node_modules/@shopify/ucp-cli/dist/bin.js', import.meta.url).pathname

type Release = '2026-08-25' | '2026-04-08'

/** What a command prints, as JSON; it knows of nothing but the shop's address and its own profile. */
async function ucp(release: Release, args: string[], input?: object): Promise<any> {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    UCP_HOME: join(home, release),
    UCP_TEST_ALLOW_INSECURE_LOCALHOST: 'true',
    NODE_NO_WARNINGS: '1',
  }
  const whole = [...args, '--format', 'json', ...(input ? ['--input', JSON.stringify(input)] : [])]
  const [stdout, stderr, failed] = await new Promise<[string, string, unknown]>((done) =>
    execFile(process.execPath, [program, ...whole], { env, cwd: home }, (error, out, err) => done([out, err, error])),
  )
  assert.equal(failed, null, `${args.join(' ')}: ${stdout} ${stderr}`)
  return JSON.parse(stdout)
}

const profiles = { '2026-08-25': world.profileOf('2026-08-25'), '2026-04-08': world.profileOf('2026-04-08') }

/** From discovery to a checkout that only has to be paid. */
async function toPayment(release: Release, at: string[]): Promise<any> {
  const profile = profiles[release]
  await ucp(release, [
    'profile',
    'init',
    '--name',
    'shopper',
    '--version',
    release,
    '--profile-url',
    profile,
    '--activate',
  ])
  const { result: found } = await ucp(release, ['discover', ...at])
  assert.deepEqual([found.protocol.version, found.protocol.agentProfileUrl], [release, profile])
  assert.equal(Object.keys(found.negotiated['dev.ucp.shopping'].tools).length, 13)
  const { result: search } = await ucp(release, ['catalog', 'search', ...at], { query: 'cup' })
  assert.deepEqual(
    search.products.map(({ title }: any) => title),
    ['Enamel cup'],
  )
  const { result: detail } = await ucp(release, ['catalog', 'get_product', search.products[0].id, ...at])
  const [variant] = detail.product.variants
  const { result: cart } = await ucp(release, ['cart', 'create', ...at], { line_items: lines(variant.id, 2) })
  const { result: made } = await ucp(release, ['checkout', 'create', ...at], { cart_id: cart.id, line_items: [] })
  assert.equal(made.status, 'incomplete')
  const { result: ready } = await ucp(release, ['checkout', 'update', made.id, ...at], {
    line_items: made.line_items.map((line: any) => ({
      id: line.id,
      item: { id: line.item.id },
      quantity: line.quantity,
    })),
    buyer,
    fulfillment: shipping('standard'),
  })
  assert.equal(ready.status, 'ready_for_complete', JSON.stringify(ready.messages))
  return ready
}

const due = 2 * 1999 + 500
const at = ['--business', business]
const ordersOf = async () => (await shop.api.get('/v1/orders?sort=created_at&order=asc')).data

for (const release of ['2026-08-25', '2026-04-08'] as const) {
  test(`ucp discovers the shop, finds a cup, and buys it by cash on delivery, in release ${release}`, async () => {
    const before = (await ordersOf()).length
    const ready = await toPayment(release, at)
    const { result: done } = await ucp(release, ['checkout', 'complete', ready.id, ...at], byCash)
    assert.equal(done.status, 'completed')
    const { result: order } = await ucp(release, ['order', 'get', done.order.id, ...at])
    assert.deepEqual([order.label, order.checkout_id, totalOf(order)], [done.order.label, ready.id, due])
    const orders = await ordersOf()
    const { total, payment_method, payment_status } = orders.at(-1)
    assert.deepEqual([orders.length, total, payment_method, payment_status], [before + 1, due / 100, 'cod', 'pending'])
  })
}

test('the buyer goes on in Chromium where ucp stopped, pays by card, and has the order', async () => {
  const ready = await toPayment('2026-08-25', at)
  const context = await openChromium({ width: 390 })
  try {
    const page = await context.newPage()
    await page.goto(ready.continue_url)
    assert.match(page.url(), /\/checkout$/)
    assert.equal(await page.locator('[name="customer.email"]').inputValue(), buyer.email)
    assert.equal(await page.locator('[name="shipping_address.city"]').inputValue(), 'New York')
    await page.locator('[name=payment_method][value=card]').check()
    await page.locator('#place').click()
    await page.waitForURL(/\/orders\//)
    assert.equal(await page.locator('h1').innerText(), 'Thank you, Ana!')
  } finally {
    await context.close()
  }
  const { total, payment_method, payment_status } = (await ordersOf()).at(-1)
  assert.deepEqual([total, payment_method, payment_status], [due / 100, 'card', 'paid'])
  const { result: done } = await ucp('2026-08-25', ['checkout', 'get', ready.id, ...at])
  assert.deepEqual([done.status, totalOf(done)], ['completed', due])
})
