// The form of a product in a real browser: what search engines show while it is typed, and its values as chips.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs, typeTokens } from './merchant.ts'

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

for (const javaScript of [true, false]) {
  test(`values are ${javaScript ? 'chips, by keys alone' : 'lines without a script'}`, async () => {
    const { page, ana, base, heard } = await enterAs(world, { javaScript })
    const { api } = ana.store
    const { id } = dataOf(await api.post('/v1/products', { name: 'Mug', price: 5, tags: ['gift', 'sale'] }), 201)
    await page.goto(`${base}/products/${id}`)
    const tags = page.getByLabel('Tags', { exact: true })
    if (javaScript) {
      await typeTokens(tags, ['summer, linen'])
      const keys = [
        'Backspace',
        'ArrowLeft',
        'Alt+ArrowLeft',
        'Enter',
        'w',
        'Enter',
        'ArrowLeft',
        'ArrowLeft',
        'ArrowLeft',
      ]
      for (const key of [...keys, 'Delete']) await page.keyboard.press(key)
    } else await tags.fill('w\nsale')
    assert.equal(await page.locator('[name=tags]').inputValue(), 'w\nsale')
    await page.getByRole('button', { name: 'Save', exact: true }).first().click()
    await page.getByText('Saved', { exact: true }).first().waitFor()
    assert.deepEqual(dataOf(await api.get(`/v1/products/${id}`), 200).tags.toSorted(), ['sale', 'w'])
    assert.deepEqual(heard, [])
  })
}

test('a tag of the store is taken when it is written whole, and another one stays as it is', async () => {
  const { page, ana, base, heard } = await enterAs(world)
  dataOf(await ana.store.api.post('/v1/products', { name: 'Mug', price: 5, tags: ['summer'] }), 201)
  await page.goto(`${base}/products/new`)
  await typeTokens(page.getByLabel('Tags', { exact: true }), ['sum', 'Summer', 'summery'])
  assert.equal(await page.locator('[name=tags]').inputValue(), 'sum\nsummer\nsummery')
  assert.deepEqual(heard, [])
})

test('a product with a day ahead is a pre-order, and its variant has a day of its own', async () => {
  const { page, ana, base, heard } = await enterAs(world)
  const { api, store } = ana.store
  const size = (value: string) => ({ option_values: [{ option_title: 'Size', value }] })
  const tent = { name: 'Tent', slug: 'tent', price: 90, variants: [size('S'), size('L')] }
  const { id } = dataOf(await api.post('/v1/products', tent), 201)
  await page.goto(`${base}/products/${id}`)
  await page.locator('[name=available_on]').fill('2099-01-05')
  await page.getByText('Show all columns', { exact: true }).click()
  await page.locator('[name="variants.1.available_on"]').fill('2099-03-01')
  await page.getByRole('button', { name: 'Save', exact: true }).first().click()
  await page.getByText('Saved', { exact: true }).first().waitFor()
  const { available_on: own, variants } = dataOf(await api.get(`/v1/products/${id}`), 200)
  assert.deepEqual([own, ...variants.map((one: any) => one.available_on)], ['2099-01-05', null, '2099-03-01'])
  assert.equal(await page.locator('[name=available_on]').inputValue(), '2099-01-05')
  await page.goto(`${world.url}/s/${store.slug}/products/tent`)
  await page.getByText('Ships from January 5, 2099', { exact: true }).waitFor()
  await page.locator('.chip', { hasText: 'L' }).click()
  await page.getByText('Ships from March 1, 2099', { exact: true }).waitFor()
  assert.deepEqual(heard, [])
})

test('more columns of the variants are shown without an unsaved change', async () => {
  const { page, ana, base, heard } = await enterAs(world)
  const size = (value: string) => ({ option_values: [{ option_title: 'Size', value }] })
  const tent = { name: 'Tent', price: 90, variants: [size('S'), size('L')] }
  const { id } = dataOf(await ana.store.api.post('/v1/products', tent), 201)
  await page.goto(`${base}/products/${id}`)
  const isUnsaved = async () => (await page.locator('.send.unsaved').count()) > 0
  const barcode = page.locator('[name="variants.0.barcode"]')
  for (const isShown of [true, false, true]) {
    await page.getByText('Show all columns', { exact: true }).click()
    assert.deepEqual([await barcode.isVisible(), await isUnsaved()], [isShown, false])
  }
  await barcode.fill('4006381333931')
  assert.ok(await isUnsaved())
  assert.deepEqual(heard, [])
})

test('what is not shipped is unticked, and a variant has an answer of its own or that of its product', async () => {
  const { page, ana, base, heard } = await enterAs(world)
  const { api } = ana.store
  const save = async (button: string, said: string) => {
    await page.getByRole('button', { name: button, exact: true }).first().click()
    await page.getByText(said, { exact: true }).first().waitFor()
  }
  await page.goto(`${base}/products/new`)
  const box = page.getByLabel('This product is shipped', { exact: true })
  assert.ok(await box.isChecked())
  await page.getByLabel('Name', { exact: true }).fill('E-book')
  await page.locator('[name=price]').fill('9')
  await box.uncheck()
  await save('Create product', 'Product created')
  const [ebook] = dataOf(await api.get('/v1/products'), 200)
  assert.equal(ebook.requires_shipping, false)
  assert.equal(await box.isChecked(), false)

  const kind = (value: string) => ({ option_values: [{ option_title: 'Kind', value }] })
  const body = { name: 'Novel', price: 9, variants: [kind('Paper'), { ...kind('PDF'), requires_shipping: true }] }
  const { id } = dataOf(await api.post('/v1/products', body), 201)
  const answers = async () => {
    const { requires_shipping, variants } = dataOf(await api.get(`/v1/products/${id}`), 200)
    return [requires_shipping, ...variants.map((one: any) => one.requires_shipping)]
  }
  const cell = (at: number) => page.locator(`[name="variants.${at}.requires_shipping"]`)
  const openForm = async () => {
    await page.goto(`${base}/products/${id}`)
    await page.getByText('Show all columns', { exact: true }).click()
  }
  await openForm()
  assert.deepEqual([await cell(0).inputValue(), await cell(1).inputValue()], ['', 'Yes'])
  assert.equal(await cell(0).getAttribute('placeholder'), 'Yes')
  await cell(1).fill('perhaps')
  await save('Save', 'Enter yes or no.')
  await cell(1).fill('No')
  await save('Save', 'Saved')
  assert.deepEqual(await answers(), [true, null, false])
  await openForm()
  await cell(1).fill('')
  await box.uncheck()
  await save('Save', 'Saved')
  assert.deepEqual(await answers(), [false, null, null])
  await openForm()
  assert.equal(await cell(0).getAttribute('placeholder'), 'No')
  assert.equal(await box.isChecked(), false)
  await box.check()
  await save('Save', 'Saved')
  assert.deepEqual(await answers(), [true, null, null])
  assert.deepEqual(heard, [])
})
