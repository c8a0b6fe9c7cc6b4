import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizeUrl, newApp, newTokens, openOauthWorld, toConsent } from '../../../test/oauth.ts'
import { randomBase62 } from '../../kit/values/secrets.ts'
import { sql } from '../../kit/database/sql.ts'
import { purgeAccounts } from '../accounts/purge.ts'
import { purgeOauth } from './purge.ts'

type World = Awaited<ReturnType<typeof openOauthWorld>>

const rowsOf = async (world: World, clientId: string, storeId: string) =>
  world.app.db.one(sql`
  select (select count(*) from oauth_clients where id = ${clientId}) as clients,
         (select count(*) from oauth_grants where store_id = ${storeId} and client_id = ${clientId}) as grants,
         (select count(*) from oauth_tokens where store_id = ${storeId}) as tokens`)

test('an expired client goes with its grants and tokens; one that lives keeps its own', async () => {
  const world = await openOauthWorld({ environment: { OAUTH_CLIENT_TTL_S: '100' }, sweeps: true })
  const [ana, ben] = [await world.newMerchant(), await world.newMerchant()]
  const old = await newApp(world)
  await newTokens(world, ana, old)
  world.clock.advance(60)
  const young = await newApp(world)
  await newTokens(world, ben, young)
  world.clock.advance(41)
  await purgeOauth(world.app.db)
  assert.deepEqual(await rowsOf(world, old.client_id, ana.store.store.id), { clients: 0, grants: 0, tokens: 0 })
  assert.deepEqual(await rowsOf(world, young.client_id, ben.store.store.id), { clients: 1, grants: 1, tokens: 3 })
})

test('a grant ends with its last token', async () => {
  const world = await openOauthWorld({ sweeps: true })
  const ana = await world.newMerchant()
  const app = await newApp(world)
  await newTokens(world, ana, app)
  const store = ana.store.store.id
  world.clock.advance(3661)
  await purgeOauth(world.app.db)
  assert.deepEqual(await rowsOf(world, app.client_id, store), { clients: 1, grants: 1, tokens: 1 })
  world.clock.advance(30 * 24 * 3600)
  await purgeOauth(world.app.db)
  assert.deepEqual(await rowsOf(world, app.client_id, store), { clients: 1, grants: 0, tokens: 0 })
})

test(
  'a grant whose code was never fetched goes after an hour; ' +
    'an answered request is gone at once, another after an hour',
  async () => {
    const world = await openOauthWorld({ sweeps: true })
    const { db } = world.app
    const ana = await world.newMerchant()
    const app = await newApp(world)
    const store = ana.store.store.id
    await db.transaction((tx) =>
      tx.rows(sql`
    insert into oauth_grants (store_id, id, client_id, user_id, scopes, payload, created_at)
    values (${store}, ${`${store}.${randomBase62(22)}`}, ${app.client_id}, ${ana.userId}, '{}', '{}', ${tx.now})`),
    )
    await toConsent(ana, authorizeUrl(world.issuer, app))
    const waiting = async () =>
      (await db.one<{ count: number }>(
        sql`select count(*) as count from oauth_interactions where payload->'params'->>'client_id' = ${app.client_id}`,
      ))!.count
    assert.equal(await waiting(), 1)
    await purgeOauth(db)
    assert.deepEqual([await waiting(), ((await rowsOf(world, app.client_id, store)) as any).grants], [1, 1])
    world.clock.advance(3601)
    await purgeOauth(db)
    assert.deepEqual([await waiting(), ((await rowsOf(world, app.client_id, store)) as any).grants], [0, 0])
  },
)

test('more than a batch goes too, and two nodes that purge at once share the work', async () => {
  const world = await openOauthWorld({ sweeps: true })
  const { db } = world.app
  const mark = randomBase62(8)
  await db.transaction((tx) =>
    tx.rows(sql`
    insert into oauth_clients (id, origin, name, metadata, created_at, expires_at)
    select ${mark} || number, 'dynamic', 'x', '{}', ${tx.now}, ${tx.now} from generate_series(1, 1100) as number`),
  )
  await Promise.all([purgeOauth(db), purgeOauth(db)])
  const [left] = await db.rows<{ count: number }>(
    sql`select count(*) as count from oauth_clients where id like ${`${mark}%`}`,
  )
  assert.equal(left!.count, 0)
})

test('ended sessions, links, invitations and old mail go', async () => {
  const world = await openOauthWorld({ sweeps: true })
  const { db } = world.app
  const ana = await world.newMerchant()
  await ana.browser.submit(await ana.browser.go(`${world.issuer}/oauth/login`), {
    email: ana.email,
    password: ana.password,
  })
  const sessions = async () => (await db.rows(sql`select id from sessions where user_id = ${ana.userId}`)).length
  await purgeAccounts(db)
  assert.equal(await sessions(), 1)
  world.clock.advance(30 * 24 * 3600)
  await purgeAccounts(db)
  assert.equal(await sessions(), 0)
})
