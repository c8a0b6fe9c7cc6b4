// Every type of event × every single scope × a token of an app and an API key: who subscribes, and who reads what.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client, type Client } from '../../../test/client.ts'
import { newApp, newTokens, openOauthWorld, someAddress, type Merchant } from '../../../test/oauth.ts'
import { testAuthority } from '../../../test/receiver.ts'
import { answering } from '../../../test/strangers.ts'
import { grants, scopes } from '../../identity/apikeys/scopes.ts'
import { emit } from '../../tenancy/events/emit.ts'
import { type EventType, eventTypes, declaredEvents } from './events.ts'

const world = await openOauthWorld({
  environment: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  network: { ca: testAuthority.ca, resolver: answering(['127.0.0.1']) },
})

const app = await newApp(world, { scope: scopes.join(' ') })

async function bearer(merchant: Merchant, scope: string, by = app): Promise<Client> {
  // The limits of the token endpoint are not the subject.
  world.clock.advance(61)
  const { access_token } = await newTokens(world, merchant, by, { scope })
  return client(world.url, { authorization: `Bearer ${access_token}`, 'x-forwarded-for': someAddress() })
}

/** A merchant whose log has one event of each type, numbered from 1 in the order of the types. */
async function merchantWithLog(): Promise<Merchant> {
  const merchant = await world.newMerchant()
  const { store } = merchant.store
  for (const type of eventTypes) {
    const { subjectId, payload } = declaredEvents[type].sample
    await world.app.db.transaction(async (tx) => emit(tx, store, type, subjectId, payload as never))
  }
  return merchant
}

const urlFor = (name: string) => `https://localhost/${name.replaceAll(/\W/g, '-')}`
const typesOf = ({ data }: any): EventType[] => data.map(({ event }: any) => event)
const statusOf = ({ status, error }: any) => (status < 400 ? status : error.code)

/** The types that a caller can subscribe to, tried one by one. */
async function subscribable(api: Client, name: string): Promise<EventType[]> {
  const made: EventType[] = []
  for (const type of eventTypes) {
    const answer = await api.post('/v1/webhooks', { url: urlFor(`${name}-${type}`), events: [type] })
    if (answer.status === 201) made.push(type)
    else assert.deepEqual([type, answer.status, answer.error.code], [type, 403, 'SCOPE_INSUFFICIENT'])
    if (answer.status === 201) await api.delete(`/v1/webhooks/${answer.data.id}`)
  }
  return made
}

/** The types that a caller reads from the log, whichever way it asks. */
async function readable(api: Client, ids: Map<EventType, string>): Promise<EventType[]> {
  const page = await api.get('/v1/events?limit=500')
  const seen = page.status === 200 ? typesOf(page) : []
  for (const type of eventTypes) {
    const named = await api.get(`/v1/events?types=${type}`)
    const one = await api.get(`/v1/events/${ids.get(type)}`)
    const expected = seen.includes(type) ? 200 : 'SCOPE_INSUFFICIENT'
    assert.deepEqual([type, statusOf(named), statusOf(one)], [type, expected, expected])
    if (named.status === 200) assert.deepEqual(typesOf(named), [type])
  }
  return seen
}

const merchant = await merchantWithLog()
const log = await merchant.store.api.get('/v1/events?limit=500')
const ids = new Map<EventType, string>(log.data.map(({ event, id }: any) => [event, id]))
const coveredBy = (scope: string) => eventTypes.filter((type) => grants([scope]).has(declaredEvents[type].scope))

for (const scope of scopes) {
  test(`an app with ${scope} subscribes to and reads the events that it covers, no others`, async () => {
    const alone = await bearer(merchant, scope)
    const isLog = scope === 'read:webhooks' || scope === 'write:webhooks'
    assert.equal(statusOf(await alone.get('/v1/events')), isLog ? 200 : 'SCOPE_INSUFFICIENT')
    const refused = await alone.post('/v1/webhooks', { url: urlFor(scope), events: ['product.created'] })
    assert.equal(statusOf(refused), 'SCOPE_INSUFFICIENT')
    if (isLog) return assert.deepEqual(await readable(alone, ids), [])
    const withLog = await bearer(merchant, `write:webhooks ${scope}`)
    assert.deepEqual(await readable(withLog, ids), coveredBy(scope))
    assert.deepEqual(await subscribable(withLog, scope), coveredBy(scope))
  })

  test(`an API key with ${scope} has the webhooks and the log by the webhooks scopes alone`, async () => {
    const key = await merchant.store.withKey({ scopes: [scope] })
    const isLog = scope === 'read:webhooks' || scope === 'write:webhooks'
    assert.equal(statusOf(await key.get('/v1/events')), isLog ? 200 : 'SCOPE_INSUFFICIENT')
    if (isLog) assert.deepEqual(await readable(key, ids), [...eventTypes])
    const body = { url: urlFor(`key-${scope}`), events: eventTypes }
    assert.equal(
      statusOf(await key.post('/v1/webhooks', body)),
      scope === 'write:webhooks' ? 201 : 'SCOPE_INSUFFICIENT',
    )
  })
}

