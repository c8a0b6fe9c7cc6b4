import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { newUuid } from '../../kit/values/ids.ts'
import { ownDatabase } from '../../../test/database.ts'
import { openWorld } from '../../../test/world.ts'

const database = await ownDatabase()
const world = await openWorld({}, { database })

// prettier-ignore
const spellings = [
  'Café', 'Cafe\u0301', 'CAFÉ', 'Ca\u200dfé', 'Caf\u00e9\u200b',
  ' Café ', '\u00a0Café', '\ufeffCafé', 'Ｃａｆé', 'Ca\u00adfé',
]

test('a category whose name looks like that of another is refused, however it is spelled', async () => {
  const { api } = await world.newStore()
  const first = await api.post('/v1/categories', { name: 'Café' })
  assert.deepEqual([first.status, first.data.name, first.data.slug], [201, 'Café', 'cafe'])
  for (const name of spellings) {
    const { status, error } = await api.post('/v1/categories', { name })
    assert.deepEqual([status, error.code], [409, 'CONFLICT'], JSON.stringify(name))
    assert.equal(error.message, `A category with the name ${name} already exists`)
  }
  const other = (await api.post('/v1/categories', { name: 'Tea' })).data
  for (const name of spellings) {
    assert.equal((await api.patch(`/v1/categories/${other.id}`, { name })).status, 409, JSON.stringify(name))
  }
  assert.equal((await api.post('/v1/categories', { name: 'Cafe' })).status, 201)
  assert.equal((await (await world.newStore()).api.post('/v1/categories', { name: 'Café' })).status, 201)
})

test('blanks count once, and a category may spell its own name anew', async () => {
  const { api } = await world.newStore()
  const { data } = await api.post('/v1/categories', { name: ' Hats  &  Caps ' })
  assert.equal(data.name, ' Hats  &  Caps ')
  assert.equal((await api.post('/v1/categories', { name: 'hats & caps' })).status, 409)
  const changed = await api.patch(`/v1/categories/${data.id}`, { name: 'Hats & Caps' })
  assert.deepEqual([changed.status, changed.data.name], [200, 'Hats & Caps'])
  assert.equal((await api.patch(`/v1/categories/${data.id}`, { name: 'Scarves' })).status, 200)
  assert.equal((await api.post('/v1/categories', { name: 'HATS & CAPS' })).status, 201)
})

test('of 40 at once whose names look the same one is made', async () => {
  const { api } = await world.newStore()
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      api.post('/v1/categories', { name: spellings[n % spellings.length], slug: `cafe-${n}` }),
    ),
  )
  const statuses = made.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [201, ...Array.from({ length: 39 }, () => 409)])
  const others = await Promise.all(
    Array.from({ length: 10 }, (_, n) => api.post('/v1/categories', { name: `Tea ${n}` })),
  )
  const changed = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      api.patch(`/v1/categories/${others[n % 10]!.data.id}`, { name: n % 2 ? 'Te\u200da' : 'Ｔｅａ' }),
    ),
  )
  assert.deepEqual([...new Set(changed.map(({ status }) => status))].sort(), [200, 409])
  const winners = new Set(changed.filter(({ status }) => status === 200).map(({ data }) => data.id))
  assert.equal(winners.size, 1)
})

test('a name that grows when it is made plain is no longer than an index takes', async () => {
  const { api } = await world.newStore()
  const name = '\ufdfa'.repeat(120)
  assert.equal((await api.post('/v1/categories', { name })).status, 201)
  assert.equal((await api.post('/v1/categories', { name })).status, 409)
})

test('twins from before names had keys stay until one is renamed', async () => {
  const { api, store } = await world.newStore()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  after(() => client.end())
  const keys = {
    Café: 'café',
    'Cafe\u0301': 'café ID',
    'CA\u200dFÉ': 'café ID',
    Tea: 'tea',
    'Hats  & Caps': 'hats & caps',
  }
  for (const [n, [name, key]] of Object.entries(keys).entries()) {
    const id = newUuid()
    await client.query(
      `insert into categories (store_id, id, name, slug, created_at, updated_at, name_key)
       values ($1, $2, $3, $4, now(), now(), $5)`,
      [store.id, id, name, `slug-${n}`, key.replace('ID', id)],
    )
  }
  for (const { status } of [
    await api.post('/v1/categories', { name: 'Ｃａｆé' }),
    await api.post('/v1/categories', { name: 'hats & caps' }),
  ])
    assert.equal(status, 409)
  const listed = (await api.get('/v1/categories')).data as { id: string; name: string }[]
  for (const { id, name } of listed) assert.equal((await api.patch(`/v1/categories/${id}`, { name })).status, 200, name)
  const twin = listed.find(({ name }) => name === 'Cafe\u0301')!
  assert.equal((await api.patch(`/v1/categories/${twin.id}`, { name: 'Bistro' })).status, 200)
  assert.equal((await api.patch(`/v1/categories/${twin.id}`, { name: 'Café' })).status, 409)
})
