// What one store does is not felt by the others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { databaseUrl } from '../../test/database.ts'
import { openWorld } from '../../test/world.ts'
import { toUuid } from '../kit/values/ids.ts'

const world = await openWorld()

test('a store whose writes all wait for a lock keeps nobody else from reading and writing', async (t) => {
  const { api: large } = await world.newStore()
  const { api: small } = await world.newStore()
  const { data: contested } = await large.post('/v1/products', { name: 'Contested', price: 1 })
  const { data: own } = await small.post('/v1/products', { name: 'Own', price: 1 })
  const locker = new pg.Client({ connectionString: databaseUrl() })
  await locker.connect()
  t.after(() => locker.end())
  await locker.query('begin')
  await locker.query('select from products where id = $1 for update', [toUuid('prod', contested.id)])

  let answered = 0
  const writes = Array.from({ length: 40 }, (_, index) =>
    large.patch(`/v1/products/${contested.id}`, { name: `Name ${index}` }).finally(() => answered++),
  )
  while (world.app.db.places.waiting < 30) await new Promise(setImmediate)
  assert.equal((await small.get('/v1/products')).status, 200)
  assert.equal((await small.get(`/v1/products/${own.id}`)).status, 200)
  assert.equal((await small.patch(`/v1/products/${own.id}`, { name: 'Renamed' })).status, 200)
  assert.equal((await small.post('/v1/products', { name: 'Another', price: 2 })).status, 201)
  assert.equal(answered, 0)
  await locker.query('rollback')
  for (const { status } of await Promise.all(writes)) assert.ok([200, 503].includes(status), String(status))
})

test('what a request moves counts against its key, and the headers say so', async () => {
  const { api } = await world.newStore()
  const remaining = ({ headers }: { headers: Headers }) => Number(headers.get('x-ratelimit-remaining'))
  const values = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index}`)
  const options = [
    { title: 'A', values: values('a', 23) },
    { title: 'B', values: values('b', 15) },
  ]
  const variants = options[0]!.values.flatMap((a) =>
    options[1]!.values.map((b) => ({
      option_values: [
        { option_title: 'A', value: a },
        { option_title: 'B', value: b },
      ],
    })),
  )
  const made = await api.post('/v1/products', { name: 'Many', price: 10, options, variants })
  const before = remaining(await api.get('/v1/products/count'))
  // 200 KiB are sent, and as many answered.
  const changed = await api.patch(`/v1/products/${made.data.id}`, { variants: made.data.variants })
  assert.equal(changed.status, 200)
  assert.equal(remaining(changed), before - 2)
  const light = await api.get('/v1/products/count')
  assert.equal(remaining(light), before - 3)
})
