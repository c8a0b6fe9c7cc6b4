// Orders edited after they were placed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../../test/shop.ts'
import { assertSums } from '../../../../test/sums.ts'
import { openWorld } from '../../../../test/world.ts'
import { newId } from '../../../kit/values/ids.ts'

const world = await openWorld()

const cups = (quantity: number, unit_price = 10) => ({ product_name: 'Cup', unit_price, quantity })
const paid = { payment_status: 'paid', payment_method: 'cash' }

const edit = (shop: Shop, order: { id: string }, body: object, headers: object = {}) =>
  shop.api.post(`/v1/orders/${order.id}/edits`, body, { headers: headers as Record<string, string> })

async function edited(shop: Shop, order: { id: string }, body: object) {
  const data = dataOf(await edit(shop, order, body), 200)
  await assertSums(world, shop)
  return data
}

const orderOf = async (shop: Shop, { id }: { id: string }) => (await shop.api.get(`/v1/orders/${id}`)).data
const amounts = ({ subtotal, discount_amount, shipping_cost, tax_amount, total }: any) => [
  subtotal,
  discount_amount,
  shipping_cost,
  tax_amount,
  total,
]

test('items change their quantity, go and come, and stock follows', async () => {
  const shop = await newShop(world)
  const [mug, shirt] = [await shop.product(), await shop.variants()]
  const [red, blue] = shirt.variants
  const order = await shop.order([sold(mug, 2), sold(shirt, 1, { variant_id: red.id }), cups(1)])
  const [first, second] = order.items
  const after = await edited(shop, order, {
    items: [
      { item_id: first.id, quantity: 3 },
      { item_id: second.id, quantity: 0 },
      { product_id: shirt.id, variant_id: blue.id, quantity: 2 },
      { product_name: 'Engraving', unit_price: 4.5, quantity: 1 },
    ],
  })
  assert.deepEqual(
    after.items.map(({ product_name, quantity, total_price }: any) => [product_name, quantity, total_price]),
    [
      ['Mug', 3, 30],
      ['Cup', 1, 10],
      ['Shirt', 2, 20],
      ['Engraving', 1, 4.5],
    ],
  )
  assert.deepEqual([after.subtotal, after.total, after.item_count], [64.5, 64.5, 7])
  assert.deepEqual([await shop.stockOf(mug), await shop.stockOf(shirt)], [2, 5])
  assert.equal(after.edited_at, after.updated_at)
  const events = await shop.events()
  assert.deepEqual(
    events.map(({ event }: any) => event),
    ['order.updated'],
  )
  assert.deepEqual(events[0]!.body.order, { id: order.id })
})

test('an edit that changes nothing has no event', async () => {
  const shop = await newShop(world)
  const order = await shop.order([cups(2)])
  const after = await edited(shop, order, { items: [{ item_id: order.items[0].id, quantity: 2 }] })
  assert.deepEqual(after, await orderOf(shop, order))
  assert.equal(after.edited_at, null)
  assert.deepEqual(await shop.events(), [])
})

test('a dry run shows the new totals and changes nothing', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const order = await shop.order([sold(mug)], paid)
  const body = { items: [{ item_id: order.items[0].id, quantity: 3 }], shipping_cost: 4 }
  const { status, data } = await edit(shop, order, body, { prefer: 'dry-run' })
  assert.deepEqual([status, data.total, data.amount_due, data.payment_status], [200, 34, 24, 'pending'])
  assert.deepEqual([(await orderOf(shop, order)).total, await shop.stockOf(mug)], [10, 4])
})

test('what is added to a paid order is due, and pays it once it is paid', async () => {
  const shop = await newShop(world)
  const order = await shop.order([cups(1)], { ...paid, customer_email: 'ana@example.com' })
  const spent = async () => (await shop.api.get(`/v1/customers/${order.customer_id}`)).data.total_spent
  assert.deepEqual([order.amount_due, await spent()], [0, 10])
  const after = await edited(shop, order, { items: [cups(2)] })
  assert.deepEqual([after.total, after.amount_due, after.payment_status, await spent()], [30, 20, 'pending', 10])
  assert.deepEqual(
    (await shop.events()).map(({ body }: any) => body.order),
    [{ id: order.id }, { id: order.id, payment_status: 'pending' }],
  )
  const { data } = await shop.api.patch(`/v1/orders/${order.id}`, { payment_status: 'paid' })
  assert.deepEqual([data.captured_amount, data.amount_due, await spent()], [30, 0, 30])
  await assertSums(world, shop)
})

