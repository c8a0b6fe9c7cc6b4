// A day in a real browser: what was sold, the list of orders with its views and papers, an order by hand, and finding
// all of it by the keyboard. And without a script.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults, openChromium, type Look } from '../chromium.ts'
import { openOauthWorld, type Merchant } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

const enter = (look?: Look) => enterAs(world, look)

const place = async ({ store: { api } }: Merchant, body: object = {}) => {
  const items = [{ product_name: 'Mug', unit_price: 20, quantity: 2 }]
  return dataOf(await api.post('/v1/orders', { customer_name: 'Ben', items, ...body }), 201)
}

for (const look of [{ width: 1200 }, { width: 390, dark: true, locale: 'es-MX' }] as const) {
  test(`figures, reports, papers and the palette have no barrier and fit their window (${look.width})`, async () => {
    const { page, ana, base, heard } = await enter(look)
    const { id } = await place(ana, { country_code: 'MX', shipping_address: { city: 'Mérida' } })
    const papers = `/orders/print?ticked=${id}&what=`
    const paths = [
      '?period=days_30',
      '?period=weeks_52',
      '/reports?by=country',
      '/reports?by=tax&period=this_month',
      `${papers}slip`,
      `${papers}invoice`,
    ]
    for (const path of [...paths, '/orders/new', '/orders?status=pending', '/find?search=mug']) {
      await page.goto(base + path)
      await page.locator('main details').evaluateAll((all: any[]) => all.forEach((one) => (one.open = true)))
      assert.deepEqual(await accessibilityFaults(page), [], path)
      const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(isTooWide, false, path)
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('option').first().waitFor()
    assert.deepEqual(await accessibilityFaults(page), [], 'palette')
    await page.keyboard.press('Escape')
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('?')
    await page.locator('#keys[open]').waitFor()
    assert.deepEqual(await accessibilityFaults(page), [], 'keys')
    assert.deepEqual(heard, [])
  })
}

test('home follows what happens until it is paused, and what is open stays open', async () => {
  const { page, ana, base, heard } = await enter()
  await page.clock.install()
  const order = await place(ana)
  await ana.store.api.post(`/v1/orders/${order.id}/fulfillments`, {})
  await page.goto(base)
  const tile = page.getByRole('link', { name: 'Orders to fulfill' })
  await page.getByText('All clear').waitFor()
  await page.getByText('View as table').click()
  await place(ana)
  await page.clock.runFor(10_000)
  await tile.getByText('1', { exact: true }).waitFor()
  await page.locator('.figure', { hasText: '$80.00' }).first().waitFor()
  assert.equal(await page.locator('.chart details[open]').count(), 1)
  await page.getByRole('button', { name: 'Pause' }).click()
  await place(ana)
  await page.clock.runFor(30_000)
  assert.match(await tile.innerText(), /1/)
  await page.getByRole('button', { name: 'Resume' }).click()
  await tile.getByText('2', { exact: true }).waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.deepEqual(heard, [])
})

test('no date of the list of orders breaks in two lines at 1200 pixels', async () => {
  const { page, ana, base } = await enter({ width: 1200 })
  await place(ana, { customer_name: 'Benjamín Hernández de la Cruz', payment_status: 'paid' })
  await page.goto(`${base}/orders`)
  const [date] = await page.locator('tbody time').all()
  assert.equal(await date!.evaluate((element) => element.getClientRects().length), 1)
})

test('by the keyboard alone an order is found by its number, and keys lead from page to page', async () => {
  const { page, ana, base } = await enter()
  const { order_number } = await place(ana)
  await page.keyboard.press('Control+k')
  const box = page.getByRole('combobox')
  assert.equal(await page.evaluate("document.activeElement.getAttribute('role')"), 'combobox')
  await page.getByRole('option').first().waitFor()
  assert.equal(await box.getAttribute('aria-expanded'), 'true')
  // Faster than the answer.
  await page.keyboard.type(`#${order_number}`)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: `Order #${order_number}` }).waitFor()
  // Letters that somebody types into a field lead nowhere.
  await page.getByLabel('Staff notes').focus()
  await page.keyboard.type('go?')
  assert.match(page.url(), /\/orders\/ord_/)
  assert.equal(await page.locator('#keys[open]').count(), 0)
  await page.getByLabel('Staff notes').fill('')
  await page.reload()
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor()
  // The palette is there again after pages were exchanged; arrows choose in it.
  await page.keyboard.press('Control+k')
  const home = page.getByRole('option', { name: 'Home', exact: true })
  await home.waitFor()
  await page.keyboard.type('settings')
  await home.waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  assert.equal(await page.locator('[aria-selected]').innerText(), 'Settings')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('checkbox', { name: 'Enable single-key shortcuts' }).uncheck()
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  assert.equal(await page.locator('#keys[open]').count(), 0)
  assert.equal(page.url(), `${base}/settings`)
})

