// The webhooks of an app end with its access, however that ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client, type Client } from '../../../test/client.ts'
import { until } from '../../../test/deliveries.ts'
import { basic, newApp, newTokens, openOauthWorld, someAddress, type App, type Merchant } from '../../../test/oauth.ts'
import { testAuthority, type Receiver } from '../../../test/receiver.ts'
import { answering, running } from '../../../test/strangers.ts'
import { sql } from '../../kit/database/sql.ts'
import { userActor } from '../../identity/accounts/user.ts'
import { changeRole, removeMember } from '../../identity/accounts/team.ts'
import { addMember, createUser } from '../../identity/accounts/operations.ts'
import { disconnectApp } from '../../identity/oauth/apps.ts'
import { endGrantsOfUser } from '../../identity/oauth/usergrants.ts'
import { createClient, deleteClient } from '../../identity/oauth/operations.ts'
import { newUuid } from '../../kit/values/ids.ts'

const world = await openOauthWorld({
  environment: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  network: { ca: testAuthority.ca, resolver: answering(['127.0.0.1']) },
  delivers: true,
})
const { db } = world.app
const scope = 'write:webhooks read:customers read:products'

type Connected = {
  merchant: Merchant
  app: App
  token: string
  refresh: string
  api: Client
  receiver: Receiver
  hook: any
}

async function connected({ app, events = ['customer.created'] }: { app?: App; events?: string[] } = {}) {
  const merchant = await world.newMerchant()
  const own = app ?? (await newApp(world, { scope }))
  return subscribed(merchant, own, events)
}

async function subscribed(merchant: Merchant, app: App, events: string[]): Promise<Connected> {
  const { access_token: token, refresh_token: refresh } = await newTokens(world, merchant, app, { scope })
  const api = client(world.url, { authorization: `Bearer ${token}`, 'x-forwarded-for': someAddress() })
  const receiver = await running()
  const { status, data: hook } = await api.post('/v1/webhooks', { url: `${receiver.url}/app`, events })
  assert.equal(status, 201)
  return { merchant, app, token, refresh, api, receiver, hook }
}

const newCustomer = ({ merchant }: Connected, name: string) =>
  merchant.store.api.post('/v1/customers', { name, email: `${newUuid()}@example.com` })

const hookOf = async ({ merchant, hook }: Connected) => (await merchant.store.api.get(`/v1/webhooks/${hook.id}`)).data

/** Disabled, and what happens afterwards does not reach it: a key's webhook that gets it as well says when. */
async function assertEnded(one: Connected): Promise<void> {
  const { is_active, status, disabled_reason } = await hookOf(one)
  assert.deepEqual([is_active, status, disabled_reason], [false, 'disabled', 'access_revoked'])
  const { api } = one.merchant.store
  const witness = await running()
  await api.post('/v1/webhooks', { url: `${witness.url}/key`, events: ['customer.created'] })
  const before = one.receiver.received.length
  await newCustomer(one, 'Secret Person')
  await witness.waitFor(1)
  assert.equal(one.receiver.received.length, before)
  for (const path of ['test', 'examine', 'replay', 'recover']) {
    const body = { replay: { from_sequence: 1 }, recover: { since: new Date(0) } }[path] ?? {}
    const { error } = await api.post(`/v1/webhooks/${one.hook.id}/${path}`, body)
    assert.equal(error.code, 'CONFLICT', path)
  }
  const { error } = await api.patch(`/v1/webhooks/${one.hook.id}`, { is_active: true })
  assert.equal(error.code, 'CONFLICT')
  assert.equal(one.receiver.received.length, before)
}

const clientOfOwner = async (userId: string): Promise<App> => {
  const redirect_uri = 'https://app.example/callback'
  const input = { name: 'Own app', redirectUris: [redirect_uri], scope }
  return { redirect_uri, ...(await db.transaction((tx) => createClient(tx, userId, input))) }
}

const ends: Record<string, (one: Connected) => Promise<unknown>> = {
  'the merchant revokes it': ({ merchant, app }) =>
    db.transaction((tx) => disconnectApp(tx, merchant.store.store.id, app.client_id, userActor(merchant.userId))),
  'the person ends all grants': ({ merchant }) =>
    db.transaction((tx) => endGrantsOfUser(tx, merchant.userId, userActor(merchant.userId))),
  'the app revokes its refresh token': ({ app, refresh }) =>
    world.post('/oauth/revoke', { token: refresh }, basic(app)),
  'its person is no longer a manager': async ({ merchant }) => {
    await newOwner(merchant)
    const by = { role: 'staff' as const, actorId: merchant.userId }
    await db.transaction((tx) => changeRole(tx, merchant.store.store.id, merchant.userId, by))
  },
  'its person leaves the store': async ({ merchant }) => {
    await newOwner(merchant)
    await db.transaction((tx) => removeMember(tx, merchant.store.store.id, merchant.userId, merchant.userId))
  },
}

