// Who may see what and do what, from the table of the screens: a new screen is tested without a line here.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { newRecord, newRole, personOf, type Person } from '../../test/people.ts'
import { browsing, staffOf, type Staff } from '../../test/staff.ts'
import { nounOfPrefix, recordsOf } from '../../test/records.ts'
import { answering } from '../../test/strangers.ts'
import { openWorld, type TestStore } from '../../test/world.ts'
import { mayUse } from '../identity/accounts/roles.ts'
import { roleScopes } from '../identity/account/role.ts'
import { roles as builtIn, type HeldRole } from '../identity/accounts/user.ts'
import { createKey } from '../identity/apikeys/operations.ts'
import type { AnyResource } from '../kit/declare/resource.ts'
import { grants } from '../identity/apikeys/scopes.ts'
import { newUuid, publicId, toUuid, type Prefix } from '../kit/values/ids.ts'
import { setStatus } from '../tenancy/stores/operations.ts'
import { mayCall } from './framework/call.ts'
import type { ScreenAction, Screen } from './framework/screen.ts'
import { screens } from './screens/screens.ts'

const world = await openWorld({ ROW_SECURITY: 'on' }, { network: { resolver: answering(['93.184.216.34']) } })

let shop: TestStore
let other: TestStore
let stranger: Person
const people: Record<string, Staff> = {}

// Roles of a store's own: one that only reads, two that do a part of the work, one that leads them, and one with all.
// prettier-ignore
const customScopes: Record<string, string[]> = {
  Reader:    roleScopes.filter((scope) => scope.startsWith('read:')),
  Marketing: ['write:discounts', 'write:products', 'read:checkout_drafts'],
  Warehouse: ['write:inventory', 'propose:orders'],
  Lead:      ['write:team', 'write:webhooks', 'read:requests', 'read:audit'],
  All:       [...roleScopes],
}

/** What each grants, from its scopes alone. */
const customRoles = Object.entries(customScopes).map(([name, scopes]): HeldRole => {
  return { id: newUuid(), name, scopes: [...grants(['read:store', ...scopes])] }
})
const roles: readonly HeldRole[] = [...builtIn, ...customRoles]
const nameOf = (role: HeldRole) => (typeof role === 'string' ? role : role.name)
const as = (role: HeldRole) => people[nameOf(role)]!

shop = await world.newStore()
other = await world.newStore()
for (const role of builtIn) people[role] = await staffOf(world, [shop], role)
for (const [name, scopes] of Object.entries(customScopes)) {
  const id = toUuid('role', await newRole(world, shop, scopes))!
  people[name] = await staffOf(world, [shop], { id })
}
stranger = await personOf(world, other)

const prefixes = new Map([...nounOfPrefix].map(([prefix, noun]) => [noun, prefix as Prefix]))

const makers = new Map<TestStore, ReturnType<typeof recordsOf>>()

/** Each noun has one record in a store, whoever asks for it. */
function makerOf(of: TestStore): ReturnType<typeof recordsOf> {
  const known = makers.get(of) ?? recordsOf(world, of)
  makers.set(of, known)
  return known
}

/** A record of the store for each part of a path that names one. */
async function idsOf(of: TestStore, params: Record<string, AnyResource> = {}): Promise<Record<string, string>> {
  const make = makerOf(of)
  const ids: Record<string, string> = {}
  for (const [name, resource] of Object.entries(params)) {
    ids[name] = await (ownCreators[resource.noun]?.(of) ?? make(resource.noun))
  }
  return ids
}

/** Those in the path of a screen. */
async function screenIds(of: TestStore, { path, params }: Screen): Promise<Record<string, string>> {
  const ids = await idsOf(of, params)
  if (!path.includes('{address_id}')) return ids
  const { data } = await of.api.post(`/v1/customers/${ids.id}/addresses`, { address: 'Main Street 12', city: 'Lisbon' })
  return { ...ids, address_id: data.id }
}

/** Of what no endpoint of the API makes. */
const ownCreators: Record<string, (of: TestStore) => Promise<string>> = {
  'API key': newKey,
  Role: (of) => newRole(world, of, []),
  'Audit entry': async ({ api }) => (await api.get('/v1/audit')).data[0].id,
}

