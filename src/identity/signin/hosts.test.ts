// Sign-in, consent and dashboard are at the service's own host: a cookie at a shop's host would be its owner's to read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld({
  BASE_URL: 'https://stoa.example',
  AUTH_URL: 'https://auth.example',
  SHOPS_HOST: 'shops.example',
})
const { store } = await world.newStore()

const statusAt = async (host: string, path: string, method: 'GET' | 'POST' = 'GET') => {
  const answer = await world.app.server.inject({ method, url: path, headers: { host } })
  assert.equal(answer.headers['set-cookie'], undefined)
  return answer.statusCode
}

const paths = ['/oauth/login', '/oauth/sign-in/x', '/oauth/interaction/x', '/dashboard', `/dashboard/${store.id}`]

for (const host of [`${store.slug}.shops.example`, 'merchant.example', 'www.merchant.example:443', 'evil.example']) {
  test(`no page for people who work in stores is at ${host}`, async () => {
    for (const path of paths) assert.equal(await statusAt(host, path), 404, path)
    assert.equal(await statusAt(host, '/oauth/login', 'POST'), 404)
  })
}

for (const host of ['stoa.example', 'auth.example', 'auth.example:443', '127.0.0.1:4000', 'localhost', '[::1]:4000']) {
  test(`they are at ${host}`, async () => {
    for (const path of paths) assert.notEqual(await statusAt(host, path), 404, path)
  })
}
