// Customer accounts of a shop in a real browser: without a script, in every language, and with a passkey.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { languages } from '../../src/kit/values/language.ts'
import { accessibilityFaults, addAuthenticator, complaintsOf, openChromium, type Look } from '../chromium.ts'
import { letterTo } from '../letters.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'

// A passkey belongs to a name: an address has none.
const world = await openOauthWorld({ host: 'localhost', sweeps: true })
let people = 0

async function openAccount(look: Look = {}) {
  const shop = await world.newStore({ name: 'Casa Nogal', country_code: 'US' })
  dataOf(await shop.api.patch('/v1/store', { languages: [...languages] }), 200)
  const email = `cara${++people}@example.com`
  const place = { name: 'Cara '.repeat(30).trim(), address: 'x'.repeat(160), city: 'Portland' }
  const addresses = [{ ...place, country_code: 'US' }]
  dataOf(await shop.api.post('/v1/customers', { name: 'Cara', email, addresses }), 201)
  const items = [{ product_name: 'Mug', unit_price: 5, quantity: 1 }]
  dataOf(await shop.api.post('/v1/orders', { items, customer_email: email, customer_name: 'Cara' }), 201)
  const context = await openChromium(look)
  const page = await context.newPage()
  return { shop, email, page, context, base: `${world.issuer}/s/${shop.store.slug}`, heard: complaintsOf(context) }
}

async function enter(page: Page, base: string, email: string): Promise<void> {
  await page.goto(`${base}/account`)
  await page.locator('[name=email]').fill(email)
  await page.locator('main form').first().locator('button').click()
  await page.waitForURL(/sign-in$/)
  const letters = await letterTo(world.app, email)
  const letter = letters.find(({ text }) => text.includes('/account/sign-in/'))
  await page.locator('[name=code]').fill(/\s(\d{6})\s/.exec(letter!.text)![1]!)
  await page.locator('main form button').click()
  await page.waitForURL(/\/account$/)
}

const paths = ['/account', '/account/addresses', '/account/addresses/new', '/account/profile']

test('pages of an account have no accessibility faults and fit 320 pixels, in every language and dark', async () => {
  for (const [index, locale] of languages.entries()) {
    const look = { dark: index % 2 === 0, width: 320, locale }
    const ofLook = index > 0
    const { page, base, email, context } = await openAccount(look)
    for (const path of ['', '/account']) {
      await page.goto(base + path)
      assert.equal(await page.locator('html').getAttribute('lang'), locale)
      assert.deepEqual(await accessibilityFaults(page, { ofLook }), [], `${locale} ${path}`)
    }
    await enter(page, base, email)
    for (const path of paths) {
      await page.goto(base + path)
      assert.deepEqual(await accessibilityFaults(page, { ofLook }), [], `${locale} ${path}`)
      const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.equal(Number(excess), 0, `${locale} ${path}`)
    }
    await context.close()
  }
})

test('without a script: a code signs in, an address is added, and the order is a link away', async () => {
  const { page, base, email, heard } = await openAccount({ javaScript: false, width: 390 })
  await page.goto(`${base}/account`)
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible(), false)
  await enter(page, base, email)
  await page.getByRole('link', { name: /^Order \d+$/ }).click()
  await page.waitForURL(/\/orders\//)
  await page.getByRole('link', { name: 'Account' }).click()
  await page.getByRole('link', { name: 'Addresses' }).click()
  await page.getByRole('link', { name: 'Add address' }).click()
  await page.getByLabel('Full name').fill('Cara Lee')
  await page.getByLabel('Address', { exact: true }).fill('12 Harbour Street')
  await page.getByLabel('City').fill('Portland')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('12 Harbour Street').first().waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.deepEqual(heard, [])
})

test('a passkey is added, signs in to this shop alone, and is removed', async () => {
  const { page, base, email, heard } = await openAccount()
  await addAuthenticator(page)
  await enter(page, base, email)
  await page.goto(`${base}/account/profile`)
  await page.getByLabel('Name of the passkey').fill('Laptop')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Laptop', { exact: true }).waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  const other = await world.newStore({ name: 'Elsewhere' })
  await page.goto(`${world.issuer}/s/${other.store.slug}/account`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('There is no passkey for this shop here').waitFor()
  await page.goto(`${base}/account/profile`)
  await page.getByRole('button', { name: /^Remove ?: Laptop$/ }).click()
  await page.getByText('Removed').waitFor()
  assert.equal(await page.getByText('Laptop').count(), 0)
  assert.deepEqual(
    heard.filter((text) => !text.includes('401')),
    [],
  )
})
