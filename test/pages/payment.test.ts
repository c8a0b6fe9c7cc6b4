// A shopper pays at a provider: the checkout's form leads to another origin, and back. In Chromium, with a script and
// without, for it is Chromium that holds the page's policy against the redirect.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { openSandbox } from '../../src/extensions/sandbox/server.ts'
import { deriveWebhookSecret } from '../../src/extensions/sandbox/account.ts'
import { accessibilityFaults, complaintsOf, openChromium, type Look } from '../chromium.ts'
import { openWorld } from '../world.ts'

const sandbox = await openSandbox({ timing: { lateMs: 1500 } })
after(() => sandbox.close())
const port = await freePort()
const world = await openWorld({ PORT: port, BASE_URL: `http://127.0.0.1:${port}`, SANDBOX_URL: sandbox.url })

/** Its pages send shoppers back to an address that has to be known before. */
async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

async function openShop() {
  const store = await world.newStore({ name: 'Casa Nogal' })
  const { api } = store
  const account = sandbox.provider.account(`sk_sandbox_${store.store.id.replace('-', '_')}`)
  sandbox.provider.accounts.put(account.key, { ...account, name: 'Casa Nogal' })
  await api.post('/v1/products', { name: 'Enamel mug', price: 14, track_inventory: true, stock_quantity: 40 })
  await api.post('/v1/store/shipping-rates', { code: 'standard', price: 6, country_codes: ['US'] })
  await api.post('/v1/store/payment-methods', { code: 'cod', position: 2 })
  const settings = { api_key: account.key, webhook_secret: deriveWebhookSecret(account) }
  const made = await api.post('/v1/store/payment-methods', { code: 'card', provider: 'sandbox', settings, position: 1 })
  assert.equal(made.status, 201, JSON.stringify(made.error))
  return { ...store, url: `${world.url}/s/${store.store.slug}` }
}

type Shop = Awaited<ReturnType<typeof openShop>>

async function visiting(look: Look, visit: (page: Page, context: BrowserContext) => Promise<void>): Promise<void> {
  const context = await openChromium(look)
  const complaints = complaintsOf(context)
  const page = await context.newPage()
  try {
    await visit(page, context)
  } catch (error) {
    throw new Error(`at ${page.url()}: ${(error as Error).message}`, { cause: error })
  } finally {
    await context.close()
  }
  assert.deepEqual(complaints, [])
}

const ana = {
  'customer.email': 'ana@example.com',
  'customer.name': 'Ana Torres',
  'shipping_address.address': 'Main Street 12',
  'shipping_address.city': 'Springfield',
  'shipping_address.postal_code': '04101',
}

async function toCheckout(page: Page, { url }: Shop): Promise<void> {
  await page.goto(`${url}/products/enamel-mug`)
  await page.locator('#add').click()
  await page.locator('form.cart').waitFor()
  await page.locator('button[value=checkout]').click()
  await page.waitForURL(/\/checkout$/)
  for (const [name, value] of Object.entries(ana)) await page.locator(`[name="${name}"]`).fill(value)
  await page.locator('[name="shipping_address.province"]').selectOption('US-ME')
  await page.locator('[name=payment_method][value=card]').check()
}