test('what is overpaid is refunded without tax, once, and due again if the total rises', async () => {
  const shop = await newShop(world)
  await shop.api.patch('/v1/store', { tax_rate: 20 })
  const order = await shop.order([cups(4)], paid)
  const [item] = order.items
  const less = await edited(shop, order, { items: [{ item_id: item.id, quantity: 3 }] })
  assert.deepEqual([order.total, ...amounts(less)], [48, 30, 0, 0, 6, 36])
  assert.deepEqual([less.payment_status, less.amount_due, less.amount_to_refund], ['paid', 0, 12])
  const left = await shop.api.get(`/v1/orders/${order.id}/refundable`)
  assert.deepEqual([left.data.amount, left.data.overpayment], [48, 12])
  const { data: refund } = await shop.api.post(`/v1/orders/${order.id}/refunds`, { amount: 12 })
  assert.deepEqual([refund.amount, refund.overpayment, refund.tax_amount, refund.tax_lines], [12, 12, 0, []])
  const settled = await orderOf(shop, order)
  assert.deepEqual([settled.payment_status, settled.amount_to_refund, settled.refunded_amount], ['paid', 0, 12])
  const more = await edited(shop, order, { items: [{ item_id: item.id, quantity: 4 }] })
  assert.deepEqual([more.total, more.amount_due, more.payment_status], [48, 12, 'pending'])
  await shop.api.patch(`/v1/orders/${order.id}`, { payment_status: 'paid' })
  const all = await shop.api.post(`/v1/orders/${order.id}/refunds`, {})
  assert.deepEqual([all.data.amount, all.data.overpayment, all.data.tax_amount], [48, 0, 8])
  const end = await orderOf(shop, order)
  assert.deepEqual([end.captured_amount, end.refunded_amount, end.payment_status], [60, 60, 'refunded'])
  await assertSums(world, shop)
})

test('an edit can refund at once', async () => {
  const shop = await newShop(world)
  const order = await shop.order([cups(4)], paid)
  const after = await edited(shop, order, {
    items: [{ item_id: order.items[0].id, quantity: 1 }],
    refund: true,
    reason: 'Sold out',
  })
  assert.deepEqual([after.refunded_amount, after.amount_to_refund, after.payment_status], [30, 0, 'paid'])
  const { data } = await shop.api.get(`/v1/orders/${order.id}/refunds`)
  assert.deepEqual([data[0].overpayment, data[0].reason, data[0].items], [30, 'Sold out', []])
})

test('units that were shipped or refunded stay', async () => {
  const shop = await newShop(world)
  const order = await shop.order([cups(3), cups(2, 5)], paid)
  const [first, second] = order.items
  const at = (what: string) => `/v1/orders/${order.id}/${what}`
  dataOf(await shop.api.post(at('fulfillments'), { items: [{ item_id: first.id, quantity: 1 }] }), 201)
  dataOf(await shop.api.post(at('refunds'), { items: [{ item_id: first.id, quantity: 1 }] }), 201)
  const less = { items: [{ item_id: first.id, quantity: 1 }] }
  const gone = 'must be at least 2: that many were shipped or refunded'
  assert.deepEqual(faultsOf(await edit(shop, order, less)), { 'items.0.quantity': gone })
  const after = await edited(shop, order, {
    items: [
      { item_id: first.id, quantity: 2 },
      { item_id: second.id, quantity: 0 },
    ],
  })
  assert.deepEqual([after.total, after.fulfillment_status, after.amount_to_refund], [20, 'fulfilled', 20])
})

test('everything wrong is said at once', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 1 })
  const order = await shop.order([sold(mug), cups(1)])
  const [first, second] = order.items
  const answer = await edit(shop, order, {
    items: [
      { item_id: first.id, quantity: 3 },
      { item_id: newId('item'), quantity: 1 },
      { item_id: second.id, quantity: 1 },
      { item_id: second.id, quantity: 2 },
      { product_id: newId('prod'), quantity: 1 },
      { product_name: 'Bow', quantity: 1 },
    ],
    discount_amount: 1000,
  })
  assert.deepEqual(faultsOf(answer), {
    'items.0.quantity': 'is sold out',
    'items.1.item_id': 'does not exist',
    'items.3.item_id': 'is listed twice',
    'items.4.product_id': 'does not exist',
    'items.5.unit_price': 'is required when product_id is omitted',
    discount_amount: 'must not exceed the subtotal (40)',
  })
  const none = [first, second].map(({ id }) => ({ item_id: id, quantity: 0 }))
  assert.deepEqual(faultsOf(await edit(shop, order, { items: none })), {
    items: 'must keep at least one item; cancel the order instead',
  })
})

