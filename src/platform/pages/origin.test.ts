import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { requireOwnForm, ForeignForm } from './origin.ts'

const known = ['https://auth.example']

function isTaken(asked: string, headers: Record<string, string>): boolean {
  const { protocol, host } = new URL(asked)
  try {
    requireOwnForm({ headers, host, protocol: protocol.slice(0, -1) } as unknown as FastifyRequest, known)
    return true
  } catch (error) {
    assert.ok(error instanceof ForeignForm)
    return false
  }
}

test('a form comes from the requested origin, or from another one of the site', () => {
  assert.ok(isTaken('http://127.0.0.1:4000', { origin: 'http://127.0.0.1:4000' }))
  assert.ok(isTaken('https://auth.example', { origin: 'https://auth.example' }))
  // A proxy terminates https.
  assert.ok(isTaken('http://auth.example', { origin: 'https://auth.example' }))
  assert.ok(isTaken('http://127.0.0.1:4000', { origin: 'https://auth.example' }))
  for (const origin of ['https://evil.example', 'null', '', 'https://auth.example.evil.example']) {
    assert.equal(isTaken('https://auth.example', { origin }), false, origin)
  }
})

test('the same host under the other scheme is another origin', () => {
  assert.equal(isTaken('https://auth.example', { origin: 'http://auth.example' }), false)
  assert.equal(isTaken('http://127.0.0.1:4000', { origin: 'https://127.0.0.1:4000' }), false)
  // An http page may be forged if the site is known by https, whatever scheme a proxy reports.
  assert.equal(isTaken('http://auth.example', { origin: 'http://auth.example' }), false)
})

test('a form that a browser marks as foreign is rejected, whatever Origin says', () => {
  for (const site of ['cross-site', 'same-site']) {
    for (const headers of [{}, { origin: 'https://auth.example' }] as Record<string, string>[]) {
      assert.equal(isTaken('https://auth.example', { 'sec-fetch-site': site, ...headers }), false)
    }
  }
  for (const site of ['same-origin', 'none']) assert.ok(isTaken('https://auth.example', { 'sec-fetch-site': site }))
})

test('a request without Origin and Sec-Fetch-Site is accepted, as it is from no browser', () => {
  assert.ok(isTaken('https://auth.example', {}))
})
