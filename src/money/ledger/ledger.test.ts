import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agrees, ledgerInjuries, shopWithLedger, uncheck } from '../../../test/ledger.ts'
import { openWorld } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { ledgerRules } from './rules.ts'

// This test drops constraints, so it has a database of its own.
const world = await openWorld({}, { sweeps: true })
await world.app.db.rows(uncheck)

test('payments, refunds, fulfillments, stock and totals agree', async () => {
  const { shop } = await shopWithLedger(world)
  assert.deepEqual(await agrees(shop), {
    agrees: true,
    checked: { orders: 1, products: 2, rules: ledgerRules.length },
    disagreements: [],
    next: null,
  })
})

for (const { name, of } of ledgerRules) {
  test(`it names what is wrong: ${name}`, async () => {
    const { shop, order } = await shopWithLedger(world)
    await world.app.db.rows(ledgerInjuries[name]!(shop.store.id))
    const { agrees: holds, disagreements } = await agrees(shop)
    assert.equal(holds, false)
    const named = disagreements.filter(({ rule }: any) => rule === name)
    assert.ok(named.length > 0, JSON.stringify(disagreements))
    for (const one of named) assert.equal(one.of, of)
    const idsOf: Record<string, (id: string) => unknown> = {
      order: (id) => assert.equal(id, order.id),
      item: (id) => assert.equal(id, order.items.find((item: any) => item.id === id)?.id),
      payment: (id) => assert.match(id, /^pmt_/),
      product: (id) => assert.match(id, /^prod_/),
      variant: (id) => assert.match(id, /^[0-9a-f-]{36}$/),
    }
    for (const { id } of named) idsOf[of]!(id)
  })
}

test('it looks at the records of its own store alone, and needs read:orders', async () => {
  const [{ shop }, other] = [await shopWithLedger(world), await shopWithLedger(world)]
  await world.app.db.rows(sql`update orders set total = total + 1 where store_id = ${other.shop.store.id}`)
  assert.equal((await agrees(shop)).agrees, true)
  assert.equal((await agrees(other.shop)).agrees, false)
  const stranger = await shop.withKey({ scopes: ['read:products'] })
  assert.equal((await stranger.get('/v1/ledger/verify')).status, 403)
})

test('a large store is looked at in parts', async () => {
  const { shop, order } = await shopWithLedger(world)
  const { db } = world.app
  await db.transaction(async (tx) => {
    // Thousands of rows at once, without journal entries, which no request can create.
    await tx.rows(sql`select set_config('stoa.journal', 'off', true)`)
    await tx.rows(sql`
      insert into orders (store_id, id, order_number, status, payment_status, currency, subtotal, discount_amount,
        shipping_cost, tax_amount, total, free_shipping, item_count, search_text, created_at, updated_at)
      select store_id, gen_random_uuid(), order_number + n, status, 'pending', currency, 0, 0, 0, 0, 0, false, 0, '',
        created_at, updated_at
      from orders, generate_series(1, 5001) as n
      where store_id = ${shop.store.id}`)
  })
  const last = order.order_number + 5001
  await db.rows(sql`update orders set total = 1 where store_id = ${shop.store.id} and order_number = ${last}`)
  const first = await agrees(shop)
  assert.deepEqual([first.agrees, first.checked.orders, first.checked.products], [true, 5000, 2])
  const { data } = await shop.api.get(`/v1/ledger/verify?after=${first.next}`)
  assert.deepEqual([data.agrees, data.checked.orders, data.checked.products, data.next], [false, 2, 0, null])
  assert.equal((await shop.api.get('/v1/ledger/verify?after=x')).status, 422)
})
