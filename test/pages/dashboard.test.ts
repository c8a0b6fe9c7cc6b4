// The dashboard in a real browser: by keyboard, on a phone, in both schemes, and when something is in the way.
import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { test } from 'node:test'
import { screens } from '../../src/dashboard/screens/screens.ts'
import { accessibilityFaults, type Look } from '../chromium.ts'
import { openOauthWorld, type Merchant } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

const enter = (look?: Look) => enterAs(world, look)

const line = { product_name: 'Mug', unit_price: 20, quantity: 2 }
const newOrder = async ({ store: { api } }: Merchant) =>
  dataOf(await api.post('/v1/orders', { customer_name: 'Ben', items: [line] }), 201)

/** Letters, policies and languages have a screen each that differs in its words alone. */
const alike = /^\/(settings\/mail\/(?!log|order-paid)|shop\/(policies\/(?!terms)|languages\/(?!fr)))/
const isFirstOfItsKind = (path: string) => !alike.test(path)

for (const look of [{ width: 1200 }, { width: 390, dark: true, locale: 'es-MX', ofLook: true }]) {
  test(`no screen has a barrier or is wider than its window (${look.width})`, async () => {
    const { page, ana, base, heard } = await enter(look)
    const { id } = await newOrder(ana)
    const paths = screens
      .filter(({ params }) => !params)
      .map(({ path }) => path)
      .filter(isFirstOfItsKind)
    for (const path of [...paths, `/orders/${id}`, '/orders?status=pending&total[gte]=1', '/orders?search=nobody']) {
      await page.goto(base + path)
      await page.locator('main details').evaluateAll((all: any[]) => all.forEach((one) => (one.open = true)))
      assert.deepEqual(await accessibilityFaults(page, look), [], path)
      const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(isTooWide, false, path)
    }
    assert.deepEqual(heard, [])
  })
}

