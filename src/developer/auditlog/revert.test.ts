import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, newShop, red, blue, sold, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { seed } from '../../../test/random.ts'

const world = await openWorld()

/** A request under an id of its own; `undo` reverts it. */
function scribe({ api }: Pick<Shop, 'api'>) {
  const undo = (id: string) => {
    const own = newUuid()
    return api
      .post(`/v1/changes/${id}/revert`, {}, { headers: { 'x-request-id': own } })
      .then((answer) => ({ ...answer, id: own }))
  }
  return {
    async write(method: 'post' | 'patch' | 'delete', path: string, body?: object) {
      const id = newUuid()
      const extra = { headers: { 'x-request-id': id } }
      const answer = method === 'delete' ? await api.delete(path, extra) : await api[method](path, body, extra)
      assert.ok(answer.status < 300, `${method} ${path} ${JSON.stringify(answer.error)}`)
      return { id, data: answer.data }
    },
    undo,
    async undone(id: string) {
      const answer = await undo(id)
      assert.equal(answer.status, 200, JSON.stringify(answer.error))
      return answer
    },
    async blocked(id: string): Promise<any[]> {
      const { status, error } = await undo(id)
      assert.deepEqual([status, error.code], [409, 'NOT_REVERTIBLE'], JSON.stringify(error))
      return error.details.obstacles
    },
  }
}

/** Without what moves with every write, and without past prices, which remain. */
function still(record: any): any {
  if (Array.isArray(record)) return record.map(still)
  if (record === null || typeof record !== 'object') return record
  const { updated_at: _, lowest_prior_price: __, ...rest } = record
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, still(value)]))
}

test('a changed product is as it was, product.updated says so, and the undoing can be undone', async () => {
  const shop = await newShop(world)
  const { write, undone } = scribe(shop)
  const mug = await shop.product({ description: 'White' })
  const { id } = await write('patch', `/v1/products/${mug.id}`, { name: 'Cup', price: 12.5, description: null })
  await shop.events()
  const reverted = await undone(id)
  assert.deepEqual(reverted.data.records, [{ resource: 'product', id: mug.id, action: 'changed' }])
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    ['product.updated'],
  )
  const path = `/v1/products/${mug.id}`
  assert.deepEqual(still((await shop.api.get(path)).data), still(mug))
  await undone(reverted.data.request_id)
  const { data: again } = await shop.api.get(path)
  assert.deepEqual([again.name, again.price, again.description], ['Cup', 12.5, null])
  await undone(id)
  assert.deepEqual(still((await shop.api.get(path)).data), still(mug))
})

test('a deleted product comes back with its variants, stock, picture, old slugs and address', async () => {
  const shop = await newShop(world)
  const { write, undone } = scribe(shop)
  const shirt = await shop.variants({ gallery: ['https://images.example/a.jpg'], sku: 'SHIRT' })
  await write('patch', `/v1/products/${shirt.id}`, { slug: 'better-shirt', product_status: 'archived' })
  const path = `/v1/products/${shirt.id}`
  const before = (await shop.api.get(path)).data
  world.clock.advance(60)
  const { id } = await write('delete', path)
  assert.equal((await shop.api.get(path)).status, 404)
  await shop.events()
  await undone(id)
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    ['product.created'],
  )
  assert.deepEqual(still((await shop.api.get(path)).data), still(before))
  const { data: moves } = await shop.api.get(`/v1/inventory/products/${shirt.id}/transactions`)
  assert.equal(
    moves.reduce((sum: number, { quantity }: any) => sum + quantity, 0),
    7,
  )
})

test('variants that a change has added, taken away and altered are as before', async () => {
  const shop = await newShop(world)
  const { write, undone } = scribe(shop)
  const shirt = await shop.variants()
  const [first] = shirt.variants
  const green = { option_title: 'Colour', value: 'Green' }
  const options = [{ title: 'Colour', values: ['Red', 'Green'] }]
  const variants = [
    { id: first.id, price: 30, sku: 'RED' },
    { option_values: [green], stock_quantity: 2 },
  ]
  const { id } = await write('patch', `/v1/products/${shirt.id}`, { options, variants })
  await undone(id)
  assert.deepEqual(still((await shop.api.get(`/v1/products/${shirt.id}`)).data), still(shirt))
})

