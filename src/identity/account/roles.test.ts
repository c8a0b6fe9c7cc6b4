import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newRole, personOf, type Person } from '../../../test/people.ts'
import { letterTo, linkIn } from '../../../test/letters.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { newUuid, toUuid } from '../../kit/values/ids.ts'
import { newMember } from './role.ts'

const world = await openWorld({}, { sweeps: true })

async function open() {
  const shop = await world.newStore()
  const owner = await personOf(world, shop)
  const path = `/oauth/portal/api/stores/${shop.store.id}`
  return { shop, owner, path }
}

/** Someone with a role of the store's own. */
async function withRole(shop: TestStore, scopes: string[]): Promise<Person & { role: string }> {
  const role = await newRole(world, shop, scopes)
  return { ...(await personOf(world, shop, { id: toUuid('role', role)! })), role }
}

const someAddress = () => `bo-${newUuid()}@example.com`

test('an owner creates a role, which grants what its scopes imply; it is listed, changed and deleted', async () => {
  const { shop, owner, path } = await open()
  const made = await owner.api.post(`${path}/roles`, {
    name: 'Warehouse',
    scopes: ['write:inventory', 'propose:orders'],
  })
  assert.equal(made.status, 201)
  const { id, name, description, scopes } = made.data
  const implied = [
    'read:inventory',
    'write:inventory',
    'read:orders',
    'read:store',
    'propose:inventory',
    'propose:orders',
  ]
  assert.deepEqual([name, description, scopes.toSorted()], ['Warehouse', null, implied.toSorted()])
  assert.deepEqual((await owner.api.get(`${path}/roles`)).data, [made.data])
  const changed = await owner.api.patch(`${path}/roles/${id}`, { scopes: ['read:orders'] })
  assert.deepEqual(changed.data.scopes, ['read:orders', 'read:store'])
  assert.deepEqual((await owner.api.send('DELETE', `${path}/roles/${id}`)).data, { deleted: true })
  const events = await world.app.db.rows<{ event: string }>(sql`
    select event from security_events where store_id = ${shop.store.id} and subject = ${id} order by created_at, id`)
  assert.deepEqual(
    events.map(({ event }) => event),
    ['role_created', 'role_updated', 'role_deleted'],
  )
})

test('the audit log tells of roles', async () => {
  const { shop, owner, path } = await open()
  await owner.api.post(`${path}/roles`, { name: 'Warehouse', scopes: ['write:inventory'] })
  const { data } = await shop.api.get('/v1/audit?resource=role')
  assert.deepEqual(
    data.map(({ operation, changes }: any) => [operation, changes[0].resource, changes[0].after.name]),
    [['createRole', 'role', 'Warehouse']],
  )
})

test('names are unique in a store, regardless of case', async () => {
  const { owner, path } = await open()
  const role = { name: 'Warehouse', scopes: [] }
  assert.equal((await owner.api.post(`${path}/roles`, role)).status, 201)
  assert.equal((await owner.api.post(`${path}/roles`, { ...role, name: 'WAREHOUSE' })).status, 409)
  const other = (await owner.api.post(`${path}/roles`, { ...role, name: 'Shop floor' })).data
  assert.equal((await owner.api.patch(`${path}/roles/${other.id}`, { name: 'warehouse' })).status, 409)
})

test('unknown scopes, those of keys alone and a name of nothing are refused together', async () => {
  const { owner, path } = await open()
  const { status, error } = await owner.api.post(`${path}/roles`, { name: ' ', scopes: ['keys', 'write:moon'] })
  const fields = error.details.map(({ field }: any) => field)
  assert.deepEqual([status, fields.toSorted()], [422, ['name', 'scopes.0', 'scopes.1']])
})

test('a person is invited to a role, joins with it, and has its scopes', async () => {
  const { shop, owner, path } = await open()
  const role = (await owner.api.post(`${path}/roles`, { name: 'Warehouse', scopes: ['write:inventory'] })).data.id
  const email = someAddress()
  assert.equal((await owner.api.post(`${path}/team`, { email, role })).status, 201)
  const link = linkIn((await letterTo(world.app, email, 1))[0]!.text).replace('https://shop.example', world.url)
  assert.match(await (await fetch(link)).text(), /Warehouse/)
  const team = (await owner.api.get(`${path}/team`)).data
  assert.deepEqual(
    team.map((one: any) => [one.role, one.role_name, one.is_invited]),
    [
      ['owner', null, false],
      [role, 'Warehouse', true],
    ],
  )
  const ben = await personOf(world, shop, { id: toUuid('role', role)! })
  const own = (await ben.api.get('/oauth/portal/api/session')).data.stores
  assert.deepEqual([own[0].role, own[0].role_name], [role, 'Warehouse'])
  assert.equal((await ben.api.get(`${path}/team`)).status, 200)
  assert.equal((await ben.api.post(`${path}/roles`, { name: 'Mine', scopes: [] })).status, 403)
})

