import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { verifyAudit } from './verify.ts'

const world = await openWorld({}, { sweeps: true })
const { db, jobs } = world.app

const seal = () => jobs.run('seal the audit log')

async function sealedStore(): Promise<TestStore> {
  const shop = await world.newStore()
  const { data: customer } = await shop.api.post('/v1/customers', { name: 'Ana', email: 'ana@example.com' })
  await shop.api.patch(`/v1/customers/${customer.id}`, { email: 'bo@example.com' })
  const { data: product } = await shop.api.post('/v1/products', { name: 'Mug', price: 5 })
  await shop.api.patch(`/v1/products/${product.id}`, { name: 'Cup' })
  await seal()
  return shop
}

/** The ids of the entries, in the order of the chain. */
async function chainOf({ store }: TestStore): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`
    select entry.id
    from audit_seals
    cross join unnest(entries) with ordinality as entry (id, position)
    where store_id = ${store.id}
    order by sequence, position`)
  return rows.map(({ id }) => id)
}

async function verdictOf({ store }: TestStore) {
  const [verdict] = await verifyAudit(db, store.id)
  return verdict!
}

test('each row is chained to the one before it, and whoever goes along finds that it holds', async () => {
  const shop = await sealedStore()
  const before = await verdictOf(shop)
  assert.equal(before.broken, null)
  assert.ok(before.rows >= 4)
  await shop.api.post('/v1/products', { name: 'Hat', price: 5 })
  await seal()
  const after = await verdictOf(shop)
  assert.deepEqual([after.broken, after.sequence], [null, before.sequence + 1])
  assert.notEqual(after.hash, before.hash)
})

// prettier-ignore
const tampering = {
  'one byte of a change':    sql`changes = replace(changes::text, 'Mug', 'Mig')::json`,
  'one byte of a personal':  sql`personal = replace(personal::text, 'bo@', 'ba@')::json`,
  'who did it':              sql`actor_id = 'key_other'`,
  'who proposed it':         sql`proposal_id = id, proposed_by = 'key:key_other'`,
  'the request':             sql`request_id = 'req-other'`,
  'the time':                sql`created_at = created_at + interval '1 millisecond'`,
}

for (const [name, change] of Object.entries(tampering)) {
  test(`${name} that is changed is found`, async () => {
    const shop = await sealedStore()
    const untouched = (await chainOf(shop)).slice(0, 2)
    await db.rows(sql`
      update audit_log set ${change} where store_id = ${shop.store.id} and id <> all(${untouched}::uuid[])`)
    const { broken } = await verdictOf(shop)
    assert.equal(broken?.reason, 'the row was changed')
    assert.ok(broken.sequence > 2)
  })
}

test('a row that is taken out, in the middle or at the end, is found at its place', async () => {
  for (const back of [0, 1]) {
    const shop = await sealedStore()
    const { sequence } = await verdictOf(shop)
    const id = (await chainOf(shop)).at(-1 - back)!
    await db.rows(sql`delete from audit_log where store_id = ${shop.store.id} and id = ${id}`)
    assert.deepEqual((await verdictOf(shop)).broken, { sequence: sequence - back, reason: 'a row is missing' })
  }
})

// Each changes a seal as somebody might who does not know how hashes are made.
const resealing: Record<string, [change: Sql, reason: string]> = {
  'two rows that change places': [sql`entries = entries[2:2] || entries[1:1] || entries[3:]`, 'the row was changed'],
  'two that take their hashes along': [
    sql`entries = entries[2:2] || entries[1:1] || entries[3:], hashes = hashes[2:2] || hashes[1:1] || hashes[3:]`,
    'the row was changed',
  ],
  'a row left out': [sql`entries = entries[2:], hashes = hashes[2:]`, 'the row was changed'],
  'a row twice': [sql`entries = entries[1:1] || entries, hashes = hashes[1:1] || hashes`, 'the row was changed'],
  'a last row left out': [sql`entries = trim_array(entries, 1), hashes = trim_array(hashes, 1)`, 'a row is missing'],
  'a seal at another place': [sql`sequence = sequence + 1`, 'a row is missing'],
}

for (const [name, [change, reason]] of Object.entries(resealing)) {
  test(`${name}: found in the seal`, async () => {
    const shop = await sealedStore()
    const seals = sql`store_id = ${shop.store.id} and cardinality(entries) > 3`
    await db.rows(sql`update audit_seals set ${change} where ${seals}`)
    assert.equal((await verdictOf(shop)).broken?.reason, reason)
  })
}

test('a seal that is taken out, and a row that was put in past the triggers, are found', async () => {
  const shop = await sealedStore()
  await shop.api.post('/v1/products', { name: 'Hat', price: 5 })
  await seal()
  const [first] = await db.rows<{ id: string }>(sql`
    delete from audit_seals where store_id = ${shop.store.id} and sequence = 1 returning entries[1] as id`)
  assert.deepEqual((await verdictOf(shop)).broken, { sequence: 1, reason: 'a row is missing' })
  const other = await sealedStore()
  await db.transaction(async (tx) => {
    await tx.rows(sql`set local session_replication_role = replica`)
    await tx.rows(sql`
      insert into audit_log
      select copy.*
      from audit_log
      cross join json_populate_record(audit_log, json_build_object(
        'id', gen_random_uuid(), 'store_id', ${other.store.id}::text)) as copy
      where audit_log.store_id = ${shop.store.id}
        and audit_log.id = ${first!.id}`)
  })
  assert.equal((await verdictOf(other)).broken?.reason, 'a row was inserted')
})

