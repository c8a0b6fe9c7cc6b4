// Signed requests: who signed is who asks, or the request is refused.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openUcpWorld, lines, whole } from '../../../test/ucp.ts'
import { callSigned, digestOf, profileWith, signedHeaders, signingKey, type Call } from '../../../test/signing.ts'
import { productOf, setUp } from '../../../test/checkouts.ts'
import { sql } from '../../kit/database/sql.ts'
import { computeThumbprint } from '../../platform/signatures/jwk.ts'
import { releases } from './releases.ts'

const world = await openUcpWorld()
const shop = await setUp(await world.newStore())
const domain = await world.domainOf(shop)
const { id: product } = await productOf(shop)
const body = { query: 'x' }

const key = signingKey()
const profile = world.publish({ body: profileWith([key.jwk]) })
const call = (own: Partial<Call> = {}) => callSigned(world, domain, { profile, key, body, ...own })
const now = (seconds = 0) => new Date(world.clock.now().getTime() + seconds * 1000)
const refused = ({ status, body }: Awaited<ReturnType<typeof call>>) => [status, body.code ?? body.error?.data.code]
const limitOf = ({ headers }: Awaited<ReturnType<typeof call>>) => Number(headers.get('x-ratelimit-limit'))
const fetches = (url: string) => world.host.received.filter(({ path }) => path === new URL(url).pathname).length

test('an agent signs its requests with a key of its profile, in both releases, by REST and MCP', async () => {
  for (const release of releases) {
    const own = world.publish({ body: profileWith([signingKey().jwk, key.jwk], release) })
    const rest = await call({ profile: own })
    assert.deepEqual([rest.status, rest.body.ucp.version, limitOf(rest)], [200, release, 3000])
    const params = { name: 'search_catalog', arguments: { meta: {}, catalog: body } }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const mcp = await call({ profile: own, path: '/ucp/mcp', body: message })
    assert.deepEqual([mcp.status, mcp.body.result.structuredContent.ucp.version, limitOf(mcp)], [200, release, 3000])
  }
})

test('a signed checkout is created, read and completed', async () => {
  const write = (path: string, sent?: unknown) =>
    call({ path, ...(sent ? { body: sent } : { body: undefined }), headers: { 'idempotency-key': randomUUID() } })
  const created = await write('/ucp/checkout-sessions', whole(product))
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const read = await call({ method: 'GET', path: `/ucp/checkout-sessions/${created.body.id}`, body: undefined })
  assert.deepEqual([read.status, read.body.id], [200, created.body.id])
  const canceled = await write(`/ucp/checkout-sessions/${created.body.id}/cancel`)
  assert.deepEqual([canceled.status, canceled.body.status], [200, 'canceled'])
})

for (const alg of ['ecdsa-p384-sha384', 'ed25519'] as const) {
  test(`a key of ${alg} can sign too`, async () => {
    const own = signingKey(alg)
    const answer = await call({ key: own, profile: world.publish({ body: profileWith([own.jwk]) }) })
    assert.deepEqual([answer.status, limitOf(answer)], [200, 3000])
  })
}

test('a signature for Web Bot Auth names its key by the thumbprint', async () => {
  const own = signingKey()
  own.jwk.kid = computeThumbprint(own.jwk)
  const address = world.publish({ body: profileWith([own.jwk, key.jwk]) })
  const headers = { 'signature-agent': `sig1="${address}";type=jwks_uri` }
  const given = ['content-type', 'content-digest', 'ucp-agent', 'signature-agent;key="sig1"']
  const fields = ['@method', '@authority', '@path', ...given]
  const parameters = () => ({ created: now(), expires: now(60), nonce: randomUUID(), tag: 'web-bot-auth' })
  const answer = await call({ key: own, profile: address, headers, fields, parameters: parameters() })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const named = await call({ profile: address, headers, fields, parameters: parameters() })
  assert.deepEqual(refused(named), [401, 'signature_invalid'])
})

test('an anonymous agent stays welcome', async () => {
  const { status, headers } = await world.agent(domain, { profile }).call('search_catalog', { body })
  assert.deepEqual([status, headers.get('x-ratelimit-limit')], [200, '1000'])
})

type Forgery = [name: string, forge: () => Promise<Awaited<ReturnType<typeof call>>>, status: number, code: string]

const sent = (headers: Record<string, string>, own: { path?: string; body?: unknown; method?: string } = {}) =>
  world.http(domain, own.method ?? 'POST', own.path ?? '/ucp/catalog/search', { body: own.body ?? body, headers })
const headersOf = (own: Partial<Call> = {}) => signedHeaders(domain, { profile, key, body, ...own })
const allBut = (field: string) => {
  const all = ['@method', '@authority', '@path', 'ucp-agent', 'content-type', 'content-digest']
  return all.filter((name) => name !== field)
}
const without = (headers: Record<string, string>, name: string) => {
  const { [name]: _, ...rest } = headers
  return rest
}

