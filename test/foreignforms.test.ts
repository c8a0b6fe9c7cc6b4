// A form of another site reaches nothing: not the session, not what its answer says. Whoever it finds there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { sql } from '../src/kit/database/sql.ts'
import { newUuid, publicId } from '../src/kit/values/ids.ts'
import { pendingLoginCookie, sealPendingLogin } from '../src/identity/signin/pendinglogin.ts'
import { differing, fingerprintOf } from './fingerprint.ts'
import { addressOf, withRoutes, type Served } from './served.ts'
import { newShop } from './shop.ts'
import { staffOf } from './staff.ts'
import { openWorld, type TestStore } from './world.ts'

const lines: string[] = []
const log = pino({ level: 'error' }, { write: (line) => lines.push(line) })
const { opened: world, routes } = await withRoutes(() => openWorld({}, { sweeps: true, log }))
const { app } = world

// What a browser's cookie opens nothing of: a key, a signature or the address itself has to entitle.
const withoutCookies = [
  /^\/v1\//,
  /^\/storefront\//,
  /^\/(mcp|ucp)\b/,
  /^\/payments\/:store\/:method$/,
  /^\/oauth\/(token|register|introspect|revoke)$/,
  /\/unsubscribe\/:token$/,
  /\/backinstock\/stop\/:link$/,
  /\/downloads\/:link$/,
  // A fork has no sessions, and its own app refuses forms of other sites.
  /^\/forks\/:fork/,
]
const forms = routes.filter(
  ({ method, url }) => !['GET', 'HEAD', 'OPTIONS'].includes(method) && !withoutCookies.some((one) => one.test(url)),
)

const elsewhere: Record<string, Record<string, string>> = {
  'another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  'another site, by an old browser': { origin: 'https://evil.example' },
  'a frame without an origin': { origin: 'null' },
  'a site that names no origin': { 'sec-fetch-site': 'cross-site' },
  'a host beside it': { origin: 'https://other.shop.example', 'sec-fetch-site': 'same-site' },
  "another store's domain": { origin: 'https://theirs.example' },
  'the same host by http': { origin: 'http://shop.example' },
}

const typed = { act: 'invite', email: 'mallory-7f3@evil.example', role: 'admin', name: 'mallory-7f3', sure: '1' }
const bodies = {
  'application/x-www-form-urlencoded': new URLSearchParams(typed).toString(),
  'multipart/form-data; boundary=b': Object.entries(typed)
    .map(([name, value]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')
    .concat('--b--\r\n'),
}

const formType = 'application/x-www-form-urlencoded'
const own = { origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' }

let shop: TestStore
let slug: string
const visitors: Record<string, string> = { 'nobody who is signed in': '' }

shop = await newShop(world)
slug = shop.store.slug!
const { db } = app
await db.rows(sql`update stores set custom_domain = 'ours.example', domain_verified = true where id = ${shop.store.id}`)
const owner = await staffOf(world, [shop])
const gone = await staffOf(world, [shop])
await db.rows(sql`update sessions set expires_at = '2000-01-01' where user_id = ${gone.userId}`)
const half = { how: 'password', userId: owner.userId, location: '/dashboard' } as const
Object.assign(visitors, {
  'who is signed in': owner.cookie,
  'whose session has ended': gone.cookie,
  'who is half signed in': `${pendingLoginCookie}=${await sealPendingLogin({ db, vault: app.vault } as never, half)}`,
  'of another store': (await staffOf(world, [await world.newStore()])).cookie,
})

async function post(
  form: Served,
  cookie: string,
  headers: Record<string, string>,
  type: keyof typeof bodies = formType,
) {
  const values = { store: shop.store.id, slug }
  const {
    statusCode,
    body,
    headers: sent,
  } = await app.server.inject({
    method: form.method as 'POST',
    url: addressOf(form, values, publicId('prod', newUuid())),
    headers: {
      host: form.host ? 'ours.example' : 'shop.example',
      'x-forwarded-proto': 'https',
      accept: 'text/html',
      'content-type': type,
      ...(cookie ? { cookie } : {}),
      ...headers,
    },
    payload: bodies[type],
  })
  return { status: statusCode, body, cookies: sent['set-cookie'] }
}

test('there are forms of every site', () => {
  const sites = ['/s/:slug/cart', '/cart', '/oauth/login', '/oauth/interaction/:uid', '/dashboard/:store/settings/team']
  for (const url of sites)
    assert.ok(
      forms.some((form) => form.url === url),
      url,
    )
  assert.ok(forms.length > 80, String(forms.length))
})

for (const [where, headers] of Object.entries(elsewhere)) {
  test(`a form of ${where} is refused before anything else, changes nothing and is not repeated`, async () => {
    const known = await fingerprintOf(app.db)
    for (const [who, cookie] of Object.entries(visitors)) {
      for (const form of forms) {
        for (const type of Object.keys(bodies) as (keyof typeof bodies)[]) {
          const { status, body, cookies } = await post(form, cookie, headers, type)
          const about = `${form.method} ${form.url} by somebody ${who}, ${type}`
          assert.equal(status, 403, about)
          assert.doesNotMatch(body, /mallory|<form/, about)
          assert.equal(cookies, undefined, about)
        }
      }
    }
    assert.deepEqual(differing(known, await fingerprintOf(app.db)), [])
  })
}

test('the same form of the page itself waits for whoever has to sign in again', async () => {
  const team = forms.find(({ url }) => url === '/dashboard/:store/settings/team')!
  const { status, body } = await post(team, visitors['whose session has ended']!, own)
  assert.equal(status, 401)
  assert.match(body, /mallory-7f3@evil\.example/)
})

test('a page that nobody is signed in for is no failure: nothing of it is in the log', async () => {
  const pages = routes.filter(({ config, method, host }) => config.site && !host && ['GET', 'POST'].includes(method))
  for (const page of pages) {
    const { status } = await post(page, '', page.method === 'POST' ? own : {})
    assert.ok(status < 500, `${page.method} ${page.url}: ${status}`)
  }
  assert.deepEqual(lines, [])
})
