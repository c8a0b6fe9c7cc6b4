// Screens look as they did. To keep new pictures after a change that was meant: UPDATE_LOOKS=1 before the command.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openChromium } from '../chromium.ts'
import { changesOf, keepLooks, shotsOf, viewportHeight, widths } from '../looks.ts'
import { openOauthWorld, password } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { addProduct, drawing, fill, openShop, ana as shopper } from './casa-nogal.ts'

const world = await openOauthWorld()
const noon = Date.UTC(2026, 4, 20, 12)
world.clock.set((noon - world.clock.now().getTime()) / 1000)

const shop = await openShop(world, { name: 'Casa Nogal' })
const ids = await fillStore()
const { email } = await world.newMerchant({ stores: [shop] })
const base = `${world.issuer}/dashboard/${shop.store.id}`

/** What people see most, of the dashboard and of the shop. */
// prettier-ignore
const screens: Record<string, (page: Page) => Promise<unknown>> = {
  'home':           (page) => page.goto(base),
  'orders':         (page) => page.goto(`${base}/orders`),
  'order':          (page) => page.goto(`${base}/orders/${ids.order}`),
  'order-edit':     (page) => page.goto(`${base}/orders/${ids.order}/edit`),
  'draft':          (page) => page.goto(`${base}/orders/drafts/${ids.draft}`),
  'new-order':      (page) => page.goto(`${base}/orders/new`),
  'products':       (page) => page.goto(`${base}/products`),
  'product':        (page) => page.goto(`${base}/products/${shop.shirt.id}`),
  'products-bulk':  (page) => page.goto(`${base}/products/bulk`),
  'inventory':      (page) => page.goto(`${base}/inventory`),
  'customers':      (page) => page.goto(`${base}/customers`),
  'customer':       (page) => page.goto(`${base}/customers/${ids.customer}`),
  'discounts':      (page) => page.goto(`${base}/discounts`),
  'new-discount':   (page) => page.goto(`${base}/discounts/new`),
  'reports':        (page) => page.goto(`${base}/reports`),
  'settings':       (page) => page.goto(`${base}/settings/checkout/taxes`),
  'appearance':     (page) => page.goto(`${base}/shop/appearance`),
  'shop-home':      (page) => page.goto(shop.url),
  'shop-product':   (page) => page.goto(`${shop.url}/products/shirt`),
  'shop-cart':      (page) => addProduct(page, shop),
  'shop-checkout':  (page) => openCheckout(page),
  'shop-payment':   (page) => page.goto(ids.payment),
}

const pages = await Promise.all(widths.map(enter))

for (const [name, open] of Object.entries(screens)) {
  test(`${name} looks as it did, on a desktop, a tablet and a phone, by day and by night`, async () => {
    for (const page of pages) {
      await page.emulateMedia({ colorScheme: 'light' })
      await open(page)
    }
    if (process.env.UPDATE_LOOKS) await keepLooks(name, await settled())
    // Scripts may still add to the page.
    let changes: string[] = []
    for (let tries = 0; tries < 10; tries++) {
      changes = await changesOf(name, await shotsOfAll())
      if (changes.length === 0) return
      await pages[0]!.waitForTimeout(300)
    }
    assert.deepEqual(changes, [])
  })
}

const shotsOfAll = async () => (await Promise.all(pages.map(shotsOf))).flat()

async function settled() {
  await Promise.all(pages.map((page) => page.waitForLoadState('networkidle')))
  return shotsOfAll()
}

test('a font that did not load, a part that moved and a color that changed are seen', async () => {
  const [page] = pages as [Page]
  const mistakes = {
    font: 'body, body * { font-family: serif !important }',
    place: 'main { transform: translateY(12px) }',
    color: 'main { background: #c33 !important }',
  }
  for (const [mistake, content] of Object.entries(mistakes)) {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(`${base}/orders`)
    await page.evaluate((content) => {
      const { document, CSSStyleSheet } = globalThis as any
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(content)
      document.adoptedStyleSheets = [sheet]
    }, content)
    const [change] = await changesOf('orders', (await shotsOf(page)).slice(0, 1))
    assert.match(change ?? '', /orders, 1440 px, light: .* of it differs/, mistake)
  }
})

/** A merchant who is signed in. */
async function enter(width: number): Promise<Page> {
  const context = await openChromium()
  await context.route('https://images.example/**', (route) => route.fulfill(drawing))
  const page = await context.newPage()
  await page.setViewportSize({ width, height: viewportHeight })
  await page.goto(`${world.issuer}/dashboard`)
  await fill(page, { email, password })
  await page.locator('[name=password]').press('Enter')
  await page.waitForURL(/\/dashboard\/\w/)
  return page
}

async function openCheckout(page: Page) {
  await addProduct(page, shop)
  await page.locator('button[value=checkout]').click()
  await page.waitForURL(/\/checkout$/)
  await fill(page, shopper)
}

/** Orders of the last ten days in several states, and who placed them. */
async function fillStore(): Promise<{ order: string; customer: string; draft: string; payment: string }> {
  const { api, mug, shirt } = shop
  const people = ['Ana Torres', 'Ben Smith', 'Chloé Dubois', 'Dieter Krause']
  let last: any
  world.clock.set(-10 * 86_400)
  for (let day = 0; day < 10; day++) {
    const name = people[day % people.length]!
    const body = {
      items: [
        { product_id: mug.id, quantity: 1 + (day % 3) },
        { product_id: shirt.id, variant_id: shirt.variants[2].id, quantity: 1 },
      ],
      customer_name: name,
      customer_email: `person${day % people.length}@example.com`,
      shipping_address: { address: 'Main Street 12', city: 'Springfield', postal_code: '62704', country_code: 'US' },
      shipping_method: 'standard',
      payment_status: day % 2 ? 'paid' : 'pending',
    }
    last = dataOf(await api.post('/v1/orders', body), 201)
    if (day % 4 === 1) await api.post(`/v1/orders/${last.id}/fulfillments`, { tracking_number: `TRACK${day}` })
    world.clock.set(86_400)
  }
  const items = [{ product_id: mug.id, quantity: 2 }]
  const draft = dataOf(await api.post('/v1/draft-orders', { items, customer_id: last.customer_id }), 201)
  const open = dataOf(await api.post('/v1/orders', { items, customer_name: 'Ana Torres' }), 201)
  const { url } = dataOf(await api.post(`/v1/orders/${open.id}/payment-link`, { send: false }), 200)
  return { order: last.id, customer: last.customer_id, draft: draft.id, payment: world.url + new URL(url).pathname }
}