test('by the keyboard alone a key is made, and going to another screen exchanges only what differs', async () => {
  const { page, base } = await enter()
  await page.getByRole('link', { name: 'Settings', exact: true }).focus()
  await page.evaluate('window.isSame = true')
  await page.keyboard.press('Enter')
  await page.getByRole('main').getByRole('link', { name: 'API keys' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('#new summary').focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Name').focus()
  await page.keyboard.type('Stock sync')
  await page.getByRole('checkbox', { name: 'Automations' }).focus()
  await page.keyboard.press('Space')
  assert.equal(await page.getByRole('checkbox', { name: 'write:webhooks' }).isChecked(), true)
  await page.getByRole('button', { name: 'Create key' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your new API key' }).waitFor()
  assert.match(await page.locator('copy-text code').innerText(), /^wk_live_\w{40}$/)
  await page.getByRole('link', { name: 'Done', exact: true }).click()
  await page.locator('.records strong', { hasText: 'Stock sync' }).waitFor()
  assert.equal(page.url(), `${base}/settings/developer/api-keys`)
  assert.equal(await page.evaluate('window.isSame'), true)
  await page.goBack()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
})

test('what somebody else has changed meanwhile is said, and what was typed stays', async () => {
  const { page, ana, base } = await enter()
  const { id } = await newOrder(ana)
  await page.goto(`${base}/orders/${id}`)
  const notes = page.getByLabel('Staff notes')
  await notes.fill('Ring twice')
  await ana.store.api.patch(`/v1/orders/${id}`, { internal_notes: 'Call first' })
  const save = () => notes.locator('xpath=ancestor::form').getByRole('button', { name: 'Save' }).click()
  await save()
  await page.getByText('Someone else edited this').first().waitFor()
  await page.getByText('Current value: Call first').waitFor()
  assert.equal(await notes.inputValue(), 'Ring twice')
  await save()
  await page.locator('#said').getByText('Saved').first().waitFor()
  assert.equal((await ana.store.api.get(`/v1/orders/${id}`)).data.internal_notes, 'Ring twice')
})

test('a lost connection and an ended session are said, and nothing typed is lost', async () => {
  const { page, ana, base } = await enter()
  const { id } = await newOrder(ana)
  await page.goto(`${base}/orders/${id}`)
  const notes = page.getByLabel('Staff notes')
  await notes.fill('Ring twice')
  const save = () => notes.locator('xpath=ancestor::form').getByRole('button', { name: 'Save' }).click()
  await page.context().setOffline(true)
  await save()
  await page.locator('#offline').waitFor()
  await page.context().setOffline(false)
  await page.context().clearCookies()
  await save()
  await page.locator('#ended').waitFor()
  assert.equal(await notes.inputValue(), 'Ring twice')
})

test('a refund by line goes up to its ceiling, and what is too much is said beside the line', async () => {
  const { page, ana, base } = await enter({ width: 390 })
  const { id } = await newOrder(ana)
  await ana.store.api.patch(`/v1/orders/${id}`, { payment_status: 'paid' })
  await page.goto(`${base}/orders/${id}`)
  const panel = page.locator('#do-refund')
  await panel.locator('summary').click()
  await panel.getByLabel('Mug').fill('3')
  await panel.getByRole('button', { name: 'Refund' }).click()
  await panel.getByText('The quantity exceeds what’s available.').first().waitFor()
  await panel.getByLabel('Mug').fill('1')
  await panel.getByRole('button', { name: 'Refund' }).click()
  await page.getByText('Refund issued').first().waitFor()
  assert.equal((await ana.store.api.get(`/v1/orders/${id}`)).data.refunded_amount, 20)
})

test('script and style of the first load weigh less than 60 KB, compressed, and its font 50 KB', async () => {
  const { page, base } = await enter()
  const loaded: string[] = []
  page.on('request', (request) => void loaded.push(request.url()))
  await page.context().clearCookies({ name: 'nothing' })
  await page.reload()
  await page.goto(`${base}/orders`)
  const own = loaded.filter((url) => url.includes('/s/_/') && !url.endsWith('.svg'))
  const fonts = new Set(own.filter((url) => url.endsWith('.woff2')))
  const files = new Set(own.filter((url) => !fonts.has(url)))
  let bytes = 0
  for (const file of files) bytes += gzipSync(Buffer.from(await (await fetch(file)).arrayBuffer())).length
  assert.ok(files.size >= 6, [...files].join(' '))
  assert.ok(bytes < 60_000, String(bytes))
  assert.equal(fonts.size, 1)
  const font = await fetch([...fonts][0]!)
  assert.equal(font.headers.get('content-type'), 'font/woff2')
  assert.ok((await font.arrayBuffer()).byteLength < 50_000)
})

test('going back asks about what is not saved, and staying keeps it', async () => {
  const { page, ana, base, heard } = await enter()
  const { id } = dataOf(await ana.store.api.post('/v1/customers', { name: 'Berta' }), 201)
  await page.goto(`${base}/customers`)
  await page.getByRole('link', { name: 'Berta' }).click()
  await page.waitForURL(`**/customers/${id}`)
  await page.getByLabel('Name').fill('Berta Ruiz')
  const goBack = async (isSure: boolean) => {
    const asked = page.waitForEvent('dialog')
    await page.evaluate('setTimeout(() => history.back())')
    const dialog = await asked
    await (isSure ? dialog.accept() : dialog.dismiss())
  }
  await goBack(false)
  await page.waitForURL(`**/customers/${id}`)
  assert.equal(await page.getByLabel('Name').inputValue(), 'Berta Ruiz')
  await goBack(true)
  await page.getByRole('link', { name: 'Berta' }).waitFor()
  assert.ok(page.url().endsWith('/customers'))
  await page.evaluate('history.forward()')
  await page.waitForURL(`**/customers/${id}`)
  await page.locator('[name=name]').waitFor()
  assert.equal(await page.getByLabel('Name').inputValue(), 'Berta')
  assert.deepEqual(heard, [])
})

test('after a conflict the focus is in the field that somebody else has changed, in sight', async () => {
  const { page, ana, base } = await enter()
  const { id } = dataOf(await ana.store.api.post('/v1/products', { name: 'Mug', price: 20 }), 201)
  await page.goto(`${base}/products/${id}`)
  await page.locator('[name=price]').fill('22')
  dataOf(await ana.store.api.patch(`/v1/products/${id}`, { price: 44.44 }), 200)
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.locator('.changed').waitFor()
  assert.match(await page.locator('.changed').innerText(), /44\.44/)
  assert.equal(await page.evaluate('document.activeElement.name'), 'price')
  const { x, y } = (await page.locator('.changed').boundingBox())!
  assert.equal(await page.evaluate(`document.elementFromPoint(${x + 2}, ${y + 2}).className`), 'hint changed')
})

test('an element that a swap has taken away listens no more', async () => {
  const { page, base, heard } = await enter()
  await page.goto(`${base}/products/new`)
  await page.getByRole('link', { name: 'Categories' }).first().click()
  await page.waitForURL('**/categories')
  await page
    .getByRole('main')
    .getByRole('link', { name: /category/ })
    .first()
    .click()
  await page.waitForURL('**/categories/new')
  await page.locator('[name=name]').pressSequentially('Hats')
  assert.deepEqual(heard, [])
})

test('what a bulk action has done is in sight, wherever the page is scrolled', async () => {
  const { page, ana, base } = await enter({ width: 1200 })
  for (let count = 0; count < 22; count++) await newOrder(ana)
  await page.goto(`${base}/orders`)
  await page.locator('[name=ticked]').last().check()
  await page.getByText('More actions').click()
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  const notice = page.locator('#said .notice')
  await notice.waitFor()
  assert.match(await notice.innerText(), /1 record updated/)
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  const { y } = (await notice.boundingBox())!
  assert.ok(y >= 0 && y < 200, String(y))
})

const long = 'A'.repeat(160)

for (const width of [320, 390, 1200]) {
  test(`long names and words do not widen a list (${width})`, async () => {
    const { page, ana, base } = await enter({ width, ...(width === 390 ? { locale: 'es-MX' } : {}) })
    const { api } = ana.store
    const email = `${'b'.repeat(60)}@${'example'.repeat(6)}.com`
    for (const name of [long, 'Berta de la Cruz y Rodríguez']) {
      dataOf(await api.post('/v1/customers', { name, email: name === long ? email : null }), 201)
      dataOf(
        await api.post('/v1/products', { name, price: 123456.78, sku: name === long ? long.slice(0, 60) : 'S' }),
        201,
      )
      dataOf(await api.post('/v1/orders', { customer_name: name, items: [line] }), 201)
    }
    for (const path of ['/products', '/customers', '/orders', '/inventory', '/settings/audit', '/reports']) {
      await page.goto(base + path)
      const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.ok(Number(over) <= 0, `${path} is ${String(over)} px too wide`)
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/${width}${path.replaceAll('/', '-')}.png` })
    }
  })
}
