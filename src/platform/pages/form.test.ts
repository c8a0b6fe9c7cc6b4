import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pages } from '../../storefront/shop/routes.ts'
import { signInPages } from '../../identity/signin/routes.ts'
import { openWorld } from '../../../test/world.ts'
import { maxFields, maxFormBytes } from './form.ts'

const world = await openWorld()
const { store } = await world.newStore()

const endpoints = ['/oauth/token', '/oauth/introspect', '/oauth/revoke', '/oauth/register']
const takers = [
  ...pages.filter(({ method }) => method === 'POST').map(({ path }) => `/s/${store.slug}${path}`),
  ...signInPages.filter(({ method }) => method === 'POST').map(({ path }) => path),
  '/oauth/interaction/:uid',
  '/dashboard/new',
  ...endpoints,
].map((path) => path.replaceAll(/:\w+/g, 'x'))

async function post(path: string, body: string) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  const response = await fetch(world.url + path, { method: 'POST', body, headers, redirect: 'manual' })
  return { status: response.status, text: await response.text() }
}

// It once took 17 s for one field that occurs 32,000 times.
const repeated = (count: number) => 'a&'.repeat(count - 1) + 'a'
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=1`).join('&')

test('every route with a form rejects more than 200 fields with 413', async () => {
  assert.ok(takers.length > 15, String(takers))
  for (const path of takers) {
    for (const form of [repeated, numbered]) {
      assert.equal((await post(path, form(maxFields + 1))).status, 413, path)
      assert.notEqual((await post(path, form(maxFields))).status, 413, path)
    }
  }
})

test('a form of the maximum size with one repeated field is rejected like any with too many fields', async () => {
  for (const path of takers) {
    const size = endpoints.includes(path) ? 16 * 1024 : maxFormBytes
    assert.equal((await post(path, repeated(size / 2))).status, 413, path)
    assert.equal((await post(path, `a=${'x'.repeat(size)}`)).status, 413, path)
  }
})

test('a body that is no form counts as an empty one', async () => {
  const body = new FormData()
  body.set('List-Unsubscribe', 'One-Click')
  const response = await fetch(`${world.url}/s/${store.slug}/unsubscribe/nothing`, { method: 'POST', body })
  assert.equal(response.status, 404)
})
