// A merchant's month in a real browser: from the first sign-in to a cart that comes back. Each step goes on from where
// the one before has left the store.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { createUser } from '../../src/identity/accounts/operations.ts'
import { makeLink } from '../../src/identity/accounts/links.ts'
import { sql } from '../../src/kit/database/sql.ts'
import { accessibilityFaults, addAuthenticator, complaintsOf, openChromium } from '../chromium.ts'
import { client } from '../client.ts'
import { letterTo, linkIn } from '../letters.ts'
import { openOauthWorld, password } from '../oauth.ts'
import { receiver, testAuthority } from '../receiver.ts'
import { noisyPicture } from '../uploads.ts'
import { ana as buyer, fill } from './casa-nogal.ts'
import { typeTokens } from './merchant.ts'

// A passkey belongs to a name: an address has none.
const world = await openOauthWorld({
  host: 'localhost',
  environment: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  network: { ca: testAuthority.ca },
  delivers: true,
  sweeps: true,
})
const { app, issuer, clock } = world
const hooks = await receiver()
after(() => hooks.close())

const heard: string[][] = []
const look = async (): Promise<[BrowserContext, Page]> => {
  const context = await openChromium({ width: 1200 })
  heard.push(complaintsOf(context))
  return [context, await context.newPage()]
}
const [, page] = await look()
const main = page.locator('main')
const press = (name: string) => main.getByRole('button', { name, exact: true }).click()
const follow = (name: string) => main.getByRole('link', { name, exact: true }).first().click()
const says = (text: string) => page.getByText(text).first().waitFor()
const confirms = (text: string) => page.locator('#said').getByText(text).first().waitFor()
const hasNoBarrier = async () => assert.deepEqual(await accessibilityFaults(page), [], page.url())

let base = ''
let shopUrl = ''
let key = ''
const go = (path: string) => page.goto(base + path)
const api = () => client(world.url, { 'x-api-key': key })

test('a link that works once leads to a store of one’s own', async () => {
  const link = await app.db.transaction(async (tx) => {
    const id = await createUser(tx, { email: 'carla@example.com', password, name: 'Carla' })
    return makeLink(tx, id, 'sign_in')
  })
  await page.goto(`${issuer}/oauth/sign-in/${link}`)
  await page.getByRole('button').first().click()
  await page.getByRole('link', { name: 'Create store' }).click()
  await main.getByLabel('Name').fill('Casa Nogal')
  await press('Create store')
  await page.waitForURL(/\/dashboard\/[A-Z]{2}-\w+/)
  base = /.*\/dashboard\/[^/?]+/.exec(page.url())![0]
  await hasNoBarrier()
})

