// The grid of products in a real browser: how many clicks a price rise takes, and what a spreadsheet pastes into it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

async function stocked(look: { width: number; dark?: boolean; locale?: string; scripts?: boolean }, count = 30) {
  const opened = await enterAs(world, look)
  const { api } = opened.ana.store
  const made: any[] = []
  for (let at = 0; at < count; at++) {
    const name = at === 1 ? 'A'.repeat(160) : `Mug ${at}`
    made.push(dataOf(await api.post('/v1/products', { name, price: 10 + at, sku: `M-${at}` }), 201))
  }
  const options = ['Red', 'Blue'].map((value) => ({ price: 5, option_values: [{ option_title: 'Color', value }] }))
  made.push(dataOf(await api.post('/v1/products', { name: 'Shirt', price: 20, variants: options }), 201))
  const priceOf = async ({ id }: { id: string }) => (await api.get(`/v1/products/${id}`)).data.price
  return { ...opened, made, priceOf }
}

for (const look of [
  { width: 320, locale: 'es-MX' },
  { width: 1440, ofLook: true },
  { width: 390, dark: true, ofLook: true },
]) {
  test(`the grid and its preview have no barrier and are not wider than the window (${look.width})`, async () => {
    const { page, base, heard } = await stocked(look)
    const check = async (name: string) => {
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/bulk-${look.width}-${name}.png`, fullPage: true })
      assert.deepEqual(await accessibilityFaults(page, look), [], name)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, name)
    }
    await page.goto(`${base}/products`)
    await check('list')
    await page.goto(`${base}/products/bulk`)
    await check('grid')
    const formula = page.locator('form', { has: page.locator('select[name=way]') })
    assert.equal(await formula.locator('[name=column]').inputValue(), 'price')
    const value = formula.locator('[name=value]')
    await value.fill('-12')
    await formula.locator('[name=way]').selectOption('add')
    await value.press('Enter')
    await page.locator('.fault').first().waitFor()
    await check('refused')
    await formula.locator('[name=way]').selectOption('percent')
    await value.fill('10')
    await formula.locator('[name=ending]').fill('.99')
    await value.press('Enter')
    await page.locator('.fault').first().waitFor({ state: 'detached' })
    await check('preview')
    assert.deepEqual(heard, [])
  })
}

test('the prices of a filter rise by 10 % in four clicks', async () => {
  const { page, base, made, priceOf } = await stocked({ width: 1440 })
  await page.goto(`${base}/products`)
  let clicks = 0
  const click = async (role: 'link' | 'button', name: string) => {
    clicks++
    await page.getByRole(role, { name, exact: true }).first().click()
  }
  await click('link', 'Bulk edit')
  clicks++
  await page.getByLabel('Value', { exact: true }).fill('10')
  await click('button', 'Preview changes')
  await click('button', 'Apply changes')
  await page.getByText('Saved').first().waitFor()
  assert.equal(clicks, 4)
  assert.deepEqual([await priceOf(made[0]), await priceOf(made[29])], [11, 42.9])
})

test('cells are pasted down and to the right, and are marked', async () => {
  const { page, base, made, priceOf } = await stocked({ width: 1440 }, 2)
  await page.goto(`${base}/products/bulk?sort=price&order=asc`)
  const first = page.locator(`[name="products.${made[0].id}.price"]`)
  await page.locator('edit-grid:defined').waitFor()
  await first.focus()
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', '12\\t15\\n13\\t16\\n')
    const options = { clipboardData, bubbles: true, cancelable: true }
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', options))
  }`)
  assert.equal(await page.locator('[data-changed]').count(), 4)
  await page.locator('#grid').getByRole('button', { name: 'Preview changes' }).click()
  await page.getByRole('button', { name: 'Apply changes' }).click()
  await page.getByText('Saved').first().waitFor()
  assert.deepEqual([await priceOf(made[0]), await priceOf(made[1])], [12, 13])
})

test('keys lead from cell to cell, choices are pasted by name, and columns change without losing input', async () => {
  const { page, base, made } = await stocked({ width: 1440 }, 2)
  await page.goto(`${base}/products/bulk?sort=price&order=asc`)
  await page.locator('edit-grid:defined').waitFor()
  const cell = (record: any, column: string) => page.locator(`[name="products.${record.id}.${column}"]`)
  const isFocused = (record: any, column: string) =>
    cell(record, column).evaluate((field) => field === (globalThis as any).document.activeElement)
  await cell(made[0], 'price').focus()
  await cell(made[0], 'price').selectText()
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp']) await page.keyboard.press(key)
  assert.ok(await isFocused(made[0], 'compare_price'))
  await page.keyboard.press('Enter')
  assert.ok(await isFocused(made[1], 'compare_price'))
  await page.keyboard.type('25')
  await page.keyboard.press('ArrowLeft')
  assert.ok(await isFocused(made[1], 'compare_price'), 'the caret moves within a text')
  await cell(made[0], 'product_status').focus()
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    const options = { clipboardData, bubbles: true, cancelable: true }
    clipboardData.setData('text/plain', 'draft\\nArchived\\nx\\ny\\nz\\nz\\nz')
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', options))
  }`)
  assert.deepEqual(
    [await cell(made[0], 'product_status').inputValue(), await cell(made[1], 'product_status').inputValue()],
    ['draft', 'archived'],
  )
  assert.match(await page.locator('edit-grid > [role=status]').innerText(), /left out/)
  await page.keyboard.press('Escape')
  assert.equal(await cell(made[0], 'product_status').inputValue(), 'active')
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await page.locator('summary', { hasText: 'Columns' }).click()
  await page.locator('[name=columns][value=barcode]').check()
  await cell(made[0], 'barcode').waitFor()
  assert.deepEqual(asked, ['confirm'])
})