test('a narrower token of the same app replays, reads and resends only what its scopes cover', async () => {
  const { store } = merchant
  const wide = await bearer(merchant, 'write:webhooks read:customers read:products')
  const events = ['product.created', 'customer.created']
  const { data: hook } = await wide.post('/v1/webhooks', { url: urlFor('narrower'), events, is_active: false })
  const window = { from_sequence: 1 }
  assert.equal((await wide.post(`/v1/webhooks/${hook.id}/replay`, window)).data.queued, 2)
  const path = `/v1/webhooks/${hook.id}/deliveries`
  const all = (await wide.get(path)).data
  assert.deepEqual(typesOf({ data: all }).toSorted(), events.toSorted())

  const narrow = await bearer(merchant, 'write:webhooks read:products')
  assert.deepEqual(typesOf(await narrow.get(path)), ['product.created'])
  for (const { id, event } of all) {
    const expected = event === 'product.created' ? 200 : 'SCOPE_INSUFFICIENT'
    assert.equal(statusOf(await narrow.get(`${path}/${id}`)), expected)
    assert.equal(statusOf(await narrow.post(`${path}/${id}/redeliver`)), expected)
  }
  const replayed = await narrow.post(`/v1/webhooks/${hook.id}/replay`, { ...window, events: ['customer.created'] })
  assert.equal(statusOf(replayed), 'SCOPE_INSUFFICIENT')
  assert.equal(statusOf(await narrow.patch(`/v1/webhooks/${hook.id}`, { url: urlFor('mine') })), 'SCOPE_INSUFFICIENT')
  assert.equal(typesOf(await store.api.get(path)).length, 2)
})

test('an app sees, changes and deletes only the webhooks that it made; keys see all', async () => {
  const { store } = merchant
  const scope = 'write:webhooks read:products'
  const [one, other] = [await bearer(merchant, scope), await bearer(merchant, scope, await newApp(world, { scope }))]
  const body = { url: urlFor('own'), events: ['product.created'] }
  const { data: byKey } = await store.api.post('/v1/webhooks', body)
  const { data: byApp } = await one.post('/v1/webhooks', { ...body, url: urlFor('app') })
  assert.deepEqual([byKey.client_id, byApp.client_id], [null, app.client_id])

  const seen = async (api: Client) => (await api.get('/v1/webhooks')).data.map(({ id }: any) => id)
  assert.ok((await seen(one)).includes(byApp.id) && !(await seen(one)).includes(byKey.id))
  assert.deepEqual(await seen(other), [])
  assert.ok((await seen(store.api)).includes(byApp.id) && (await seen(store.api)).includes(byKey.id))

  const { data: sent } = await store.api.post(`/v1/webhooks/${byKey.id}/test`)
  for (const call of [
    (api: Client, path: string) => api.get(path),
    (api: Client, path: string) => api.patch(path, { url: urlFor('stolen') }),
    (api: Client, path: string) => api.delete(path),
    (api: Client, path: string) => api.post(`${path}/rotate-secret`),
    (api: Client, path: string) => api.post(`${path}/test`),
    (api: Client, path: string) => api.post(`${path}/examine`),
    (api: Client, path: string) => api.post(`${path}/replay`, { from_sequence: 1 }),
    (api: Client, path: string) => api.post(`${path}/recover`, { since: new Date(0) }),
    (api: Client, path: string) => api.get(`${path}/deliveries`),
    (api: Client, path: string) => api.get(`${path}/deliveries/${sent.id}`),
    (api: Client, path: string) => api.post(`${path}/deliveries/${sent.id}/redeliver`),
  ]) {
    assert.equal(statusOf(await call(one, `/v1/webhooks/${byKey.id}`)), 'NOT_FOUND')
    assert.equal(statusOf(await call(other, `/v1/webhooks/${byApp.id}`)), 'NOT_FOUND')
  }
})

test('consent and Connected apps name the personal data that webhooks bring with them', async () => {
  const { default: words } = await import('../../../languages/en/consent.json', { with: { type: 'json' } })
  const { scopesInWords } = await import('../../identity/oauth/messages.ts')
  const own = (scope: string) => scopesInWords('en', scope.split(' '))
  assert.deepEqual(own('write:webhooks read:products'), [words['write:webhooks'], words['read:products']])
  assert.ok(own('read:webhooks propose:customers').includes(words['receive:customers']))
  assert.ok(own('write:webhooks write:orders').includes(words['receive:orders']))
  assert.ok(!own('propose:webhooks write:orders').includes(words['receive:orders']))
})
