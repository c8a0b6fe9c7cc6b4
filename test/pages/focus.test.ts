// Who works by keyboard is not sent back to the top of the page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOauthWorld } from '../oauth.ts'
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
