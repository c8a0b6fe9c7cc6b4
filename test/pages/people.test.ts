// Customers, discounts, inventory and abandoned checkouts in a real browser: by keyboard, on a phone, without a script.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { buyer, setUp, shopperOf } from '../checkouts.ts'
import { accessibilityFaults, type Look } from '../chromium.ts'
import { openOauthWorld, type Merchant } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld({ sweeps: true })

const enter = (look?: Look) => enterAs(world, look)

const sizes = ['S', 'M'].map((value, at) => ({
  sku: `LS-${value}`,
  stock_quantity: 2 + 10 * at,
  option_values: [{ option_title: 'Size', value }],
}))

/** One of each, with what stands beside it. */
async function fill({ store: shop }: Merchant) {
  const { api } = await setUp(shop)
  const make = async (path: string, body: object) => dataOf(await api.post(path, body), 201)
  const berta = { name: 'Berta Ruiz', email: 'berta@example.com', phone: '+52 55 1234 5678', accepts_marketing: true }
  const customer = await make('/v1/customers', berta)
  const counted = { price: 5, track_inventory: true }
  const mug = await make('/v1/products', { name: 'Blue mug', stock_quantity: 8, ...counted })
  const shirt = await make('/v1/products', { name: 'Linen shirt', variants: sizes, ...counted })
  const ten = { code: 'TEN', type: 'percentage', value: 10, applicable_product_ids: [mug.id] }
  const discount = await make('/v1/discounts', ten)
  const items = [{ product_id: mug.id, quantity: 1 }]
  await make('/v1/orders', {
    customer_id: customer.id,
    items,
    discount_code: 'TEN',
    shipping_address: { city: 'Lima' },
  })
  const cart = dataOf(await shopperOf(world, shop).begin({ items, ...buyer('cy@example.com') }), 201)
  world.clock.advance(31 * 60)
  assert.ok(await world.app.jobs.run('sweep checkouts'))
  const long = `Regulars ${'of the long summer '.repeat(5)}`.trim()
  const group = await make('/v1/customer-groups', { name: long, min_orders_count: 1, customer_tags: ['vip'] })
  await api.post(`/v1/customer-groups/${group.id}/members`, { customer_ids: [customer.id] })
  return { api, customer, mug, shirt, discount, cart, group }
}

for (const look of [{ width: 1200 }, { width: 390, dark: true, locale: 'es-MX', ofLook: true }]) {
  test(`no screen of people and goods has a barrier or is wider than its window (${look.width})`, async () => {
    const { page, ana, base, heard } = await enter(look)
    const { customer, shirt, discount, cart, group } = await fill(ana)
    const one = [`/customers/${customer.id}`, `/customers/${customer.id}/data`, `/discounts/${discount.id}?total=20`]
    const others = [
      '/discounts/new?type=free_shipping',
      `/discounts/new?copy=${discount.id}`,
      '/pick/products?search=mug',
    ]
    const groups = ['/customer-groups', '/customer-groups/new', `/customer-groups/${group.id}`]
    const stock = ['/inventory', '/inventory?stock_status=low_stock', `/inventory/${shirt.id}`]
    for (const path of [
      ...one,
      ...others,
      ...groups,
      ...stock,
      '/carts',
      `/carts/${cart.id}`,
      '/customers?has_orders=true',
    ]) {
      await page.goto(base + path)
      await page.locator('main details').evaluateAll((all: any[]) => all.forEach((one) => (one.open = true)))
      assert.deepEqual(await accessibilityFaults(page, look), [], path)
      const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(isTooWide, false, path)
    }
    assert.deepEqual(heard, [])
  })
}

const stockOf = (page: Page, name: string) => page.getByRole('textbox', { name: `Stock of ${name}` })

test('by keyboard one goes from cell to cell of the stock, takes back what was typed, and saves many', async () => {
  const { page, ana, base } = await enter()
  const { api, mug, shirt } = await fill(ana)
  await page.goto(`${base}/inventory`)
  await page.locator('edit-grid:defined').waitFor()
  await stockOf(page, 'Blue mug').focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('20')
  assert.equal(await stockOf(page, 'Blue mug').getAttribute('data-changed'), '')
  await page.keyboard.press('Escape')
  assert.equal(await stockOf(page, 'Blue mug').inputValue(), '7')
  await page.keyboard.type('9')
  // Past the line that names the product, to its first variant.
  await page.keyboard.press('ArrowDown')
  assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Stock of Linen shirt · S')
  await page.keyboard.type('4')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Stock of Linen shirt · M')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('2 records updated').first().waitFor()
  assert.equal((await api.get(`/v1/inventory/products/${mug.id}`)).data.stock_quantity, 9)
  assert.equal((await api.get(`/v1/inventory/products/${shirt.id}`)).data.variants[0].stock_quantity, 4)
})

