// The profile of a store, and what agents and store have in common.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUcpWorld, platformProfile, codesOf } from '../../../test/ucp.ts'
import { setUp, productOf } from '../../../test/checkouts.ts'
import { profileWith } from '../../../test/signing.ts'
import type { GuardedFetch } from '../../platform/outbound/fetch.ts'
import { setStatus } from '../../tenancy/stores/operations.ts'
import { agentFinder } from './agent.ts'
import { capabilityNames } from './releases.ts'

const world = await openUcpWorld()
const { http, publish } = world

const openShop = async () => {
  const shop = await setUp(await world.newStore())
  return { shop, domain: await world.domainOf(shop) }
}

const search = (domain: string, headers: Record<string, string>) =>
  http(domain, 'POST', '/ucp/catalog/search', { body: { query: 'x' }, headers })

const named = (profile: string) => ({ 'ucp-agent': `profile="${profile}"` })

test('each store has its profile on its own origin, without a redirect, to be kept for a minute or more', async () => {
  const { domain } = await openShop()
  const { status, body, headers } = await http(domain, 'GET', '/.well-known/ucp')
  assert.equal(status, 200)
  assert.match(headers.get('content-type')!, /^application\/json/)
  const [, seconds] = /^public, max-age=(\d+)$/.exec(headers.get('cache-control')!)!
  assert.ok(Number(seconds) >= 60)
  assert.equal(body.ucp.version, '2026-08-25')
  assert.deepEqual(body.ucp.supported_versions, { '2026-04-08': `https://${domain}/.well-known/ucp/2026-04-08` })
  const [rest, mcp] = body.ucp.services['dev.ucp.shopping']
  assert.deepEqual([rest.transport, rest.endpoint], ['rest', `https://${domain}/ucp`])
  assert.deepEqual([mcp.transport, mcp.endpoint], ['mcp', `https://${domain}/ucp/mcp`])
  assert.deepEqual(Object.keys(body.ucp.capabilities), capabilityNames)
  assert.deepEqual(
    body.ucp.payment_handlers['alt.stoa.manual_payment'].map(({ id }: any) => id),
    ['cod'],
  )
  const again = await http(domain, 'GET', '/.well-known/ucp', { headers: { 'if-none-match': headers.get('etag')! } })
  assert.equal(again.status, 304)
})

test('the profile of an older release names that release everywhere, and no other', async () => {
  const { domain } = await openShop()
  const { body } = await http(domain, 'GET', '/.well-known/ucp/2026-04-08')
  const versions = [body.ucp.services, body.ucp.capabilities, body.ucp.payment_handlers]
    .flatMap((registry) => Object.values(registry).flat())
    .map(({ version }: any) => version)
  assert.deepEqual([body.ucp.version, ...new Set(versions)], ['2026-04-08', '2026-04-08'])
  assert.equal(body.ucp.supported_versions, undefined)
  assert.equal((await http(domain, 'GET', '/.well-known/ucp/2020-01-01')).status, 404)
})

test('every schema is where the name of its capability says', async () => {
  const { domain } = await openShop()
  for (const path of ['', '/2026-04-08']) {
    const { body } = await http(domain, 'GET', `/.well-known/ucp${path}`)
    for (const [entry] of Object.values<any>(body.ucp.capabilities)) {
      assert.equal(new URL(entry.schema).origin, 'https://ucp.dev')
      assert.match(entry.spec, /^https:/)
    }
  }
})

test('a host that is no store of ours, and a store that is not open, have no profile', async () => {
  const { shop, domain } = await openShop()
  const unknown = await http('nobody.example.net', 'GET', '/.well-known/ucp')
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found'])
  // The service itself is no store while it has several.
  await openShop()
  assert.equal((await http('shop.example', 'GET', '/.well-known/ucp')).status, 404)
  await world.app.db.transaction((tx) => setStatus(tx, shop.store.id, 'paused'))
  const paused = await http(domain, 'GET', '/.well-known/ucp')
  assert.deepEqual([paused.status, paused.body.code], [503, 'store_unavailable'])
})

const profiles: [name: string, answer: Parameters<typeof publish>[0], status: number, code: string][] = [
  ['is not found', { status: 404 }, 424, 'profile_unreachable'],
  ['fails', { status: 500 }, 424, 'profile_unreachable'],
  ['redirects', { status: 302, headers: { location: 'https://agent.example/profile' } }, 424, 'profile_unreachable'],
  ['resets', 'reset', 424, 'profile_unreachable'],
  ['is no JSON', { body: '<html>' }, 422, 'profile_malformed'],
  ['is no profile', { body: '[]' }, 422, 'profile_malformed'],
  ['has no version', { body: '{"ucp":{}}' }, 422, 'profile_malformed'],
  [
    'has odd capabilities',
    { body: JSON.stringify({ ucp: { version: '2026-08-25', capabilities: { a: 1 } } }) },
    422,
    'profile_malformed',
  ],
  [
    'is too large',
    { body: JSON.stringify({ ucp: { version: '2026-08-25' }, more: 'x'.repeat(300_000) }) },
    422,
    'profile_malformed',
  ],
  [
    'has an older release',
    { body: JSON.stringify(platformProfile('2026-01-11', capabilityNames)) },
    422,
    'version_unsupported',
  ],
  [
    'has a later release',
    { body: JSON.stringify(platformProfile('2027-01-01', capabilityNames)) },
    422,
    'version_unsupported',
  ],
]

