// The editor of products in a real browser: 60 variants by the keyboard, pictures, two people, a phone, and no script.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { accessibilityFaults, type Look } from '../chromium.ts'
import { openOauthWorld, type Merchant } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { noisyPicture, send } from '../uploads.ts'
import { drawing } from './casa-nogal.ts'
import { enterAs, typeTokens } from './merchant.ts'

const world = await openOauthWorld()

const enter = (look?: Look) => enterAs(world, look)

const newProduct = async ({ store: { api } }: Merchant, body: object = {}) =>
  dataOf(await api.post('/v1/products', { name: 'Mug', price: 10, ...body }), 201)

const productAt = async ({ store: { api } }: Merchant, page: Page) =>
  (await api.get(`/v1/products/${/prod_\w+/.exec(page.url())![0]}`)).data

const rowsOf = (page: Page) => page.locator('.matrix [data-row]:visible')

/** Types into what has the focus, from field to field by Tab. */
async function type(page: Page, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) await page.keyboard.press('Enter')
      await page.keyboard.type(line)
    }
    await page.keyboard.press('Tab')
  }
}

test('by the keyboard alone a product with 3, 4 and 5 values gets 60 variants, filled by columns', async () => {
  const { page, ana, base, heard } = await enter()
  await page.goto(`${base}/products/new`)
  await page.getByLabel('Name', { exact: true }).focus()
  await type(page, 'Linen shirt')
  await page.getByLabel('Price USD', { exact: true }).focus()
  await type(page, '24.50')
  const option = async (number: number, title: string, values: string) => {
    await page
      .getByRole('group', { name: `Option ${number}` })
      .getByLabel('Option name')
      .focus()
    await type(page, title, values)
  }
  await option(1, 'Colour', 'Red\nBlue\nGreen')
  await page.getByRole('button', { name: 'Add another option' }).press('Enter')
  await option(2, 'Size', 'S\nM\nL\nXL')
  await page.getByRole('button', { name: 'Add another option' }).press('Enter')
  await option(3, 'Cloth', 'Wool\nSilk\nFelt\nHemp\nFlax')
  assert.equal(await rowsOf(page).count(), 60)
  const fill = async (column: string, value: string) => {
    await page.getByLabel('Column', { exact: true }).selectOption(column)
    await page.getByLabel('Value', { exact: true }).fill(value)
    await page.getByRole('button', { name: 'Apply' }).press('Enter')
  }
  await fill('sku', 'LS')
  await fill('stock_quantity', '7')
  await page.getByRole('button', { name: 'XL', exact: true }).press('Enter')
  await fill('price', '29')
  await page.getByLabel('Price, Red / S / Wool', { exact: true }).focus()
  await page.keyboard.type('19')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.type('20')
  await page.keyboard.press('Enter')
  await page.keyboard.type('21')
  await page.getByRole('button', { name: 'Create product' }).press('Enter')
  await page.getByText('Product created').first().waitFor()
  const { variants } = await productAt(ana, page)
  assert.equal(variants.length, 60)
  assert.deepEqual(
    variants.slice(0, 4).map(({ price }: { price: number }) => price),
    [19, 20, 21, null],
  )
  const last = variants.at(-1)
  assert.deepEqual(
    [last.title, last.sku, last.stock_quantity, last.price],
    ['Green / XL / Flax', 'LS-GREEN-XL-FLAX', 7, 29],
  )
  assert.deepEqual(heard, [])
})

