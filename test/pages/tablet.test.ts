// Lists and grids between a phone and a desktop: pills stay whole, and the last column is in the window.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs, type Desk } from './merchant.ts'

const world = await openOauthWorld()

async function withOrders(look: { width: number; locale?: string }, count = 3): Promise<Desk> {
  const desk = await enterAs(world, look)
  const { api } = desk.ana.store
  const items = [{ product_name: 'Mug', unit_price: 1234.5, quantity: 2 }]
  const payments = ['paid', 'pending', 'failed']
  for (let at = 0; at < count; at++) {
    const customer_name = at === 0 ? 'Maximiliana Featherstonehaugh-Cholmondeley' : `Ben ${at}`
    const body = { items, customer_name, payment_status: payments[at % 3], tags: ['wholesale', 'gift', 'vip'] }
    const order = dataOf(await api.post('/v1/orders', body), 201)
    if (at % 2) dataOf(await api.post(`/v1/orders/${order.id}/fulfillments`, {}), 201)
  }
  return desk
}

const shot = async ({ page }: Desk, name: string) => {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true })
}

for (const width of [768, 900, 1024, 1090, 1220, 1440])
  for (const locale of ['en', 'de'])
    test(`the orders are readable at ${width} pixels in ${locale}`, async () => {
      const desk = await withOrders({ width, locale })
      const { page, base } = desk
      await page.goto(`${base}/orders?view=all`)
      await shot(desk, `orders-${width}-${locale}`)
      const heights = await page
        .locator('.list .mark:visible')
        .evaluateAll((all: any[]) => all.map((one) => one.offsetHeight))
      assert.ok(heights.length >= 6 && Math.max(...heights) < 30, String(heights))
      const totals = page.locator('.list tbody tr td:last-child')
      const ends = await totals.evaluateAll((all: any[]) => all.map((one) => one.getBoundingClientRect().right))
      assert.ok(
        ends.every((end: number) => end <= width - 20),
        `${ends}`,
      )
      // The list has no part that one must scroll to.
      assert.equal(
        await page.evaluate(`[...document.querySelectorAll('main *')].some((one) => {
        const style = getComputedStyle(one)
        return style.overflowX === 'auto' && one.scrollWidth > one.clientWidth + 1
      })`),
        false,
      )
    })

test('a tracking number is seen whole, and the button counts the ticks', async () => {
  const desk = await withOrders({ width: 1440 })
  const { page, base } = desk
  await page.goto(`${base}/orders?search=Ben`)
  const address = new URL(`${base}/orders/fulfill`)
  address.searchParams.set('all', '1')
  address.searchParams.set('filter', 'search=Ben')
  await page.goto(`${base}/orders/fulfill?${address.searchParams}`)
  const tracking = page.locator('[name^="tracking."]').first()
  assert.ok((await tracking.boundingBox())!.width > 180)
  const button = page.locator('#grid .send button')
  const before = Number(/\d+/.exec((await button.textContent())!)![0])
  await page.locator('[name=ticked]').first().uncheck()
  assert.equal(await button.textContent(), before - 1 === 1 ? 'Fulfill 1 order' : `Fulfill ${before - 1} orders`)
  await page.locator('[name=ticked]').first().check()
  assert.equal(await button.textContent(), before === 1 ? 'Fulfill 1 order' : `Fulfill ${before} orders`)
  await shot(desk, 'fulfill-1440')
})

for (const [width, locale] of [
  [390, 'en'],
  [1440, 'de'],
] as const)
  test(`the bell shows its whole number at ${width} pixels in ${locale}`, async () => {
    const desk = await enterAs(world, { width, locale })
    const { page, base } = desk
    await page.goto(`${base}/orders`)
    const badges = await page.locator('[data-unread]').evaluateAll((all: any[]) =>
      all.map((badge) => {
        badge.hidden = false
        badge.textContent = '99+'
        const [own, around] = [badge, badge.closest('a')].map((one) => one.getBoundingClientRect())
        return badge.offsetParent === null || (badge.scrollWidth <= badge.clientWidth && own.right <= around.right)
      }),
    )
    await shot(desk, `bell-${width}-${locale}`)
    assert.deepEqual(
      badges,
      badges.map(() => true),
    )
  })

test('a rejected import keeps the blank choice of each select that had one', async () => {
  const { page, base } = await enterAs(world, { width: 1440 })
  await page.goto(`${base}/settings/imports`)
  const blanks = () =>
    page
      .locator('main form select')
      .evaluateAll((all: any[]) => all.map((one) => [one.name, one.options[0].value === '']))
  const before = await blanks()
  assert.ok(before.some(([name, is]: any) => name === 'source' && is))
  await page.locator('input[type=file]').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('') })
  for (const source of ['', 'shopify']) {
    await page.locator('[name=source]').selectOption(source)
    await page.locator('.send button').first().click()
    await page.locator('.notice.error, .fault').first().waitFor()
    assert.deepEqual(await blanks(), before)
    assert.equal(await page.locator('[name=source]').inputValue(), source)
  }
})
