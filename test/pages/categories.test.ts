// Categories below others, as a shopper walks through them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openWorld } from '../world.ts'
import { openShop, visiting } from './casa-nogal.ts'

const world = await openWorld({ BASE_URL: 'http://shop.example' })

test('a shopper goes down the categories and back to the top, on a phone', async () => {
  const shop = await openShop(world)
  const parents: string[] = []
  for (const name of ['Clothing', 'Men', 'Shirts']) {
    const { data } = await shop.api.post('/v1/categories', { name, parent_id: parents.at(-1) ?? null })
    parents.push(data.id)
  }
  await shop.api.post('/v1/products', { name: 'Polo', price: 30, category_id: parents[2] })
  await visiting({ width: 320 }, async (page) => {
    await page.goto(shop.url)
    await page.getByRole('link', { name: 'Clothing' }).first().click()
    await page.waitForURL('**/categories/clothing')
    await page.getByRole('link', { name: 'Polo' }).waitFor()
    await page.getByRole('navigation', { name: 'Subcategories' }).getByRole('link', { name: 'Men' }).click()
    await page.waitForURL('**/categories/clothing/men')
    await page.getByRole('link', { name: 'Shirts' }).click()
    await page.waitForURL('**/categories/clothing/men/shirts')
    assert.deepEqual(await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link').allInnerTexts(), [
      'Clothing',
      'Men',
    ])
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByRole('link', { name: 'Polo' }).click()
    await page.waitForURL('**/products/polo')
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Men' }).click()
    await page.waitForURL('**/categories/clothing/men')
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Men')
  })
})
