// Passkeys, codes and recovery codes in a real browser, with an authenticator that Chromium itself plays.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { accessibilityFaults, addAuthenticator, complaintsOf, openChromium, type Look } from '../chromium.ts'
import { codeOf, withApp } from '../factors.ts'
import { openOauthWorld, password, type Merchant } from '../oauth.ts'

// A passkey belongs to a name: an address has none.
const world = await openOauthWorld({ host: 'localhost' })
const { issuer } = world

type Desk = { page: Page; context: BrowserContext; ana: Merchant; base: string; heard: string[] }

async function sit(look: Look = {}, merchant?: Merchant): Promise<Desk> {
  const ana = merchant ?? (await world.newMerchant())
  const context = await openChromium(look)
  const page = await context.newPage()
  const base = `${issuer}/dashboard/${ana.store.store.id}`
  return { page, context, ana, base, heard: complaintsOf(context) }
}

async function enter({ page, ana }: Desk): Promise<void> {
  await page.goto(`${issuer}/oauth/login`)
  await page.locator('[name=email]').fill(ana.email)
  await page.locator('[name=password]').fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))
}

async function leave({ page }: Desk): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'You’re signed out' }).waitFor()
}

/** A folder for pictures, where somebody wants to look at them. */
const pictures = process.env.PICTURES
if (pictures) await mkdir(pictures, { recursive: true })
const picture = async (page: Page, name: string) =>
  pictures && (await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true }))

async function check({ page, heard }: Desk, name: string): Promise<void> {
  assert.deepEqual(await accessibilityFaults(page), [], name)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, name)
  assert.deepEqual(heard, [], name)
  await picture(page, name)
}

test('a passkey is made, signs in by itself, and its answer counts once', async () => {
  const desk = await sit()
  const { page, base, ana } = desk
  await addAuthenticator(desk.page)
  await enter(desk)
  await page.goto(`${base}/settings/security`)
  await page.locator('passkey-maker summary').click()
  await page.locator('passkey-maker').getByLabel('Name').fill('Ana’s laptop')
  await page.locator('passkey-maker').getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  assert.equal((await page.locator('code.codes').innerText()).split('\n').length, 10)
  await check(desk, 'codes')
  await page.getByRole('link', { name: 'I’ve saved these codes' }).click()
  await page.getByText('Ana’s laptop').first().waitFor()
  await check(desk, 'security-passkey')

  await leave(desk)
  await page.goto(`${issuer}/oauth/login`)
  const sent = page.waitForRequest((request) => request.url().endsWith('/oauth/passkey') && request.method() === 'POST')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(/\/dashboard\/\w/)
  const body = (await sent).postData()!
  await leave(desk)
  const again = await fetch(`${issuer}/oauth/passkey`, {
    method: 'POST',
    body: new URLSearchParams(body),
    headers: { origin: issuer },
    redirect: 'manual',
  })
  assert.equal(again.status, 401, 'the same answer once more')

  // After the password it is the second factor.
  await enter(desk)
  await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()
  await check(desk, 'second-passkey')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(/\/dashboard\/\w/)
  assert.ok(ana.email)
})

test('an app is set up by its code, and a recovery code stands in for it once', async () => {
  const desk = await sit()
  const { page, base } = desk
  await enter(desk)
  await page.goto(`${base}/settings/security`)
  await page.getByRole('button', { name: 'Set up authenticator app' }).click()
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  await page.getByText('I can’t scan it').click()
  await check(desk, 'security-setup')
  const secret = await page.locator('.numbered copy-text code').innerText()
  const code = page.getByLabel('Code', { exact: true })
  await code.fill('000000')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('This code is incorrect').first().waitFor()
  await code.fill(codeOf(world, secret))
  await page.getByRole('button', { name: 'Confirm' }).click()
  const [first] = (await page.locator('code.codes').innerText()).split('\n')
  await leave(desk)

  const useCode = async () => {
    await enter(desk)
    await page.getByText('Use a recovery code').click()
    await page.getByLabel('Recovery code').fill(first!)
    await page.locator('details').getByRole('button', { name: 'Sign in' }).click()
  }
  await useCode()
  await page.waitForURL(/\/dashboard\/\w/)
  await leave(desk)
  await useCode()
  await page.getByText('recovery code is incorrect').waitFor()
  await check(desk, 'second-refused')
})

for (const look of [{ width: 1200 }, { width: 390, dark: true, locale: 'es-MX' }] as const) {
  test(`security, team, audit, apps, clients and a new store have no barrier and fit (${look.width})`, async () => {
    const ana = await world.newMerchant()
    await withApp(world, ana)
    const { api } = ana.store
    const { data } = await api.post('/v1/products', { name: 'Mug', price: 10 })
    await api.patch(`/v1/products/${data.id}`, { price: 12 })
    const desk = await sit(look, ana)
    const { page, context, base } = desk
    const cookie = ana.browser.cookies.get('stoa_session')!
    await context.addCookies([{ name: 'stoa_session', value: cookie.value, url: issuer }])
    const [entry] = (await api.get('/v1/audit?operation=updateProduct')).data
    const at = (path: string) => `${path}-${look.width}`.replaceAll(/[/?=]/g, '_')
    for (const path of [
      '/settings/security',
      '/settings/security/apps',
      '/settings/team',
      '/settings/audit',
      `/settings/audit/${entry.id}?undo=1`,
      '/settings/audit/security',
      '/settings/developer/apps',
      '/settings/developer/oauth-clients',
    ]) {
      await page.goto(base + path)
      await page.evaluate(`document.querySelectorAll('main details').forEach((one) => (one.open = true))`)
      await check(desk, at(path.replace(entry.id, 'entry')))
    }
    await page.goto(`${issuer}/dashboard/new`)
    await check(desk, at('new-store'))
  })
}

test('a change is undone from the log, after it was seen what that does', async () => {
  const ana = await world.newMerchant()
  await withApp(world, ana)
  const { api } = ana.store
  const { data } = await api.post('/v1/products', { name: 'Mug', price: 10 })
  await api.patch(`/v1/products/${data.id}`, { price: 12 })
  const desk = await sit({}, ana)
  const { page, context, base } = desk
  await context.addCookies([
    { name: 'stoa_session', value: ana.browser.cookies.get('stoa_session')!.value, url: issuer },
  ])
  await page.goto(`${base}/settings/audit?resource=product`)
  await page.getByRole('link', { name: 'Changed price of product Mug (10 → 12)' }).click()
  await page.getByRole('link', { name: 'Undo…' }).click()
  await page.getByText('previous values will be restored').waitFor()
  await page.getByRole('button', { name: 'Undo change' }).click()
  await page.getByText('Change undone').first().waitFor()
  assert.equal((await api.get(`/v1/products/${data.id}`)).data.price, 10)
})
