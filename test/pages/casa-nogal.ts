// A shop with pages to look at, and what a shopper does on them.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { complaintsOf, openChromium, type Look } from '../chromium.ts'
import type { TestStore, World } from '../world.ts'

export type Shop = TestStore & { url: string; mug: any; shirt: any }

/** A mug, a shirt in three variants, shipping, payment, an offer and a code. */
export async function openShop(world: World, options: Parameters<World['newStore']>[0] = {}): Promise<Shop> {
  return fillShop(world, await world.newStore({ name: 'Casa Nogal', ...options }))
}

export async function fillShop({ url }: Pick<World, 'url'>, store: TestStore): Promise<Shop> {
  const { api } = store
  const post = async (path: string, body: object) => {
    const { status, data, error } = await api.post(path, body)
    assert.equal(status, 201, JSON.stringify(error))
    return data
  }
  await store.api.patch('/v1/store', { test_payments: true })
  const kitchen = await post('/v1/categories', { name: 'Kitchen' })
  const image = (name: string) => `https://images.example/${name}.jpg`
  const mug = await post('/v1/products', {
    name: 'Enamel mug',
    price: 14,
    compare_price: 20,
    category_id: kitchen.id,
    track_inventory: true,
    stock_quantity: 40,
    description: 'Steel with two coats of enamel.',
    main_image: image('mug'),
    gallery: [image('mug-inside')],
    warranty_months: 12,
  })
  const size = (value: string) => [{ option_title: 'Size', value }]
  const shirt = await post('/v1/products', {
    name: 'Shirt',
    price: 30,
    main_image: image('shirt'),
    variants: [
      { option_values: size('S'), manage_inventory: true, stock_quantity: 0 },
      { option_values: size('M'), manage_inventory: true, stock_quantity: 3 },
      { option_values: size('L'), price: 33 },
    ],
  })
  await post('/v1/store/shipping-rates', { code: 'standard', price: 6, position: 1, country_codes: ['US', 'MX'] })
  await post('/v1/store/shipping-rates', { code: 'express', price: 15, position: 2, country_codes: ['US'] })
  await post('/v1/store/shipping-rates', { code: 'pickup', price: 0, position: 3 })
  await post('/v1/store/payment-methods', { code: 'cod', position: 1 })
  await post('/v1/store/payment-methods', { code: 'bank_transfer', instructions: 'Account 0123', position: 2 })
  await post('/v1/store/payment-methods', { code: 'card', provider: 'test', position: 3 })
  await post('/v1/store/order-bumps', { title: 'Gift wrapping', price: 4 })
  await post('/v1/discounts', { code: 'WELCOME10', type: 'percentage', value: 10 })
  await store.events()
  return { ...store, url: `${url}/s/${store.store.slug}`, mug, shirt }
}

export const phone = { width: 390 }
export const withoutScript = { javaScript: false }

/** A visitor with cookies of its own; the browser has nothing to complain of. */
export async function visiting(look: Look, visit: (page: Page) => Promise<void>): Promise<void> {
  const context = await openChromium(look)
  const complaints = complaintsOf(context)
  // Pictures of merchants, without the network.
  await context.route('https://images.example/**', (route) => route.fulfill(drawing))
  const page = await context.newPage()
  try {
    await visit(page)
  } catch (error) {
    throw new Error(`at ${page.url()}: ${(error as Error).message}`, { cause: error })
  } finally {
    await context.close()
  }
  assert.deepEqual(complaints, [])
}

export const drawing = {
  contentType: 'image/svg+xml',
  body: '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="5"><rect width="4" height="5" fill="#8a9"/></svg>',
}

export const ana = {
  'customer.email': 'ana@example.com',
  'customer.name': 'Ana Torres',
  'shipping_address.address': 'Main Street 12',
  'shipping_address.city': 'Springfield',
  'shipping_address.postal_code': '62704',
  'shipping_address.province': 'US-IL',
}

export const inMexico = { 'shipping_address.postal_code': '06600', 'shipping_address.province': 'MX-CMX' }

export const fieldOf = (page: Page, name: string) => page.locator(`[name="${name}"]`)
export const textOf = async (page: Page, selector: string) =>
  (await page.locator(selector).innerText()).replaceAll(/\s+/g, ' ').trim()

export async function fill(page: Page, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) {
    const field = fieldOf(page, name)
    await ((await field.evaluate(({ tagName }) => tagName)) === 'SELECT'
      ? field.selectOption(value)
      : field.fill(value))
  }
}

export async function addProduct(page: Page, { url }: Shop, slug = 'enamel-mug') {
  await page.goto(`${url}/products/${slug}`)
  await page.locator('#add').click()
  await page.locator('form.cart').waitFor()
  await page.goto(`${url}/cart`)
}

export async function toCheckout(page: Page, shop: Shop, slug?: string) {
  await addProduct(page, shop, slug)
  await page.locator('button[value=checkout]').click()
  await page.waitForURL(/\/checkout$/)
}

/** What the script asks for when something is chosen. */
export const refreshed = (page: Page) =>
  page.waitForResponse((answer) => answer.request().method() === 'GET' && answer.url().endsWith('/checkout'))

/** Into a field and out of it again: then the script keeps it. */
export async function leave(page: Page, name: string, value: string) {
  const kept = refreshed(page)
  await fieldOf(page, name).fill(value)
  await fieldOf(page, name).blur()
  await kept
}

export async function place(page: Page) {
  await page.locator('#place').click()
  await page.waitForURL(/\/orders\//)
}

export const ordersOf = async ({ api }: Shop) => (await api.get('/v1/orders')).data
