// The keys by which agents know what we send: in the profile of each store, rotated by a command and after 90 days.
import assert from 'node:assert/strict'
import { createPublicKey, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import { ownDatabase } from '../../../test/database.ts'
import { openUcpWorld } from '../../../test/ucp.ts'
import { setUp } from '../../../test/checkouts.ts'
import { stoaOn } from '../../../test/stoa.ts'
import { sql } from '../../kit/database/sql.ts'
import { vault } from '../../kit/values/secrets.ts'
import { computeThumbprint } from '../../platform/signatures/jwk.ts'
import { signingKey } from './signingkeys.ts'

const secretKey = 'a key of the tests, 32 characters'
const database = await ownDatabase()
const world = await openUcpWorld({ SECRET_KEY: secretKey }, { database })
const { db, jobs } = world.app
const own = vault(secretKey)
const stoa = stoaOn({ DATABASE_URL: database.url, SECRET_KEY: secretKey })
const domain = await world.domainOf(await setUp(await world.newStore()))
const otherDomain = await world.domainOf(await setUp(await world.newStore()))

const profileOf = async (path = '', at = domain) => (await world.http(at, 'GET', `/.well-known/ucp${path}`)).body
const published = async () => (await profileOf()).keys.map(({ kid }: { kid: string }) => kid)
const signer = async () => (await signingKey(db, own)).id
const days = (count: number) => world.clock.advance(count * 24 * 3600)

test('the profiles of all stores and releases have the same key, and no private part of it', async () => {
  const [profiles, older] = [
    await Promise.all([profileOf(), profileOf('', otherDomain)]),
    await profileOf('/2026-04-08'),
  ]
  const [{ keys }, other] = profiles
  assert.deepEqual(Object.keys(keys[0]).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  assert.deepEqual([keys[0].alg, keys[0].kid, keys.length], ['ES256', computeThumbprint(keys[0]), 1])
  assert.deepEqual([other.keys, older.signing_keys, older.keys], [keys, keys, undefined])
  const { id, privateKey } = await signingKey(db, own)
  const publicKey = createPublicKey({ format: 'jwk', key: keys[0] })
  assert.equal(id, keys[0].kid)
  assert.ok(verify('sha256', Buffer.from('x'), publicKey, sign('sha256', Buffer.from('x'), privateKey)))
})

test('the private key is sealed, bound to its row', async () => {
  const row = await db.one<{ id: string; private_key: string }>(sql`select id, private_key from signing_keys`)
  const opened = own.open(row!.private_key, `signing_keys ${row!.id}`)
  assert.match(opened, /^-----BEGIN PRIVATE KEY-----/)
  assert.ok(!Buffer.from(row!.private_key.split('.')[1]!, 'base64url').includes(Buffer.from(opened).subarray(0, 32)))
  assert.throws(() => own.open(row!.private_key, 'signing_keys another'))
  assert.throws(() => vault('another key of 32 characters, too').open(row!.private_key, `signing_keys ${row!.id}`))
})

test('a command replaces the key: the old one signs for ten minutes, and is published for 7 days', async () => {
  const [old] = await published()
  const { id } = await stoa.json('signing-key', 'rotate')
  assert.deepEqual([await published(), await signer()], [[id, old], old])
  const { signing_keys } = await stoa.json('signing-key', 'list')
  assert.deepEqual(
    signing_keys.map((key: any) => [key.id, key.expires_at === null]),
    [
      [id, true],
      [old, false],
    ],
  )
  world.clock.advance(601)
  assert.equal(await signer(), id)
  days(6)
  await jobs.run('rotate signing keys')
  assert.deepEqual(await published(), [id, old])
  days(1)
  await jobs.run('rotate signing keys')
  assert.deepEqual(await published(), [id])
  const { count } = (await db.one<{ count: number }>(sql`select count(*)::int as count from signing_keys`))!
  assert.equal(count, 1)
})

test('a key is replaced after 90 days', async () => {
  const [old] = await published()
  days(81)
  await jobs.run('rotate signing keys')
  assert.deepEqual(await published(), [old])
  days(3)
  await jobs.run('rotate signing keys')
  const [next, ...rest] = await published()
  assert.deepEqual([rest, next === old], [[old], false])
})

test('a revoked key is neither published nor used from then on', async () => {
  const { id } = await stoa.json('signing-key', 'rotate', '--revoke')
  assert.deepEqual([await published(), await signer()], [[id], id])
})

test('many who need the first key at once get the same one', async () => {
  await db.transaction((tx) => tx.rows(sql`delete from signing_keys`))
  const ids = await Promise.all(Array.from({ length: 8 }, signer))
  assert.deepEqual([new Set(ids).size, await published()], [1, [ids[0]]])
})

test('keys that the secret key does not open are replaced', async () => {
  const [lost] = await published()
  const other = vault('another key of 32 characters, too')
  const { id } = await signingKey(db, other)
  assert.notEqual(id, lost)
  assert.deepEqual(
    (await db.rows<{ id: string }>(sql`select id from signing_keys where expires_at is null`)).map((key) => key.id),
    [id],
  )
})
