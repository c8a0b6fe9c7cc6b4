// The dashboard in a real browser: by keyboard, on a phone, in both schemes, and when something is in the way.
import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { test } from 'node:test'
import { screens } from '../../src/dashboard/screens.ts'
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

for (const look of [{ width: 1200 }, { width: 390, dark: true, locale: 'es-MX' }] as const) {
  test(`no screen has a barrier or is wider than its window (${look.width})`, async () => {
    const { page, ana, base, heard } = await enter(look)
    const { id } = await newOrder(ana)
    const paths = screens
      .filter(({ params }) => !params)
      .map(({ path }) => path)
      .filter(isFirstOfItsKind)
    for (const path of [...paths, `/orders/${id}`, '/orders?status=pending&total[gte]=1', '/orders?search=nobody']) {
      await page.goto(base + path)
      for (const summary of await page.locator('main summary').all()) await summary.click()
      assert.deepEqual(await accessibilityFaults(page), [], path)
      const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(isTooWide, false, path)
    }
    assert.deepEqual(heard, [])
  })
}

test('by the keyboard alone a key is made, and going to another screen exchanges only what differs', async () => {
  const { page, base } = await enter()
  await page.getByRole('link', { name: 'Settings' }).focus()
  await page.evaluate('window.isSame = true')
  await page.keyboard.press('Enter')
  await page.getByRole('main').getByRole('link', { name: 'API Keys' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('#new summary').focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Name').focus()
  await page.keyboard.type('Stock sync')
  await page.getByRole('checkbox', { name: 'Automations' }).focus()
  await page.keyboard.press('Space')
  assert.equal(await page.getByRole('checkbox', { name: 'write:webhooks' }).isChecked(), true)
  await page.getByRole('button', { name: 'Create the key' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'This is your key' }).waitFor()
  assert.match(await page.locator('copy-text code').innerText(), /^wk_live_\w{40}$/)
  await page.getByRole('link', { name: 'I have kept it' }).click()
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
  const notes = page.getByLabel('Notes of the team')
  await notes.fill('Ring twice')
  await ana.store.api.patch(`/v1/orders/${id}`, { internal_notes: 'Call first' })
  const save = () => notes.locator('xpath=ancestor::form').getByRole('button', { name: 'Save' }).click()
  await save()
  await page.getByText('Somebody else changed this meanwhile').first().waitFor()
  await page.getByText('Now it says: Call first').waitFor()
  assert.equal(await notes.inputValue(), 'Ring twice')
  await save()
  await page.getByText('Saved.').first().waitFor()
  assert.equal((await ana.store.api.get(`/v1/orders/${id}`)).data.internal_notes, 'Ring twice')
})

test('a lost connection and an ended session are said, and nothing typed is lost', async () => {
  const { page, ana, base } = await enter()
  const { id } = await newOrder(ana)
  await page.goto(`${base}/orders/${id}`)
  const notes = page.getByLabel('Notes of the team')
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
  await panel.getByText('That is more than there is.').first().waitFor()
  await panel.getByLabel('Mug').fill('1')
  await panel.getByRole('button', { name: 'Refund' }).click()
  await page.getByText('The refund is made.').first().waitFor()
  assert.equal((await ana.store.api.get(`/v1/orders/${id}`)).data.refunded_amount, 20)
})

test('script and style of the first load weigh less than 60 KB, compressed', async () => {
  const { page, base } = await enter()
  const loaded: string[] = []
  page.on('request', (request) => void loaded.push(request.url()))
  await page.context().clearCookies({ name: 'nothing' })
  await page.reload()
  await page.goto(`${base}/orders`)
  const files = new Set(loaded.filter((url) => url.includes('/s/_/') && !url.endsWith('.svg')))
  let bytes = 0
  for (const file of files) bytes += gzipSync(Buffer.from(await (await fetch(file)).arrayBuffer())).length
  assert.ok(files.size >= 6, [...files].join(' '))
  assert.ok(bytes < 60_000, String(bytes))
})
