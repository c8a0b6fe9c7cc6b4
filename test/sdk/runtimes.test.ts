// The same package in a page and a worker of a browser, on another origin than the shop's.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { openChromium } from '../chromium.ts'
import { openWorld } from '../world.ts'
import { installedPackage } from './packed.ts'

const world = await openWorld()
const folder = await installedPackage()

const program = `
import { NotFoundError, Stoa } from '/sdk/index.js'

export async function shop(url, slug) {
  const stoa = new Stoa({ url })
  const names = []
  let product
  for await (product of stoa.storefront.products.list(slug, { per_page: 1 })) names.push(product.name)
  const items = [{ product_id: product.id, quantity: 2 }]
  const { token } = await stoa.storefront.checkouts.create(slug, { items })
  const read = await stoa.storefront.checkouts.get(slug, token)
  const customer = { name: 'Ana' }
  const { total } = await stoa.storefront.checkouts.update(slug, token, { customer }, { ifMatch: read })
  const missing = await stoa.storefront.products.get(slug, 'none').catch((error) => error instanceof NotFoundError)
  return { names: names.sort(), total, missing }
}`
const worker = `
import { shop } from '/shop.js'
onmessage = async ({ data }) => postMessage(await shop(...data))`

const site = http.createServer((request, response) => {
  const file = /^\/sdk\/(\w+\.js)$/.exec(request.url!)?.[1]
  const scripts: Record<string, string> = { '/shop.js': program, '/worker.js': worker }
  const script = file
    ? readFileSync(path.join(folder, 'node_modules/@stoa-commerce/sdk/dist', file))
    : scripts[request.url!]
  response.setHeader('content-type', script ? 'text/javascript' : 'text/html').end(script ?? '<title>A shop</title>')
})
before(() => new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve)))
after(() => site.close())

for (const place of ['page', 'worker'] as const) {
  test(`a ${place} of another origin sells through the storefront API`, async () => {
    const { api, store } = await world.newStore()
    for (const name of ['Mug', 'Cup']) await api.post('/v1/products', { name, price: 10, product_status: 'active' })
    const context = await openChromium()
    after(() => context.close())
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    const saw = await page.evaluate(
      `(${inBrowser})(${JSON.stringify(place)}, ${JSON.stringify([world.url, store.slug])})`,
    )
    assert.deepEqual(saw, { names: ['Cup', 'Mug'], total: 20, missing: true })
  })
}

// Text, as neither the page nor its modules are known here.
const inBrowser = `async (place, args) => {
  if (place === 'page') return (await import('/shop.js')).shop(...args)
  const worker = new Worker('/worker.js', { type: 'module' })
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
    worker.postMessage(args)
  })
}`
