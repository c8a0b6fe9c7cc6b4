// Setting up a shop in a real browser: what is typed is seen at once, by keyboard, on a phone, without a script.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { screens } from '../../src/dashboard/screens/screens.ts'
import { accessibilityFaults, type Look } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { recordsOf } from '../records.ts'
import { dataOf } from '../shop.ts'
import { noisyPicture } from '../uploads.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

const enter = (look?: Look) => enterAs(world, look)

const own = screens.filter(({ path }) => /^\/(shop|settings\/(checkout|mail))\b.*\{id\}/.test(path))

for (const look of [{ width: 1200 }, { width: 390, dark: true, locale: 'es-MX' }] as const) {
  test(`no form of one record has a barrier or is wider than its window (${look.width})`, async () => {
    const { page, ana, base, heard } = await enter(look)
    const of = recordsOf(world, ana.store)
    for (const { path, params } of own.filter(({ path }) => !/translations\/(?!fr)/.test(path))) {
      await page.goto(base + path.replace('{id}', await of(params!.id!.noun)))
      assert.deepEqual(await accessibilityFaults(page), [], path)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, path)
    }
    // What is refused has no barrier either.
    await page.goto(`${base}/settings/checkout/shipping/new`)
    await page.locator('[name=price]').fill('much')
    await page.locator('main .send button').click()
    await page.locator('main [aria-invalid]').first().waitFor()
    // A radio button that the bar covers half of would count as too small.
    await page.evaluate('scrollTo(0, 0)')
    assert.deepEqual(await accessibilityFaults(page), [])
    // Pictures elsewhere are not to be had here.
    assert.deepEqual(
      heard.filter((line) => !line.includes('ERR_NAME_NOT_RESOLVED')),
      [],
    )
  })
}

test('the shop beside the form shows what is typed before it is saved', async () => {
  const { page, ana, base, heard } = await enter()
  await page.goto(`${base}/shop/appearance`)
  const shop = page.frameLocator('iframe[name=preview]')
  await shop.locator('.brand').waitFor()
  await page.getByLabel('Announcement', { exact: true }).fill('Free shipping this week')
  await shop.getByText('Free shipping this week').waitFor()
  await page.getByRole('textbox', { name: /^Button color(?! \(dark)/ }).fill('#aa2200')
  await shop.locator('link[href*="aa2200"]').waitFor({ state: 'attached' })
  const look = async () => dataOf(await ana.store.api.get('/v1/store/appearance'), 200)
  assert.equal((await look()).announcement, null)
  await page.locator('main .send button', { hasText: 'Save' }).click()
  await page.locator('#said').getByText('Saved').first().waitFor()
  assert.deepEqual([(await look()).announcement, (await look()).accent_color], ['Free shipping this week', '#aa2200'])
  assert.deepEqual(heard, [])
})

test('a picture that is chosen is uploaded, and seen in the form and in the shop before it is saved', async () => {
  const { page, ana, base, heard } = await enter()
  await page.goto(`${base}/shop/appearance`)
  const buffer = await noisyPicture()
  await page.getByLabel('Choose image').first().setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer })
  await page.locator('picture-input img').waitFor()
  const shop = page.frameLocator('iframe[name=preview]')
  await shop.locator('.brand img').waitFor()
  await page.locator('main .send button', { hasText: 'Save' }).click()
  await page.locator('#said').getByText('Saved').first().waitFor()
  const { logo } = dataOf(await ana.store.api.get('/v1/store/appearance'), 200)
  assert.match(logo, /\/media\//)
  await page.evaluate(`
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([new Uint8Array(16 * 1024 * 1024)], 'large.png', { type: 'image/png' }))
    document.querySelector('picture-input').dispatchEvent(new ClipboardEvent('paste', { clipboardData }))`)
  await page.getByText('This file is too large').waitFor()
  assert.deepEqual(heard, [])
})

test('a line of a menu is dragged to its place', async () => {
  const { page, ana, base } = await enter()
  const lines = ['Hats', 'Shoes', 'About'].map((label) => ({ label, link: '/pages/about' }))
  await ana.store.api.patch('/v1/store/menus', { header_menu: lines })
  await page.goto(`${base}/shop/menus`)
  const rows = page.getByRole('group', { name: 'Main menu' }).locator('li')
  await rows
    .nth(2)
    .locator('[data-handle]')
    .dragTo(rows.nth(0), { targetPosition: { x: 20, y: 4 } })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#said').getByText('Saved').first().waitFor()
  const { header_menu } = dataOf(await ana.store.api.get('/v1/store/menus'), 200)
  assert.deepEqual(
    header_menu.map(({ label }: { label: string }) => label),
    ['About', 'Hats', 'Shoes'],
  )
})

test('shipping rates are put in order by dragging and by keys, and without a script', async () => {
  const { page, ana, base, heard } = await enter()
  for (const code of ['standard', 'express', 'pickup']) {
    await dataOf(await ana.store.api.post('/v1/store/shipping-rates', { code, price: 1 }), 201)
  }
  const order = async () => {
    const { data } = await ana.store.api.get('/v1/store/shipping-rates?sort=position&order=asc')
    return data.map(({ code }: { code: string }) => code)
  }
  const path = `${base}/settings/checkout/shipping`
  await page.goto(path)
  const rows = page.locator('sort-list li')
  const before = await order()
  await rows
    .nth(0)
    .locator('[data-handle]')
    .dragTo(rows.nth(2), { targetPosition: { x: 20, y: 60 } })
  await page.locator('#said').getByText('Order saved').waitFor()
  assert.deepEqual(await order(), [before[1], before[2], before[0]])
  await rows
    .nth(2)
    .getByRole('button', { name: /^Move up/ })
    .focus()
  await page.keyboard.press('Enter')
  await page.locator('sort-list li:nth-child(2) [name=move]:focus').waitFor()
  assert.deepEqual(await order(), [before[1], before[0], before[2]])
  const plain = await page
    .context()
    .browser()!
    .newContext({ javaScriptEnabled: false, storageState: await page.context().storageState() })
  const other = await plain.newPage()
  await other.goto(path)
  await other
    .getByRole('button', { name: /^Move down/ })
    .first()
    .click()
  assert.deepEqual(await order(), before)
  assert.equal(await other.locator('[name=position]').count(), 0)
  await plain.close()
  assert.deepEqual(heard, [])
})

