// Every list with long names fits every window: nothing scrolls sideways, pills have one line, and words stay whole.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { screens } from '../../src/dashboard/screens/screens.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()
const widths = [320, 768, 1024, 1440, 1920]
const words = 'Hand-thrown stoneware serving bowl with a walnut lid '.repeat(4).slice(0, 119)
const name = `${words} ${'Donaudampfschifffahrtsgesellschaftskapitän'.slice(0, 40)}`

test('lists with names of 160 characters fit every window, in the longest language', async () => {
  assert.equal(name.length, 160)
  const { page, ana, base } = await enterAs(world, { locale: 'de-DE' })
  await fillStore(ana.store.api)
  const faults: string[] = []
  const paths = screens.filter(({ params }) => !params).map(({ path }) => path)
  const lists = paths.filter((path) => !/\/(settings\/mail\/(?!log)|shop\/(policies|languages)\/)/.test(path))
  let count = 0
  for (const path of lists) {
    const address = `${base}${path}${path === '/orders' ? '?view=all' : ''}`
    const text = await (await page.request.get(address)).text()
    if (!/<table[^>]* class="[^"]*\blist\b/.test(text)) continue
    count++
    await page.setViewportSize({ width: widths[0]!, height: 800 })
    await page.goto(address)
    await page.locator('main table.list').first().waitFor()
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 })
      for (const fault of (await page.evaluate(listFaults)) as string[]) faults.push(`${path} at ${width}: ${fault}`)
      if (process.env.SHOTS)
        await page.screenshot({
          path: `${process.env.SHOTS}/list${path.replaceAll('/', '-')}-${width}.png`,
          fullPage: true,
        })
    }
  }
  assert.ok(count >= 15, `only ${count} screens have a list`)
  assert.deepEqual(faults, [])
})

/** Runs in the page. A word of at most 12 characters fits every column, but on a phone. */
const listFaults = `(() => {
  const faults = []
  const excess = document.documentElement.scrollWidth - innerWidth
  if (excess > 0) faults.push('scrolls by ' + excess)
  for (const one of document.querySelectorAll('main *')) {
    const { overflowX } = getComputedStyle(one)
    if (overflowX === 'auto' && one.scrollWidth > one.clientWidth + 1) faults.push('a part scrolls: ' + one.className)
  }
  for (const mark of document.querySelectorAll('.list .mark')) {
    if (mark.offsetHeight >= 30) faults.push('a pill has two lines: ' + mark.textContent)
  }
  for (const cell of innerWidth < 768 ? [] : document.querySelectorAll('.list :is(td, th)')) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.parentElement.closest('.hidden, svg, select')) continue
      for (const word of text.data.matchAll(/(?<=^|\\s)[^\\s-]{2,12}(?=\\s|$)/g)) {
        const range = document.createRange()
        range.setStart(text, word.index)
        range.setEnd(text, word.index + word[0].length)
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        if (lines.size > 1) faults.push('a word is broken: ' + word[0])
      }
    }
  }
  return [...new Set(faults)]
})()`

type Api = Awaited<ReturnType<typeof enterAs>>['ana']['store']['api']

async function fillStore(api: Api): Promise<void> {
  const make = async (path: string, body: object) => dataOf(await api.post(`/v1/${path}`, body), 201)
  await make('categories', { name })
  await make('collections', { name, slug: 'bowls' })
  const product = await make('products', {
    name,
    sku: 'STONEWARE-SERVING-BOWL-WALNUT-0001',
    price: 12_345.67,
    track_inventory: true,
    stock_quantity: 12_345,
    vendor: name.slice(0, 100),
    tags: ['wholesale', 'gift', 'handmade'],
  })
  const customer = await make('customers', {
    name,
    email: `${'long'.repeat(12)}@example.com`,
    tags: ['wholesale', 'vip'],
  })
  await make('customer-groups', { name: name.slice(0, 100) })
  await make('discounts', { code: 'STONEWARE-SERVING-BOWL-WALNUT-2026', type: 'percentage', value: 15 })
  await make('webhooks', { url: `https://example.com/${'hooks/'.repeat(20)}`, events: ['order.created'] })
  const items = [{ product_id: product.id, quantity: 2 }]
  const buyer = { customer_id: customer.id, customer_name: name, customer_email: `${'long'.repeat(12)}@example.com` }
  for (const payment_status of ['paid', 'pending'])
    await make('orders', { items, ...buyer, payment_status, tags: ['wholesale', 'gift', 'vip'] })
  const order = await make('orders', { items, ...buyer, payment_status: 'paid' })
  await api.post(`/v1/orders/${order.id}/fulfillments`, {})
  await api.post(`/v1/orders/${order.id}/returns`, {
    items: [{ item_id: order.items[0].id, quantity: 1 }],
    reason: 'other',
  })
  await make('draft-orders', { items, ...buyer })
  await make('redirects', { path: `/${'old/'.repeat(30)}`, target: `/${'new/'.repeat(30)}` })
}
