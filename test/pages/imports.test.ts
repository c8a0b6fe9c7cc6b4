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

test('after a refused file, the next is read; an unknown one is mapped, and its causes are fixed at once', async () => {
  const { page, ana, base, heard } = await enterAs(world)
  const main = page.getByRole('main')
  const choose = async (name: string, text: string) => {
    const buffer = Buffer.from(text)
    await page.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType: 'text/csv', buffer })
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
  }
  const settle = async () => {
    await main.getByText('Checking', { exact: true }).waitFor()
    await world.app.jobs.run('import')
    await page.getByRole('button', { name: 'Start import' }).waitFor()
  }
  await page.goto(`${base}/settings/imports`)
  await choose('empty.csv', '')
  await main.getByRole('alert').getByText('The file has no rows').waitFor()
  assert.equal(await page.getByLabel('Exported from').inputValue(), '')
  assert.equal(await page.getByLabel('Text encoding').inputValue(), '')
  await choose('products_export.csv', [header, ...rows].join('\n'))
  await page.waitForURL(/imports\/imp_/)
  await settle()
  await page.goto(`${base}/settings/imports`)
  const own = ['Teil;Betrag;Zustand', 'Becher;5,00;an', 'Tasse;6,00;an', 'Kanne;7,00;aus', 'Topf;-1;an']
  await choose('teile.csv', own.join('\n'))
  await page.waitForURL(/imports\/imp_/)
  await settle()
  const columns = main.locator('form', { has: page.getByRole('button', { name: 'Preview again' }) })
  await columns.getByLabel('Teil').selectOption({ label: 'Name' })
  await columns.getByLabel('Betrag').selectOption({ label: 'Price' })
  await columns.getByLabel('Zustand').selectOption({ label: 'Status' })
  await page.getByRole('button', { name: 'Preview again' }).click()
  await settle()
  const words = main.getByRole('row', { name: /Status: Choose one of these options/ })
  await words.getByText('Fix all').click()
  for (const dark of [false, true]) {
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await page.evaluate('scrollTo(0, 0)')
      assert.deepEqual(await accessibilityFaults(page), [])
      const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.equal(Number(excess), 0, `${width}`)
    }
  }
  await words.getByLabel('Instead of “an” (3 rows)').selectOption({ label: 'Active' })
  await words.getByLabel('Instead of “aus” (1 row)').selectOption({ label: 'Draft' })
  await words.getByRole('button', { name: 'Replace in all rows' }).click()
  await settle()
  const prices = main.getByRole('row', { name: /Price: Enter more than 0/ })
  await prices.getByText('Fix all').click()
  await prices.getByRole('button', { name: 'Leave these rows out' }).click()
  await settle()
  await main.getByText('“an” is read as “active”').waitFor()
  await page.getByRole('button', { name: 'Start import' }).click()
  await main.getByText('Importing').waitFor()
  await world.app.jobs.run('import')
  await page.getByRole('button', { name: 'Undo import' }).waitFor()
  const { data } = await ana.store.api.get('/v1/products?status=all&sort=name&order=asc')
  assert.deepEqual(
    data.map(({ name, product_status }: any) => [name, product_status]),
    [
      ['Becher', 'active'],
      ['Kanne', 'draft'],
      ['Tasse', 'active'],
    ],
  )
  assert.deepEqual(heard, [])
})
