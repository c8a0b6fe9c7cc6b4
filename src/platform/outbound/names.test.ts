import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { test } from 'node:test'
import { nameLookup, type NameResolver } from './names.ts'

/** A resolver that counts its questions and answers by the two functions. */
function counting(v4: (name: string) => string[], v6: (name: string) => string[] = missing) {
  const asked: string[] = []
  const resolver: NameResolver = {
    resolve4: async (name) => {
      asked.push(name)
      return v4(name)
    },
    resolve6: async (name) => v6(name),
  }
  return { asked, resolver }
}

function missing(): never {
  throw Object.assign(new Error('no data'), { code: 'ENODATA' })
}

const never = () => new Promise<never>(() => {})
const isDnsFailure = (error: { failure?: { error: string } }) => error.failure?.error === 'DNS'

test('a name gives its addresses of both families, IPv4 first', async () => {
  const { resolver } = counting(
    () => ['192.0.2.1'],
    () => ['2001:db8::1'],
  )
  assert.deepEqual(await nameLookup({ resolver })('shop.example'), ['192.0.2.1', '2001:db8::1'])
})

test('a name with addresses of one family only resolves', async () => {
  assert.deepEqual(await nameLookup({ resolver: counting(() => ['192.0.2.1']).resolver })('a.example'), ['192.0.2.1'])
  const six = counting(missing, () => ['2001:db8::1'])
  assert.deepEqual(await nameLookup({ resolver: six.resolver })('a.example'), ['2001:db8::1'])
})

test('a name without addresses is a DNS failure', async () => {
  await assert.rejects(nameLookup({ resolver: counting(missing).resolver })('dead.example'), isDnsFailure)
})

test('a resolver that does not answer is a DNS failure', async () => {
  const resolver = { resolve4: never, resolve6: never }
  await assert.rejects(nameLookup({ resolver, timeoutMs: 20 })('a.example'), isDnsFailure)
})

test('if one of the two queries is not answered, the addresses of the other are enough', async () => {
  const resolver = { resolve4: async () => ['192.0.2.1'], resolve6: never }
  assert.deepEqual(await nameLookup({ resolver, timeoutMs: 20 })('a.example'), ['192.0.2.1'])
})

test('a name server that is silent is a DNS failure', async () => {
  const server = createSocket('udp4').bind(0, '127.0.0.1')
  await once(server, 'listening')
  const resolver = new Resolver({ timeout: 5_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  await assert.rejects(nameLookup({ resolver, timeoutMs: 50 })('a.example'), isDnsFailure)
  resolver.cancel()
  server.close()
})

test('results are cached for a while, lookups in progress are shared', async () => {
  const { asked, resolver } = counting(() => ['192.0.2.1'])
  const lookUp = nameLookup({ resolver })
  await Promise.all([lookUp('a.example'), lookUp('a.example')])
  await lookUp('a.example')
  assert.equal(asked.length, 1)
})

test('an expired result is looked up again', async () => {
  const { asked, resolver } = counting(() => ['192.0.2.1'])
  const lookUp = nameLookup({ resolver, ttlMs: 0 })
  await lookUp('a.example')
  await lookUp('a.example')
  assert.equal(asked.length, 2)
})

test('at most 1,000 names are kept, the oldest is dropped', async () => {
  const { asked, resolver } = counting(() => ['192.0.2.1'])
  const lookUp = nameLookup({ resolver })
  for (let n = 0; n <= 1_000; n += 1) await lookUp(`${n}.example`)
  await lookUp('1000.example')
  await lookUp('1.example')
  assert.equal(asked.length, 1_001)
  await lookUp('0.example')
  assert.equal(asked.length, 1_002)
})
