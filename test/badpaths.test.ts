// Bytes that no id has, in every parameter of every route, for strangers and for whoever is let in: not found, and
// never a failure of the server.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { pino } from 'pino'
import { addressOf, withRoutes, type Served } from './served.ts'
import { siteUrl, staffOf } from './staff.ts'
import { newShop, type Shop } from './shop.ts'
import { openWorld } from './world.ts'

const lines: string[] = []
const log = pino({ level: 'error' }, { write: (line) => lines.push(line) })
const { opened: world, routes } = await withRoutes(() => openWorld({}, { log }))

const parts = ['%00', 'a%00b', '%ff', '%C0%80', '%ED%A0%80', '%zz', '%', '%2e%2e%2f', '%F0%9F%92%A9', 'a'.repeat(501)]
const asked = routes.filter(({ method, url }) => !['HEAD', 'OPTIONS'].includes(method) && /[:*]/.test(url))

let shop: Shop
let cookie: string
before(async () => {
  shop = await newShop(world)
  cookie = (await staffOf(world, [shop])).cookie
})

let strangers = 0

async function ask({ method, host }: Served, url: string, own: Record<string, string>) {
  strangers++
  world.clock.advance(1)
  return world.app.server.inject({
    method: method as 'GET',
    url,
    remoteAddress: `10.0.${strangers >> 8}.${strangers & 255}`,
    headers: { origin: siteUrl, host: host ? 'ours.example' : 'shop.example', 'x-forwarded-proto': 'https', ...own },
  })
}

/** Each parameter by itself, the others as they should be. */
function addressesOf(route: Served, part: string): string[] {
  const right = { store: shop.store.id, slug: shop.store.slug! }
  const names = [...route.url.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  if (names.length === 0) return [route.url.replace('*', part)]
  return names.map((name) => addressOf(route, { ...right, [name]: part }))
}

for (const who of ['a stranger', 'whoever is let in']) {
  test(`what no id can be is no failure of the server, for ${who}`, async () => {
    const own = (url: string): Record<string, string> =>
      who === 'a stranger' ? {} : url.startsWith('/v1/') ? { 'x-api-key': shop.api.key } : { cookie }
    for (const [index, route] of asked.entries()) {
      const some = route.url.startsWith('/dashboard/') ? [index, index + 3, index + 7] : parts.keys()
      for (const at of some) {
        for (const url of addressesOf(route, parts[at % parts.length]!)) {
          const { statusCode } = await ask(route, url, own(route.url))
          assert.ok(statusCode < 500, `${route.method} ${url}: ${statusCode}`)
        }
      }
    }
    assert.deepEqual(lines, [])
  })
}

test('where everything is a page, an address that cannot be read is one too', async () => {
  for (const url of ['/s/shop/%zz', '/s/%zz', '/dashboard/%zz', '/dashboard/x/orders/%ff']) {
    const { statusCode, headers } = await world.app.server.inject({ url })
    assert.deepEqual([statusCode, headers['content-type']], [404, 'text/html; charset=utf-8'], url)
  }
  for (const url of ['/v1/%zz', '/storefront/%zz']) {
    const { statusCode, headers } = await world.app.server.inject({ url, headers: { accept: 'text/html' } })
    assert.deepEqual([statusCode, headers['content-type']], [404, 'application/json; charset=utf-8'], url)
  }
})

test('an address that ends before its id is no route', async () => {
  const { status, error } = await shop.api.get('/v1/products/')
  assert.deepEqual([status, error.message], [404, 'Route GET /v1/products/ not found'])
})