test('a passkey signs in by itself from then on', async () => {
  await addAuthenticator(page)
  await go('/settings/security')
  await page.locator('passkey-maker summary').click()
  await page.locator('passkey-maker').getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('link', { name: 'I’ve saved these codes' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.goto(`${issuer}/oauth/login`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(/\/dashboard\/\w/)
})

test('a product with variants and a picture', async () => {
  await go('')
  await follow('Add your first product')
  await page.getByLabel('Name', { exact: true }).fill('Linen shirt')
  await page.getByLabel('Price USD', { exact: true }).fill('24.50')
  const option = page.getByRole('group', { name: 'Option 1' })
  await option.getByLabel('Option name').fill('Size')
  await typeTokens(option.getByLabel('Option values'), ['S', 'M'])
  await page.locator('.matrix [data-row]:visible').nth(1).waitFor()
  assert.equal(await page.locator('.matrix [data-row]:visible').count(), 2)
  for (const stock of await main.locator('[name$=".stock_quantity"]:visible').all()) await stock.fill('10')
  await press('Create product')
  await says('Product created')
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'shirt.png', mimeType: 'image/png', buffer: await noisyPicture() })
  await main.locator('img').first().waitFor()
  await hasNoBarrier()
})

test('the first steps open the shop', async () => {
  await go('')
  await follow('Set up shipping')
  await page.locator('[name=price]').fill('5')
  await press('Add shipping rate')
  await confirms('Added')
  await go('')
  await go('/settings/store')
  await page.getByLabel('Accept test payments').check()
  await press('Save')
  await confirms('Saved')
  await go('')
  await follow('Set up payments')
  await follow('Add test method')
  await press('Add test method')
  await confirms('Added')
  await follow('Add payment method')
  await follow('Add manual method')
  await press('Add manual method')
  await confirms('Added')
  await go('/settings/store')
  if (await main.getByRole('button', { name: 'Open online store' }).count()) {
    await press('Open online store')
    await confirms('Online store opened')
  }
  await go('')
  assert.equal(await page.getByText('Get ready to sell').count(), 0)
})

test('a key for programs and a webhook, whose receiver refuses at first', async () => {
  hooks.answer = () => ({ status: 400 })
  await go('/settings/developer/api-keys')
  await main.getByLabel('Name', { exact: true }).fill('Bookkeeping')
  await press('All')
  await press('Create key')
  key = await page.locator('copy-text code').innerText()
  assert.match(key, /^wk_live_\w{40}$/)
  await go('/settings/developer/webhooks')
  await main.getByLabel('Endpoint URL', { exact: true }).fill(hooks.url)
  await main.getByRole('checkbox', { name: 'order.created', exact: true }).check()
  await press('Add webhook')
  await says('Your signing secret')
})

test('a shopper buys with the fake provider', async () => {
  const { data: store } = await api().get('/v1/store')
  shopUrl = `${world.url}/s/${store.slug}`
  const [own, visitor] = await look()
  await visitor.goto(shopUrl)
  await visitor.getByRole('link', { name: 'Linen shirt' }).first().click()
  await visitor.getByRole('radio', { name: 'M', exact: true }).check({ force: true })
  await visitor.locator('#add').click()
  await visitor.locator('form.cart').waitFor()
  await visitor.locator('button[value=checkout]').click()
  await visitor.waitForURL(/\/checkout$/)
  await fill(visitor, buyer)
  await visitor.locator('#place').click()
  await visitor.waitForURL((url) => /\/(orders|pay|test)/.test(url.pathname))
  if (!visitor.url().includes('/orders/')) await visitor.getByRole('button').first().click()
  await visitor.waitForURL(/\/orders\//)
  assert.match(await visitor.locator('main').innerText(), /Linen shirt/)
  await own.close()
})

test('the order is sent, and a line of it refunded', async () => {
  await go('/orders')
  await main.locator('.list tbody a').first().click()
  await main.locator('#do-fulfil > summary').click()
  await press('Fulfill items')
  await says('fulfilled')
  await main.locator('summary', { hasText: 'Refund' }).click()
  await main.getByRole('spinbutton').or(main.locator('form:has([value=refund]) input.number')).first().fill('1')
  await main.locator('#do-refund .send button').click()
  await says('Refund issued')
  const [order] = (await api().get('/v1/orders')).data
  assert.equal(order.fulfillment_status, 'fulfilled')
  assert.ok(order.refunded_amount > 0 && order.refunded_amount < order.total)
  await hasNoBarrier()
})

test('a delivery that failed is sent again', async () => {
  await hooks.waitFor(1)
  hooks.answer = () => ({ body: 'ok' })
  await go('/settings/developer/webhooks')
  await main.locator('.rows a, .records a').first().click()
  await follow('Deliveries')
  await main.locator('.list tbody a').first().click()
  const before = hooks.received.length
  await press('Resend')
  await confirms('Resending delivery')
  await hooks.waitFor(before + 1)
  await hasNoBarrier()
})

test('a cart that was left comes back by its link', async () => {
  const [own, visitor] = await look()
  await visitor.goto(`${shopUrl}/products/linen-shirt`)
  await visitor.getByRole('radio', { name: 'S', exact: true }).check({ force: true })
  await visitor.locator('#add').click()
  await visitor.locator('form.cart').waitFor()
  await visitor.locator('button[value=checkout]').click()
  await visitor.waitForURL(/\/checkout$/)
  const saved = visitor.waitForResponse((answer) => answer.request().method() !== 'GET')
  await visitor.locator('[name="customer.email"]').fill('bruno@example.com')
  await visitor.locator('[name="customer.email"]').blur()
  await saved
  await own.close()
  clock.advance(31 * 60)
  assert.ok(await app.jobs.run('sweep checkouts'))
  await go('/carts')
  await main.locator('.list tbody a').first().click()
  const link = await main.locator('copy-text code').innerText()
  const [later, returning] = await look()
  await returning.goto(link)
  await returning.waitForURL(/\/checkout$/)
  await fill(returning, { ...buyer, 'customer.email': 'bruno@example.com' })
  await returning.locator('#place').click()
  await returning.waitForURL(/\/orders\//)
  await later.close()
  await go('/carts?status=recovered')
  assert.match(await main.innerText(), /Recovered/)
})

test('a colleague is invited, and sees no keys', async () => {
  await go('/settings/team')
  await page.getByLabel('Email').fill('dora@example.com')
  await press('Send invitation')
  await confirms('Invitation sent')
  const [letter] = await letterTo(world.app, 'dora@example.com')
  const [own, colleague] = await look()
  await colleague.goto(linkIn(letter!.text))
  await colleague.getByLabel('Your name').fill('Dora')
  await colleague.locator('[name=password]').fill('another horse battery')
  await colleague.getByRole('button', { name: 'Join store' }).click()
  await colleague.waitForURL(/\/dashboard\/\w/)
  await colleague.goto(`${base}/settings`)
  assert.equal(await colleague.getByRole('link', { name: 'API keys' }).count(), 0)
  assert.equal((await colleague.goto(`${base}/settings/developer/api-keys`))!.status(), 403)

  // Both edit one product: different fields come together, and of one field nothing is written over or lost.
  const opened = (one: Page) => one.locator('main .list tbody a', { hasText: 'Linen shirt' }).first().click()
  const nameOf = (one: Page) => one.getByLabel('Name', { exact: true })
  const save = (one: Page) => one.getByRole('main').getByRole('button', { name: 'Save', exact: true }).click()
  await colleague.goto(`${base}/products`)
  await opened(colleague)
  await nameOf(colleague).waitFor()
  await go('/products')
  await opened(page)
  await nameOf(page).fill('Linen shirt, washed')
  await save(page)
  await confirms('Saved')
  await colleague.getByLabel('Price USD', { exact: true }).fill('29')
  await save(colleague)
  await colleague.locator('#said').getByText('Saved').first().waitFor()
  const [product] = (await api().get('/v1/products')).data
  assert.deepEqual([product.name, product.price], ['Linen shirt, washed', 29])
  await nameOf(page).fill('Linen shirt, dyed')
  await save(page)
  await page.waitForLoadState()
  await nameOf(colleague).fill('Linen shirt, ironed')
  await save(colleague)
  await colleague.locator('main .notice.error').first().waitFor()
  assert.equal(await nameOf(colleague).inputValue(), 'Linen shirt, ironed')
  assert.match(await colleague.locator('main').innerText(), /Current value: Linen shirt, dyed/)
  await own.close()
})

test('at the end the figures agree with the orders, and no browser complained', async () => {
  const { data: orders } = await api().get('/v1/orders')
  assert.equal(orders.length, 2)
  // The clock was advanced, so the orders may be of two days.
  await go('?period=days_7')
  assert.match(await main.innerText(), /Orders\s+2/)
  assert.equal((await app.db.rows(sql`select from orders where store_id = ${base.split('/').at(-1)!}`)).length, 2)
  assert.deepEqual(heard.flat(), [])
})
