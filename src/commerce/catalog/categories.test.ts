import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import pg from 'pg'
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

test('the migration gives keys to what is there, and lets twins stay until one is renamed', async () => {
  const { api, store } = await world.newStore()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  after(() => client.end())
  await client.query(`
    alter table categories drop column name_key;
    create unique index categories_name on categories (store_id, lower(name))`)
  const names = ['Café', 'Cafe\u0301', 'CA\u200dFÉ', 'Tea', 'Hats  & Caps']
  for (const [n, name] of names.entries()) {
    await client.query(
      `insert into categories (store_id, id, name, slug, created_at, updated_at)
       values ($1, uuidv7(), $2, $3, now(), now())`,
      [store.id, name, `slug-${n}`],
    )
  }
  await client.query(readFileSync(new URL('../../../migrations/0.1/0015_names.sql', import.meta.url), 'utf8'))
  const { rows } = await client.query(
    'select name, name_key, id::text from categories where store_id = $1 order by slug',
    [store.id],
  )
  assert.deepEqual(
    rows.map(({ name_key, id }) => name_key.replace(id, 'ID')),
    ['café', 'café ID', 'café ID', 'tea', 'hats & caps'],
  )
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
