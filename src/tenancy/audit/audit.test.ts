import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../../../test/browser.ts'
import { allow, authorizeUrl, newApp, newTokens, openOauthWorld, password, someAddress } from '../../../test/oauth.ts'
import { deactivateKey } from '../../identity/apikeys/operations.ts'
import { movableClock } from '../../kit/values/clock.ts'
import { publicId } from '../../kit/values/ids.ts'
import { sql } from '../../kit/database/sql.ts'
import { purgeAccounts } from '../../identity/accounts/purge.ts'
import { memoryRateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import { listSecurityEvents, recordSecurityEvent, recordFailure } from './operations.ts'
import { operator, stranger } from '../../kit/values/actor.ts'

const world = await openOauthWorld({ sweeps: true })
const { issuer } = world
const { db } = world.app

type Shown = { event: string; actor: string; subject: string | null }

/** The events of one store or about one subject, oldest first. */
async function noted(where: { store?: string; subject?: string }): Promise<Shown[]> {
  const events = await listSecurityEvents(db, { ...where, limit: 100 })
  return events.reverse().map(({ event, actor, subject }) => ({ event, actor: actor.kind, subject }))
}

const namesOf = (events: Shown[]) => events.map(({ event }) => event)

async function eventually(where: { subject: string }, event: string): Promise<Shown[]> {
  for (let tries = 0; tries < 200; tries++) {
    const events = await noted(where)
    if (events.some((one) => one.event === event)) return events
    await new Promise((wake) => setTimeout(wake, 10))
  }
  throw new Error(`${event} was not noted`)
}

test('signing in and failing to is noted, with the address and the browser, and no password', async () => {
  const ana = await world.newMerchant()
  const browser = openBrowser({ 'x-forwarded-for': someAddress(), 'user-agent': `A browser\t${'x'.repeat(500)}` })
  const enter = (given: string) =>
    browser.visit(`${issuer}/oauth/login`, {
      method: 'POST',
      body: new URLSearchParams({ email: ana.email, password: given }),
    })
  await enter('a wrong secret')
  await eventually({ subject: ana.id }, 'sign_in_failed')
  await enter(password)
  const [event] = await listSecurityEvents(db, { subject: ana.id, limit: 1 })
  assert.deepEqual([event!.event, event!.actor.id, event!.details], ['signed_in', ana.id, { how: 'password' }])
  assert.match(event!.actor.ip!, /^10\./)
  assert.equal(event!.actor.user_agent!.length, 200)
  const all = await listSecurityEvents(db, { subject: ana.id, limit: 100 })
  assert.ok(!JSON.stringify(all).includes('a wrong secret') && !JSON.stringify(all).includes(password))
})

test('keys, members, roles and grants of a store are noted with who did it', async () => {
  const ana = await world.newMerchant()
  const store = ana.store.store.id
  const app = await newApp(world)
  const tokens = await newTokens(world, ana, app)
  await world.post('/oauth/revoke', {
    token: tokens.refresh_token,
    client_id: app.client_id,
    client_secret: app.client_secret!,
  })
  await allow(ana, app, authorizeUrl(issuer, app))
  await ana.browser.visit(`${issuer}/oauth/portal/api/stores/${store}/apps/${app.client_id}`, { method: 'DELETE' })
  const [{ id: key } = { id: '' }] = await db.rows<{ id: string }>(sql`
    select id from api_keys where store_id = ${store}`)
  await db.transaction((tx) => deactivateKey(tx, key))
  assert.deepEqual(await noted({ store }), [
    { event: 'key_created', actor: 'operator', subject: publicId('key', key) },
    { event: 'member_added', actor: 'operator', subject: ana.id },
    { event: 'grant_given', actor: 'user', subject: app.client_id },
    { event: 'grant_ended', actor: 'client', subject: app.client_id },
    { event: 'grant_given', actor: 'user', subject: app.client_id },
    { event: 'grant_ended', actor: 'user', subject: app.client_id },
    { event: 'key_deactivated', actor: 'operator', subject: publicId('key', key) },
  ])
  assert.deepEqual(namesOf(await noted({ subject: app.client_id })).slice(0, 1), ['client_created'])
})

test('a rotated webhook secret is noted without the secret', async () => {
  const { api, store } = await world.newStore()
  const hook = { url: 'https://hooks.example/a', events: ['order.completed'] }
  const { data } = await api.post('/v1/webhooks', hook)
  const rotated = await api.post(`/v1/webhooks/${data.id}/rotate-secret`)
  assert.equal(rotated.status, 200)
  const events = await listSecurityEvents(db, { store: store.id, subject: data.id, limit: 10 })
  assert.deepEqual(
    events.map(({ event, actor }) => [event, actor.kind]),
    [['webhook_secret_rotated', 'key']],
  )
  assert.ok(!JSON.stringify(events).includes(rotated.data.secret))
})

test('what is rolled back is not noted', async () => {
  const { store } = await world.newStore()
  const failing = db.transaction(async (tx) => {
    recordSecurityEvent(tx, { event: 'key_created', actor: operator, store: store.id, subject: 'key_x' })
    throw new Error('no')
  })
  await assert.rejects(failing)
  assert.deepEqual(await noted({ subject: 'key_x' }), [])
})

test('a flood of failures is noted so often a minute and no more', async () => {
  const limiter = memoryRateLimiter(movableClock())
  const failure = { event: 'sign_in_failed', actor: stranger(), subject: 'usr_flood' } as const
  for (let count = 0; count < 150; count++) await recordFailure(db, limiter, failure)
  const [{ count } = { count: 0 }] = await db.rows<{ count: number }>(sql`
    select count(*) as count from security_events where subject = 'usr_flood'`)
  assert.equal(count, 120)
})

test('an event is kept 365 days', async () => {
  const note = (days: number) => {
    const at = new Date(world.clock.now().getTime() - days * 24 * 3600_000)
    return db.rows(sql`
      insert into security_events (store_id, id, event, actor_kind, subject, created_at)
      values ('', gen_random_uuid(), 'signed_in', 'user', 'usr_kept', ${at})`)
  }
  await note(364)
  await note(366)
  await purgeAccounts(db)
  assert.equal((await noted({ subject: 'usr_kept' })).length, 1)
})