test('a view is saved, is what the list shows first, and leads back', async () => {
  const { page, ana, base } = await enter()
  await place(ana)
  await page.goto(`${base}/orders?status=pending`)
  await page.getByText('Save view').click()
  await page.getByLabel('View name').fill('To be sent')
  await page.getByRole('checkbox', { name: 'Make default' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: 'To be sent' }).waitFor()
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  await page.getByRole('navigation', { name: 'Navigation' }).getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('link', { name: 'To be sent' }).waitFor()
  assert.match(page.url(), /status=pending/)
})

test('ticked orders are sent and printed: each paper is a page, and nothing else is on it', async () => {
  const { page, ana, base } = await enter()
  for (let count = 0; count < 3; count++) await place(ana)
  await page.goto(`${base}/orders`)
  await page.locator('tick-all input').check()
  await page.getByRole('button', { name: 'Fulfill', exact: true }).click()
  await page.getByRole('button', { name: 'Fulfill 3 orders' }).click()
  await page.getByText('3 orders fulfilled').first().waitFor()
  await page.goto(`${base}/orders`)
  await page.locator('tick-all input').check()
  await page.getByText('More actions').click()
  await page.getByRole('button', { name: 'Packing slip' }).click()
  await page.getByRole('heading', { name: '3 packing slips' }).waitFor()
  await page.emulateMedia({ media: 'print' })
  for (const hidden of ['.side', '#title', 'main > nav']) assert.equal(await page.locator(hidden).isVisible(), false)
  const papers = await page.pdf({ format: 'A4' })
  assert.equal(papers.toString('latin1').match(/\/Type\s*\/Page\b/g)!.length, 3)
})

test('an order is made by hand, with the sums before it', async () => {
  const { page, ana, base } = await enter({ width: 390 })
  await ana.store.api.post('/v1/products', { name: 'Canvas backpack', price: 30 })
  await ana.store.api.post('/v1/customers', { name: 'Eve Moreno', email: 'eve@example.com' })
  await page.goto(`${base}/orders/new`)
  await page.getByRole('searchbox', { name: 'Search products' }).fill('canvas')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Add: Canvas backpack' }).click()
  await page.getByLabel('Quantity Canvas backpack').fill('2')
  await page.getByRole('searchbox', { name: /search to add/ }).fill('eve')
  await page.getByRole('radio', { name: 'Eve Moreno' }).check()
  await page.getByLabel('Shipping cost').fill('5')
  await page.getByRole('button', { name: 'Calculate totals' }).click()
  await page.locator('#sums .total', { hasText: '$65.00' }).waitFor()
  await page.getByRole('button', { name: 'Create order' }).click()
  await page.getByText('Order created').first().waitFor()
  await page.getByRole('link', { name: 'Eve Moreno' }).waitFor()
})

test('without a script all of it is there too', async () => {
  const { ana, base, page: signedIn } = await enter()
  await ana.store.api.post('/v1/products', { name: 'Canvas backpack', price: 30 })
  const { order_number } = await place(ana)
  const context = await openChromium({ javaScript: false })
  await context.addCookies(await signedIn.context().cookies())
  const page = await context.newPage()
  await page.goto(base)
  await page.getByRole('link', { name: 'Search' }).click()
  await page.getByRole('searchbox').fill(`#${order_number}`)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('link', { name: `#${order_number}` }).waitFor()
  await page.goto(`${base}/orders?status=pending`)
  await page.getByText('Save view').click()
  await page.getByLabel('View name').fill('Open')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: 'Open', exact: true }).waitFor()
  await page.getByRole('checkbox', { name: `Select #${order_number}` }).check()
  await page.getByText('More actions').click()
  await page.getByRole('button', { name: 'Invoice' }).click()
  await page.getByRole('heading', { name: '1 invoice' }).waitFor()
  await page.goto(`${base}/orders/new`)
  await page.getByRole('searchbox', { name: 'Search products' }).fill('canvas')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Add: Canvas backpack' }).click()
  await page.getByRole('button', { name: 'Create order' }).click()
  await page.getByText('Order created').waitFor()
})
