// What strangers write, in every place that a request has for it and in its body, at every route: it is answered in few
// words, and never a failure of the server. bench/worstbodies.ts measures what it costs.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { pino } from 'pino'
import { sessionCookie } from '../src/identity/accounts/session.ts'
import { routes as v1Routes } from '../src/developer/routes.ts'
import { addressOf, withRoutes, type Served } from './served.ts'
import { newShop, type Shop } from './shop.ts'
import { siteUrl, staffOf } from './staff.ts'
import { openWorld } from './world.ts'
import { bodiesFor, freshly, sending, texts as textsOf } from './worst.ts'

const lines: string[] = []
const log = pino({ level: 'error' }, { write: (line) => lines.push(line) })
const { opened: world, routes } = await withRoutes(() => openWorld({}, { log }))
const { app } = world

const length = 15_500
const texts = textsOf(length)
const bodyBytes = 32 * 1024
/** A refusal may show the form again. */
const maxRefusalBytes = 8 * bodyBytes

/** That a file of this program reads by its name, and that the server's own libraries read. */
const headerNames = new Set([
  ...globSync('src/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/headers(?:\.([a-z]+)\b(?!\()|(?:\?\.)?\['([a-z-]+)'\])/g)].map(
      ([, plain, quoted]) => plain ?? quoted!,
    ),
  ),
  ...['accept-encoding', 'content-type', 'forwarded', 'x-forwarded-host', 'x-forwarded-proto', 'origin', 'referer'],
  ...['sec-fetch-site', 'prefer', 'expect', 'upgrade', 'if-modified-since'],
])

// Each of these decides by itself what becomes of a request: in a place of its own it hides none of the others.
const deciding = ['x-api-key', 'authorization', 'cookie', 'host', 'content-type', 'origin', 'sec-fetch-site']
const others = [...headerNames].filter((name) => ![...deciding, 'x-forwarded-for', 'content-length'].includes(name))

type Headers = Record<string, string>
type PlaceOfText = (route: Served, text: string, own: Headers) => InjectOptions

const texting = (names: string[], text: string) => Object.fromEntries(names.map((name) => [name, text]))
const plainly = ({ method }: Served, url: string, headers: Headers = {}) =>
  freshly({ method: method as 'GET', url, headers })

/** The same text wherever it can be at once. */
const places: PlaceOfText[] = [
  (route, text, own) => plainly(route, filled(route), { ...texting(others, text), ...own }),
  (route, text, own) => {
    const headers = { authorization: `Bearer ${text}`, 'x-forwarded-for': text, ...own }
    return { ...plainly(route, filled(route), headers), remoteAddress: '127.0.0.1' }
  },
  (route, text, own) => plainly(route, filled(route), { ...texting(deciding.slice(3), text), ...own }),
  (route, text, own) => {
    const url = `${filled(route)}?${text.replaceAll(/[#\s]/g, '+')}`
    return plainly(route, url, { cookie: `a=${text}; ${sessionCookie(siteUrl)}=${text}`, ...own })
  },
  (route, text, own) => plainly(route, `${filled(route)}?${valuesOf(route, text)}`, { authorization: text, ...own }),
  (route, text, own) => {
    const url = /[:*]/.test(route.url) ? addressOf(route, {}, encoded(text)) : `${route.url}/${encoded(text)}`
    return plainly(route, url, { 'x-api-key': text, ...own })
  },
]

let shop: Shop
let cookie: string
let values: Record<string, string>
before(async () => {
  shop = await newShop(world)
  await shop.product({ slug: 'mug' })
  cookie = (await staffOf(world, [shop])).cookie
  values = { store: shop.store.id, slug: shop.store.slug!, product: 'mug' }
})

const filled = (route: Served) => addressOf(route, values)

/** As much of it as an address has room for: Node takes 16 KB of request line and headers. */
function encoded(text: string, room = length): string {
  return encodeURIComponent(text.slice(0, room / (encodeURIComponent(text).length / text.length)))
}

function valuesOf({ method, url }: Served, text: string): string {
  const path = url.replace(/^\/v1/, '').replaceAll(/:(\w+)/g, '{$1}')
  const schema = v1Routes.find((one) => one.method === method && one.path === path)?.query?.schema
  const properties = Object.entries((schema?.properties ?? {}) as Record<string, { type?: string }>)
  const free = properties.filter(([, { type }]) => type === 'string').map(([name]) => name)
  const names = free.length > 0 ? free : ['q', 'return_to', 'lang']
  return names.map((name) => `${name}=${encoded(text, length / names.length)}`).join('&')
}

async function demandAnswer(route: Served, what: string, request: InjectOptions): Promise<void> {
  world.clock.advance(1)
  const { statusCode, body } = await app.server.inject(request)
  const of = `${route.method} ${route.url}, ${what}: ${statusCode}`
  assert.ok(statusCode < 500, `${of} ${body.slice(0, 300)}`)
  if (statusCode >= 400 && route.url.startsWith('/v1/')) assert.ok(JSON.parse(body).error.code, of)
  assert.ok(statusCode < 400 || body.length <= maxRefusalBytes, `${of} has ${body.length} characters`)
}

