import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../../test/shop.ts'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'
import { spanOf } from './period.ts'

const world = await openWorld({}, { sweeps: true })

async function open(timezone = 'UTC') {
  const shop = await world.newStore({ timezone })
  const ana = await staffOf(world, [shop], 'staff')
  const items = [{ product_name: 'Mug', unit_price: 20, quantity: 2 }]
  const place = (body: object = {}) => shop.api.post('/v1/orders', { items, ...body })
  return { shop, ana, place, path: `/${shop.store.id}` }
}

const figures = (text: string) =>
  [...text.matchAll(/<dt>([^<]+)<\/dt>\s*<dd><strong>([^<]+)<\/strong>/g)].map(([, name, value]) => `${name} ${value}`)

test('a time is shown beside the time before it, whether it is worked out or not', async () => {
  const { ana, place, path } = await open()
  await place({ customer: { name: 'Ben', email: 'ben@example.com' } })
  world.clock.advance(24 * 3600)
  await place()
  await place()
  for (const isFolded of [false, true]) {
    if (isFolded) await world.app.jobs.run('sum sales')
    const { text } = await ana.get(`${path}?period=today`)
    assert.deepEqual(figures(text), [
      'Sales $80.00',
      'Orders 2',
      'Average order value $40.00',
      'New customers 0',
      'Recovered checkouts 0',
      'Checkout conversion rate –',
    ])
    assert.match(text, /Up 100%<\/span>\s*<span aria-hidden="true">↑ 100%/)
    assert.match(text, /Previous period: \$40\.00/)
    assert.match(text, /<title>[^<]*: \$80\.00 · 2 orders<\/title>/)
    assert.deepEqual(figures((await ana.get(`${path}?period=days_7`)).text).slice(0, 2), ['Sales $120.00', 'Orders 3'])
  }
})

test('a day is one of the store’s, also when its clocks change', () => {
  const autumn = spanOf('today', new Date('2026-11-01T20:00:00Z'), 'America/New_York')
  assert.equal(autumn.current.length, 26)
  assert.equal(autumn.current[0]!.toISOString(), '2026-11-01T04:00:00.000Z')
  const india = spanOf('days_7', new Date('2026-11-21T20:00:00Z'), 'Asia/Kathmandu')
  assert.deepEqual([india.from, india.to, india.current.length], ['2026-11-16', '2026-11-22', 8])
  assert.equal(india.current.at(-1)!.toISOString(), '2026-11-22T18:15:00.000Z')
})

test('what is low, and what nobody got, waits for somebody; and nothing else', async () => {
  const { shop, ana, path } = await open()
  assert.match((await ana.get(path)).text, /You’re all caught up/)
  const body = { name: 'Cup', price: 5, track_inventory: true, stock_quantity: 2 }
  dataOf(await shop.api.post('/v1/products', body), 201)
  assert.match((await ana.get(path)).text, /Low stock<\/a> <span class="mark warn">1</)
})

test('the first steps say what is missing, and go when all is done', async () => {
  const { shop, ana, path } = await open()
  const { api } = shop
  assert.match((await ana.get(path)).text, /Complete 4 more steps/)
  await api.post('/v1/products', { name: 'Cup', price: 5 })
  await api.post('/v1/store/shipping-rates', { code: 'standard', price: 5 })
  assert.match((await ana.get(path)).text, /Complete (2 more steps|1 more step) to/)
  await api.post('/v1/store/payment-methods', { code: 'cod' })
  assert.ok(!(await ana.get(path)).text.includes('Get ready to sell'))
})

test('a report is chosen by period or by days, and comes as CSV', async () => {
  const { ana, place, path } = await open()
  await place({ country_code: 'MX' })
  const { text } = await ana.get(`${path}/reports?by=country&period=days_7`)
  assert.match(text, /Mexico<\/a>[^]*\$40\.00/)
  const csv = await ana.get(`${path}/reports.csv?by=country&period=days_7`)
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.deepEqual(csv.text.trim().split('\r\n'), [
    'Country,id,Orders,Units sold,Discounts,Refunds,Sales',
    'Mexico,MX,1,2,0,0,40',
  ])
  for (const query of ['from=2020-01-01&to=2020-01-31', 'from=9999-99-99', 'by=constructor&page=0', 'page=1e9']) {
    assert.equal((await ana.get(`${path}/reports?${query}`)).status, 200, query)
  }
  assert.match((await ana.get(`${path}/reports?from=2020-01-01&to=2020-01-31`)).text, /No sales in this period/)
})
