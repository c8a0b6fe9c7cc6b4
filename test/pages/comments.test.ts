// Comments and the filters of the order list in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { staffOf } from '../staff.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()
const shots = process.env.SHOTS

async function withOrder(look: { width: number; dark?: boolean; locale?: string; javaScript?: boolean }) {
  const opened = await enterAs(world, look)
  const { api } = opened.ana.store
  const items = [{ product_name: 'Mug', unit_price: 20, quantity: 2 }]
  const order = dataOf(await api.post('/v1/orders', { items, customer_name: 'Ben' }), 201)
  const check = async (name: string) => {
    if (shots) await opened.page.screenshot({ path: `${shots}/comments-${look.width}-${name}.png`, fullPage: true })
    assert.deepEqual(await accessibilityFaults(opened.page), [], name)
    assert.equal(await opened.page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, name)
  }
  return { ...opened, api, order, check }
}

for (const look of [{ width: 1440 }, { width: 320, dark: true }]) {
  test(`a name is picked after an @ by keys, and the comment stands in the timeline (${look.width})`, async () => {
    const { page, base, api, order, ana, check, heard } = await withOrder(look)
    const { userId } = await staffOf(world, [ana.store], 'staff')
    await api.post(`/v1/orders/${order.id}/comments`, { body: `Long ${'x'.repeat(300)}` })
    await page.goto(`${base}/orders/${order.id}`)
    await page.locator('mention-names:defined').first().waitFor()
    const text = page.getByRole('textbox', { name: 'Comment', exact: true }).first()
    await text.pressSequentially('Ask @an')
    const option = page.locator('.mentions [role=option]').first()
    await option.waitFor()
    await check('names')
    const name = await option.textContent()
    await page.keyboard.press('Enter')
    assert.equal(await text.inputValue(), `Ask @${name} `)
    assert.equal(await page.locator('.mentions [role=option]').count(), 0)
    await text.pressSequentially('to look')
    await page.getByRole('button', { name: 'Post comment' }).click()
    await page.locator('.timeline .comment strong').getByText(`@${name}`).waitFor()
    await check('timeline')
    const { data } = await api.get(`/v1/orders/${order.id}/comments?order=asc`)
    assert.equal(data[1].body, `Ask @${name} to look`)
    assert.ok(userId)
    assert.deepEqual(heard, [])
  })
}

test('without a script a comment is written and edited', async () => {
  const { page, base, api, order } = await withOrder({ width: 390, javaScript: false })
  await page.goto(`${base}/orders/${order.id}`)
  await page.getByRole('textbox', { name: 'Comment', exact: true }).first().fill('Call first')
  await page.getByRole('button', { name: 'Post comment' }).click()
  await page.locator('.timeline .comment').getByText('Call first').waitFor()
  await page.locator('.timeline details summary').first().click()
  await page.locator('.timeline details textarea').fill('Called')
  await page.locator('.timeline details').getByRole('button', { name: 'Save' }).click()
  await page.locator('.timeline .comment').getByText('Called').waitFor()
  const [{ body, edited_at }] = (await api.get(`/v1/orders/${order.id}/comments`)).data
  assert.deepEqual([body, edited_at === null], ['Called', false])
})

for (const width of [390, 320]) {
  test(`the filters of the list are one button, and what it opens fits the window (${width})`, async () => {
    const { page, base, check } = await withOrder({ width })
    await page.goto(`${base}/orders`)
    await page.locator('list-selection:defined').waitFor({ state: 'attached' })
    await check('filters')
    await page.getByText('Add filter').click()
    const panel = page.locator('.filters[open] > .panel')
    await panel.waitFor()
    const box = (await panel.boundingBox())!
    assert.ok(box.x >= 0 && box.x + box.width <= width, JSON.stringify(box))
    await check('filters-open')
    await panel.locator('summary', { hasText: 'Payment' }).first().click()
    await panel.locator('[name=payment_status]').selectOption('pending')
    await page.locator('.chip', { hasText: 'Payment: Unpaid' }).waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await panel.isVisible(), false)
    await page.locator('.chip', { hasText: 'Payment' }).click()
    await page.locator('.chip').waitFor({ state: 'detached' })
    await page.getByPlaceholder('Search').fill('nobody of this name')
    await page.getByText('No results').first().waitFor()
  })
}
