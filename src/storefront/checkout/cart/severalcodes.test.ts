// Several discount codes of a checkout.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer, faultsOf, productOf, setUp, shopperOf } from '../../../../test/checkouts.ts'
import { sql } from '../../../kit/database/sql.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

async function shopWithCodes() {
  const shop = await setUp(await world.newStore())
  const discounts = new Map<string, string>()
  for (const body of [
    { code: 'TEN', type: 'percentage', value: 10, combines_with: ['order', 'shipping'] },
    { code: 'TWO', type: 'fixed_amount', value: 2, combines_with: ['order'], max_uses: 1 },
    { code: 'HALF', type: 'percentage', value: 50 },
    { code: 'SHIP', type: 'free_shipping', value: 0, combines_with: ['order'] },
  ]) {
    discounts.set(body.code, dataOf(await shop.api.post('/v1/discounts', body), 201).id)
  }
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  return { shop, shopper: shopperOf(world, shop), items, discounts }
}

const effects = ({ discounts }: any) =>
  discounts.map(({ code, amount, applied, reason }: any) => [code, amount, applied, reason])

test('each code of a checkout tells what it does, and the order has those that apply', async () => {
  const { shop, shopper, items } = await shopWithCodes()
  const begun = await shopper.begin({ items, ...buyer(), discount_codes: ['two', 'ten'] })
  const { token, ...first } = dataOf(begun, 201)
  // A tenth of 20, then 2 of what is left.
  assert.deepEqual(
    [first.discount_codes, first.discount_code, first.discount, first.total],
    [['TWO', 'TEN'], 'TWO', 4, 16],
  )
  const more = (await shopper.change(token, { discount_codes: ['TWO', 'TEN', 'HALF'] })).data
  assert.deepEqual([more.discount_code, more.total], ['HALF', 10])
  assert.deepEqual(effects(more), [
    ['HALF', 10, true, null],
    ['TWO', 0, false, 'not_combined'],
    ['TEN', 0, false, 'not_combined'],
  ])
  assert.deepEqual(more.changes.length, 0)
  const read = (await shopper.read(token)).data
  assert.deepEqual([read.discount_codes, read.discounts], [more.discount_codes, more.discounts])
  // What loses today may win in a larger cart, so it stays.
  const { order } = dataOf(await shopper.complete(token), 201)
  const { data } = await shop.api.get(`/v1/orders/${order.id}`)
  assert.deepEqual([data.discount_code, data.discount_amount, data.discounts.length], ['HALF', 10, 1])
})

test('a code that is sent alone replaces the list', async () => {
  const { shopper, items } = await shopWithCodes()
  const { token } = dataOf(await shopper.begin({ items, ...buyer(), discount_codes: ['TWO', 'TEN'] }), 201)
  const same = (await shopper.change(token, { discount_code: 'TEN' })).data
  assert.deepEqual([same.discount_codes, same.total], [['TEN'], 18])
  const whole = (await shopper.change(token, { ...same, discount_code: 'HALF' })).data
  assert.deepEqual([whole.discount_codes, whole.total], [['HALF'], 10])
  const none = (await shopper.change(token, { discount_code: null })).data
  assert.deepEqual([none.discount_codes, none.discount_code, none.total], [[], null, 20])
  const both = (await shopper.change(token, { discount_code: 'TEN', discount_codes: ['TWO', 'TEN'] })).data
  assert.deepEqual([both.discount_codes, both.total], [['TWO', 'TEN'], 16])
  // One that saves less than both is refused as before.
  assert.deepEqual(faultsOf(await shopper.change(token, { discount_code: 'SHIP' })), [
    'discount_code: saves less than TWO, which is applied; remove that code first to use this one',
  ])
})

test('wrong codes are refused by their place; what ends meanwhile is a change, and refuses the order', async () => {
  const { shop, shopper, items, discounts } = await shopWithCodes()
  const refused = await shopper.begin({ items: [], ...buyer(), discount_codes: ['TEN', 'TEN'] })
  assert.deepEqual(faultsOf(refused), [
    'items: must contain at least 1 item',
    'discount_codes: must not contain duplicates: items 0 and 1 are the same',
  ])
  assert.deepEqual(faultsOf(await shopper.begin({ items, discount_codes: ['TEN', 'NONE', 'NEVER'] })), [
    'discount_codes.1: does not exist',
    'discount_codes.2: does not exist',
  ])
  assert.deepEqual(faultsOf(await shopper.begin({ items, discount_codes: ['NONE'] })), [
    'discount_codes.0: does not exist',
  ])
  const { token } = dataOf(await shopper.begin({ items, ...buyer(), discount_codes: ['TEN', 'TWO'] }), 201)
  // Another order is faster.
  const product_id = items[0]!.product_id
  dataOf(await shop.api.post('/v1/orders', { items: [{ product_id, quantity: 1 }], discount_codes: ['TWO'] }), 201)
  const { data } = await shopper.read(token)
  assert.deepEqual(effects(data), [
    ['TEN', 2, true, null],
    ['TWO', 0, false, 'used_up'],
  ])
  assert.deepEqual(
    data.changes.filter(({ to }: any) => to === null).map(({ field, message }: any) => [field, message]),
    [['discount_codes.1', 'has reached its usage limit']],
  )
  await shop.api.patch(`/v1/discounts/${discounts.get('TEN')}`, { is_active: false })
  assert.deepEqual(faultsOf(await shopper.complete(token)), [
    'discount_codes.0: is disabled',
    'discount_codes.1: has reached its usage limit',
  ])
  const order = await shopper.complete(token, { discount_codes: [], total: 20 })
  assert.equal(dataOf(order, 201).order.total, 20)
})

test('a list counts as many tries as it has wrong codes', async () => {
  const { shopper, items } = await shopWithCodes()
  const { token } = dataOf(await shopper.begin({ items }), 201)
  const attempt = async (discount_codes: string[]) => {
    const answer = await shopper.change(token, { discount_codes })
    return answer.status === 200 ? [] : faultsOf(answer)
  }
  for (const round of [1, 2]) {
    const wrong = ['A', 'B', 'C', 'D'].map((code) => `${code}${round}`)
    assert.equal((await attempt(['TEN', ...wrong])).length, 4)
  }
  assert.deepEqual(await attempt(['TEN', 'TWO']), [])
  assert.deepEqual(await attempt(['TEN', 'E']), ['discount_codes.1: does not exist'])
  assert.deepEqual(await attempt(['TEN', 'TWO']), ['discount_codes: has been tried too many times; wait a few minutes'])
})

test('a checkout that an older node has changed has the code that it wrote', async () => {
  const { shop, shopper, items } = await shopWithCodes()
  const { token, id } = dataOf(await shopper.begin({ items, ...buyer(), discount_codes: ['TEN', 'TWO'] }), 201)
  await world.app.db.rows(sql`
    update checkouts
    set discount_code = 'HALF'
    where store_id = ${shop.store.id}`)
  const { data } = await shopper.read(token)
  assert.deepEqual([data.id, data.discount_codes, data.total], [id, ['HALF'], 10])
})
