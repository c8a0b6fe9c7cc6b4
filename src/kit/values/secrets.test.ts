import assert from 'node:assert/strict'
import { test } from 'node:test'
import { equalSecrets, randomBase62, vault } from './secrets.ts'

const box = vault('a key of the tests, 32 characters')

test('a sealed text opens in its place only', () => {
  const sealed = box.seal('whsec_1', 'webhook AB-00000001 1')
  assert.equal(box.open(sealed, 'webhook AB-00000001 1'), 'whsec_1')
  assert.throws(() => box.open(sealed, 'webhook AB-00000002 1'))
})

test('a changed byte does not open', () => {
  const sealed = box.seal('whsec_1', 'here')
  const [id, data] = sealed.split('.') as [string, string]
  const bytes = Buffer.from(data, 'base64url')
  bytes[bytes.length - 1]! ^= 1
  assert.throws(() => box.open(`${id}.${bytes.toString('base64url')}`, 'here'))
})

test('another key says which key it needs', () => {
  const other = vault('another key of the tests, 32 chars')
  assert.throws(() => other.open(box.seal('x', 'here'), 'here'), /sealed with key [0-9a-f]{8}, but SECRET_KEY is key/)
})

test('equal texts are sealed differently, so that a dump shows no equality', () => {
  assert.notEqual(box.seal('x', 'here'), box.seal('x', 'here'))
})

test('random secrets have the requested length and letters', () => {
  assert.match(randomBase62(40), /^[0-9A-Za-z]{40}$/)
  assert.equal(equalSecrets('a', 'a'), true)
  assert.equal(equalSecrets('a', 'b'), false)
})

test('a signature holds for its text, its place and its key', () => {
  const signature = box.sign('ord_1', 'order AB-00000001')
  assert.match(signature, /^[\w-]{43}$/)
  assert.equal(box.sign('ord_1', 'order AB-00000001'), signature)
  assert.notEqual(box.sign('ord_2', 'order AB-00000001'), signature)
  assert.notEqual(box.sign('ord_1', 'order AB-00000002'), signature)
  assert.notEqual(vault('another key of the tests, 32 chars').sign('ord_1', 'order AB-00000001'), signature)
})
