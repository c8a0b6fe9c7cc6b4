// The developer's screens in a real browser: the log of requests lives, and what is explained leads on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults, type Look } from '../chromium.ts'
import { openOauthWorld, type Merchant } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

const enter = async (look?: Look) => {
  const desk = await enterAs(world, look)
  return { ...desk, base: `${desk.base}/settings/developer` }
}

/** A write that was delivered, one that was refused, and a proposal. */
async function history({ store }: Merchant) {
  const { api } = store
  const { data: hook } = await api.post('/v1/webhooks', { url: 'https://93.184.216.34/', events: ['product.created'] })
  const made = await api.post('/v1/products', { name: 'Mug', price: 5 })
  await api.post('/v1/products', { name: '' })
  const agent = await store.withKey({ scopes: ['propose:products'] })
  const asked = { method: 'PATCH', path: `/v1/products/${made.data.id}`, body: { price: 6 }, note: 'Costs have risen' }
  const proposal = dataOf(await agent.post('/v1/proposals', asked), 201)
  const [event] = (await api.get('/v1/events')).data
  await world.app.requestLog!.flush()
  return { api, hook, product: made.data, request: made.headers.get('x-request-id')!, proposal, event }
}

for (const look of [{ width: 1200 }, { width: 390, dark: true, locale: 'es-MX', ofLook: true }]) {
  test(`one of each has no barrier and fits its window (${look.width})`, async () => {
    const { page, ana, base, heard } = await enter(look)
    const { request, proposal, event } = await history(ana)
    for (const path of [
      '/requests',
      '/requests?status=4xx&method=POST',
      `/requests/${request}`,
      '/events',
      `/events/${event.id}`,
      '/proposals',
      `/proposals/${proposal.id}`,
    ]) {
      await page.goto(base + path)
      if (process.env.SHOTS) await page.screenshot({ path: shotOf(path, look.width), fullPage: true })
      await page.locator('main details').evaluateAll((all: any[]) => all.forEach((one) => (one.open = true)))
      assert.deepEqual(await accessibilityFaults(page, look), [], path)
      const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(isTooWide, false, path)
    }
    assert.deepEqual(heard, [])
  })
}

const shotOf = (path: string, width: number) =>
  `${process.env.SHOTS}/${width}${path.replaceAll(/[/?&=]/g, '-').replace(/(req|evt|prop)_\w+/, '$1')}.png`

test('the log of requests lives: what comes is put before the rest, until it is paused', async () => {
  const { page, ana, base } = await enter()
  const { api } = ana.store
  const ask = async (path: string) => {
    await api.get(path)
    await world.app.requestLog!.flush()
  }
  await ask('/v1/products')
  await page.goto(`${base}/requests`)
  const first = page.locator('#rows tbody tr').first()
  assert.match(await first.innerText(), /GET \/v1\/products/)
  await page.evaluate('window.isSame = true')
  await ask('/v1/customers')
  await page.locator('#rows tbody tr', { hasText: '/v1/customers' }).waitFor()
  assert.match(await first.innerText(), /customers/)
  await page.locator('live-log', { hasText: '1 new' }).waitFor()
  assert.equal(await page.locator('#rows tbody tr').count(), 2)

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.locator('live-log', { hasText: 'Paused' }).waitFor()
  const looked: string[] = []
  page.on('request', (request) => request.url().includes('/requests') && looked.push(request.url()))
  await ask('/v1/discounts')
  // At what it would otherwise look at once.
  await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
  assert.deepEqual(looked, [])
  assert.equal(await page.locator('#rows tbody tr').count(), 2)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.locator('#rows tbody tr', { hasText: '/v1/discounts' }).waitFor()
  assert.equal(await page.evaluate('window.isSame'), true)
})

test('without a script the log is read by loading it again', async () => {
  const { page, ana, base } = await enter({ javaScript: false })
  await page.goto(`${base}/requests`)
  assert.match(await page.locator('main').innerText(), /No requests yet/)
  await ana.store.api.get('/v1/products')
  await world.app.requestLog!.flush()
  await page.getByRole('link', { name: 'Reload' }).click()
  await page.getByRole('link', { name: 'GET /v1/products' }).click()
  assert.match(await page.locator('main').innerText(), /Checks[^]*Credential passed/)
})

test('from a request to its event, its delivery and back', async () => {
  const { page, ana, base } = await enter()
  const { request } = await history(ana)
  await page.goto(`${base}/requests`)
  await page.getByRole('link', { name: 'POST /v1/products' }).last().click()
  await page.getByRole('link', { name: 'product.created' }).click()
  await page.getByRole('link', { name: 'https://93.184.216.34/' }).click()
  await page.getByRole('heading', { name: 'Attempts' }).waitFor()
  await page.getByRole('main').getByRole('link', { name: request }).click()
  await page.getByRole('heading', { name: 'POST /v1/products', level: 1 }).waitFor()
})