const forgeries: Forgery[] = [
  [
    'by another key of the same name',
    () => call({ key: signingKey('ecdsa-p256-sha256', key.jwk.kid) }),
    401,
    'signature_invalid',
  ],
  ['by a key that the profile lacks', () => call({ key: signingKey() }), 401, 'key_not_found'],
  ['with another body', async () => sent(await headersOf(), { body: { query: 'y' } }), 400, 'digest_mismatch'],
  [
    'with another body and its digest',
    async () => sent({ ...(await headersOf()), 'content-digest': digestOf('{"query":"y"}') }, { body: { query: 'y' } }),
    401,
    'signature_invalid',
  ],
  ['of another path', async () => sent(await headersOf(), { path: '/ucp/catalog/lookup' }), 401, 'signature_invalid'],
  [
    'with a query that was added',
    async () => sent(await headersOf(), { path: '/ucp/catalog/search?a=1' }),
    401,
    'signature_invalid',
  ],
  [
    'for another store',
    async () => sent(await signedHeaders('other.example.net', { profile, key, body })),
    401,
    'signature_invalid',
  ],
  ['with another method', async () => sent(await headersOf({ method: 'PUT' })), 401, 'signature_invalid'],
  [
    'with a key that was added',
    async () => sent({ ...(await headersOf()), 'idempotency-key': randomUUID() }),
    401,
    'signature_invalid',
  ],
  [
    'with a digest by another algorithm',
    () => call({ headers: { 'content-digest': 'sha-512=:AAAA:' } }),
    400,
    'digest_mismatch',
  ],
  ['without its digest', async () => sent(without(await headersOf(), 'content-digest')), 401, 'signature_missing'],
  ['without Signature', async () => sent(without(await headersOf(), 'signature')), 401, 'signature_missing'],
  [
    'without Signature-Input',
    async () => sent(without(await headersOf(), 'signature-input')),
    401,
    'signature_missing',
  ],
  ['without UCP-Agent', () => call({ profile: null }), 401, 'signature_missing'],
  [
    'that is not readable',
    async () => sent({ ...(await headersOf()), signature: 'sig1=:AAAA' }),
    401,
    'signature_invalid',
  ],
  [
    'with the label of no input',
    async () => sent({ ...(await headersOf()), signature: 'sig2=:AAAA:' }),
    401,
    'signature_invalid',
  ],
  ['that is empty', async () => sent({ ...(await headersOf()), signature: 'sig1=::' }), 401, 'signature_invalid'],
  ['that is from the future', () => call({ parameters: { created: now(90) } }), 401, 'signature_invalid'],
  ['that is old', () => call({ parameters: { created: now(-301) } }), 401, 'signature_invalid'],
  ['that has expired', () => call({ parameters: { created: now(-200), expires: now(-61) } }), 401, 'signature_invalid'],
  ['with a nonce at no time', () => call({ parameters: { nonce: randomUUID() } }), 401, 'signature_invalid'],
  [
    'of a write at no time',
    () => call({ parameters: {}, headers: { 'idempotency-key': randomUUID() } }),
    401,
    'signature_invalid',
  ],
  [
    'that covers one digest of several',
    () =>
      call({
        headers: { 'content-digest': `sha-512=:AAAA:, ${digestOf(JSON.stringify(body))}` },
        fields: [...allBut('content-digest'), 'content-digest;key="sha-512"'],
      }),
    401,
    'signature_invalid',
  ],
  [
    'that covers a part of UCP-Agent',
    () =>
      call({
        headers: { 'ucp-agent': `profile="${profile}", note="x"` },
        fields: [...allBut('ucp-agent'), 'ucp-agent;key="note"'],
      }),
    401,
    'signature_invalid',
  ],
  ['for another purpose', () => call({ parameters: { tag: 'other' } }), 401, 'signature_invalid'],
  [
    'by the name of another algorithm',
    () => call({ parameters: { alg: 'hmac-sha256' } }),
    400,
    'algorithm_unsupported',
  ],
  ...['@method', '@authority', '@path', 'ucp-agent', 'content-type', 'content-digest'].map((field): Forgery => [
    `that does not cover ${field}`,
    () => call({ fields: allBut(field) }),
    401,
    'signature_invalid',
  ]),
]

for (const [name, forge, status, code] of forgeries) {
  test(`a signature ${name} is refused`, async () => {
    assert.deepEqual(refused(await forge()), [status, code])
  })
}

test('a key for something else, or of an unknown kind, refuses what it signed and nothing more', async () => {
  const [rsa, secret] = [signingKey('rsa-pss-sha512'), signingKey()]
  const odd: any[] = [null, 1, { kty: 'EC' }, { kid: 'x' }, { ...signingKey().jwk, kid: 7 }]
  const keys = [...odd, rsa.jwk, { ...secret.jwk, use: 'enc' }, key.jwk]
  const own = world.publish({ body: profileWith(keys) })
  assert.deepEqual(refused(await call({ profile: own, key: rsa })), [400, 'algorithm_unsupported'])
  assert.deepEqual(refused(await call({ profile: own, key: secret })), [401, 'key_not_found'])
  assert.equal((await call({ profile: own })).status, 200)
})