test('canceled, returned and refunded orders cannot be edited', async () => {
  const shop = await newShop(world)
  const [gone, refunded] = [await shop.order([cups(1)]), await shop.order([cups(1)], paid)]
  await shop.api.patch(`/v1/orders/${gone.id}`, { status: 'cancelled' })
  await shop.api.post(`/v1/orders/${refunded.id}/refunds`, {})
  assert.deepEqual(faultsOf(await edit(shop, gone, { shipping_cost: 5 })), {
    status: 'is cancelled: such an order cannot be edited',
  })
  assert.deepEqual(faultsOf(await edit(shop, refunded, { shipping_cost: 5 })), {
    payment_status: 'is refunded: such an order cannot be edited',
  })
})

test('an edit takes several codes: those of the order go on, and new ones must be usable', async () => {
  const shop = await newShop(world)
  const code = async (code: string, more: object) =>
    dataOf(await shop.api.post('/v1/discounts', { code, combines_with: ['order', 'shipping'], ...more }), 201)
  const ten = await code('TEN', { type: 'percentage', value: 10, max_uses: 1 })
  const ship = await code('SHIP', { type: 'free_shipping', value: 0 })
  await code('ALONE', { type: 'percentage', value: 5, combines_with: [] })
  const uses = async () =>
    Promise.all([ten, ship].map(async ({ id }) => (await shop.api.get(`/v1/discounts/${id}`)).data.current_uses))
  const order = await shop.order([cups(3)], { discount_code: 'TEN', shipping_cost: 5 })
  const codesOf = ({ discounts }: any) => discounts.map((one: any) => one.code)

  const both = await edited(shop, order, { discount_codes: ['ten', 'SHIP'] })
  assert.deepEqual([both.discount_code, codesOf(both), amounts(both)], ['TEN', ['TEN', 'SHIP'], [30, 3, 0, 0, 27]])
  assert.deepEqual(await uses(), [1, 1])
  const { edited_at } = both
  assert.equal((await edited(shop, order, { discount_codes: ['SHIP', 'TEN'] })).edited_at, edited_at)
  assert.equal((await edited(shop, order, { discount_code: 'TEN' })).edited_at, edited_at)
  assert.deepEqual(faultsOf(await edit(shop, order, { discount_codes: ['TEN', 'NONE'] })), {
    'discount_codes.1': 'does not exist',
  })
  assert.deepEqual(
    Object.keys(faultsOf(await edit(shop, order, { discount_codes: ['SHIP', 'ALONE'], discount_amount: 2 }))),
    ['discount_codes'],
  )
  // The better of two that do not combine.
  assert.deepEqual(codesOf(await edited(shop, order, { discount_codes: ['ALONE', 'TEN'] })), ['TEN'])
  const one = await edited(shop, order, { discount_codes: ['SHIP'] })
  assert.deepEqual([codesOf(one), one.discount_amount, await uses()], [['SHIP'], 0, [0, 1]])
  const none = await edited(shop, order, { discount_codes: [] })
  assert.deepEqual([none.discount_code, codesOf(none), await uses()], [null, [], [0, 0]])
})

test('a discount goes on with the new items, even when its code has ended; another takes its use', async () => {
  const shop = await newShop(world)
  const code = async (code: string, more: object) =>
    dataOf(await shop.api.post('/v1/discounts', { code, ...more }), 201)
  const ten = await code('TEN', { type: 'percentage', value: 10, max_uses: 1, min_order_amount: 20 })
  const five = await code('FIVE', { type: 'fixed_amount', value: 5 })
  const uses = async ({ id }: { id: string }) => (await shop.api.get(`/v1/discounts/${id}`)).data.current_uses
  const order = await shop.order([cups(3)], { discount_code: 'TEN' })
  const [item] = order.items
  await shop.api.patch(`/v1/discounts/${ten.id}`, { is_active: false })
  const more = await edited(shop, order, { items: [{ item_id: item.id, quantity: 5 }] })
  assert.deepEqual(amounts(more), [50, 5, 0, 0, 45])
  assert.deepEqual([more.items[0].adjustments[0].amount, await uses(ten)], [-5, 1])
  assert.deepEqual(faultsOf(await edit(shop, order, { items: [{ item_id: item.id, quantity: 1 }] })), {
    discount_code: 'requires an order of at least 20',
  })
  const other = await edited(shop, order, { discount_code: 'five' })
  assert.deepEqual([other.discount_code, other.discount_amount], ['FIVE', 5])
  assert.deepEqual([await uses(ten), await uses(five)], [0, 1])
  const none = await edited(shop, order, { discount_code: null })
  assert.deepEqual([none.discount_code, none.discount_amount, none.items[0].adjustments], [null, 0, []])
  assert.equal(await uses(five), 0)
  const byHand = await edited(shop, order, { discount_amount: 7.5 })
  assert.deepEqual([amounts(byHand), byHand.items[0].adjustments[0].type], [[50, 7.5, 0, 0, 42.5], 'manual'])
})