test('stock goes back by what the write has moved: what was sold since stays sold', async () => {
  const shop = await newShop(world)
  const { write, undone } = scribe(shop)
  const mug = await shop.product({ stock_quantity: 10 })
  const { id } = await write('patch', `/v1/products/${mug.id}`, { stock_quantity: 20, name: 'Cup' })
  await shop.order([sold(mug, 3)])
  await undone(id)
  assert.equal(await shop.stockOf(mug), 7)
  const adjusted = await write('patch', `/v1/inventory/products/${mug.id}`, { quantity: 5 })
  await shop.order([sold(mug, 1)])
  await undone(adjusted.id)
  assert.equal(await shop.stockOf(mug), 6)
})

test('a created record is taken back, unless it is in use', async () => {
  const shop = await newShop(world)
  const { write, undone, blocked } = scribe(shop)
  const paths: [string, object][] = [
    ['/v1/products', { name: 'Mug', price: 5 }],
    ['/v1/categories', { name: 'Hats' }],
    ['/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 }],
    ['/v1/customers', { name: 'Ana', email: 'ana@example.com' }],
    ['/v1/store/shipping-rates', { code: 'express', price: 5 }],
    ['/v1/store/tax-zones', { name: 'VAT', country_code: 'DE', rate: 19 }],
    ['/v1/pages', { title: 'About us' }],
  ]
  for (const [path, body] of paths) {
    const { id, data } = await write('post', path, body)
    const { data: answer } = await undone(id)
    assert.equal(answer.records[0].action, 'removed')
    assert.equal((await shop.api.get(`${path}/${data.id}`)).status, 404, path)
  }
  const mug = await write('post', '/v1/products', { name: 'Mug', price: 5 })
  const hats = await write('post', '/v1/categories', { name: 'Hats' })
  const ten = await write('post', '/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const ana = await write('post', '/v1/customers', { name: 'Ana', email: 'ana@example.com' })
  await shop.api.patch(`/v1/products/${mug.data.id}`, { category_id: hats.data.id })
  await shop.order([sold(mug.data)], { discount_code: 'TEN', customer_id: ana.data.id })
  for (const { id } of [mug, hats, ten, ana]) {
    assert.ok((await blocked(id)).some(({ reason }) => reason === 'in_use'))
  }
})

test('a deleted category comes back with its products', async () => {
  const shop = await newShop(world)
  const { write, undone } = scribe(shop)
  const { data: hats } = await write('post', '/v1/categories', { name: 'Hats' })
  const { data: caps } = await write('post', '/v1/categories', { name: 'Caps' })
  const inHats = [await shop.product({ category_id: hats.id }), await shop.product({ category_id: hats.id })]
  const { id } = await write('delete', `/v1/categories/${hats.id}`)
  await undone(id)
  for (const one of inHats) assert.deepEqual((await shop.api.get(`/v1/products/${one.id}`)).data, one)
  assert.deepEqual(still((await shop.api.get(`/v1/categories/${hats.id}`)).data), still(hats))
  const again = await write('delete', `/v1/categories/${hats.id}`)
  const moved = await write('patch', `/v1/products/${inHats[0].id}`, { category_id: caps.id })
  const [obstacle] = await scribe(shop).blocked(again.id)
  assert.deepEqual([obstacle.id, obstacle.field, obstacle.reason], [inHats[0].id, 'category_id', 'changed_since'])
  assert.deepEqual(
    obstacle.later.map(({ request_id }: any) => request_id),
    [moved.id],
  )
})

test('settings of the store go back, each by its own operation', async () => {
  const shop = await newShop(world)
  const { write, undone } = scribe(shop)
  const changes: [string, object][] = [
    ['/v1/store', { description: 'Mugs', tax_rate: 16 }],
    ['/v1/store/appearance', { announcement: 'New', accent_color: '#aa2200' }],
    ['/v1/store/menus', { header_menu: [{ label: 'Cart', link: '/cart' }] }],
    ['/v1/store/checkout', { company: 'required' }],
    ['/v1/store/mails/order_paid', { is_active: false }],
  ]
  for (const [path, body] of changes) {
    const before = (await shop.api.get(path)).data
    const { id } = await write('patch', path, body)
    assert.notDeepEqual(still((await shop.api.get(path)).data), still(before), path)
    await undone(id)
    assert.deepEqual(still((await shop.api.get(path)).data), still(before), path)
  }
})

test('settings of extensions go back too, to the defaults in the end', async () => {
  const shop = await newShop(world)
  const { write, undone } = scribe(shop)
  const product = await shop.product()
  const paths: [string, object, object][] = [
    ['/v1/downloads/settings', { days: 3 }, { max_downloads: null, key_product_ids: [product.id] }],
    ['/v1/backinstock/settings', { is_active: false }, { is_active: true }],
  ]
  for (const [path, ...bodies] of paths) {
    const read = async () => (await shop.api.get(path)).data
    const states = [await read()]
    const ids: string[] = []
    for (const body of bodies) {
      ids.push((await write('patch', path, body)).id)
      states.push(await read())
      assert.notDeepEqual(states.at(-1), states.at(-2), path)
    }
    for (const id of ids.toReversed()) {
      states.pop()
      await undone(id)
      assert.deepEqual(await read(), states.at(-1), path)
    }
  }
})

test('a field that was changed since stands in the way, with the writes that did it; others do not', async () => {
  const shop = await newShop(world)
  const { write, undone, blocked } = scribe(shop)
  const mug = await shop.product()
  const path = `/v1/products/${mug.id}`
  const first = await write('patch', path, { price: 11 })
  const other = await write('patch', path, { name: 'Cup' })
  await undone(first.id)
  await undone(other.id)
  const one = await write('patch', path, { price: 12, name: 'Bowl' })
  const two = await write('patch', path, { price: 13 })
  const obstacles = await blocked(one.id)
  assert.deepEqual(obstacles, [
    {
      resource: 'product',
      id: mug.id,
      field: 'price',
      reason: 'changed_since',
      later: [{ request_id: two.id, operation: 'updateProduct', created_at: obstacles[0].later[0].created_at }],
    },
  ])
  assert.equal((await shop.api.get(path)).data.name, 'Bowl')
})

test('nothing is undone twice, nor across a deletion, nor what a customer told who was erased', async () => {
  const shop = await newShop(world)
  const { write, undone, blocked } = scribe(shop)
  const mug = await shop.product()
  const adjusted = await write('patch', `/v1/inventory/products/${mug.id}`, { quantity: 5 })
  await undone(adjusted.id)
  assert.equal((await blocked(adjusted.id))[0].reason, 'already_reverted')
  const changed = await write('patch', `/v1/products/${mug.id}`, { name: 'Cup' })
  const deleted = await write('delete', `/v1/products/${mug.id}`)
  const [obstacle] = await blocked(changed.id)
  assert.deepEqual([obstacle.reason, obstacle.later.at(-1).request_id], ['deleted_since', deleted.id])
  const ana = await write('post', '/v1/customers', { name: 'Ana' })
  const path = `/v1/customers/${ana.data.id}`
  const renamed = await write('patch', path, { name: 'Bo', notes: 'VIP' })
  await undone(renamed.id)
  assert.deepEqual(still((await shop.api.get(path)).data), still(ana.data))
  const erased = await write('delete', path)
  assert.equal((await blocked(erased.id))[0].reason, 'erased')
  assert.equal((await blocked(ana.id))[0].reason, 'erased')
})

test('orders, keys and what is secret cannot be undone, and say so', async () => {
  const shop = await newShop(world)
  const { write, blocked } = scribe(shop)
  const mug = await shop.product()
  const order = await write('post', '/v1/orders', { items: [sold(mug)] })
  assert.ok((await blocked(order.id)).every(({ reason }) => reason === 'not_revertible'))
  const hook = { url: 'https://hooks.example/a', events: ['order.created'] }
  const { data } = await shop.api.post('/v1/webhooks', hook)
  if (data) {
    const rotated = await write('post', `/v1/webhooks/${data.id}/rotate-secret`)
    assert.equal((await blocked(rotated.id))[0].reason, 'not_revertible')
  }
})

test('the steps of a return are undone, except what arrived or was paid back', async () => {
  const shop = await newShop(world)
  const { write, undo, blocked } = scribe(shop)
  const order = await shop.order([sold(await shop.product(), 3)], { payment_status: 'paid' })
  dataOf(await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {}), 201)
  const request = (quantity: number) => ({
    items: [{ item_id: order.items[0].id, quantity, reason: 'other' }],
    status: 'requested',
  })
  const made = dataOf(await shop.api.post(`/v1/orders/${order.id}/returns`, request(2)), 201)
  const path = `/v1/returns/${made.id}`
  const state = async () => {
    const { status, approved_at, instructions, decline_reason, cancelled_at } = dataOf(await shop.api.get(path), 200)
    return { status, approved_at, instructions, decline_reason, cancelled_at }
  }
  const requested = await state()
  for (const [step, body] of [
    ['approve', { instructions: 'Dock 4' }],
    ['decline', { reason: 'Worn' }],
    ['cancel', {}],
  ] as const) {
    const { id } = await write('post', `${path}/${step}`, body)
    assert.notDeepEqual(await state(), requested)
    await shop.events()
    const undone = await undo(id)
    assert.equal(undone.status, 200, JSON.stringify(undone))
    assert.deepEqual(await state(), requested)
    assert.deepEqual(
      (await shop.events()).map(({ event }) => event),
      ['return.reopened'],
    )
  }

  // Another return has its units by now.
  const declined = await write('post', `${path}/decline`, {})
  const other = dataOf(await shop.api.post(`/v1/orders/${order.id}/returns`, request(2)), 201)
  assert.equal((await blocked(declined.id))[0].reason, 'refused')
  dataOf(await shop.api.post(`/v1/returns/${other.id}/cancel`, {}), 200)
  assert.equal((await undo(declined.id)).status, 200)

  dataOf(await shop.api.post(`${path}/approve`, {}), 200)
  const received = await write('post', `${path}/receive`, {})
  assert.ok((await blocked(received.id)).some(({ reason }) => reason === 'not_revertible'))
  const closed = await write('post', `${path}/close`, {})
  assert.equal((await undo(closed.id)).status, 200)
  const refunded = await write('post', `${path}/refund`, {})
  assert.notEqual((await undo(refunded.id)).status, 200)
  assert.equal((await state()).status, 'closed')
})

test("another store's request, an unknown one and one that changed nothing are not found alike", async () => {
  const [shop, other] = [await newShop(world), await newShop(world)]
  const mug = await shop.product()
  const theirs = await scribe(other).write('patch', `/v1/products/${(await other.product()).id}`, { name: 'Cup' })
  const nothing = await scribe(shop).write('patch', `/v1/products/${mug.id}`, { name: 'Mug' })
  const answers = await Promise.all([theirs.id, nothing.id, 'req-unknown'].map((id) => scribe(shop).undo(id)))
  assert.deepEqual(
    answers.map(({ status, error }) => [status, error]),
    answers.map(() => [404, { code: 'NOT_FOUND', message: 'Change not found' }]),
  )
})

test('two who undo the same at once: one does, the other is refused', async () => {
  const shop = await newShop(world)
  const { write, undo } = scribe(shop)
  const mug = await shop.product()
  const { id } = await write('patch', `/v1/inventory/products/${mug.id}`, { quantity: 5 })
  const answers = await Promise.all([undo(id), undo(id), undo(id)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409])
  assert.equal(await shop.stockOf(mug), 5)
})

const colours = [{ title: 'Colour', values: ['Red', 'Blue'] }]
const every = (count: number, dice: number) => dice % count === 0
type Ids = Record<'collection' | 'other' | 'product' | 'spare' | 'category' | 'discount' | 'customer' | 'rate', string>

/** Edits of a product, chosen by a number. */
const edits: ((dice: number, ids: Ids) => object)[] = [
  (dice) => ({ name: `Name ${dice}`, description: every(2, dice) ? null : `Text ${dice}` }),
  (dice) => ({ price: 1 + dice / 8, compare_price: every(3, dice) ? null : 99.9 }),
  (dice) => ({ product_status: ['active', 'draft', 'archived'][dice % 3] }),
  (dice) => ({ slug: `slug-${dice}`, gallery: [`https://images.example/${dice}.jpg`] }),
  (dice, { category }) => ({ category_id: every(2, dice) ? null : category, sku: `SKU ${dice}` }),
  (dice) => ({ options: [], variants: [], stock_quantity: dice % 50 }),
  (dice) => ({
    options: colours,
    variants: [
      { option_values: [red], stock_quantity: dice % 9 },
      ...(every(2, dice) ? [] : [{ option_values: [blue], price: dice }]),
    ],
  }),
]

type Edit = ['patch' | 'delete' | 'post', string, object?]

/** The same to anything. */
// prettier-ignore
const otherEdits: ((dice: number, ids: Ids) => Edit)[] = [
  (dice, { product }) => ['patch', `/v1/products/${product}/translations`, { de: { name: `Becher ${dice}` } }],
  (dice, { category }) => ['patch', `/v1/categories/${category}`, { name: `Hats ${dice}`, is_active: every(2, dice) }],
  (dice, { discount }) => ['patch', `/v1/discounts/${discount}`, { value: 1 + (dice % 90), max_uses: dice % 4 }],
  (dice, { customer }) => ['patch', `/v1/customers/${customer}`, { name: `Ana ${dice}`, notes: dice % 2 ? 'V' : null }],
  (dice, { customer }) => ['patch', `/v1/customers/${customer}`, { accepts_marketing: every(2, dice), tax_id: null }],
  (dice, { collection }) => ['patch', `/v1/collections/${collection}`, { name: `Set ${dice}`, slug: `set-${dice}` }],
  (dice, { collection, product, other }) =>
    ['post', `/v1/collections/${collection}/products`, { product_ids: [dice % 2 ? product : other], position: 0 }],
  (dice, { collection }) => ['patch', `/v1/collections/${collection}/translations`, { de: { name: `Satz ${dice}` } }],
  (dice) => ['patch', '/v1/store/mails/order_paid', { [['en', 'de'][dice % 2]!]: { subject: `Paid ${dice}` } }],
  (dice) => ['patch', '/v1/store/checkout', { company: ['hidden', 'optional', 'required'][dice % 3] }],
  (dice, { rate }) => ['patch', `/v1/store/shipping-rates/${rate}`, { price: dice, free_from: dice % 2 ? 9 : null }],
  (dice) => ['patch', '/v1/store/appearance', { announcement: every(2, dice) ? null : `News ${dice}` }],
  (dice) => ['post', '/v1/products', { name: `New ${dice}`, price: dice + 1, stock_quantity: dice % 5 }],
  (_, { spare }) => ['delete', `/v1/products/${spare}`],
]

test('random edits that are undone in the reverse order give back the same bytes', async (t) => {
  let state = seed
  const roll = (bound: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >> 8) % bound
  }
  const shop = await newShop(world)
  const { write, undo } = scribe(shop)
  const { data: category } = await write('post', '/v1/categories', { name: 'Hats' })
  const { data: discount } = await write('post', '/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const { data: customer } = await write('post', '/v1/customers', { name: 'Ana', email: 'ana@example.com' })
  const { data: rate } = await write('post', '/v1/store/shipping-rates', { code: 'standard', price: 5 })
  const product = await shop.variants({ category_id: category.id, description: 'First' })
  const spare = await shop.variants({ name: 'Spare', category_id: category.id })
  const other = await shop.product()
  const { data: collection } = await write('post', '/v1/collections', { name: 'Set' })
  await write('post', `/v1/collections/${collection.id}/products`, { product_ids: [spare.id, other.id] })
  const ids = {
    other: other.id,
    collection: collection.id,
    category: category.id,
    discount: discount.id,
    customer: customer.id,
    rate: rate.id,
    product: product.id,
    spare: spare.id,
  }
  const paths = [
    `/v1/categories/${ids.category}`,
    `/v1/discounts/${ids.discount}`,
    `/v1/collections/${ids.collection}`,
    `/v1/collections/${ids.collection}/translations`,
    `/v1/collections/${ids.collection}/products`,
    `/v1/customers/${ids.customer}`,
    `/v1/store/shipping-rates/${ids.rate}`,
    `/v1/products/${ids.product}`,
    `/v1/products/${ids.product}/translations`,
    `/v1/products/${ids.spare}/translations`,
    `/v1/products/${ids.spare}`,
    '/v1/products?status=all&sort=name&order=asc',
    '/v1/store/appearance',
    '/v1/store/mails',
    '/v1/store/checkout',
    '/v1/inventory/products/' + ids.product,
  ]
  const picture = () =>
    Promise.all(paths.map(async (path) => JSON.stringify(still((await shop.api.get(path)).body), null, 1)))
  const stack: { id: string; before: string[]; what: string }[] = []
  const isGone = { spare: false }
  for (let step = 0; step < Number(process.env.EDITS ?? 40); step++) {
    world.clock.advance(60)
    const [which, dice] = [roll(edits.length + otherEdits.length), roll(1000)]
    const [method, path, body]: Edit = edits[which]
      ? ['patch', `/v1/products/${ids.product}`, edits[which](dice, ids)]
      : otherEdits[which - edits.length]!(dice, ids)
    if (method === 'delete' && isGone.spare) continue
    if (method === 'delete') isGone.spare = true
    const before = await picture()
    const { id } = await write(method, path, body)
    stack.push({ id, before, what: `${method} ${path} ${JSON.stringify(body)}` })
  }
  for (const { id, before, what } of stack.reverse()) {
    world.clock.advance(60)
    const answer = await undo(id)
    // An edit that changed nothing cannot be undone.
    assert.ok([200, 404].includes(answer.status), `SEED=${seed} ${what} ${JSON.stringify(answer.error)}`)
    const after = await picture()
    after.forEach((text, index) => assert.equal(text, before[index], `SEED=${seed} ${what}`))
  }
  t.diagnostic(`SEED=${seed} ${stack.length} edits`)
})

test('an id that a caller gave to two requests undoes neither; each has one of its own', async () => {
  const { api } = await newShop(world)
  const headers = { 'x-request-id': 'import-17' }
  const [hats, bags] = [
    (await api.post('/v1/categories', { name: 'Hats' }, { headers })).data,
    (await api.post('/v1/categories', { name: 'Bags' }, { headers })).data,
  ]
  const { status, error } = await api.post('/v1/changes/import-17/revert')
  assert.deepEqual([status, error.code], [409, 'CONFLICT'])
  const [first, second] = error.message.match(/req_\w{26}/g)
  assert.match(error.message, /^2 requests share the ID import-17/)
  const reverted = await api.post(`/v1/changes/${first}/revert`, {}, { headers })
  assert.deepEqual(reverted.data.records, [{ resource: 'category', id: hats.id, action: 'removed' }])
  assert.equal((await api.get(`/v1/categories/${bags.id}`)).status, 200)
  const again = await api.post(`/v1/changes/${first}/revert`)
  assert.equal(again.error.details.obstacles[0].reason, 'already_reverted')
  const { data: entries } = await api.get(`/v1/audit?request_id=${second}`)
  assert.deepEqual([entries.length, entries[0].request_id, entries[0].reverted_by], [1, 'import-17', null])
  assert.equal((await api.post(`/v1/changes/${second}/revert`)).status, 200)
})

test('whoever sends the id of another request under its own does not stand in the way of undoing that', async () => {
  const { api } = await newShop(world)
  const made = await api.post('/v1/categories', { name: 'Hats' })
  const id = made.headers.get('x-request-id')!
  await api.post('/v1/categories', { name: 'Bags' }, { headers: { 'x-request-id': id } })
  const { data } = await api.post(`/v1/changes/${id}/revert`)
  assert.deepEqual(data.records, [{ resource: 'category', id: made.data.id, action: 'removed' }])
})

test('undoing takes the scope that writes each of the records', async () => {
  const shop = await newShop(world)
  const { write } = scribe(shop)
  const { id } = await write('post', '/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const settings = await write('patch', '/v1/store', { name: 'Corner' })
  const undoer = await shop.withKey({ scopes: ['write:audit', 'write:products'] })
  for (const [change, scope] of [
    [id, 'write:discounts'],
    [settings.id, 'write:store'],
  ]) {
    const { status, error } = await undoer.post(`/v1/changes/${change}/revert`)
    assert.deepEqual([status, error.code, error.message.includes(scope)], [403, 'SCOPE_INSUFFICIENT', true])
  }
  const able = await shop.withKey({ scopes: ['write:audit', 'write:discounts'] })
  assert.equal((await able.post(`/v1/changes/${id}/revert`)).status, 200)
})

test('an undo brings back the very form of a setting, so that what came before can be undone too', async () => {
  const shop = await newShop(world)
  const { write, undone } = scribe(shop)
  const rowsOf = async () =>
    world.app.db.rows(sql`
      select kind, is_active, words::text as words, checkout_fields::text as fields
      from stores
      left join mail_settings on mail_settings.store_id = stores.id
      where stores.id = ${shop.store.id}
      order by kind`)
  const stack: { id: string; before: unknown }[] = []
  for (const [path, body] of [
    ['/v1/store/mails/order_paid', { en: { subject: 'First' } }],
    ['/v1/store/mails/order_paid', { en: { subject: 'Second' }, de: { subject: 'Zweitens', introduction: 'Danke' } }],
    ['/v1/store/checkout', { phone: 'required' }],
    ['/v1/store/mails/order_paid', { is_active: false, en: null }],
    ['/v1/store/checkout', { phone: 'hidden', company: 'optional' }],
    ['/v1/store/mails/contact_message', { is_active: false }],
    ['/v1/store/checkout', { company: 'required' }],
  ] as const) {
    const before = await rowsOf()
    stack.push({ before, id: (await write('patch', path, body)).id })
  }
  for (const { id, before } of stack.reverse()) {
    const { data } = await undone(id)
    assert.deepEqual(await rowsOf(), before)
    await undone(data.request_id)
    await undone(id)
    assert.deepEqual(await rowsOf(), before)
  }
})

test('what an edit of a customer moved along comes back with it', async () => {
  const shop = await newShop(world)
  const { write, undone } = scribe(shop)
  const { data: customer } = await write('post', '/v1/customers', { name: 'Ana', email: 'ana@example.com' })
  const path = `/v1/customers/${customer.id}`
  const { id } = await write('patch', path, { accepts_marketing: true, name: 'Anna' })
  const changed = (await shop.api.get(path)).data
  assert.ok(changed.marketing_changed_at)
  const { data } = await undone(id)
  assert.deepEqual(still((await shop.api.get(path)).data), still(customer))
  await undone(data.request_id)
  assert.deepEqual(still((await shop.api.get(path)).data), still(changed))
})

test('a refusal names the later write of a setting too', async () => {
  const shop = await newShop(world)
  const { write, blocked } = scribe(shop)
  const first = await write('patch', '/v1/store/mails/order_paid', { en: { subject: 'First' } })
  const second = await write('patch', '/v1/store/mails/order_paid', { en: { subject: 'Second' } })
  const checkout = await write('patch', '/v1/store/checkout', { phone: 'required' })
  const later = await write('patch', '/v1/store/checkout', { phone: 'hidden' })
  for (const [id, by] of [
    [first.id, second.id],
    [checkout.id, later.id],
  ] as const) {
    const [obstacle] = await blocked(id)
    assert.deepEqual([obstacle.reason, obstacle.later.map((one: any) => one.request_id)], ['changed_since', [by]])
  }
})

test('collections go back with their products, in their order, and a deleted one comes back', async () => {
  const shop = await newShop(world)
  const { write, undone, blocked } = scribe(shop)
  const [a, b, c] = [await shop.product(), await shop.product(), await shop.product()]
  const { data: made } = await write('post', '/v1/collections', {
    name: 'Summer',
    image: 'https://images.example/s.jpg',
  })
  const path = `/v1/collections/${made.id}`
  const picture = async () =>
    JSON.stringify(
      still([
        (await shop.api.get(path)).body,
        (await shop.api.get(`${path}/translations`)).body,
        (await shop.api.get(`${path}/products?status=all`)).data?.map(({ id }: any) => id),
      ]),
    )
  const stack: { id: string; before: string; what: string }[] = []
  for (const [method, at, body] of [
    ['post', '/products', { product_ids: [a.id, b.id] }],
    ['post', '/products', { product_ids: [c.id], position: 1 }],
    ['post', '/products', { product_ids: [b.id], position: 0 }],
    ['patch', '', { name: 'Autumn', slug: 'autumn', sort_order: 'name' }],
    ['patch', '/translations', { de: { name: 'Herbst' } }],
    ['delete', `/products/${a.id}`],
    ['delete', ''],
  ] as const) {
    const before = await picture()
    stack.push({ before, what: `${method} ${at}`, id: (await write(method, path + at, body)).id })
  }
  const [first] = stack
  assert.equal((await blocked(first!.id))[0].reason, 'deleted_since')
  for (const { id, before, what } of stack.reverse()) {
    const { data } = await undone(id)
    assert.equal(await picture(), before, what)
    await undone(data.request_id)
    await undone(id)
    assert.equal(await picture(), before, `${what}, again`)
  }
  const gone = await write('delete', `/v1/products/${b.id}`)
  await undone(gone.id)
})

test('a deleted product comes back into its collections, where it stood', async () => {
  const shop = await newShop(world)
  const { write, undone, blocked } = scribe(shop)
  const [a, b] = [await shop.product(), await shop.product()]
  const places: string[] = []
  for (const name of ['Summer', 'Winter']) {
    const { data } = await write('post', '/v1/collections', { name })
    places.push(`/v1/collections/${data.id}`)
    await write('post', `/v1/collections/${data.id}/products`, { product_ids: [b.id, a.id] })
  }
  const idsIn = async (path: string) => (await shop.api.get(`${path}/products`)).data.map(({ id }: any) => id)
  const { id } = await write('delete', `/v1/products/${b.id}`)
  await write('delete', places[1]!)
  await undone(id)
  assert.deepEqual(await idsIn(places[0]!), [b.id, a.id])
  assert.equal((await shop.api.get(places[0]!)).data.products_count, 2)
  const moved = await write('post', `${places[0]}/products`, { product_ids: [a.id], position: 0 })
  const later = await write('post', `${places[0]}/products`, { product_ids: [b.id], position: 0 })
  const [obstacle] = await blocked(moved.id)
  assert.deepEqual([obstacle.reason, obstacle.later[0].request_id], ['changed_since', later.id])
})
