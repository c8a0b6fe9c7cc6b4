import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hiddenOf, staffOf } from '../../../../test/staff.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()
const ten = { code: 'TEN', type: 'percentage', value: 10 }

async function open(more: object = {}, options: object = {}) {
  const shop = await world.newStore(options)
  const ana = await staffOf(world, [shop], 'staff')
  const discount = dataOf(await shop.api.post('/v1/discounts', { ...ten, ...more }), 201)
  const base = `/${shop.store.id}/discounts`
  return { shop, ana, discount, base, path: `${base}/${discount.id}` }
}

const inHours = (hours: number) => new Date(world.clock.now().getTime() + hours * 3600_000).toISOString()

test('the form asks for what the kind needs, and makes a discount of it', async () => {
  const { shop, ana, base } = await open()
  const shown = async (type: string) => (await ana.get(`${base}/new?type=${type}`)).text
  assert.match(await shown('percentage'), /Discount percentage/)
  assert.match(await shown('fixed_amount'), /Discount amount <small>USD<\/small>/)
  assert.ok(!/name="value"/.test(await shown('free_shipping')))
  const made = await ana.post(`${base}/new?type=free_shipping`, {
    act: 'create',
    type: 'free_shipping',
    code: 'ship',
    applies_to_all: 'true',
    is_active: '1',
  })
  assert.match(made.location, /\/discounts\/disc_\w+$/)
  assert.equal(made.notice, 'discount_created')
  const { data } = await shop.api.get('/v1/discounts?search=SHIP')
  assert.deepEqual(
    [data[0].code, data[0].type, data[0].value, data[0].applies_to_all],
    ['SHIP', 'free_shipping', 0, true],
  )
  const wrong = { act: 'create', type: 'percentage', code: 'TEN', value: '101', applies_to_all: 'true' }
  const refused = await ana.post(`${base}/new`, wrong)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /Enter a percentage greater than 0, up to 100\./)
  const taken = await ana.post(`${base}/new`, { ...wrong, value: '5' })
  assert.equal(taken.status, 409)
  assert.match(taken.text, /This already exists/)
})

test('a discount says whether it can be used now, and why not', async () => {
  for (const [more, said] of [
    [{}, 'Customers can use this discount.'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'It ended on'],
    [{ is_active: false }, 'Customers can’t use this discount until you activate it.'],
    [{ starts_at: inHours(2) }, 'It starts on'],
    [{ applies_to_all: false }, 'Choose at least one product or category.'],
  ] as const) {
    const { ana, path } = await open(more)
    assert.ok((await ana.get(path)).text.includes(said), said)
  }
  const { shop, ana, path } = await open({ max_uses: 1 })
  const items = [{ product_name: 'Mug', unit_price: 20, quantity: 1 }]
  const order = dataOf(await shop.api.post('/v1/orders', { items, discount_code: 'ten' }), 201)
  const { text } = await ana.get(path)
  assert.match(text, /The usage limit of 1 has been reached/)
  assert.ok(text.includes(`/orders/${order.id}">#1001</a>`))
  assert.equal((await shop.api.get('/v1/orders?discount_code=ten')).body.pagination.total, 1)
  assert.equal((await shop.api.get('/v1/orders?discount_code=OTHER')).body.pagination.total, 0)
})

test('it can be tried on a cart of any worth: the answer is the one of the checkout', async () => {
  const { ana, path } = await open({ min_order_amount: 50 })
  assert.match((await ana.get(`${path}?total=80`)).text, /Saves \$8\.00/)
  assert.match((await ana.get(`${path}?total=49,99`)).text, /below the minimum order amount/)
  assert.ok(!/Saves \$|Not applied:/.test((await ana.get(`${path}?total=much`)).text))
})