test('tax is calculated as for a new order, as it was when the order was sold', async () => {
  const shop = await newShop(world, { country_code: 'DE' })
  const zone = { name: 'VAT', country_code: 'DE', rate: 19 }
  const { data } = await shop.api.post('/v1/store/tax-zones', { ...zone, included: true, shipping: true })
  const order = await shop.order([cups(1, 119)], { country_code: 'DE' })
  const after = await edited(shop, order, { items: [cups(1, 59.5)], shipping_cost: 11.9 })
  assert.deepEqual([after.total, after.included_tax, after.tax_amount], [190.4, 30.4, 0])
  await shop.api.patch(`/v1/store/tax-zones/${data.id}`, { included: false, rate: 10 })
  const later = await edited(shop, order, { shipping_cost: 0 })
  assert.deepEqual([later.total, later.included_tax, later.tax_amount], [178.5, 28.5, 0])
  const fixed = await shop.order([cups(1, 100)], { tax_amount: 7 })
  const kept = await edited(shop, fixed, { items: [cups(1, 50)] })
  assert.deepEqual([kept.tax_amount, kept.total, kept.tax_lines[0].base], [7, 157, 150])
})

test('refunded shipping cannot be taken out of the order', async () => {
  const shop = await newShop(world)
  const order = await shop.order([cups(2)], { ...paid, shipping_cost: 8 })
  dataOf(await shop.api.post(`/v1/orders/${order.id}/refunds`, { shipping: 5 }), 201)
  assert.deepEqual(faultsOf(await edit(shop, order, { shipping_cost: 4 })), {
    shipping_cost: 'must not go below what was refunded of it (5)',
  })
  assert.equal((await edited(shop, order, { shipping_cost: 5 })).amount_to_refund, 3)
})

test('reports follow an edit: the sale by its new amounts, no refund for what was overpaid', async () => {
  const shop = await newShop(world)
  await shop.api.patch('/v1/store', { tax_rate: 10 })
  const order = await shop.order([cups(4)], paid)
  const day = order.created_at.slice(0, 10)
  const sales = async () => {
    const { data } = await shop.api.get(`/v1/reports/sales?from=${day}&to=${day}`)
    return data.totals ?? data
  }
  await sales()
  await edited(shop, order, { items: [{ item_id: order.items[0].id, quantity: 2 }], refund: true })
  await world.app.jobs.run('sum sales')
  await assertSums(world, shop)
  const { data } = await shop.api.get(`/v1/reports/taxes?from=${day}&to=${day}`)
  assert.deepEqual([data.totals?.tax ?? data.tax, data.totals?.refunded_tax ?? data.refunded_tax], [2, 0])
})

test('another store cannot edit it', async () => {
  const [shop, other] = [await newShop(world), await newShop(world)]
  const order = await shop.order([cups(1)])
  assert.equal((await edit(other, order, { shipping_cost: 1 })).status, 404)
})

test('automatic discounts of the order follow its items, and come off when their conditions are not met', async () => {
  const shop = await newShop(world)
  const rule = { code: 'BULK', title: 'Bulk', type: 'percentage', value: 10, is_automatic: true, min_quantity: 3 }
  const { id } = dataOf(await shop.api.post('/v1/discounts', rule), 201)
  const uses = async () => (await shop.api.get(`/v1/discounts/${id}`)).data.current_uses
  const mug = await shop.product()
  const order = await shop.order([sold(mug, 3)])
  const [item] = order.items
  assert.deepEqual([order.discount_amount, await uses()], [3, 1])
  const more = await edited(shop, order, { items: [{ item_id: item.id, quantity: 4 }] })
  assert.deepEqual([more.discount_amount, more.discounts[0].amount], [4, 4])
  const fewer = await edited(shop, order, { items: [{ item_id: item.id, quantity: 2 }] })
  assert.deepEqual([fewer.discount_amount, fewer.discounts, fewer.discount_code, await uses()], [0, [], null, 0])
})
