// Pre-orders: an item with a day ahead is sold, and the day is told wherever the item is shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer, productOf, setUp, shopperOf } from '../../../../test/checkouts.ts'
import { dataOf, faultsOf } from '../../../../test/shop.ts'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { formatDay } from '../../../kit/values/day.ts'

const world = await openWorld()

const daySeconds = 86_400
const dayIn = (days: number) =>
  new Date(world.clock.now().getTime() + days * daySeconds * 1000).toISOString().slice(0, 10)
const size = (value: string) => ({ option_values: [{ option_title: 'Size', value }] })

async function open() {
  const shop = await setUp(await world.newStore())
  return { ...shop, shopper: shopperOf(world, shop) }
}

const pageOf = async ({ store }: TestStore, path: string, headers: Record<string, string> = {}) =>
  (await fetch(`${world.url}/s/${store.slug}${path}`, { headers })).text()

test('a day ahead is told on the page, in structured data and in feeds until it comes', async () => {
  const shop = await open()
  const [soon, later] = [dayIn(10), dayIn(30)]
  await productOf(shop, {
    slug: 'tent',
    available_on: soon,
    variants: [size('S'), { ...size('L'), available_on: later }],
  })
  const stockOf = async (path: string) => /<p id="stock" class="stock[^>]*>([^<]*)/.exec(await pageOf(shop, path))![1]
  assert.equal(await stockOf('/products/tent'), `Ships from ${formatDay(soon, 'en')}`)
  assert.equal(await stockOf('/products/tent?option.0=L'), `Ships from ${formatDay(later, 'en')}`)
  const page = await pageOf(shop, '/products/tent')
  assert.match(page, new RegExp(`"availability":"https://schema.org/PreOrder","availabilityStarts":"${soon}"`))
  const feed = await pageOf(shop, '/feeds/google.xml')
  for (const day of [soon, later])
    assert.match(
      feed,
      new RegExp(`<g:availability>preorder</g:availability>\\s*<g:availability_date>${day}T00:00:00.000Z<`),
    )
  const [line] = (await pageOf(shop, '/feeds/products.jsonl')).split('\n')
  assert.partialDeepStrictEqual(JSON.parse(line!), { availability: 'preorder', available_on: soon })

  await shop.api.patch('/v1/store', { default_language: 'de' })
  assert.equal(await stockOf('/products/tent'), `Versand ab ${formatDay(soon, 'de')}`)
  await shop.api.patch('/v1/store', { default_language: 'en' })
  world.clock.advance(10 * daySeconds)
  assert.equal(await stockOf('/products/tent'), 'In stock')
  assert.equal(await stockOf('/products/tent?option.0=L'), `Ships from ${formatDay(later, 'en')}`)
  const after = await pageOf(shop, '/products/tent')
  assert.match(after, /"availability":"https:\/\/schema.org\/InStock"/)
})

test('an item that cannot be bought stays sold out, whatever its day', async () => {
  const shop = await open()
  const { id } = await productOf(shop, { slug: 'tent', available_on: dayIn(10), stock: 0 })
  const page = await pageOf(shop, '/products/tent')
  assert.match(page, /"availability":"https:\/\/schema.org\/OutOfStock"/)
  assert.doesNotMatch(page, /Ships from/)
  const { status } = await shop.api.post('/v1/orders', { items: [{ product_id: id, quantity: 1 }] })
  assert.equal(status, 422)
})

