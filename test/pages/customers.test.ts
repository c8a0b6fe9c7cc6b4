// Notes on a customer, and the merge of two, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()
const shots = process.env.SHOTS

for (const look of [{ width: 1200 }, { width: 390, javaScript: false }]) {
  test(`a note is written and deleted, and a duplicate is merged (${look.width})`, async () => {
    const { page, base, ana } = await enterAs(world, look)
    const { api } = ana.store
    const make = async (body: object) => dataOf(await api.post('/v1/customers', body), 201)
    const phone = '+1 212 555 0101'
    const consent = { source: 'checkout', text: 'Email me about news and offers' }
    const marketing = { accepts_marketing: true, marketing_consent: consent }
    const kept = await make({ name: 'Berta Ruiz', email: 'berta@example.com', phone, ...marketing })
    const other = await make({ name: 'Berta R.', email: 'b.ruiz@example.com', phone, tags: ['vip'] })
    const check = async (name: string) => {
      if (shots) await page.screenshot({ path: `${shots}/customers-${look.width}-${name}.png`, fullPage: true })
      assert.deepEqual(await accessibilityFaults(page), [], name)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, name)
    }
    const asked = page.locator(look.javaScript === false ? 'main' : 'dialog')
    const sure = (name: string) => asked.getByRole('button', { name, exact: true })
    await page.goto(`${base}/customers/${kept.id}`)
    await page.getByRole('textbox', { name: 'Note', exact: true }).fill('Called about size 44')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.locator('.timeline .comment').getByText('Called about size 44').waitFor()
    assert.ok(await page.getByText('(checkout)').first().isVisible())
    await check('note')
    await page.getByRole('button', { name: 'Delete note' }).click()
    await sure('Delete note').click()
    await page.locator('.notice', { hasText: 'Note deleted' }).waitFor()
    assert.equal(await page.locator('.timeline .comment').count(), 0)

    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('cell', { name: 'b.ruiz@example.com' }).waitFor()
    await check('compare')
    await page.getByRole('button', { name: 'Merge', exact: true }).click()
    await page.getByText('Merge these customers?').first().waitFor()
    await check('ask')
    await sure('Merge').click()
    await page.locator('.notice', { hasText: 'Customers merged' }).waitFor()
    await check('merged')
    const { data } = await api.get(`/v1/customers/${kept.id}`)
    assert.deepEqual([data.email, data.tags], ['berta@example.com', ['vip']])
    assert.equal((await api.get(`/v1/customers/${other.id}`)).status, 404)
  })
}