/** What the portal's path names beside the store: a person's own, or of the team. */
async function portalIds({ path, session }: ScreenAction['route'], of: Person): Promise<Record<string, string>> {
  const names = session ? [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof typeof newRecord) : []
  const pairs = names.filter((name) => name !== 'store').map(async (name) => [name, await newRecord[name](world, of)])
  return Object.fromEntries(await Promise.all(pairs))
}

async function newKey({ store }: TestStore): Promise<string> {
  const key = { name: 'Sync', mode: 'live', scopes: ['read:orders'], expires_at: null, is_active: true } as const
  return (await world.app.db.transaction((tx) => createKey(tx, store, { ...key, scopes: [...key.scopes] }))).id
}

const unknownIds = (params: Record<string, AnyResource> = {}) =>
  Object.fromEntries(
    Object.entries(params).map(([name, { noun, prefix }]) => [
      name,
      publicId(prefix ?? prefixes.get(noun)!, newUuid()),
    ]),
  )

/** Records that not all who may open such a screen may see: the scope of this one, and the answer without it. */
const recordScopes: Record<string, [scope: string, status: number]> = {
  '/settings/developer/proposals/{id}': ['propose:categories', 404],
  '/settings/imports/{id}': ['read:products', 403],
}

const pathOf = (storeId: string, { path }: Screen, ids: Record<string, string>) =>
  `/${storeId}${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!)}`

/** What the fields of its form name. */
const paramsOf = ({ route, idFrom = {} }: ScreenAction): Record<string, AnyResource> =>
  Object.fromEntries(Object.entries(route.params ?? {}).map(([name, resource]) => [idFrom[name] ?? name, resource]))

const mayAct = (role: HeldRole, { route }: ScreenAction) => mayCall(role, route)

/** Of a screen that is gone to, compressed, with the scripts of what is on no other. */
const maxBytes = 21_500
const assets = new URL('assets/', import.meta.url)
const lazy = [...readFileSync(new URL('lazy.ts', assets), 'utf8').matchAll(/'([\w-]+)', \(\) => import\('(.+?)'\)/g)]

function weightOf(page: string): number {
  const scripts = lazy
    .filter(([, element]) => page.includes(`<${element}`))
    .map(([, , file]) => readFileSync(new URL(file!, assets)))
  return [page, ...scripts].reduce((bytes, text) => bytes + gzipSync(text).length, 0)
}

/** Forms in which Enter would press a button of a part, in place of what the form is for. */
function searchesOnEnter(page: string): string[] {
  const firsts = page.split(/<form\b(?!-)/).map((form) => /<button\b[^>]*>/.exec(form)?.[0] ?? '')
  return firsts.filter((button) => button.includes('name="pick"') && !button.includes('aria-hidden'))
}