test('a column of a spreadsheet is pasted into the stock', async () => {
  const { page, ana, base } = await enter()
  await fill(ana)
  await page.goto(`${base}/inventory`)
  await page.locator('edit-grid:defined').waitFor()
  await stockOf(page, 'Blue mug').focus()
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', '30\\t3\\n40\\n50\\n')
    const pasting = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.activeElement.dispatchEvent(pasting)
  }`)
  assert.equal(await stockOf(page, 'Blue mug').inputValue(), '30')
  assert.equal(await page.getByRole('textbox', { name: 'Low-stock threshold for Blue mug' }).inputValue(), '3')
  assert.equal(await stockOf(page, 'Linen shirt · M').inputValue(), '50')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('4 records updated').first().waitFor()
})

test('what a discount covers is found while one types, and ticked', async () => {
  const { page, ana, base } = await enter()
  const { api, discount, shirt, mug } = await fill(ana)
  await page.goto(`${base}/discounts/${discount.id}`)
  await page.getByRole('searchbox', { name: 'Products: search to add' }).fill('linen')
  const found = page.getByRole('checkbox', { name: 'Linen shirt' })
  await found.waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Space')
  assert.equal(await found.isChecked(), true)
  assert.equal(await page.locator('.picked').first().getByRole('checkbox').count(), 2)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#said').getByText('Saved').first().waitFor()
  const { data } = await api.get(`/v1/discounts/${discount.id}`)
  assert.deepEqual(data.applicable_product_ids.sort(), [mug.id, shirt.id].sort())
})

test('whom rules match is counted while one types', async () => {
  const { page, ana, base } = await enter()
  await fill(ana)
  await page.goto(`${base}/customer-groups/new`)
  await page.locator('live-total:defined').waitFor({ state: 'attached' })
  await page.getByLabel('Orders, at least').fill('1')
  await page.getByText('1 customer in this group').waitFor()
  await page.getByLabel('Orders, at least').fill('2')
  await page.getByText('0 customers in this group').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Regulars')
  await page.getByRole('button', { name: 'Create group' }).click()
  await page.getByRole('heading', { name: 'Regulars', level: 1 }).waitFor()
})

test('without a script the stock is saved, and what a discount covers is searched for', async () => {
  const { page, ana, base } = await enter({ javaScript: false })
  const { api, mug, discount } = await fill(ana)
  await page.goto(`${base}/inventory`)
  await stockOf(page, 'Blue mug').fill('3')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('1 record updated').waitFor()
  assert.equal((await api.get(`/v1/inventory/products/${mug.id}`)).data.stock_quantity, 3)
  await page.goto(`${base}/discounts/${discount.id}`)
  await page.getByLabel('Discount percentage').fill('15')
  await page.getByRole('searchbox', { name: 'Products: search to add' }).fill('linen')
  await page.locator('record-picker').first().getByRole('button', { name: 'Search' }).click()
  await page.getByRole('checkbox', { name: 'Linen shirt' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#said').getByText('Saved').waitFor()
  const { data } = await api.get(`/v1/discounts/${discount.id}`)
  assert.deepEqual([data.value, data.applicable_product_ids.length], [15, 2])
  await page.goto(`${base}/discounts/${discount.id}`)
  await page.getByLabel('Discount percentage').fill('20')
  await page.keyboard.press('Enter')
  await page.locator('#said').getByText('Saved').waitFor()
})

test('a person is erased on a phone after one has seen what goes and what stays', async () => {
  const { page, ana, base } = await enter({ width: 390 })
  const { api, customer } = await fill(ana)
  await page.goto(`${base}/customers/${customer.id}`)
  await page.getByRole('link', { name: 'Personal data' }).click()
  const preview = page.getByRole('table', { name: 'Erase personal data' })
  await preview.getByRole('row', { name: /Customer profile.*Erased/ }).waitFor()
  await preview.getByRole('row', { name: /Orders.*1.*Kept/ }).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download JSON' }).click(),
  ])
  assert.equal(download.suggestedFilename(), `${customer.id}.json`)
  await page.getByRole('button', { name: 'Erase personal data' }).click()
  await page.getByRole('heading', { name: 'Erase personal data of Berta Ruiz?' }).waitFor()
  assert.equal((await api.get(`/v1/customers/${customer.id}`)).status, 200)
  await page.getByRole('dialog').getByRole('button', { name: 'Erase personal data' }).click()
  await page.getByText('Personal data erased').first().waitFor()
  assert.equal((await api.get(`/v1/customers/${customer.id}`)).status, 404)
})