test('a renamed value keeps its variants, one that is taken away takes them along, a new one brings some', async () => {
  const { page, ana, base } = await enter()
  const variants = ['S', 'M'].map((value) => ({ option_values: [{ option_title: 'Size', value }], sku: `A-${value}` }))
  const { id } = await newProduct(ana, { variants })
  await page.goto(`${base}/products/${id}`)
  const option = page.getByRole('group', { name: 'Option 1' })
  const values = option.getByLabel('Option values')
  await rowsOf(page).first().waitFor()
  await option.getByRole('button', { name: 'Edit: S' }).click()
  await typeTokens(values, ['Small'])
  await rowsOf(page).locator('th', { hasText: 'Small' }).waitFor()
  assert.deepEqual(await rowsOf(page).locator('th').allInnerTexts(), ['Small', 'M'])
  await option.getByRole('button', { name: 'Remove: M' }).click()
  await typeTokens(values, ['L', 'XL'])
  await page.getByRole('button', { name: 'Remove, L', exact: true }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#said').getByText('Saved').first().waitFor()
  const saved = (await productAt(ana, page)).variants
  assert.deepEqual(
    saved.map(({ title, sku }: { title: string; sku: string }) => [title, sku]),
    [
      ['Small', 'A-S'],
      ['XL', null],
    ],
  )
})

test('cells of a spreadsheet are pasted to the right and down', async () => {
  const { page, ana, base } = await enter()
  const variants = ['S', 'M'].map((value) => ({ option_values: [{ option_title: 'Size', value }] }))
  const { id } = await newProduct(ana, { variants })
  await page.goto(`${base}/products/${id}`)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const cells = '11\t3\tA\n12\t4\tB\n'
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(cells)})`)
  await page.getByLabel('Price, S', { exact: true }).focus()
  await page.keyboard.press('ControlOrMeta+V')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#said').getByText('Saved').first().waitFor()
  const saved = (await productAt(ana, page)).variants
  assert.deepEqual(
    saved.map(({ price, stock_quantity, sku }: any) => [price, stock_quantity, sku]),
    [
      [11, 3, 'A'],
      [12, 4, 'B'],
    ],
  )
})

test('pictures are brought, put in order by buttons, and given to variants', async () => {
  const { page, ana, base, heard } = await enter()
  const variants = ['Red', 'Blue'].map((value) => ({ option_values: [{ option_title: 'Colour', value }] }))
  const { id } = await newProduct(ana, { variants })
  await page.goto(`${base}/products/${id}`)
  const buffers = await Promise.all([noisyPicture(), noisyPicture()])
  const files = buffers.map((buffer, at) => ({ name: `${at}.png`, mimeType: 'image/png', buffer }))
  await page.locator('media-gallery:defined [type=file]').setInputFiles(files)
  const items = page.locator('media-gallery li[data-url]')
  await items.nth(1).waitFor()
  await items.nth(0).getByRole('textbox').fill('From the front')
  await items.nth(0).getByRole('button', { name: 'Move right' }).press('Enter')
  await page.getByText('Moved to position 2').waitFor()
  await page
    .locator('[type=file]')
    .first()
    .setInputFiles([{ name: 'a.txt', mimeType: 'image/png', buffer: Buffer.from('x') }])
  await page.getByText('a.txt: Unsupported file').waitFor()
  await page.getByRole('button', { name: 'Image, Blue' }).click()
  await page.getByRole('button', { name: 'Image 2' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#said').getByText('Saved').first().waitFor()
  const { gallery, variants: saved } = await productAt(ana, page)
  assert.deepEqual(
    gallery.map(({ alt_text }: { alt_text: string | null }) => alt_text),
    [null, 'From the front'],
  )
  assert.deepEqual([saved[0].image, saved[1].image], [null, gallery[1].url])
  assert.deepEqual(heard, [])
})

test('pictures and values of options are put in order by dragging', async () => {
  const { page, ana, base, heard } = await enter()
  const variants = ['S', 'M', 'L'].map((value) => ({ option_values: [{ option_title: 'Size', value }] }))
  const gallery = ['a', 'b', 'c'].map((name) => `https://images.example/${name}.jpg`)
  await page.context().route('https://images.example/**', (route) => route.fulfill(drawing))
  const { id } = await newProduct(ana, { gallery, variants })
  await page.goto(`${base}/products/${id}`)
  const drag = async (from: Locator, to: Locator) => {
    await from.hover()
    const { x, y } = (await to.boundingBox())!
    await page.mouse.down()
    await page.mouse.move(x + 4, y + 8, { steps: 8 })
    await page.mouse.up()
  }
  const pictures = page.locator('media-gallery:defined li[data-url] img')
  await drag(pictures.nth(2), pictures.nth(0))
  const sizes = page.locator('token-list.ready .tokens > li', { hasText: /^[SML]$/ })
  await drag(sizes.nth(2), sizes.nth(0))
  assert.deepEqual(await sizes.allTextContents(), ['L', 'S', 'M'])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#said').getByText('Saved').first().waitFor()
  const saved = await productAt(ana, page)
  assert.deepEqual(
    saved.gallery.map(({ url }: { url: string }) => url),
    [gallery[2], gallery[0], gallery[1]],
  )
  assert.deepEqual(saved.options[0].values, ['L', 'S', 'M'])
  assert.deepEqual(heard, [])
})

