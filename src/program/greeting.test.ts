import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { facts, greeting, type Facts } from './greeting.ts'

const found: Facts = {
  address: 'http://127.0.0.1:4000',
  shopUrl: 'http://127.0.0.1:4000/s/*',
  authUrl: 'http://127.0.0.1:4000',
  postgres: '18.1',
  seconds: 1.23,
  workers: 1,
  migrations: 0,
  store: { id: 'SH-4K7QW2ZD', name: 'Demo', slug: 'demo', owner: 'owner@example.com', access: null },
  command: 'npm run -s stoa --',
}
const linkCommand = 'npm run -s stoa -- user link --email owner@example.com'
const said = (more: Partial<Facts> = {}) => stripVTControlCharacters(greeting({ ...found, ...more }))

test('a later start says how to sign in and how to get a key', () => {
  assert.ok(said().includes(linkCommand))
  assert.ok(said().includes('npm run -s stoa -- key create --store SH-4K7QW2ZD'))
  assert.equal(facts(found).sign_in, linkCommand)
})

test('the first start gives the link and the key themselves', () => {
  const text = said({ store: { ...found.store!, access: { key: 'wk_test_x', signInLink: 'abc' } } })
  assert.match(text, /http:\/\/127\.0\.0\.1:4000\/oauth\/sign-in\/abc/)
  assert.match(text, /wk_test_x/)
  assert.ok(!text.includes(linkCommand))
})

test('without a store it says how one is made', () => {
  assert.ok(said({ store: null }).includes('npm run -s stoa -- store create'))
})