for (const [name, answer, status, code] of profiles) {
  test(`an agent whose profile ${name} is told so by REST and by MCP`, async () => {
    const { domain } = await openShop()
    const profile = publish(answer)
    const rest = await world.agent(domain, { profile }).call('search_catalog', { body: { query: 'x' } })
    assert.deepEqual([rest.status, rest.body.code, typeof rest.body.content], [status, code, 'string'])
    const mcp = await world
      .agent(domain, { profile, transport: 'mcp' })
      .call('search_catalog', { body: { query: 'x' } })
    assert.deepEqual([mcp.status, mcp.body.code, mcp.body.rpc], [status, code, -32001])
  })
}

test('a profile must be named, and its address must be an https address of the public internet', async () => {
  const { domain } = await openShop()
  for (const headers of [{}, { 'ucp-agent': 'agent' }, named('http://agent.example/x'), named('nonsense')]) {
    const { status, body } = await search(domain, headers)
    assert.deepEqual([status, body.code], [400, 'invalid_profile_url'], JSON.stringify(headers))
  }
  const { status, body } = await search(domain, named('https://10.0.0.1/profile.json'))
  assert.deepEqual([status, body.code], [400, 'invalid_profile_url'])
})

test('a profile is fetched once a minute at most, and kept as long as it says, up to an hour', async () => {
  const { domain } = await openShop()
  const body = JSON.stringify(platformProfile('2026-08-25', capabilityNames))
  const fetched = async (headers: Record<string, string>, seconds: number) => {
    const profile = publish({ body, headers })
    const { pathname } = new URL(profile)
    await Promise.all([search(domain, named(profile)), search(domain, named(profile))])
    world.clock.advance(seconds)
    assert.equal((await search(domain, named(profile))).status, 200)
    return world.host.received.filter(({ path }) => path === pathname).length
  }
  assert.equal(await fetched({ 'cache-control': 'no-store' }, 59), 1)
  assert.equal(await fetched({ 'cache-control': 'no-store' }, 61), 2)
  assert.equal(await fetched({ 'cache-control': 'public, max-age=600' }, 599), 1)
  assert.equal(await fetched({ 'cache-control': 'public, max-age=999999' }, 3601), 2)
})

test('profiles are kept within a limit of bytes: the one that was used longest ago goes first', async () => {
  const long = 'x'.repeat(200)
  const keys = Array.from({ length: 20 }, (_, index) => ({
    kid: `${index}${long.slice(2)}`,
    kty: 'EC',
    x: long,
    y: long,
  }))
  const fetched: string[] = []
  const get: GuardedFetch['get'] = async (url) => {
    fetched.push(url)
    const body = profileWith(keys)
    return { ok: true, status: 200, headers: {}, body, truncated: false } as Awaited<ReturnType<GuardedFetch['get']>>
  }
  const find = agentFinder({ get } as GuardedFetch, world.clock)
  const address = (number: number) => `https://agent-${number}.example/`
  for (let number = 0; number < 300; number++) assert.equal((await find(address(number))).keys.length, 20)
  await find(address(299))
  assert.equal(fetched.length, 300)
  await find(address(0))
  assert.equal(fetched.at(-1), address(0))
})

test('the capabilities of an answer are those that both have, and that matter to it', async () => {
  const { shop, domain } = await openShop()
  const { id } = await productOf(shop)
  const namesFor = async (capabilities: string[]) => {
    const agent = world.agent(domain, { profile: world.profileOf('2026-08-25', capabilities) })
    const { body } = await agent.call('create_checkout', { body: { line_items: [{ item: { id }, quantity: 1 }] } })
    return { names: Object.keys(body.ucp.capabilities), body }
  }
  const all = await namesFor([...capabilityNames, 'com.example.unknown'])
  assert.deepEqual(all.names, [
    'dev.ucp.shopping.checkout',
    'dev.ucp.shopping.fulfillment',
    'dev.ucp.shopping.discount',
  ])
  assert.ok(all.body.fulfillment && all.body.discounts)
  const few = await namesFor(['dev.ucp.shopping.checkout'])
  assert.deepEqual(few.names, ['dev.ucp.shopping.checkout'])
  assert.deepEqual([few.body.fulfillment, few.body.discounts], [undefined, undefined])
})

test('without a capability in common the answer says so, and where the shop is', async () => {
  const { domain } = await openShop()
  for (const capabilities of [[], ['dev.ucp.shopping.fulfillment', 'com.example.other']]) {
    for (const transport of ['rest', 'mcp'] as const) {
      const profile = world.profileOf('2026-08-25', capabilities)
      const { status, body } = await world
        .agent(domain, { profile, transport })
        .call('create_cart', { body: { line_items: [] } })
      assert.equal(status, 200)
      assert.deepEqual(body.ucp, { version: '2026-08-25', status: 'error', capabilities: {} })
      assert.deepEqual(codesOf(body), ['capabilities_incompatible unrecoverable'])
      assert.equal(body.continue_url, `https://${domain}`)
    }
  }
})

test('an answer is in the release of the agent', async () => {
  const { shop, domain } = await openShop()
  const { id } = await productOf(shop)
  for (const release of ['2026-04-08', '2026-08-25'] as const) {
    const { body } = await world.agent(domain, { release }).call('get_product', { body: { id } })
    assert.deepEqual(body.ucp, {
      version: release,
      status: 'success',
      capabilities: { 'dev.ucp.shopping.catalog.lookup': [{ version: release }] },
    })
  }
})
