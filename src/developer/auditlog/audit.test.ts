import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sold } from '../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'

const world = await openWorld()

const under = (id: string) => ({ headers: { 'x-request-id': id } })

async function logOf({ api }: TestStore, query = ''): Promise<any[]> {
  const { status, data, error } = await api.get(`/v1/audit?${query}`)
  assert.equal(status, 200, JSON.stringify(error))
  return data
}

test('a write is one entry: who, request, operation, and each field before and after', async () => {
  const shop = await world.newStore()
  const { data: product } = await shop.api.post('/v1/products', { name: 'Mug', price: 5.5 }, under('req-create'))
  await shop.api.patch(`/v1/products/${product.id}`, { name: 'Cup', price: 6, sku: null }, under('req-change'))
  const [entry] = await logOf(shop, 'request_id=req-change')
  assert.match(entry.id, /^aud_/)
  assert.equal(entry.operation, 'updateProduct')
  assert.equal(entry.actor.kind, 'key')
  assert.deepEqual(entry.changes, [
    {
      resource: 'product',
      id: product.id,
      before: { name: 'Mug', price: 5.5 },
      after: { name: 'Cup', price: 6 },
      masked: [],
    },
  ])
  const [made] = await logOf(shop, 'request_id=req-create')
  const [change] = made.changes
  assert.deepEqual([change.before, change.after.name, change.after.price], [null, 'Mug', 5.5])
})

test('what changes nothing is in no entry, and neither is what was refused', async () => {
  const shop = await world.newStore()
  const { data: product } = await shop.api.post('/v1/products', { name: 'Mug', price: 5 })
  await shop.api.patch(`/v1/products/${product.id}`, { name: 'Mug' }, under('req-same'))
  await shop.api.patch(`/v1/products/${product.id}`, { price: -1 }, under('req-refused'))
  await shop.api.patch(`/v1/products/${product.id}`, { category_id: 'cat_unknown' }, under('req-unknown'))
  for (const id of ['req-same', 'req-refused', 'req-unknown']) {
    assert.deepEqual(await logOf(shop, `request_id=${id}`), [])
  }
})

test('one entry tells of all that a write has changed, of cascades too', async () => {
  const shop = await world.newStore()
  const { data: category } = await shop.api.post('/v1/categories', { name: 'Hats' })
  const { data: hat } = await shop.api.post('/v1/products', { name: 'Hat', price: 5, category_id: category.id })
  await shop.api.delete(`/v1/categories/${category.id}`, under('req-delete'))
  const [entry] = await logOf(shop, 'request_id=req-delete')
  const told = entry.changes.map(({ resource, id, before, after }: any) => [resource, id, before.category_id, after])
  assert.deepEqual(told.toSorted(), [
    ['category', category.id, undefined, null],
    ['product', hat.id, category.id, { category_id: null }],
  ])
})

test('a write of hundreds of records is one entry with all of them', async () => {
  const shop = await world.newStore()
  const { data: mug } = await shop.api.post('/v1/products', { name: 'Mug', price: 5 })
  const cause = { requestId: 'req-many', actor: { kind: 'command', id: 'fill' }, operation: 'fill' } as const
  await world.app.db.because(cause).transaction((tx) =>
    tx.rows(sql`
      insert into products
      select copy.*
      from generate_series(1, 500) as number
      cross join products as mug
      cross join lateral json_populate_record(mug, json_build_object(
        'id', gen_random_uuid(), 'slug', 'mug-' || number)) as copy
      where mug.store_id = ${shop.store.id}
        and mug.id = ${toUuid('prod', mug.id)}`),
  )
  const [entry] = await logOf(shop, 'request_id=req-many')
  assert.deepEqual([entry.changes.length, new Set(entry.changes.map(({ id }: any) => id)).size], [500, 500])
  const last = entry.changes.at(-1)
  assert.deepEqual((await logOf(shop, `id=${last.id}`)).length, 1)
})

test('several changes of one record in a write come to one', async () => {
  const shop = await world.newStore()
  const { data: mug } = await shop.api.post(
    '/v1/products',
    { name: 'Mug', price: 5, stock_quantity: 7 },
    under('req-1'),
  )
  const [{ changes }] = await logOf(shop, 'request_id=req-1')
  assert.deepEqual(
    changes.map(({ id, before, after }: any) => [id, before, after.stock_quantity]),
    [[mug.id, null, 7]],
  )
})

