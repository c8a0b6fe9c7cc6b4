// Imports in a real browser: from the first page to a finished import by a few clicks, on a desk and on a phone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

const header =
  'Handle,Title,Body (HTML),Vendor,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Inventory Qty,Image Src'
const rows = [
  'tee,Tee,,V,Size,S,T-S,10,3,http://pictures.example/tee.jpg',
  'tee,,,,Size,M,T-M,12,4,',
  'mug,Mug,,V,,,M-1,5,2,',
  'cup,,,V,,,C-1,,1,',
]
const file = { name: 'products_export.csv', mimeType: 'text/csv', buffer: Buffer.from([header, ...rows].join('\n')) }

test('from the first page to a finished import it takes five clicks, and the screen follows by itself', async () => {
  const { page, ana, base, heard } = await enterAs(world)
  const main = page.getByRole('main')
  let clicks = 0
  const click = async (what: Locator) => {
    clicks++
    await what.click()
  }
  await page.goto(base)
  await click(page.getByRole('link', { name: 'Products', exact: true }).first())
  await click(main.getByRole('link', { name: 'Import', exact: true }).first())
  clicks++ // opens the chooser of files
  await page.getByLabel('File', { exact: true }).setInputFiles(file)
  await click(page.getByRole('button', { name: 'Preview' }))
  await page.waitForURL(/imports\/imp_/)
  await world.app.jobs.run('import')
  await page.getByRole('button', { name: 'Start import' }).waitFor()
  await main.getByText('S · 10 · 3').waitFor()
  // Its image has no https address.
  await main.getByRole('row', { name: /^Tee/ }).locator('.thing > i').waitFor()
  for (const dark of [false, true]) {
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      assert.deepEqual(await accessibilityFaults(page), [])
      const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.equal(Number(excess), 0, `${width}`)
    }
  }
  await click(page.getByRole('button', { name: 'Start import' }))
  await main.getByText('Importing').waitFor()
  await world.app.jobs.run('import')
  await page.getByRole('button', { name: 'Undo import' }).waitFor()
  await main.getByRole('heading', { name: 'products_export.csv' }).waitFor()
  assert.equal(clicks, 5)
  const { data } = await ana.store.api.get('/v1/products')
  assert.deepEqual(data.map(({ name }: { name: string }) => name).toSorted(), ['Mug', 'Tee'])
  assert.deepEqual(heard, [])
})
