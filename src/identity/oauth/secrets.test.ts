import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizeUrl, basic, newApp, newCode, newTokens, openOauthWorld, toConsent } from '../../../test/oauth.ts'
import { makeLink } from '../accounts/links.ts'
import { invite } from '../accounts/team.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { letterTo, linkIn } from '../../../test/letters.ts'
import { createClient } from './operations.ts'

const world = await openOauthWorld({ sweeps: true })
const { db } = world.app

/** How many rows of the whole database hold one of the texts, table by table. */
async function tablesWith(texts: string[]): Promise<Record<string, number>> {
  const tables = await db.rows<{ name: string }>(sql`
    select table_name as name
    from information_schema.tables
    where table_schema = 'public'
      and table_type = 'BASE TABLE'`)
  assert.ok(tables.length > 15)
  const patterns = texts.flatMap((text) => [
    text,
    Buffer.from(text).toString('hex'),
    Buffer.from(text).toString('base64url'),
  ])
  const found: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await db.rows<{ count: number }>(sql`
      select count(*) as count
      from ${raw(name)} as one
      where exists (select from unnest(${patterns}::text[]) as secret where strpos(one::text, secret) > 0)`)
    if (row!.count > 0) found[name] = row!.count
  }
  return found
}

test('a dump of the database opens nothing: no secret, token, code, cookie, link or password is in it', async () => {
  const ana = await world.newMerchant()
  const app = await newApp(world)
  const code = await newCode(world, ana, app)
  const tokens = await newTokens(world, ana, app)
  const waiting = await toConsent(ana, authorizeUrl(world.issuer, app))
  const byHand = await db.transaction((tx) =>
    createClient(tx, ana.userId, { name: 'x', redirectUris: ['https://x.example'], scope: 'read:orders' }),
  )
  const links = await db.transaction(async (tx) => [
    await makeLink(tx, ana.userId, 'reset'),
    await makeLink(tx, ana.userId, 'sign_in'),
    await invite(tx, ana.store.store.id, {
      email: `x-${ana.userId}@example.com`,
      role: 'staff',
      inviterId: ana.userId,
    }),
  ])
  await ana.browser.submit(await ana.browser.go(`${world.issuer}/oauth/reset`), { email: ana.email })
  const [letter] = await letterTo(world.app, ana.email)
  const mailed = linkIn(letter!.text).split('/oauth/reset/')[1]
  const secrets = [
    app.client_secret!,
    byHand.client_secret!,
    code.code,
    tokens.access_token,
    tokens.refresh_token,
    ...links,
    mailed!,
    new URL(waiting.url).pathname.split('/').at(-1)!,
    ana.store.api.key,
    ana.password,
    ...[...ana.browser.cookies.values()].map(({ value }) => value),
  ]
  assert.ok(secrets.length >= 13 && secrets.every((secret) => secret.length > 20), JSON.stringify(secrets))
  assert.deepEqual(await tablesWith(secrets), {})
  // The search finds what is there.
  assert.deepEqual(Object.keys(await tablesWith([ana.email])).includes('users'), true)
})

test('what the database keeps in place of a secret is no secret', async () => {
  const app = await newApp(world)
  const row = await db.one<{ hash: string }>(
    sql`select encode(secret_hash, 'hex') as hash from oauth_clients where id = ${app.client_id}`,
  )
  for (const client_secret of [row!.hash, `sha256:${row!.hash}`]) {
    const { status } = await world.post('/oauth/introspect', { token: 'x' }, basic({ ...app, client_secret }))
    assert.equal(status, 401)
  }
})

test("no cache keeps what a key or a token opened, refusals included; the shops' catalogue may be kept", async () => {
  const { store, api } = await world.newStore()
  const asked = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(world.url + path, { headers })).headers.get('cache-control')
  assert.equal((await api.get('/v1/customers')).headers.get('cache-control'), 'no-store')
  assert.equal((await api.post('/v1/customers', { name: 'Ana' })).headers.get('cache-control'), 'no-store')
  assert.equal(await asked('/v1/customers'), 'no-store')
  assert.equal(await asked('/v1/customers', { authorization: 'Bearer unknown' }), 'no-store')
  assert.equal(await asked(`/storefront/${store.slug}/products`), 'no-cache')
})