// Three megabytes, which are copied here and streamed elsewhere; its neighbour start.js is served by the same code. The
// other waits for events, which an injected request cannot.
const left = ['/reference/scalar.js', '/v1/events']
const asked = routes.filter(({ method, url }) => !['HEAD', 'OPTIONS'].includes(method) && !left.includes(url))
// Before their own code all routes of these tables do the same for somebody who has not proven who it is.
const isGuarded = ({ url }: Served) => /^(\/v1|\/oauth\/portal\/api|\/dashboard\/:store)\//.test(url)
const nobody = (): Headers => ({})
const letIn = ({ url }: Served): Headers => (url.startsWith('/v1/') ? { 'x-api-key': shop.api.key } : { cookie })

/** The texts of the route, each in the places. */
async function demandAnswers(route: Served, some: string[], at: number[], own: Headers): Promise<void> {
  for (const text of some) {
    for (const place of at.map((one) => (one + texts.indexOf(text)) % places.length)) {
      await demandAnswer(route, `place ${place}, ${text.slice(0, 12)}…`, places[place]!(route, text, own))
    }
  }
}

test('whatever a stranger writes is answered', async () => {
  for (const [index, route] of asked.entries()) {
    const some = isGuarded(route) ? [index, index * 7 + 3].map((at) => texts[at % texts.length]!) : texts
    await demandAnswers(route, some, isGuarded(route) ? [index] : [index, index + 3], {})
  }
  assert.deepEqual(lines, [])
})

test('whatever somebody who is let in writes is answered', async () => {
  for (const [index, route] of asked.entries()) {
    if (!isGuarded(route) || (route.url.startsWith('/dashboard/') && route.method !== 'GET')) continue
    const isList = route.url.startsWith('/v1/') && route.method === 'GET' && !route.url.includes(':')
    const text = texts[index % texts.length]!
    if (isList)
      for (const each of texts) await demandAnswers(route, [each], [4 - texts.indexOf(each) + 24], letIn(route))
    await demandAnswers(route, [text], [0, 3, 4, 5], letIn(route))
  }
  assert.deepEqual(lines, [])
})

for (const [who, own] of [['a stranger', nobody] as const, ['whoever is let in', letIn] as const]) {
  test(`whatever body ${who} sends is answered`, async () => {
    for (const [index, route] of asked.entries()) {
      if (route.method === 'GET') continue
      const all = bodiesFor(route)
      // The pages of a table share their reader of forms.
      const some = isGuarded(route) ? all.filter((_, at) => at % (own === nobody ? 6 : 2) === index % 2) : all
      for (const body of some) {
        const request = sending(route, body, bodyBytes, { values, headers: { origin: siteUrl, ...own(route) } })
        await demandAnswer(route, body.name, request)
      }
    }
    assert.deepEqual(lines, [])
  })
}

// Bytes that no id has.
const parts = ['%00', 'a%00b', '%ff', '%C0%80', '%ED%A0%80', '%zz', '%', '%2e%2e%2f', '%F0%9F%92%A9', 'a'.repeat(501)]

/** Each parameter by itself, the others as they should be. */
function lookUpAddresses(route: Served, part: string): string[] {
  const names = [...route.url.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  if (names.length === 0) return [route.url.replace('*', part)]
  return names.map((name) => addressOf(route, { ...values, [name]: part }))
}

for (const [who, own] of [['a stranger', nobody] as const, ['whoever is let in', letIn] as const]) {
  test(`what no id can be is no failure of the server, for ${who}`, async () => {
    for (const [index, route] of asked.filter(({ url }) => /[:*]/.test(url)).entries()) {
      const host = route.host ? 'ours.example' : 'shop.example'
      const headers = { origin: siteUrl, host, 'x-forwarded-proto': 'https', ...own(route) }
      const some = route.url.startsWith('/dashboard/') ? [index, index + 3, index + 7] : parts.keys()
      for (const at of some) {
        for (const url of lookUpAddresses(route, parts[at % parts.length]!)) {
          await demandAnswer(route, url.slice(0, 200), plainly(route, url, headers))
        }
      }
    }
    assert.deepEqual(lines, [])
  })
}

test('where everything is a page, an address that cannot be read is one too', async () => {
  for (const url of ['/s/shop/%zz', '/s/%zz', '/dashboard/%zz', '/dashboard/x/orders/%ff']) {
    const { statusCode, headers } = await app.server.inject({ url })
    assert.deepEqual([statusCode, headers['content-type']], [404, 'text/html; charset=utf-8'], url)
  }
  for (const url of ['/v1/%zz', '/storefront/%zz']) {
    const { statusCode, headers } = await app.server.inject({ url, headers: { accept: 'text/html' } })
    assert.deepEqual([statusCode, headers['content-type']], [404, 'application/json; charset=utf-8'], url)
  }
})

test('an address that ends before its id is no route', async () => {
  const { status, error } = await shop.api.get('/v1/products/')
  assert.deepEqual([status, error.message], [404, 'Route GET /v1/products/ not found'])
})