test('somebody else has changed the same: what was typed stays, and what nobody typed follows', async () => {
  const { page, ana, base } = await enter()
  const { id } = await newProduct(ana, { sku: 'M-1' })
  await page.goto(`${base}/products/${id}`)
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('Big mug')
  await ana.store.api.patch(`/v1/products/${id}`, { name: 'Cup', sku: 'C-1' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Someone else edited this').first().waitFor()
  await page.getByText('Current value: Cup').waitFor()
  assert.deepEqual(
    [await name.inputValue(), await page.getByLabel('SKU', { exact: true }).inputValue()],
    ['Big mug', 'C-1'],
  )
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#said').getByText('Saved').first().waitFor()
  assert.equal((await productAt(ana, page)).name, 'Big mug')
})

test('what is typed survives what another form of the screen does, and is not left without a question', async () => {
  const { page, ana, base } = await enter()
  const { id } = await newProduct(ana)
  await ana.store.api.post('/v1/collections', { name: 'Summer' })
  await page.goto(`${base}/products/${id}`)
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('Big mug')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('link', { name: 'Summer' }).waitFor()
  assert.equal(await name.inputValue(), 'Big mug')
  let asked = ''
  page.once('dialog', (dialog) => {
    asked = dialog.message()
    void dialog.dismiss()
  })
  await page.getByRole('link', { name: 'Customers' }).click()
  assert.match(asked, /unsaved changes/)
  page.once('dialog', (dialog) => void dialog.dismiss())
  await page.getByRole('button', { name: 'Duplicate' }).click()
  assert.equal(await name.inputValue(), 'Big mug')
})

test('a copy is a draft that is edited at once', async () => {
  const { page, ana, base } = await enter()
  const { id } = await newProduct(ana)
  await page.goto(`${base}/products/${id}`)
  await page.getByRole('button', { name: 'Duplicate' }).click()
  await page.getByRole('heading', { name: 'Mug (copy)' }).waitFor()
  assert.equal((await productAt(ana, page)).product_status, 'draft')
})

for (const look of [{ width: 1200 }, { width: 390, dark: true, locale: 'es-MX', ofLook: true }]) {
  test(`no screen of a record has a barrier or is wider than its window (${look.width})`, async () => {
    const { page, ana, base, heard } = await enter(look)
    const { api } = ana.store
    const { url } = (await send(api)).data
    const variants = ['Red', 'Blue'].map((value) => ({ option_values: [{ option_title: 'Colour', value }] }))
    const { id } = await newProduct(ana, { variants, gallery: [url] })
    const category = await dataOf(await api.post('/v1/categories', { name: 'Bags', image: url }), 201)
    const collection = await dataOf(await api.post('/v1/collections', { name: 'Summer' }), 201)
    await api.post(`/v1/collections/${collection.id}/products`, { product_ids: [id] })
    const paths = [`/products/${id}`, `/products/${id}/stock`, `/products/${id}/translations/de`, '/products/new']
    for (const path of [...paths, `/categories/${category.id}`, `/collections/${collection.id}`, '/pictures']) {
      await page.goto(base + path)
      await page.locator('main details').evaluateAll((all: any[]) => all.forEach((one) => (one.open = true)))
      assert.deepEqual(await accessibilityFaults(page, look), [], path)
      const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(isTooWide, false, path)
    }
    assert.deepEqual(heard, [])
  })
}

test('without a script combinations are made when the product is saved, and pictures come one at a time', async () => {
  const { page, ana, base } = await enter({ javaScript: false })
  await page.goto(`${base}/products/new`)
  await page.getByLabel('Name', { exact: true }).fill('Shirt')
  await page.getByLabel('Price USD', { exact: true }).fill('10')
  const option = page.getByRole('group', { name: 'Option 1' })
  await option.getByLabel('Option name').fill('Size')
  await option.getByLabel('Option values').fill('S\nM')
  await page.getByRole('button', { name: 'Create product' }).click()
  await page.getByLabel('SKU, S').fill('A-S')
  await page.getByLabel('Size, new variant').fill('L')
  await page.getByRole('button', { name: 'Save' }).click()
  const buffer = await noisyPicture()
  await page.getByLabel('Image file').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer })
  await page.getByRole('button', { name: 'Add image' }).click()
  const { variants, gallery } = await productAt(ana, page)
  assert.deepEqual(
    variants.map(({ title, sku }: { title: string; sku: string }) => [title, sku]),
    [
      ['S', 'A-S'],
      ['M', null],
      ['L', null],
    ],
  )
  assert.equal(gallery.length, 1)
})
