// Who works by keyboard is not sent back to the top of the page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

test('the focus is in the new screen after the palette, and stays below the menu after an action', async () => {
  const { page, base } = await enterAs(world, { width: 1440 })
  await page.goto(`${base}/orders`)
  await page.keyboard.press('Control+k')
  await page.locator('dialog[open] input').fill('discounts')
  await page.locator('dialog[open] a').first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/discounts/)
  await page.locator('#main:focus').waitFor()
  await page.goto(`${base}/settings/store`)
  await page.locator('form:has([name=act][value=maintain]) button').press('Enter')
  await page.locator('form:has([name=act][value=open]) button').waitFor()
  await page.locator('#main:focus, #main :focus').waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate('document.activeElement.closest("main") !== null'), true)
})

test('an order is fulfilled with at most twelve keys, and its question is asked on the spot', async () => {
  const { page, ana, base, heard } = await enterAs(world, { width: 1440 })
  const items = [{ product_name: 'Mug', unit_price: 20, quantity: 2 }]
  const { id } = dataOf(await ana.store.api.post('/v1/orders', { items }), 201)
  await page.goto(`${base}/orders/${id}`)
  let keys = 0
  const press = async (key: string) => {
    keys++
    await page.keyboard.press(key)
  }
  await press('Tab')
  await press('Enter')
  while (!(await page.locator('#do-fulfil > summary:focus').count())) await press('Tab')
  await press('Enter')
  await page.locator('dialog:modal input:focus').first().waitFor()
  await press('Enter')
  await page.locator('#said').getByText('Items fulfilled').waitFor()
  assert.ok(keys <= 12, String(keys))
  await page.locator('.head .pair:focus').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: /^Mark order #\d+ as paid\?$/ }).waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  await page.keyboard.press('Escape')
  assert.equal(await page.locator('dialog:modal').count(), 0)
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Mark $40.00 as paid')
  assert.deepEqual(heard, [])
})

test('without a script an action unfolds in its place, and its question is a page', async () => {
  const { page, ana, base } = await enterAs(world, { width: 390, javaScript: false })
  const items = [{ product_name: 'Mug', unit_price: 20, quantity: 2 }]
  const { id } = dataOf(await ana.store.api.post('/v1/orders', { items, payment_status: 'paid' }), 201)
  await page.goto(`${base}/orders/${id}`)
  await page.locator('#do-refund > summary').click()
  await page.locator('#do-refund .line input.number').fill('3')
  await page.locator('#do-refund .send button').click()
  await page.locator('#do-refund').getByText('The quantity exceeds what’s available.').first().waitFor()
  await page.locator('#do-refund .line input.number').fill('1')
  await page.locator('#do-refund .send button').click()
  await page.locator('#said').getByText('Refund issued').waitFor()
  await page.locator('[popovertarget=more]').click()
  await page.locator('#do-cancel > summary').click()
  await page.locator('#do-cancel .send button').click()
  await page.getByRole('heading', { name: /^Cancel order #\d+\?$/ }).waitFor()
})