test('a seal takes one row, and rewrites no entry', async () => {
  const shop = await world.newStore()
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => shop.api.post('/v1/categories', { name: `Category ${index}` })),
  )
  const versions = () => db.rows(sql`select id, ctid from audit_log where store_id = ${shop.store.id} order by id`)
  const before = await versions()
  await seal()
  assert.deepEqual(await versions(), before)
  const seals = await db.rows<{ count: number }>(sql`
    select cardinality(entries) as count from audit_seals where store_id = ${shop.store.id}`)
  assert.deepEqual(seals, [{ count: before.length }])
})

test('the history of a record is the same before and after the job', async () => {
  const shop = await world.newStore()
  const { data: mug } = await shop.api.post('/v1/products', { name: 'Mug', price: 5 })
  await seal()
  await shop.api.patch(`/v1/products/${mug.id}`, { name: 'Cup' })
  await shop.api.post('/v1/products', { name: 'Hat', price: 5 })
  const history = async () => (await shop.api.get(`/v1/audit?id=${mug.id}`)).data
  const [change, creation] = await history()
  assert.deepEqual([change.operation, creation.operation], ['updateProduct', 'createProduct'])
  assert.deepEqual([change.sequence, change.hash], [null, null])
  assert.match(creation.hash, /^[0-9a-f]{64}$/)
  await seal()
  const [sealed, same] = await history()
  assert.deepEqual(same, creation)
  assert.equal(sealed.sequence, creation.sequence + 1)
  assert.deepEqual({ ...sealed, sequence: null, hash: null }, change)
  const { hash } = await verdictOf(shop)
  const [last] = (await shop.api.get('/v1/audit')).data
  assert.equal(last.hash, hash)
})

test('what was told of a person goes with the person, and the chain holds', async () => {
  const shop = await world.newStore()
  const { data: ana } = await shop.api.post('/v1/customers', {
    name: 'Ana Torres',
    email: 'ana@example.com',
    notes: 'x',
  })
  const { data: bo } = await shop.api.post('/v1/customers', { name: 'Bo Diaz', phone: '5550001' })
  const text = async () => {
    const rows = await db.rows(sql`select * from audit_log where store_id = ${shop.store.id} order by id`)
    return JSON.stringify(rows)
  }
  assert.match(await text(), /Ana Torres.*Bo Diaz/)
  await shop.api.delete(`/v1/customers/${bo.id}`)
  assert.doesNotMatch(await text(), /Bo Diaz|5550001/)
  await seal()
  const sealed = await verdictOf(shop)
  await shop.api.delete(`/v1/customers/${ana.id}`)
  await seal()
  assert.doesNotMatch(await text(), /Ana Torres|ana@example.com/)
  const { broken, sequence } = await verdictOf(shop)
  assert.deepEqual([broken, sequence], [null, sealed.sequence + 1])
})

test('writers never wait for the chain: a hundred at once are all sealed, each with a number of its own', async () => {
  const shop = await world.newStore()
  await Promise.all(
    Array.from({ length: 100 }, (_, index) => shop.api.post('/v1/categories', { name: `Category ${index}` })),
  )
  await Promise.all([seal(), seal()])
  await seal()
  const chain = await chainOf(shop)
  const [counted] = await db.rows<{ count: number }>(sql`
    select count(*) as count from audit_log where store_id = ${shop.store.id}`)
  assert.deepEqual([chain.length, new Set(chain).size], [counted!.count, counted!.count])
  assert.equal((await verdictOf(shop)).broken, null)
})

test('entries are kept for the days that are set, dropped from the front, and what is left still holds', async () => {
  const shop = await world.newStore()
  const rename = (name: string) => shop.api.patch('/v1/store', { name })
  for (const name of ['A', 'B', 'C']) await rename(name)
  await shop.api.post('/v1/categories', { name: 'Hats' })
  await seal()
  const { sequence, rows } = await verdictOf(shop)
  world.clock.advance(729 * 24 * 3600)
  await rename('D')
  await seal()
  await jobs.run('drop old audit entries')
  assert.equal((await verdictOf(shop)).rows, rows + 1)
  world.clock.advance(2 * 24 * 3600)
  await jobs.run('drop old audit entries')
  const left = await verdictOf(shop)
  assert.deepEqual([left.rows, left.sequence, left.broken], [1, sequence + 1, null])
  assert.deepEqual(await db.rows(sql`select from audit_records where store_id = ${shop.store.id}`), [])
  await db.rows(sql`update audit_chains set first_hash = '' where store_id = ${shop.store.id}`)
  assert.equal((await verdictOf(shop)).broken?.reason, 'the row was changed')
})