test('who manages the team grants no more than they have: by no role, no invitation, nor their own', async () => {
  const { shop, owner, path } = await open()
  const lead = await withRole(shop, ['write:team', 'write:orders'])
  const wider = await newRole(world, shop, ['write:discounts'])
  const narrower = await newRole(world, shop, ['read:orders'])
  const create = async (scopes: string[]) => (await lead.api.post(`${path}/roles`, { name: newUuid(), scopes })).status
  assert.deepEqual([await create(['write:orders', 'write:team']), await create(['read:discounts'])], [201, 403])
  const change = async (role: string, body: object) => (await lead.api.patch(`${path}/roles/${role}`, body)).status
  assert.deepEqual(
    [
      await change(narrower, { scopes: ['write:orders'] }),
      await change(narrower, { scopes: ['write:products'] }),
      await change(lead.role, { scopes: ['write:team', 'write:orders', 'write:products'] }),
      await change(wider, { name: 'Renamed' }),
    ],
    [200, 403, 403, 403],
  )
  assert.equal((await lead.api.send('DELETE', `${path}/roles/${wider}`)).status, 403)
  const invite = async (role: string) => (await lead.api.post(`${path}/team`, { email: someAddress(), role })).status
  const invited = []
  for (const role of [narrower, lead.role, wider, 'staff', 'admin', 'owner']) invited.push(await invite(role))
  assert.deepEqual(invited, [201, 201, 403, 403, 403, 403])
  const ben = await personOf(world, shop, 'staff')
  const cara = await personOf(world, shop, { id: toUuid('role', narrower)! })
  const remove = async ({ id }: Person) => (await lead.api.send('DELETE', `${path}/team/${id}`)).status
  assert.deepEqual([await remove(ben), await remove(owner), await remove(cara)], [404, 404, 200])
  // Only an owner changes roles of members.
  assert.equal((await lead.api.post(`${path}/team/${ben.id}`, { role: narrower })).status, 403)
})

test('an invitation is void once its inviter may no longer grant the role', async () => {
  const { shop, owner, path } = await open()
  const lead = await withRole(shop, ['write:team', 'write:orders'])
  const role = await newRole(world, shop, ['write:orders'])
  const email = someAddress()
  assert.equal((await lead.api.post(`${path}/team`, { email, role })).status, 201)
  const invited = async () => (await owner.api.get(`${path}/team`)).data.some((one: any) => one.email === email)
  assert.equal(await invited(), true)
  await owner.api.patch(`${path}/roles/${role}`, { scopes: ['write:orders', 'write:products'] })
  assert.equal(await invited(), false)
  await owner.api.patch(`${path}/roles/${role}`, { scopes: ['read:orders'] })
  assert.equal(await invited(), true)
  await owner.api.patch(`${path}/roles/${lead.role}`, { scopes: ['write:orders'] })
  assert.equal(await invited(), false)
})

test('a role that a member or an open invitation has is not deleted; an expired one does not keep it', async () => {
  const own = await openWorld()
  const shop = await own.newStore()
  const owner = await personOf(own, shop)
  const path = `/oauth/portal/api/stores/${shop.store.id}`
  const role = await newRole(own, shop, [])
  const ben = await personOf(own, shop, { id: toUuid('role', role)! })
  const remove = async (api = owner.api) => (await api.send('DELETE', `${path}/roles/${role}`)).status
  assert.equal(await remove(), 409)
  await owner.api.post(`${path}/team/${ben.id}`, { role: 'staff' })
  await owner.api.post(`${path}/team`, { email: someAddress(), role })
  assert.equal(await remove(), 409)
  own.clock.advance(8 * 24 * 3600)
  assert.equal(await remove((await personOf(own, shop)).api), 200)
})

test('an unknown role, and that of another store, is given to nobody', async () => {
  const { shop, owner, path } = await open()
  const theirs = await newRole(world, await world.newStore(), [])
  const ben = await personOf(world, shop, 'staff')
  for (const role of [theirs, 'role_01j4pvgy1yf81rgs5pcr9r4fpm', 'king', '']) {
    assert.equal((await owner.api.post(`${path}/team`, { email: someAddress(), role })).status, 422, role)
    assert.equal((await owner.api.post(`${path}/team/${ben.id}`, { role })).status, 422, role)
  }
})

test('who loses the role of an administrator loses the apps that they connected', async () => {
  const { shop, owner, path } = await open()
  const ben = await personOf(world, shop, 'admin')
  await world.app.db.rows(sql`
    insert into oauth_clients (id, origin, name, metadata, created_at)
    values (${`client_${shop.store.id}`}, 'portal', 'App', '{}', ${world.clock.now()})`)
  await world.app.db.rows(sql`
    insert into oauth_grants (store_id, id, client_id, user_id, scopes, payload, created_at)
    values (${shop.store.id}, ${`${shop.store.id}.1`}, ${`client_${shop.store.id}`}, ${ben.userId}, '{}', '{}',
      ${world.clock.now()})`)
  const role = await newRole(world, shop, ['write:orders'])
  assert.equal((await owner.api.post(`${path}/team/${ben.id}`, { role })).status, 200)
  assert.deepEqual((await owner.api.get(`${path}/apps`)).data, [])
})

test('a store has at most 50 roles', async () => {
  const { shop, owner, path } = await open()
  await world.app.db.rows(sql`
    insert into roles (store_id, id, name, scopes, created_at, updated_at)
    select ${shop.store.id}, gen_random_uuid(), 'Role ' || n, '{}', ${world.clock.now()}, ${world.clock.now()}
    from generate_series(1, 49) as n`)
  assert.equal((await owner.api.post(`${path}/roles`, { name: 'Last', scopes: [] })).status, 201)
  assert.equal((await owner.api.post(`${path}/roles`, { name: 'One more', scopes: [] })).status, 422)
})

test('a new member is refused with every fault at once', () => {
  const context = { currency: 'USD', timezone: 'UTC', country_code: 'US', now: new Date() }
  assert.throws(
    () => newMember.read({ email: 'nobody', password: 'short', role: 'king' }, context),
    (error: any) =>
      error.details
        .map(({ field }: { field: string }) => field)
        .sort()
        .join() === 'email,password,role',
  )
})