async function toProvider(page: Page): Promise<void> {
  await page.locator('#place').click()
  await page.waitForURL(`${sandbox.url}/pay/*`)
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const title = (page: Page) => page.locator('h1').innerText()

async function assertPaid(page: Page, { api }: Shop): Promise<void> {
  await page.waitForURL(/\/orders\//)
  assert.equal(await title(page), 'Thank you, Ana!')
  const { data } = await api.get('/v1/orders')
  assert.deepEqual(
    data.map(({ payment_status, payment_method, total }: any) => [payment_status, payment_method, total]),
    [['paid', 'card', 20]],
  )
}

for (const javaScript of [true, false]) {
  const how = javaScript ? 'with a script' : 'without a script'

  test(`${how}, Back from the payment page is the checkout, also after a refused field`, async () => {
    const shop = await openShop()
    await visiting({ javaScript }, async (page) => {
      await toCheckout(page, shop)
      const name = page.locator('[name="customer.name"]')
      await name.fill('')
      await page.locator('#place').click()
      await page.locator('.fault').first().waitFor()
      await name.fill('Ana Torres')
      await toProvider(page)
      await page.goBack()
      assert.equal(await name.inputValue(), 'Ana Torres')
      await toProvider(page)
      await press(page, 'Approve')
      await assertPaid(page, shop)
    })
  })

  test(`${how}, a shopper is sent to the provider, approves, and has the order`, async () => {
    const shop = await openShop()
    await visiting({ javaScript }, async (page) => {
      await toCheckout(page, shop)
      await toProvider(page)
      assert.equal(await title(page), 'Pay Casa Nogal')
      assert.match(await page.locator('main').innerText(), /\$20\.00/)
      await press(page, 'Approve')
      await assertPaid(page, shop)
    })
  })

  test(`${how}, the wallet that the checkout names beside the method is the first button of the provider`, async () => {
    const shop = await openShop()
    await visiting({ javaScript, width: 390 }, async (page) => {
      await toCheckout(page, shop)
      assert.match(await page.locator('#payment').innerText(), /Sandbox Pay/)
      await toProvider(page)
      assert.equal(await page.locator('button').first().innerText(), 'Pay with Sandbox Pay')
      await press(page, 'Pay with Sandbox Pay')
      await assertPaid(page, shop)
    })
  })

  test(`${how}, a shopper whose payment is declined is told so, and pays at the second time`, async () => {
    const shop = await openShop()
    await visiting({ javaScript, width: 390 }, async (page) => {
      await toCheckout(page, shop)
      await toProvider(page)
      const first = page.url()
      await press(page, 'Decline')
      await page.waitForURL(/\/checkout\/payments\//)
      assert.equal(await title(page), 'Your payment didn’t go through')
      await page.getByRole('link', { name: 'Back to checkout' }).click()
      await page.waitForURL(/\/checkout$/)
      await toProvider(page)
      assert.notEqual(page.url(), first)
      await press(page, 'Approve')
      await assertPaid(page, shop)
    })
  })

  test(`${how}, a shopper confirms with the bank`, async () => {
    const shop = await openShop()
    await visiting({ javaScript }, async (page) => {
      await toCheckout(page, shop)
      await toProvider(page)
      await press(page, 'Approve with a bank code')
      await page.getByLabel('Code').fill('4321')
      await press(page, 'Confirm')
      assert.match(await page.locator('#code-fault').innerText(), /Enter 1234/)
      await page.getByLabel('Code').fill('1234')
      await press(page, 'Confirm')
      await assertPaid(page, shop)
    })
  })

  test(`${how}, a shopper who turns back finds the way to the same payment again`, async () => {
    const shop = await openShop()
    await visiting({ javaScript }, async (page) => {
      await toCheckout(page, shop)
      await toProvider(page)
      const first = page.url()
      await page.getByRole('link', { name: 'Return to store without paying' }).click()
      await page.waitForURL(/\/checkout\/payments\//)
      assert.equal(await title(page), 'Your payment didn’t go through')
      if (javaScript) assert.deepEqual(await accessibilityFaults(page), [])
      assert.deepEqual((await shop.api.get('/v1/orders')).data, [])
      await page.getByRole('link', { name: 'Continue payment' }).click()
      await page.waitForURL(first)
      await press(page, 'Approve')
      await assertPaid(page, shop)
    })
  })

  test(`${how}, a shopper who closes the window and comes back to the checkout pays once`, async () => {
    const shop = await openShop()
    await visiting({ javaScript }, async (page, context) => {
      await toCheckout(page, shop)
      await toProvider(page)
      const first = page.url()
      await press(page, 'Approve')
      await page.waitForURL(/\/orders\//)
      await page.close()
      const again = await context.newPage()
      await again.goto(first)
      assert.equal(await title(again), 'Nothing to pay')
      await again.getByRole('link', { name: 'Return to store' }).click()
      await assertPaid(again, shop)
    })
  })

  test(`${how}, a shopper whose money comes later waits on a page that looks again by itself`, async () => {
    const shop = await openShop()
    await visiting({ javaScript }, async (page) => {
      await toCheckout(page, shop)
      await toProvider(page)
      await press(page, 'Return to store now, payment completes later')
      await page.waitForURL(/\/checkout\/payments\//)
      assert.equal(await title(page), 'Waiting for your payment')
      if (javaScript) assert.deepEqual(await accessibilityFaults(page), [])
      await assertPaid(page, shop)
    })
  })
}

test('the form of the checkout may lead to the provider that is offered, and nowhere else', async () => {
  const [shop, plain] = [await openShop(), await world.newStore()]
  await plain.api.post('/v1/products', { name: 'Enamel mug', price: 14 })
  await plain.api.post('/v1/store/payment-methods', { code: 'cod' })
  await plain.api.post('/v1/store/shipping-rates', { code: 'standard', price: 0 })
  const policyOf = async (url: string) => {
    const context = await openChromium()
    const page = await context.newPage()
    await page.goto(`${url}/products/enamel-mug`)
    await page.locator('#add').click()
    await page.locator('form.cart').waitFor()
    await page.locator('button[value=checkout]').click()
    await page.waitForURL(/\/checkout$/)
    const policy = (await (await page.reload())!.allHeaders())['content-security-policy']!
    await context.close()
    return /form-action ([^;]*)/.exec(policy)![1]
  }
  assert.equal(await policyOf(shop.url), `'self' ${sandbox.url}`)
  assert.equal(await policyOf(`${world.url}/s/${plain.store.slug}`), "'self'")
})

test('the pages of the provider are for everybody: on a phone, in the dark, in Spanish, by keyboard', async () => {
  const shop = await openShop()
  for (const look of [{ width: 320 }, { dark: true }, { locale: 'es-MX' }] satisfies Look[]) {
    await visiting(look, async (page) => {
      await toCheckout(page, shop)
      await toProvider(page)
      assert.deepEqual(await accessibilityFaults(page), [])
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
      await page.locator('button[value=challenge]').focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/challenge$/)
      // The browser moves it a frame after the page has come.
      await page.locator(':focus').waitFor()
      assert.equal(await page.evaluate('document.activeElement.id'), 'code')
      assert.deepEqual(await accessibilityFaults(page), [])
    })
  }
})