test('a page is written beside what it looks like', async () => {
  const { page, base } = await enter()
  await page.goto(`${base}/shop/pages/new`)
  await page.getByLabel('Title', { exact: true }).fill('About us')
  await page.getByLabel('Content').fill('Since **1998**')
  const shown = page.frameLocator('iframe[name=preview]')
  await shown.locator('strong', { hasText: '1998' }).waitFor()
  await page.locator('main .send button', { hasText: 'Add page' }).click()
  await page.getByRole('link', { name: 'About us' }).waitFor()
})

test('without a script the preview is drawn by its button, and what was typed stays', async () => {
  const { page, ana, base } = await enter({ javaScript: false, width: 390 })
  await page.goto(`${base}/shop/appearance`)
  await page.getByLabel('Announcement', { exact: true }).fill('Typed')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.frameLocator('iframe[name=preview]').getByText('Typed').waitFor()
  assert.equal(await page.getByLabel('Announcement', { exact: true }).inputValue(), 'Typed')
  assert.equal(dataOf(await ana.store.api.get('/v1/store/appearance'), 200).announcement, null)
  await page.goto(`${base}/shop/menus`)
  for (const [n, label] of ['Hats', 'About'].entries()) {
    await page.locator(`[name="header_menu.${n}.label"]`).fill(label)
    await page.locator(`[name="header_menu.${n}.link"]`).fill('/pages/about')
    await page.locator(`[name="header_menu.${n}.place"]`).fill(String(2 - n))
  }
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#said').getByText('Saved').waitFor()
  const { header_menu } = dataOf(await ana.store.api.get('/v1/store/menus'), 200)
  assert.deepEqual(
    header_menu.map(({ label }: { label: string }) => label),
    ['About', 'Hats'],
  )
})

test('by the keyboard alone lines of a menu are added, moved and taken away', async () => {
  const { page, ana, base } = await enter()
  const lines = ['Hats', 'Shoes', 'About'].map((label) => ({ label, link: '/pages/about' }))
  await ana.store.api.patch('/v1/store/menus', { header_menu: lines })
  await page.goto(`${base}/shop/menus`)
  const head = page.getByRole('group', { name: 'Main menu' })
  await head.getByRole('button', { name: 'Move up' }).nth(2).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await head.getByRole('button', { name: 'Remove' }).nth(1).focus()
  await page.keyboard.press('Enter')
  await head.getByRole('button', { name: 'Add line' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Contact')
  await page.keyboard.press('Tab')
  await page.keyboard.type('/contact')
  await page.keyboard.press('Enter')
  await page.locator('#said').getByText('Saved').first().waitFor()
  const { header_menu } = dataOf(await ana.store.api.get('/v1/store/menus'), 200)
  assert.deepEqual(
    header_menu.map(({ label }: { label: string }) => label),
    ['About', 'Shoes', 'Contact'],
  )
})

test('the shop is set up and opened by what its settings say is missing', async () => {
  const { page, ana, base } = await enter({ width: 390 })
  await ana.store.api.patch('/v1/store', { status: 'paused' })
  await page.goto(`${base}/settings/store`)
  await page.getByRole('link', { name: 'Add a shipping rate' }).click()
  await page.getByRole('link', { name: 'Add shipping rate' }).click()
  await page.locator('[name=price]').fill('5.50')
  for (const country of ['Mexico', 'spain']) {
    await page.getByPlaceholder('Add a country').fill(country)
    await page.getByPlaceholder('Add a country').press('Enter')
  }
  await page.getByRole('button', { name: 'Add shipping rate' }).click()
  await page.locator('#said').getByText('Added').first().waitFor()
  const [rate] = (await ana.store.api.get('/v1/store/shipping-rates')).data
  assert.deepEqual([rate.price, rate.country_codes], [5.5, ['MX', 'ES']])
  await page.goto(`${base}/settings/store`)
  await page.getByRole('link', { name: 'Add a payment method' }).click()
  await page.getByRole('link', { name: 'Add manual method' }).click()
  await page.getByRole('button', { name: 'Add manual method' }).click()
  await page.locator('#said').getByText('Added').first().waitFor()
  await page.goto(`${base}/settings/store`)
  assert.equal(await page.getByText('To start taking orders').count(), 0)
  await page.getByRole('button', { name: 'Open online store' }).click()
  await page.getByText('Online store opened').first().waitFor()
  assert.equal(dataOf(await ana.store.api.get('/v1/store'), 200).status, 'active')
})

test('a letter is seen as it is sent, and nothing of it runs', async () => {
  const { page, base, heard } = await enter()
  await page.goto(`${base}/settings/mail/order-paid`)
  await page.getByLabel('Subject').first().fill('Thanks for {number}')
  await page.getByLabel('Introduction').first().fill('We have your money.')
  await page.locator('main .send button', { hasText: 'Save' }).click()
  await page.locator('#said').getByText('Saved').first().waitFor()
  await page.frameLocator('iframe').first().getByText('We have your money.').waitFor()
  assert.deepEqual(heard, [])
})