test('one of several signatures is enough', async () => {
  const [good, bad] = [await headersOf(), await headersOf({ key: signingKey() })]
  const both = (name: string, first: string) => `${first.replace('sig1', 'bad')}, ${good[name]!}`
  const headers = {
    ...good,
    signature: both('signature', bad.signature!),
    'signature-input': both('signature-input', bad['signature-input']!),
  }
  const { status, body: answer } = await sent(headers)
  assert.equal(status, 200, JSON.stringify(answer))
})

test('a new key is found once the profile is read again, which an unknown key makes happen once a minute', async () => {
  const host = new URL(profile).origin
  world.clock.advance(61)
  const [old, next] = [signingKey(), signingKey()]
  const own = world.publish({ body: profileWith([old.jwk]), headers: { 'cache-control': 'max-age=3600' } })
  assert.equal((await call({ profile: own, key: old })).status, 200)
  const documents = world.host.answer
  world.host.answer = (request) =>
    host + request.path === own ? { body: profileWith([next.jwk]) } : documents(request)
  assert.equal((await call({ profile: own, key: next })).status, 200)
  assert.deepEqual(refused(await call({ profile: own, key: old })), [401, 'key_not_found'])
  assert.deepEqual(refused(await call({ profile: own, key: signingKey() })), [401, 'key_not_found'])
  assert.equal(fetches(own), 2)
  world.clock.advance(59)
  world.host.answer = (request) => (host + request.path === own ? 'reset' : documents(request))
  assert.equal((await call({ profile: own, key: next })).status, 200, 'what cannot be read again stays')
  world.host.answer = documents
})

test('a nonce is used once; a repeated write is answered as the first time, and done once', async () => {
  const nonce = randomUUID()
  const headers = await headersOf({ parameters: { created: now(), nonce } })
  assert.equal((await sent(headers)).status, 200)
  assert.deepEqual(refused(await sent(headers)), [401, 'signature_invalid'])
  const again = await call({ parameters: { created: now(1), nonce } })
  assert.deepEqual(refused(again), [401, 'signature_invalid'])
  const create = { path: '/ucp/checkout-sessions', body: { line_items: lines(product) } }
  const signed = await headersOf({ ...create, headers: { 'idempotency-key': randomUUID() } })
  const checkouts = async () =>
    (await world.app.db.one<{ count: number }>(sql`
      select count(*)::int as count from checkouts where store_id = ${shop.store.id}`))!.count
  const before = await checkouts()
  const answers = await Promise.all([sent(signed, create), sent(signed, create), sent(signed, create)])
  assert.equal(new Set(answers.map(({ body: { id } }) => id)).size, 1)
  assert.equal(await checkouts(), before + 1)
  const { status, body: answer } = await call(create)
  assert.deepEqual([status, answer.code], [400, 'idempotency_key_required'])
})

test('a call by MCP cannot name another agent than the one that signed', async () => {
  const other = world.profileOf()
  const meta = { 'ucp-agent': { profile: other } }
  const params = { name: 'search_catalog', arguments: { meta, catalog: body } }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const answer = await call({ path: '/ucp/mcp', body: message })
  assert.deepEqual([...refused(answer), answer.body.error.code], [401, 'signature_invalid', -32000])
  const digest = await sent(await headersOf({ path: '/ucp/mcp', body: message }), { path: '/ucp/mcp' })
  assert.deepEqual([...refused(digest), digest.body.error.code], [400, 'digest_mismatch', -32600])
})

test('a write by REST or MCP is signed with its time, as its key is known for a day only', async () => {
  const params = {
    name: 'create_checkout',
    arguments: { meta: { 'idempotency-key': randomUUID() }, checkout: whole(product) },
  }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const byMcp = { path: '/ucp/mcp', body: message }
  assert.deepEqual(refused(await call({ ...byMcp, parameters: {} })), [401, 'signature_invalid'])
  const dated = await call({ ...byMcp, parameters: { created: now() } })
  assert.deepEqual([dated.status, dated.body.error], [200, undefined])
  const headers = { 'idempotency-key': randomUUID() }
  const byRest = { path: '/ucp/checkout-sessions', body: whole(product), headers }
  assert.deepEqual(refused(await call({ ...byRest, parameters: {} })), [401, 'signature_invalid'])
})

test('a profile inside the network, or one that cannot be fetched, signs nothing', async () => {
  const inside = await call({ profile: 'https://10.0.0.1/profile.json' })
  assert.deepEqual(refused(inside), [400, 'invalid_profile_url'])
  assert.deepEqual(refused(await call({ profile: 'http://agent.example/' })), [400, 'invalid_profile_url'])
  assert.deepEqual(refused(await call({ profile: world.publish({ status: 500 }) })), [424, 'profile_unreachable'])
  assert.deepEqual(refused(await call({ profile: world.publish('reset') })), [424, 'profile_unreachable'])
  const malformed = world.publish({ body: JSON.stringify({ keys: [key.jwk] }) })
  assert.deepEqual(refused(await call({ profile: malformed })), [422, 'profile_malformed'])
})