test('what it covers is searched for within the form, which keeps what was typed', async () => {
  const { shop, ana, path, discount } = await open()
  const { id } = dataOf(await shop.api.post('/v1/products', { name: 'Blue mug', price: 5 }), 201)
  const version = hiddenOf(await ana.get(path), 'version').replaceAll('&quot;', '"')
  const typed = { act: 'save', version, code: 'TWENTY', value: '20', applies_to_all: 'false', is_active: '1' }
  const search = { pick: 'applicable_product_ids', 'find.applicable_product_ids': 'mug' }
  const looked = await ana.post(path, { ...typed, ...search })
  assert.equal(looked.status, 200)
  assert.match(looked.text, /name="code" [^>]*value="TWENTY"/)
  assert.match(looked.text, new RegExp(`name="applicable_product_ids" value="${id}"> <span>Blue mug`))
  assert.equal((await shop.api.get(`/v1/discounts/${discount.id}`)).data.code, 'TEN')
  assert.equal(hiddenOf(looked, 'version').replaceAll('&quot;', '"'), version)
  const saved = await ana.post(path, { ...typed, applicable_product_ids: id })
  assert.match(saved.notice, /^saved$/)
  const { data } = await shop.api.get(`/v1/discounts/${discount.id}`)
  assert.deepEqual([data.code, data.applies_to_all, data.applicable_product_ids], ['TWENTY', false, [id]])
  assert.match((await ana.get(path)).text, new RegExp(`value="${id}" checked> <span>Blue mug`))
  const all = { ...typed, version: '', applies_to_all: 'true', applicable_product_ids: id }
  await ana.post(path, all)
  const { data: wide } = await shop.api.get(`/v1/discounts/${discount.id}`)
  assert.deepEqual([wide.applies_to_all, wide.applicable_product_ids], [true, []])
})

test('what is searched for is found by name, and nothing of another store', async () => {
  const { shop, ana } = await open()
  const other = await open()
  for (const one of [shop, other.shop]) dataOf(await one.api.post('/v1/categories', { name: 'Mugs' }), 201)
  const { text } = await ana.get(`/${shop.store.id}/pick/categories?search=mug`)
  assert.equal(text.match(/data-id="cat_/g)!.length, 1)
})

test('a plan that cannot scope discounts is not asked for it', async () => {
  const { ana, shop, path, discount } = await open({}, { plan: 'starter' })
  const { text } = await ana.get(path)
  assert.ok(!text.includes('record-picker'))
  assert.match(text, /On your plan, discounts apply to all products/)
  const saved = await ana.post(path, { act: 'save', code: 'ELEVEN', value: '11', is_active: '1' })
  assert.match(saved.notice, /^saved$/)
  assert.equal((await shop.api.get(`/v1/discounts/${discount.id}`)).data.code, 'ELEVEN')
})

test('it is duplicated without its code, switched off and on, and deleted after a question', async () => {
  const { ana, shop, base, path, discount } = await open({ min_order_amount: 50 })
  const copy = await ana.get(`${base}/new?copy=${discount.id}`)
  assert.match(copy.text, /name="min_order_amount" [^>]*value="50.00"/)
  assert.ok(!copy.text.includes('value="TEN"'))
  assert.equal((await ana.get(`${base}/new?copy=disc_none`)).status, 404)
  const isActive = async () => (await shop.api.get(`/v1/discounts/${discount.id}`)).data.is_active
  await ana.post(path, { act: 'off' })
  assert.equal(await isActive(), false)
  await ana.post(path, { act: 'on' })
  assert.equal(await isActive(), true)
  assert.match((await ana.post(path, { act: 'delete', label: 'TEN' })).text, /Delete TEN\?/)
  assert.match((await ana.post(path, { act: 'delete', sure: '1' })).notice, /^discount_deleted$/)
  assert.equal((await shop.api.get(`/v1/discounts/${discount.id}`)).status, 404)
})

test('a discount for as many products as one may name is saved from its form', async () => {
  const { ana, shop, path, discount } = await open()
  const make = async (at: number) =>
    dataOf(await shop.api.post('/v1/products', { name: `Mug ${at}`, price: 5 }), 201).id
  const ids: string[] = []
  for (let at = 0; at < 250; at++) ids.push(await make(at))
  const typed = { act: 'save', code: 'TEN', value: '10', applies_to_all: 'false', is_active: '1' }
  assert.match((await ana.post(path, { ...typed, applicable_product_ids: ids })).notice, /^saved$/)
  assert.equal((await shop.api.get(`/v1/discounts/${discount.id}`)).data.applicable_product_ids.length, 250)
})