test('cart, checkout, order, emails and packing slip have the day that was promised', async () => {
  const shop = await open()
  const staff = await staffOf(world, [shop])
  const [promised, changed] = [dayIn(40), dayIn(60)]
  const text = `Ships from ${formatDay(promised, 'en')}`
  const tent = await productOf(shop, {
    name: 'Tent',
    available_on: promised,
    track_inventory: true,
    continue_selling: true,
  })
  const mug = await productOf(shop, { name: 'Mug' })
  const items = [tent, mug].map(({ id }) => ({ product_id: id, quantity: 1 }))

  const added = await fetch(`${world.url}/s/${shop.store.slug}/products/${tent.slug}`, {
    method: 'POST',
    body: new URLSearchParams({ quantity: '1' }),
    redirect: 'manual',
  })
  const cookie = added.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  assert.ok((await pageOf(shop, '/cart', { cookie })).includes(text))

  const { data: begun } = await shop.shopper.begin({ items, ...buyer() })
  assert.deepEqual(
    begun.items.map(({ available_on }: any) => available_on),
    [promised, null],
  )
  const { order } = (await shop.shopper.complete(begun.token)).data
  await shop.api.patch(`/v1/products/${tent.id}`, { available_on: changed })

  const { data: placed } = await shop.api.get(`/v1/orders/${order.id}`)
  assert.deepEqual(
    placed.items.map(({ available_on }: any) => available_on),
    [promised, null],
  )
  const preview = await shop.api.get(`/v1/store/mails/order_confirmation/preview?order=${order.id}`)
  assert.match(preview.data.text, new RegExp(`1 × Tent \\(${text}\\)`))
  const base = `/${shop.store.id}`
  assert.ok((await staff.get(`${base}/orders/${order.id}`)).text.includes(text))
  assert.ok((await staff.get(`${base}/orders/print?what=slip&ticked=${order.id}`)).text.includes(text))
  const { data: owed } = await shop.api.get('/v1/inventory/backorders')
  assert.deepEqual(
    owed.map(({ available_on }: any) => available_on),
    [promised],
  )
  assert.ok((await staff.get(`${base}/inventory/backorders`)).text.includes(formatDay(promised, 'en')))
})

test('what is not shipped is available from its day, and says nothing of fast shipping', async () => {
  const shop = await open()
  const day = dayIn(40)
  const guide = { name: 'Guide', available_on: day, requires_shipping: false, fast_shipping: true }
  const { slug, id } = await productOf(shop, guide)
  const page = await pageOf(shop, `/products/${slug}`)
  assert.ok(page.includes(`Available from ${formatDay(day, 'en')}`))
  assert.doesNotMatch(page, /Ships from|Fast shipping/)
  const { data: begun } = await shop.shopper.begin({ items: [{ product_id: id, quantity: 1 }], ...buyer() })
  const { order } = (await shop.shopper.complete(begun.token)).data
  const preview = await shop.api.get(`/v1/store/mails/order_confirmation/preview?order=${order.id}`)
  assert.ok(preview.data.text.includes(`1 × Guide (Available from ${formatDay(day, 'en')})`))
})

test('a rate with delivery times arrives after the day of the last pre-order', async () => {
  const shop = await world.newStore()
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 5, min_days: 0, max_days: 0 })
  const tent = await productOf(shop, { available_on: dayIn(40) })
  const { data } = await shopperOf(world, shop).begin({ items: [{ product_id: tent.id, quantity: 1 }], ...buyer() })
  assert.ok(data.shipping_costs[0].arrives_from >= dayIn(40))
})

test('lists find products by their day and by those of their variants; a day is a date', async () => {
  const { api } = await world.newStore()
  const make = async (body: object) => dataOf(await api.post('/v1/products', { price: 5, ...body }), 201)
  await make({ name: 'Own', available_on: '2031-03-01' })
  await make({ name: 'By variant', variants: [size('S'), { ...size('L'), available_on: '2031-05-01' }] })
  await make({ name: 'None' })
  const names = async (query: string) =>
    (await api.get(`/v1/products?sort=name&order=asc&${query}`)).data.map(({ name }: any) => name)
  assert.deepEqual(await names('available_on[gte]=2031-03-01'), ['By variant', 'Own'])
  assert.deepEqual(await names('available_on[gte]=2031-03-02'), ['By variant'])
  assert.deepEqual(await names('available_on[gte]=2031-01-01&available_on[lte]=2031-03-01'), ['Own'])
  for (const available_on of ['2031-02-30', '2031-3-1', 'soon', '2031-03-01T00:00:00Z'])
    assert.deepEqual(Object.keys(faultsOf(await api.post('/v1/products', { name: 'A', price: 1, available_on }))), [
      'available_on',
    ])
})