test('filters: by record, by its kind, by operation, by who and by time; pages go on where the log grows', async () => {
  const shop = await world.newStore()
  const { data: mug } = await shop.api.post('/v1/products', { name: 'Mug', price: 5 })
  const { data: cup } = await shop.api.post('/v1/products', { name: 'Cup', price: 5 })
  await shop.api.post('/v1/categories', { name: 'Hats' })
  world.clock.advance(3600)
  const other = await shop.withKey({})
  await other.patch(`/v1/products/${mug.id}`, { price: 6 })
  const operations = async (query: string) => (await logOf(shop, query)).map(({ operation }) => operation)
  assert.deepEqual(await operations(`id=${mug.id}`), ['updateProduct', 'createProduct'])
  assert.deepEqual(await operations(`id=${cup.id}`), ['createProduct'])
  assert.deepEqual(await operations('resource=category'), ['createCategory'])
  assert.deepEqual(await operations('operation=createCategory'), ['createCategory'])
  assert.deepEqual(await operations('id=prod_nothing'), [])
  const [{ actor, id }] = await logOf(shop, `id=${mug.id}`)
  assert.deepEqual(await operations(`actor=${actor.id}`), ['updateProduct'])
  const from = new Date(world.clock.now().getTime() - 60_000).toISOString()
  assert.deepEqual((await operations(`from=${from}`))[0], 'updateProduct')
  assert.deepEqual((await operations(`to=${from}`))[0], 'createCategory')
  assert.deepEqual((await operations(`before=${id}`)).includes('updateProduct'), false)
})

test('an order tells of its items and the stock, and of who bought only the names of the fields', async () => {
  const shop = await world.newStore()
  const { data: mug } = await shop.api.post('/v1/products', {
    name: 'Mug',
    price: 5,
    track_inventory: true,
    stock_quantity: 9,
  })
  const buyer = { customer_name: 'Ana Torres', customer_email: 'ana@example.com' }
  await shop.api.post('/v1/orders', { items: [sold(mug, 2)], ...buyer }, under('req-order'))
  const [entry] = await logOf(shop, 'request_id=req-order')
  const byKind = Object.groupBy(entry.changes as any[], ({ resource }) => resource)
  assert.deepEqual(Object.keys(byKind).sort(), ['customer', 'order', 'order_item', 'product'])
  const [stock] = byKind.product!
  assert.deepEqual([stock.before, stock.after], [{ stock_quantity: 9 }, { stock_quantity: 7 }])
  assert.ok(byKind.order![0].masked.includes('customer_email'))
  assert.ok(byKind.customer![0].masked.includes('email'))
  assert.doesNotMatch(JSON.stringify(entry), /Ana Torres|ana@example/)
})

test('no secret is kept: neither of keys, nor of webhooks, nor of payment methods', async () => {
  const shop = await world.newStore()
  const { data: hook } = await shop.api.post('/v1/webhooks', {
    url: 'https://hooks.example/a',
    events: ['order.created'],
    secret: 'a secret of the merchant',
  })
  await shop.api.post(`/v1/webhooks/${hook.id}/rotate-secret`, { secret: 'another secret of it' }, under('req-rotate'))
  await shop.withKey({})
  const rows = await world.app.db.rows<{ text: string }>(sql`
    select changes::text || coalesce(personal::text, '') as text
    from audit_log
    where store_id = ${shop.store.id}`)
  const [sealed] = await world.app.db.rows<{ secret: string; hash: string }>(sql`
    select secret, (select encode(hash, 'hex') from api_keys where store_id = ${shop.store.id} limit 1) as hash
    from webhooks
    where store_id = ${shop.store.id}`)
  for (const { text } of rows) {
    assert.ok(!text.includes('a secret of the merchant') && !text.includes('another secret of it'))
    assert.ok(!text.includes(sealed!.secret) && !text.includes(sealed!.hash))
  }
  const [entry] = await logOf(shop, 'request_id=req-rotate')
  assert.deepEqual(entry.changes[0].masked.toSorted(), ['previous_secret', 'secret'])
})

