// Signing in and letting an app in, in a real browser.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults, complaintsOf, openChromium } from '../chromium.ts'
import { authorizeUrl, basic, newApp, openOauthWorld, pkce, type App, type Merchant } from '../oauth.ts'

const world = await openOauthWorld()
const { issuer } = world

// The app, waiting for its answer on the merchant's own computer.
const callback = createServer((_request, response) => response.end('Thank you')).listen(0, '127.0.0.1')
after(() => callback.close())
await once(callback, 'listening')
const redirect_uri = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`

type Labels = { email: string; password: string; button: string }

async function signIn(page: Page, { email, password }: Merchant, label: Labels): Promise<void> {
  await page.getByLabel(label.email).fill(email)
  await page.getByLabel(label.password).fill(password)
  await page.getByRole('button', { name: label.button }).click()
}

const english = { email: 'Email', password: 'Password', button: 'Sign in' }
const spanish = { email: 'Correo electrónico', password: 'Contraseña', button: 'Iniciar sesión' }

async function newRequest(): Promise<{ app: App; url: string; verifier: string }> {
  const { verifier, challenge } = pkce()
  const app = await newApp(world, { redirect_uris: [redirect_uri], scope: 'read:orders write:products' })
  return { app, verifier, url: authorizeUrl(issuer, app, { code_challenge: challenge, scope: undefined }) }
}

test('without JavaScript, on a phone in the dark: sign in, choose a store, allow, and the app has a code', async () => {
  const stores = [await world.newStore({ name: 'Corner shop' }), await world.newStore({ name: 'Market stall' })]
  const merchant = await world.newMerchant({ stores })
  const browser = await openChromium({ javaScript: false, dark: true, width: 360, locale: 'es-MX' })
  const page = await browser.newPage()
  const { app, url, verifier } = await newRequest()
  await page.goto(url)
  await signIn(page, merchant, spanish)
  await page.getByRole('heading', { name: '¿Conectar Order printer?' }).waitFor()
  await page.getByLabel('Market stall').check()
  await page.getByRole('button', { name: 'Permitir' }).click()
  await page.getByText('Thank you').waitFor()
  const code = new URL(page.url()).searchParams.get('code')!
  const exchange = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier }
  const { status, body } = await world.post('/oauth/token', exchange, basic(app))
  assert.equal(status, 200)
  const { body: token } = await world.post('/oauth/introspect', { token: body.access_token }, basic(app))
  assert.equal(token.service_store_id, stores[1]!.store.id)
})

test('by the keyboard alone: the first field has the focus, Enter signs in, the app is denied', async () => {
  const merchant = await world.newMerchant()
  const browser = await openChromium()
  const page = await browser.newPage()
  await page.goto((await newRequest()).url)
  // A browser moves the focus when it first draws the page, which may be after its load event.
  await page.locator('input[name=email]:focus').waitFor()
  await page.keyboard.type(merchant.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(merchant.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Connect Order printer?' }).waitFor()
  await page.getByRole('button', { name: 'Deny' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Thank you').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('error'), 'access_denied')
})

for (const [name, look] of [
  ['light, desktop', { dark: false, width: 1280 }],
  ['dark, phone', { dark: true, width: 360 }],
] as const) {
  test(`no page has a barrier, is wider than its window or breaks its own policy (${name})`, async () => {
    const stores = [await world.newStore(), await world.newStore({ name: 'Market stall' })]
    const merchant = await world.newMerchant({ stores })
    const browser = await openChromium(look)
    const complaints = complaintsOf(browser)
    const page = await browser.newPage()
    const check = async (what: string) => {
      assert.deepEqual(await accessibilityFaults(page), [], what)
      const [content, view] = await page.evaluate(() => {
        const { document, innerWidth } = globalThis as any
        return [document.documentElement.scrollWidth, innerWidth]
      })
      assert.ok(content <= view, `${what} is ${content} wide in a window of ${view}`)
    }
    await page.goto((await newRequest()).url)
    await check('login')
    await signIn(page, { ...merchant, password: 'wrong password' }, english)
    await check('login refused')
    await signIn(page, merchant, english)
    await check('consent')
    await page.getByLabel('Market stall').check()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('Thank you').waitFor()
    for (const path of ['/dashboard/new', '/oauth/reset', '/oauth/reset/dead', '/oauth/authorize']) {
      await page.goto(issuer + path)
      await check(path)
    }
    await page.goto(`${issuer}/dashboard/${stores[1]!.store.id}/settings/developer/apps`)
    await page.getByRole('button', { name: 'Revoke access' }).click()
    await check('a question')
    for (const path of ['/', '/nowhere']) {
      await page.goto(world.url + path)
      await check(path)
    }
    assert.deepEqual(complaints, [])
  })
}