async function newOwner({ store: { store } }: Merchant): Promise<void> {
  await db.transaction(async (tx) => {
    const email = `${newUuid()}@example.com`
    await addMember(tx, store, await createUser(tx, { email, password: 'correct horse battery', name: 'Eva' }), 'owner')
  })
}

for (const [how, end] of Object.entries(ends)) {
  test(`an app's webhook is disabled at once and gets nothing more when ${how}`, async () => {
    const one = await connected()
    await newCustomer(one, 'Known Person')
    await one.receiver.waitFor(1)
    await end(one)
    await assertEnded(one)
  })
}

test('an app whose client is deleted loses its webhooks in all stores', async () => {
  const developer = await world.newMerchant()
  const app = await clientOfOwner(developer.userId)
  const [one, two] = [await connected({ app }), await connected({ app })]
  await db.transaction((tx) => deleteClient(tx, developer.userId, app.client_id))
  await assertEnded(one)
  await assertEnded(two)
})

test('what is queued when access ends is not sent, and its delivery says why', async () => {
  const one = await connected()
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  one.receiver.answer = async () => (await held, { status: 503 })
  await newCustomer(one, 'First Person')
  await one.receiver.waitFor(1)
  for (let count = 0; count < 12; count++) await newCustomer(one, `Person ${count}`)
  await one.receiver.waitFor(8)
  await ends['the merchant revokes it']!(one)
  release()
  const path = `/v1/webhooks/${one.hook.id}/deliveries?per_page=100`
  await until(async () => {
    const { data } = await one.merchant.store.api.get(path)
    return data.every(({ status }: any) => status !== 'pending' && status !== 'held')
  })
  const { data } = await one.merchant.store.api.get(path)
  assert.deepEqual(
    new Set(data.map(({ status, error }: any) => `${status} ${error}`)),
    new Set(['skipped access_revoked']),
  )
  assert.equal(one.receiver.received.length, 8)
  await assertEnded(one)
})

test('an expired client gets nothing more, and a job disables its webhook', async () => {
  const one = await connected()
  await db.transaction((tx) =>
    tx.rows(sql`update oauth_clients set expires_at = ${tx.now} where id = ${one.app.client_id}`),
  )
  world.clock.advance(1)
  await newCustomer(one, 'Secret Person')
  await until(async () => {
    const { data } = await one.merchant.store.api.get(`/v1/webhooks/${one.hook.id}/deliveries`)
    return data[0]?.status === 'skipped' && data[0].error === 'access_revoked'
  })
  assert.equal(one.receiver.received.length, 0)
  await world.app.jobs.run('disable webhooks of apps')
  await assertEnded(one)
})

test('another grant of the same app keeps its webhooks, as far as its scopes go', async () => {
  const one = await connected({ events: ['customer.created'] })
  const { data: products } = await one.api.post('/v1/webhooks', {
    url: `${one.receiver.url}/products`,
    events: ['product.created'],
  })
  await newTokens(world, one.merchant, one.app, { scope: 'write:webhooks read:products' })
  await world.post('/oauth/revoke', { token: one.refresh }, basic(one.app))
  assert.equal((await hookOf(one)).disabled_reason, 'access_revoked')
  assert.equal((await hookOf({ ...one, hook: products })).status, 'active')
})

test('an app that is let in again enables its webhook again; nothing from before is sent', async () => {
  const one = await connected()
  await one.api.patch(`/v1/webhooks/${one.hook.id}`, { is_active: false })
  await ends['the merchant revokes it']!(one)
  const again = await newTokens(world, one.merchant, one.app, { scope })
  const api = client(world.url, { authorization: `Bearer ${again.access_token}` })
  const { data } = await api.patch(`/v1/webhooks/${one.hook.id}`, { is_active: true })
  assert.deepEqual([data.status, data.disabled_reason], ['active', null])
  await newCustomer(one, 'Known Person')
  const [request] = await one.receiver.waitFor(1)
  assert.match(request!.body.toString(), /Known Person/)
})

test('a webhook is not created by a token whose grant ends at the same moment', async () => {
  const one = await connected()
  const made = Array.from({ length: 5 }, (_, index) =>
    one.api.post('/v1/webhooks', { url: `${one.receiver.url}/${index}`, events: ['customer.created'] }),
  )
  await Promise.all([...made, ends['the merchant revokes it']!(one)])
  const { data } = await one.merchant.store.api.get('/v1/webhooks')
  assert.deepEqual(
    data.filter(({ is_active }: any) => is_active),
    [],
  )
})

test('Connected apps counts the webhooks of an app, and the confirmation of revoking mentions them', async () => {
  const one = await connected()
  const { browser, store } = one.merchant
  const page = await browser.go(`${world.url}/dashboard/${store.store.id}/settings/developer/apps`)
  assert.match(page.text, /1 webhook\b/)
  assert.match(page.text, /Receive customers and their contact details as they change/)
  const ask = await browser.go(
    `${world.url}/dashboard/${store.store.id}/settings/developer/apps?ask=end&app=${one.app.client_id}`,
  )
  assert.equal(ask.status, 200)
})