for (const [index, screen] of screens.entries()) {
  const { path, params, scope, actions = {} } = screen

  test(`${path || '/'} is shown to those whose role may read it, and to nobody else`, async () => {
    // A new window of the network's limit.
    if (index % 40 === 39) world.clock.advance(61)
    const ids = await screenIds(shop, screen)
    const where = pathOf(shop.store.id, screen, ids)
    for (const role of roles) {
      const { status, text } = await as(role).get(where)
      const [recordScope, without] = recordScopes[path] ?? [scope, 404]
      const seen = mayUse(role, recordScope) ? 200 : without
      assert.equal(status, mayUse(role, scope) ? seen : 403, `${nameOf(role)}: ${text.slice(0, 3000)}`)
      assert.ok(weightOf(text) <= maxBytes, `${weightOf(text)} bytes`)
      assert.deepEqual(searchesOnEnter(text), [])
    }
    const stranger = await browsing(world.url).get(where)
    assert.deepEqual([stranger.status, stranger.location.startsWith('/oauth/login?')], [303, true])
    const elsewhere = await people.owner!.get(pathOf(other.store.id, screen, ids))
    const nowhere = await people.owner!.get(pathOf('SH-ZZZZZZZZ', screen, ids))
    assert.deepEqual([elsewhere.status, elsewhere.text], [404, nowhere.text])
  })

  if (screen.preview) {
    test(`${path}/preview is shown to whom the screen is, in frames of this site alone`, async () => {
      const where = `${pathOf(shop.store.id, screen, await idsOf(shop, params))}/preview`
      for (const role of roles) {
        for (const { status, headers } of [await as(role).get(where), await as(role).post(where, {})]) {
          const isOpen = mayUse(role, scope) && mayUse(role, screen.previewScope ?? scope)
          assert.equal(status, isOpen ? 200 : 403, nameOf(role))
          const ancestors = status === 200 ? "frame-ancestors 'self'" : "frame-ancestors 'none'"
          assert.ok(headers.get('content-security-policy')!.includes(ancestors), nameOf(role))
        }
      }
      const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
      assert.equal((await people.owner!.post(where, {}, foreign)).status, 403)
      const elsewhere = `${pathOf(other.store.id, screen, await idsOf(shop, params))}/preview`
      assert.equal((await people.owner!.get(elsewhere)).status, 404)
    })
  }

  if (params) {
    test(`${path}: another store's ids are unknown`, async () => {
      const theirs = await idsOf(other, params)
      const own = await screenIds(shop, screen)
      for (const name of Object.keys(params)) {
        const ask = (id: string) => people.owner!.get(pathOf(shop.store.id, screen, { ...own, [name]: id }))
        assert.equal((await ask(theirs[name]!)).status, 404)
        assert.equal((await ask(unknownIds(params)[name]!)).status, 404)
      }
    })
  }

  for (const [act, action] of Object.entries(actions)) {
    test(`${path} ${act}: only who may, only in the own store, and by no form of another site`, async () => {
      const asked = paramsOf(action)
      const own = { ...stranger, shop, userId: people.owner!.userId }
      const ids = {
        ...(await portalIds(action.route, own)),
        ...(await idsOf(shop, asked)),
        ...(await screenIds(shop, screen)),
      }
      const where = pathOf(shop.store.id, screen, ids)
      // What some bodies demand, so that it is the id alone that is refused.
      const rest = { role: 'staff', name: 'Phone' }
      const someCustomer = asked.group_id ? await makerOf(shop)('Customer') : ''
      const fieldsWith = (named: Record<string, string>) => ({
        ...rest,
        ...named,
        ticked: named.id ?? someCustomer,
        // A line of the grid of stock, and what was typed over.
        line: `${named.productId} - 5 5`,
        stock: '7',
        order: named.id ?? '',
        act,
        sure: '1',
      })
      const fields = fieldsWith(ids)
      for (const role of roles.filter((role) => !mayAct(role, action) || !mayUse(role, scope))) {
        assert.equal((await as(role).post(where, fields)).status, 403, nameOf(role))
      }
      const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
      assert.equal((await people.owner!.post(where, fields, foreign)).status, 403)
      assert.equal((await people.owner!.post(pathOf(other.store.id, screen, ids), fields)).status, 404)
      const theirs = { ...(await portalIds(action.route, stranger)), ...(await idsOf(other, asked)) }
      for (const name of Object.keys(theirs)) {
        if (params?.[name]) continue
        const { status } = await people.owner!.post(where, fieldsWith({ ...ids, [name]: theirs[name]! }))
        // Of several, each that is unknown is told.
        assert.equal(status, action.perRecord || action.calls ? 422 : 404, name)
      }
    })
  }
}

test('what is no screen is not found, and neither is what a form does that no screen has', async () => {
  const { id } = shop.store
  assert.equal((await people.owner!.get(`/${id}/nothing`)).status, 404)
  assert.equal((await people.owner!.post(`/${id}/orders`, { act: 'explode' })).status, 404)
  assert.equal((await people.owner!.post(`/${id}/orders`, { act: 'constructor' })).status, 404)
})

test('signing in leads to the first store that is open', async () => {
  const { status, location } = await people.owner!.get('')
  assert.deepEqual([status, location], [303, `/${shop.store.id}`])
})

test('a form that comes after the session has ended loses nothing: it waits to be sent again', async () => {
  const { status, text } = await browsing(world.url).post(`/${shop.store.id}/settings/developer/api-keys`, {
    act: 'create',
    name: 'Sync <b>"quoted"',
  })
  assert.equal(status, 401)
  assert.match(text, /name="name" value="Sync &lt;b&gt;&quot;quoted&quot;"/)
})

test('a suspended store shows everything and changes nothing', async () => {
  const shut = await world.newStore()
  const ana = await staffOf(world, [shut])
  await world.app.db.transaction((tx) => setStatus(tx, shut.store.id, 'suspended'))
  const where = `/${shut.store.id}/settings/developer/api-keys`
  assert.equal((await ana.get(where)).status, 200)
  const { status, text } = await ana.post(where, { act: 'create', name: 'Sync', mode: 'live', scopes: 'read:orders' })
  assert.equal(status, 403)
  assert.match(text, /This store is suspended/)
})
