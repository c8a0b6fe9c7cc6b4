import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
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
    await db.rows(sql`update audit_log set ${change} where store_id = ${shop.store.id} and sequence > 2`)
    const { broken } = await verdictOf(shop)
    assert.equal(broken?.reason, 'the row was changed')
  })
}

test('a row that is taken out, in the middle or at the end, and two that change places are found', async () => {
  const taken = async (which: (last: number) => number) => {
    const shop = await sealedStore()
    const { sequence } = await verdictOf(shop)
    await db.rows(sql`delete from audit_log where store_id = ${shop.store.id} and sequence = ${which(sequence)}`)
    return (await verdictOf(shop)).broken?.reason
  }
  assert.equal(await taken((last) => last - 1), 'a row is missing')
  assert.equal(await taken((last) => last), 'a row is missing')
  const shop = await sealedStore()
  const { sequence } = await verdictOf(shop)
  const move = (from: number, to: number) =>
    db.rows(sql`update audit_log set sequence = ${to} where store_id = ${shop.store.id} and sequence = ${from}`)
  await move(sequence, -1)
  await move(sequence - 1, sequence)
  await move(-1, sequence - 1)
  assert.equal((await verdictOf(shop)).broken?.reason, 'the row was changed')
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
    const rows = await db.rows(sql`select * from audit_log where store_id = ${shop.store.id}`)
    return JSON.stringify(rows)
  }
  assert.match(await text(), /Ana Torres.*Bo Diaz/)
  await shop.api.delete(`/v1/customers/${bo.id}`)
  assert.doesNotMatch(await text(), /Bo Diaz|5550001/)
  await seal()
  const sealed = await verdictOf(shop)
  await shop.api.delete(`/v1/customers/${ana.id}`)
  await seal()
  assert.doesNotMatch(await text(), /Ana|ana@example.com/)
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
  const [counted] = await db.rows<{ count: number; numbers: number; last: number }>(sql`
    select count(*) as count, count(distinct sequence) as numbers, max(sequence) as last
    from audit_log
    where store_id = ${shop.store.id}`)
  assert.deepEqual(counted!.count, counted!.numbers)
  assert.equal(counted!.last, counted!.count)
  assert.equal((await verdictOf(shop)).broken, null)
})

test('entries are kept for the days that are set, dropped from the front, and what is left still holds', async () => {
  const shop = await world.newStore()
  const rename = (name: string) => shop.api.patch('/v1/store', { name })
  for (const name of ['A', 'B', 'C']) await rename(name)
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
  await db.rows(sql`update audit_chains set first_hash = '' where store_id = ${shop.store.id}`)
  assert.equal((await verdictOf(shop)).broken?.reason, 'the row was changed')
})
