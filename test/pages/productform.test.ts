// The form of a product in a real browser: what search engines show while it is typed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOauthWorld } from '../oauth.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

test('the preview of the search result and its lengths follow what is typed', async () => {
  const { page, base, heard } = await enterAs(world)
  await page.goto(`${base}/products/new`)
  const preview = page.locator('search-preview')
  await page.locator('summary', { hasText: 'Search engine listing' }).click()
  const says = (text: string) => preview.getByText(text, { exact: true }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Mug')
  await page.getByLabel('Description', { exact: true }).fill('Made of **steel**\nand [enamel](/pages/enamel)')
  await says('Mug')
  await says('Made of steel and enamel')
  await says('Title: 3 of about 60 characters')
  await page.getByLabel('Page title', { exact: true }).fill('x'.repeat(61))
  await page.getByLabel('Meta description', { exact: true }).fill('For tea')
  await says('For tea')
  await says('Description: 7 of about 160 characters')
  assert.equal(await preview.locator('[data-long]').textContent(), 'Title: 61 of about 60 characters')
  assert.deepEqual(heard, [])
})