test('what a command or a job writes has an entry too, and a transaction over stores one in each', async () => {
  const [one, two] = [await world.newStore(), await world.newStore()]
  const cause = {
    requestId: null,
    actor: { kind: 'command', id: 'store set-plan' },
    operation: 'store set-plan',
  } as const
  await world.app.db.because(cause).transaction((tx) =>
    tx.rows(sql`
      update stores
      set description = 'Both'
      where id in (${one.store.id}, ${two.store.id})`),
  )
  for (const shop of [one, two]) {
    const entry = (await logOf(shop)).find(({ operation }: { operation: string }) => operation === 'store set-plan')
    assert.deepEqual(
      [entry.actor, entry.operation, entry.request_id],
      [{ kind: 'command', id: 'store set-plan', user: null }, 'store set-plan', null],
    )
    assert.deepEqual(entry.changes, [
      {
        resource: 'store',
        id: shop.store.id,
        before: { description: null },
        after: { description: 'Both' },
        masked: [],
      },
    ])
  }
})

test('who reads it needs read:audit', async () => {
  const shop = await world.newStore()
  const narrow = await shop.withKey({ scopes: ['read:store'] })
  assert.equal((await narrow.get('/v1/audit')).error.code, 'SCOPE_INSUFFICIENT')
  const reader = await shop.withKey({ scopes: ['read:audit'] })
  assert.equal((await reader.get('/v1/audit')).status, 200)
  assert.equal((await reader.post('/v1/changes/req-1/revert')).error.code, 'SCOPE_INSUFFICIENT')
})

test('as CSV it is whole, however long, with the filters of the list; a formula is made harmless', async () => {
  const shop = await world.newStore()
  const { data: hats } = await shop.api.post('/v1/categories', { name: '=SUM("A1"),2' }, under('=1+1'))
  assert.ok(hats.id)
  const lines = async (query = '') => {
    const response = await fetch(`${world.url}/v1/audit.csv?${query}`, { headers: { 'x-api-key': shop.api.key } })
    assert.match(response.headers.get('content-type')!, /^text\/csv/)
    return (await response.text()).split('\r\n')
  }
  const [head, line] = await lines(`id=${hats.id}`)
  assert.equal(head!.split(',')[0], 'created_at')
  assert.match(line!, /,createCategory,category,cat_/)
  await world.app.db.ofStore(shop.store.id).transaction((tx) =>
    tx.rows(sql`
      insert into audit_log (store_id, id, actor_kind, actor_id, operation, records, changes, created_at)
      select ${shop.store.id}, overlay(gen_random_uuid()::text placing lpad(number::text, 8, '0') from 1)::uuid,
        'key', '=cmd', 'fill', '{}', '[{"table":"stores","id":"x","before":{},"after":{}}]', ${tx.now}
      from generate_series(1, 1100) as number`),
  )
  const filled = await lines('operation=fill')
  assert.equal(filled.length, 1 + 1100 + 1)
  assert.ok(filled[1]!.includes(",'=cmd,"))
  const response = await fetch(`${world.url}/v1/audit.csv?from=nonsense`, { headers: { 'x-api-key': shop.api.key } })
  assert.equal(response.status, 422)
  const narrow = await shop.withKey({ scopes: ['read:store'] })
  const refused = await fetch(`${world.url}/v1/audit.csv`, { headers: { 'x-api-key': narrow.key } })
  assert.equal(refused.status, 403)
})

test('whoever prefers CSV gets it at the list itself; whoever takes anything gets JSON', async () => {
  const shop = await world.newStore()
  await shop.api.post('/v1/categories', { name: 'Hats' })
  const typeFor = async (accept: string) => {
    const response = await fetch(`${world.url}/v1/audit`, { headers: { 'x-api-key': shop.api.key, accept } })
    const text = await response.text()
    return [response.headers.get('content-type'), text.split(',')[0]]
  }
  assert.deepEqual(await typeFor('text/csv'), ['text/csv; charset=utf-8', 'created_at'])
  assert.deepEqual(await typeFor('text/csv, application/json;q=0.5'), ['text/csv; charset=utf-8', 'created_at'])
  for (const accept of ['*/*', 'application/json', 'text/html', 'text/csv;q=0.1, application/json']) {
    assert.equal((await typeFor(accept))[0], 'application/json; charset=utf-8', accept)
  }
})
