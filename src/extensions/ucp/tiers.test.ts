// How often agents may ask: by address, by the host of the profile that signs, or by a credential of the store.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { callSigned, profileWith, signingKey } from '../../../test/signing.ts'
import { openUcpWorld, type UcpAnswer } from '../../../test/ucp.ts'
import { setUp } from '../../../test/checkouts.ts'
import { startValkey } from '../../../test/valkey.ts'
import type { TestStore } from '../../../test/world.ts'
import { createKey } from '../../identity/apikeys/operations.ts'
import { openLog } from '../../platform/process/log.ts'
import { openValkey } from '../../platform/process/valkey.ts'
import { valkeyRateLimiter } from '../../platform/ratelimit/valkey.ts'

const valkey = await startValkey()
const world = await openUcpWorld({ REDIS_URL: valkey.url })
const shop = await setUp(await world.newStore())
const domain = await world.domainOf(shop)
const body = { query: 'x' }
const key = signingKey()

const rateOf = ({ headers }: UcpAnswer) =>
  ['limit', 'remaining'].map((name) => Number(headers.get(`x-ratelimit-${name}`)))
const codeOf = ({ status, body }: UcpAnswer) => [status, body.code]
const newProfile = () => world.publish({ body: profileWith([key.jwk]) })
const connection = await openValkey(valkey.url, openLog('silent'))
after(() => connection.close())
const otherNode = valkeyRateLimiter(connection, world.clock)
/** What another node has counted. */
const use = (name: string, count: number) => otherNode.hit(name, 1, { cost: count })
const signed = (address: string, own: object = {}) =>
  callSigned(world, domain, { profile, key, body, headers: { 'x-forwarded-for': address }, ...own })
const search = (headers: Record<string, string>) =>
  world.http(domain, 'POST', '/ucp/catalog/search', {
    body,
    headers: { 'ucp-agent': `profile="${profile}"`, ...headers },
  })

const profile = newProfile()

test('agents that sign are counted by the host of their profile, from whichever address', async () => {
  world.clock.advance(61)
  assert.deepEqual(rateOf(await signed('10.3.0.1')), [3000, 2999])
  assert.deepEqual(rateOf(await signed('10.3.0.2', { profile: newProfile() })), [3000, 2998])
  const { shop: other, domain: otherDomain } = await anotherShop()
  const elsewhere = await callSigned(world, otherDomain, { profile, key, body })
  assert.deepEqual(rateOf(elsewhere), [3000, 2999], `${other.store.id} counts for itself`)
  await use(`agent:${shop.store.id} ${new URL(profile).origin}`, 2998)
  const last = await signed('10.3.0.3')
  assert.deepEqual([...codeOf(last), Number(last.headers.get('retry-after')) > 0], [429, 'rate_limited', true])
  assert.deepEqual(rateOf(await search({ 'x-forwarded-for': '10.3.0.3' })), [1000, 999], 'anyone else still asks')
})

test('a signature that fails costs a request without one, of which an address has fewer', async () => {
  world.clock.advance(61)
  const headers = { 'x-forwarded-for': '10.4.0.1' }
  const forged = await signed('10.4.0.1', { key: signingKey() })
  assert.deepEqual([...codeOf(forged), ...rateOf(forged)], [401, 'key_not_found', 1000, 999])
  await use('storefront:10.4.0.1', 1000)
  assert.deepEqual(codeOf(await signed('10.4.0.1', { profile: newProfile() })), [429, 'rate_limited'])
  assert.deepEqual(codeOf(await search(headers)), [429, 'rate_limited'])
})

test('an address cannot have signatures checked without end', async () => {
  world.clock.advance(61)
  await use('proofs:10.5.0.1', 10_000)
  const own = newProfile()
  const refused = await signed('10.5.0.1', { profile: own })
  assert.deepEqual(codeOf(refused), [429, 'rate_limited'])
  assert.ok(
    world.host.received.every(({ path }) => path !== new URL(own).pathname),
    'nothing was fetched',
  )
})

test('an address names few profiles that are not known yet', async () => {
  world.clock.advance(61)
  const from = { 'x-forwarded-for': '10.7.0.1' }
  assert.equal((await search(from)).status, 200)
  await use('profiles:10.7.0.1', 60)
  const own = newProfile()
  const refused = await search({ ...from, 'ucp-agent': `profile="${own}"` })
  assert.deepEqual(codeOf(refused), [429, 'rate_limited'])
  assert.deepEqual(codeOf(await signed('10.7.0.1', { profile: own })), [429, 'rate_limited'])
  assert.ok(world.host.received.every(({ path }) => path !== new URL(own).pathname))
  assert.equal((await search(from)).status, 200, 'one that is known is not counted')
})

test('an agent with an API key or a token of the store may ask most', async () => {
  world.clock.advance(61)
  const key = await keyOf(shop)
  const withKey = await search({ 'x-api-key': key, 'x-forwarded-for': '10.6.0.1' })
  assert.deepEqual([withKey.status, ...rateOf(withKey)], [200, 6000, 5999])
  const otherKey = await keyOf(await world.newStore())
  assert.deepEqual(codeOf(await search({ 'x-api-key': otherKey })), [401, 'unauthorized'])
  assert.deepEqual(codeOf(await search({ 'x-api-key': 'sk_live_nonsense' })), [401, 'unauthorized'])
  assert.deepEqual(codeOf(await search({ authorization: 'Bearer nonsense' })), [401, 'unauthorized'])
  const forged = await signed('10.6.0.2', { key: signingKey(), headers: { 'x-api-key': key } })
  assert.deepEqual(codeOf(forged), [401, 'key_not_found'], 'a key does not excuse a forged signature')
})

async function keyOf({ store }: TestStore): Promise<string> {
  const input = { name: 'agent', mode: 'live', scopes: ['read:products'], expires_at: null, is_active: true } as const
  const { key } = await world.app.db.transaction((tx) => createKey(tx, store, { ...input, scopes: [...input.scopes] }))
  return key
}

async function anotherShop() {
  const other = await setUp(await world.newStore())
  return { shop: other, domain: await world.domainOf(other) }
}
