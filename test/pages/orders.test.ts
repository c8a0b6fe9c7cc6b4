// Orders in a real browser: how many clicks it takes to ship forty of them, and a selection that survives pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { holdMoney } from '../hold.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

async function withOrders(
  look: { width: number; dark?: boolean; locale?: string; javaScript?: boolean },
  count: number,
) {
  const opened = await enterAs(world, look)
  const { api } = opened.ana.store
  const orders: any[] = []
  for (let at = 0; at < count; at++) {
    const items = [{ product_name: at === 1 ? 'P'.repeat(160) : 'Mug', unit_price: 20, quantity: 2 }]
    const customer_name = at === 1 ? 'A'.repeat(160) : `Ben ${at}`
    orders.push(dataOf(await api.post('/v1/orders', { items, customer_name, payment_status: 'paid' }), 201))
  }
  return { ...opened, api, orders }
}

for (const look of [
  { width: 320, locale: 'es-MX' },
  { width: 1440, ofLook: true },
  { width: 390, dark: true, ofLook: true },
]) {
  test(`the list, the grid and the pick list have no barrier and fit the window (${look.width})`, async () => {
    const { page, base, heard, orders, api } = await withOrders(look, 3)
    await api.patch(`/v1/orders/${orders[1].id}`, { tags: ['T'.repeat(60), 'gift'] })
    const check = async (name: string) => {
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/orders-${look.width}-${name}.png`, fullPage: true })
      assert.deepEqual(await accessibilityFaults(page, look), [], name)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, name)
    }
    await page.goto(`${base}/orders`)
    await page.locator('list-selection:defined').waitFor({ state: 'attached' })
    await check('list')
    await page.locator('[name=ticked]').first().check()
    await page.locator('list-selection[data-some]').waitFor()
    await page.getByText(/^(More actions|Más acciones)$/).click()
    await check('selected')
    const ticked = orders.map(({ order_number }) => `ticked=${order_number}`).join('&')
    await page.goto(`${base}/orders/fulfill?${ticked}`)
    await check('grid')
    await page.goto(`${base}/orders/print?what=picklist&${ticked}`)
    await check('picklist')
    await page.goto(`${base}/orders/${orders[1].id}`)
    await check('order')
    assert.deepEqual(heard, [])
  })
}

test('forty orders are shipped with their tracking numbers in six clicks', async () => {
  const { page, base, orders, api } = await withOrders({ width: 1440 }, 40)
  await page.goto(base)
  let clicks = 0
  const click = async (role: 'link' | 'button' | 'checkbox' | 'textbox', name: string | RegExp) => {
    clicks++
    await page
      .getByRole(role, { name, exact: typeof name === 'string' })
      .first()
      .click()
  }
  await click('link', 'Orders')
  await click('link', 'Unfulfilled 40')
  await page.getByText('1–25 of 40').waitFor()
  await click('checkbox', 'Select all on this page')
  await click('checkbox', 'All 40 that match the filter')
  await click('button', 'Fulfill')
  // The list has the orders too.
  await page.locator('#pasted:focus').waitFor()
  const lines = orders.map(({ order_number }, at) => `${order_number}\tTRACK-${at}\tDHL`)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(lines.join('\n'))})`)
  await page.keyboard.press('ControlOrMeta+V')
  await page.locator('[name="tracking.1040"][value="TRACK-39"]').waitFor()
  await click('button', 'Fulfill 40 orders')
  await page.getByText('40 orders fulfilled').first().waitFor()
  assert.equal(clicks, 6)
  const { data } = await api.get(`/v1/orders/${orders[39].id}/fulfillments`)
  assert.deepEqual([data[0].tracking_number, data[0].carrier], ['TRACK-39', 'DHL'])
  const { body } = await api.get('/v1/orders?fulfillment_status=fulfilled')
  assert.equal(body.pagination.total, 40)
})

test('a selection survives pages and filters do not mix; what is done to it ends it', async () => {
  const { page, base, api } = await withOrders({ width: 1440 }, 30)
  await page.goto(`${base}/orders?view=all`)
  const bar = page.locator('list-selection output')
  await page.locator('list-selection:defined').waitFor({ state: 'attached' })
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByText('25 selected').waitFor()
  await page.getByRole('link', { name: 'Page 2', exact: true }).click()
  await page.getByText('26–30 of 30').waitFor()
  assert.equal(await bar.textContent(), '25 selected')
  await page.locator('[name=ticked]:visible').first().check()
  assert.equal(await bar.textContent(), '26 selected')
  await page.getByRole('link', { name: 'Page 1', exact: true }).click()
  await page.getByText('1–25 of 30').waitFor()
  assert.equal(await page.locator('tbody [name=ticked]:checked').count(), 25)
  assert.equal(await bar.textContent(), '26 selected')
  await page.goto(`${base}/orders?needs_fulfillment=true&is_archived=false`)
  await page.locator('list-selection:defined').waitFor({ state: 'attached' })
  assert.equal(await bar.textContent(), '0 selected')
  await page.goBack()
  await page.locator('list-selection:defined').waitFor({ state: 'attached' })
  await page.getByText('26 selected').waitFor()
  await page.getByText('More actions').click()
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  await page.getByText('26 records updated').first().waitFor()
  assert.equal((await api.get('/v1/orders?is_archived=true')).body.pagination.total, 26)
  assert.equal(await bar.textContent(), '0 selected')
})

test('Shift-click ticks all rows from the last click on, or clears them', async () => {
  const { page, base } = await withOrders({ width: 1440 }, 12)
  await page.goto(`${base}/orders?view=all`)
  await page.locator('list-selection:defined').waitFor({ state: 'attached' })
  const boxes = page.locator('tbody [name=ticked]')
  const count = async () => page.locator('list-selection output').textContent()
  await boxes.nth(8).click()
  await boxes.nth(2).click({ modifiers: ['Shift'] })
  assert.equal(await count(), '7 selected')
  await boxes.nth(4).click()
  await boxes.nth(6).click({ modifiers: ['Shift'] })
  assert.equal(await count(), '4 selected')
  await page.reload()
  await page.getByText('4 selected').waitFor()
})

test('the button of a refund tells its total while it is typed', async () => {
  const { page, base, orders } = await withOrders({ width: 1440 }, 1)
  await page.goto(`${base}/orders/${orders[0].id}`)
  await page.locator('#do-refund summary').click()
  await page.locator('#do-refund .line input.number').fill('1')
  await page.locator('#do-refund').getByRole('button', { name: 'Record refund of $20.00' }).waitFor()
  await page.locator('#do-refund .line input.number').fill('2')
  await page.locator('#do-refund').getByRole('button', { name: 'Record refund of $40.00' }).waitFor()
})

test('the button of a capture tells its sum while it is typed', async () => {
  const { page, base, ana, orders } = await withOrders({ width: 1440 }, 0)
  assert.equal(orders.length, 0)
  const items = [{ product_name: 'Mug', unit_price: 20, quantity: 2 }]
  const { id } = dataOf(await ana.store.api.post('/v1/orders', { items }), 201)
  await holdMoney(world, ana.store.store.id, id)
  await page.goto(`${base}/orders/${id}`)
  const panel = page.locator('#do-capture')
  await panel.locator('summary').click()
  await panel.getByRole('button', { name: 'Capture $40.00' }).waitFor()
  await panel.locator('[name=amount]').fill('12.5')
  await panel.getByRole('button', { name: 'Capture $12.50' }).waitFor()
})

test('the same is done without a script, page by page', async () => {
  const { page, base, orders, api } = await withOrders({ width: 390, javaScript: false }, 2)
  await page.goto(`${base}/orders`)
  for (const box of await page.locator('tbody [name=ticked]').all()) await box.check()
  await page.getByRole('button', { name: 'Fulfill', exact: true }).click()
  await page.locator('[name=pasted]').fill(`#${orders[0].order_number};A;UPS`)
  await page.getByRole('button', { name: 'Fill in' }).click()
  await page.getByRole('button', { name: 'Fulfill 2 orders' }).click()
  await page.locator('#said').getByText('2 orders fulfilled').waitFor()
  const { data } = await api.get(`/v1/orders/${orders[0].id}/fulfillments`)
  assert.equal(data[0].tracking_number, 'A')
})
