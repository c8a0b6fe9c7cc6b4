import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import pg from 'pg'
import { holdMoney } from '../../../../test/hold.ts'
import { dataOf } from '../../../../test/shop.ts'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'
import { ticksFor } from '../../framework/chart.ts'
import { queryText, tasks } from '../../../developer/tasks/tasks.ts'
import { screenPaths } from './home.ts'
import { resolvePresetSpan } from '../../../money/reports/period.ts'

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
    assert.match(text, /Up 100%<\/span>\s*<span aria-hidden="true"><svg[^>]*>.*?<\/svg>100%/)
    assert.match(text, /Previous period: \$40\.00/)
    assert.match(text, /<title>[^<]*: \$80\.00 · 2 orders · Previous period: \$\d/)
    assert.deepEqual(figures((await ana.get(`${path}?period=days_7`)).text).slice(0, 2), ['Sales $120.00', 'Orders 3'])
  }
})

test('a day is one of the store’s, also when its clocks change', () => {
  const autumn = resolvePresetSpan('today', new Date('2026-11-01T20:00:00Z'), 'America/New_York')
  assert.equal(autumn.current.length, 26)
  assert.equal(autumn.current[0]!.toISOString(), '2026-11-01T04:00:00.000Z')
  const india = resolvePresetSpan('days_7', new Date('2026-11-21T20:00:00Z'), 'Asia/Kathmandu')
  assert.deepEqual([india.from, india.to, india.current.length], ['2026-11-16', '2026-11-22', 8])
  assert.equal(india.current.at(-1)!.toISOString(), '2026-11-22T18:15:00.000Z')
})

/** Name of the tile → its number, and where it leads. */
const tiles = (text: string) =>
  new Map(
    [
      ...text.matchAll(/<a class="tile[^"]*" href="([^"]+)"><span>([^<]+)<\/span>\s*<(?:strong|span)[^>]*>([^<]+)/g),
    ].map(([, href, name, number]) => [
      name!,
      { number: number!, href: href!.replaceAll('&amp;', '&').slice('/dashboard'.length) },
    ]),
  )

test('a tile for each open task leads to the list that shows exactly these; staff sees no webhooks', async () => {
  const { shop, ana, place, path } = await open()
  const { data: sold } = await place()
  await shop.api.post(`/v1/orders/${sold.id}/fulfillments`, {})
  const clear = (await ana.get(path)).text
  assert.equal(tiles(clear).size, 0)
  assert.match(clear, /class="clear">[^]*All clear/)
  const body = { name: 'Cup', price: 5, track_inventory: true, stock_quantity: 2 }
  dataOf(await shop.api.post('/v1/products', body), 201)
  await place()
  const { data: sent } = await place()
  await shop.api.post(`/v1/orders/${sent.id}/fulfillments`, {})
  const { data: held } = await place()
  await holdMoney(world, shop.store.id, held.id)
  const full = tiles((await ana.get(path)).text)
  const rowsAt = async (name: string) => {
    const { number, href } = full.get(name)!
    const { text } = await ana.get(href)
    assert.match(text, /class="chip"|aria-current="page">(Unfulfilled|Unpaid)/, name)
    return [number, String(text.match(/<tr>/g)!.length - 1)]
  }
  assert.deepEqual(await rowsAt('Orders to fulfill'), ['2', '2'])
  assert.deepEqual(await rowsAt('Payments to capture'), ['1', '1'])
  assert.deepEqual(await rowsAt('Low stock'), ['1', '1'])
  assert.deepEqual([...full.keys()], ['Orders to fulfill', 'Payments to capture', 'Low stock'])
  const owner = await staffOf(world, [shop])
  for (const { path: list, query } of Object.values(tasks)) {
    const { status, text } = await owner.get(`${path}${screenPaths[list]}?${queryText(query)}`)
    assert.equal(status, 200, list)
    assert.match(text, /class="chip"|aria-current="page">(Unfulfilled|Unpaid)/, list)
  }
})

test('a payment that needs review is resolved in its list', async () => {
  const { shop, ana, place, path } = await open()
  const { data: held } = await place()
  await holdMoney(world, shop.store.id, held.id)
  const [{ id }] = (await shop.api.get('/v1/payments')).data
  await shop.api.patch(`/v1/payments/${id}`, { needs_review: true })
  const list = `${path}/payments?needs_review=true`
  assert.match((await ana.get(list)).text, new RegExp(`#${held.order_number}</a>[^]*Authorized[^]*Mark as resolved`))
  await ana.post(list, { act: 'seen', id })
  assert.match((await ana.get(list)).text, /No results/)
})

test('home reads all that it shows in one exchange, once it knows who asks', async () => {
  const { ana, path } = await open()
  for (let times = 0; times < 3; times++) await ana.get(path)
  const { query } = pg.Client.prototype
  const counted = mock.method(pg.Client.prototype, 'query', query)
  await ana.get(path)
  counted.mock.restore()
  const sent = counted.mock.calls.map((call) => JSON.stringify(call.arguments))
  const page = sent.filter((one) => one.includes('needs_response'))
  assert.equal(page.length, 1)
  for (const table of ['payment_methods', 'scarce_products', 'sales_days']) assert.ok(page[0]!.includes(table), table)
  assert.equal(sent.length, 3, 'the session, the store, and the page')
})

test('a chart has a tick above its greatest amount, and three to six in all', () => {
  assert.deepEqual(ticksFor(1491), [1500, 1000, 500, 0])
  assert.deepEqual(ticksFor(100), [100, 75, 50, 25, 0])
  assert.deepEqual(ticksFor(0.07), [0.08, 0.06, 0.04, 0.02, 0])
  for (const most of [0.01, 1, 3, 9, 11, 26, 99, 101, 999, 12_345, 1e12]) {
    const ticks = ticksFor(most)
    assert.ok(ticks.length >= 3 && ticks.length <= 6 && ticks[0]! >= most, `${most}: ${ticks}`)
  }
})

test('the first steps say what is missing, and go when all is done', async () => {
  const { shop, ana, path } = await open()
  const { api } = shop
  const { text } = await ana.get(path)
  assert.match(text, /Complete 3 more steps[^]*<div id="day"><\/div>/)
  assert.match(text, /settings\/imports\?kind=products">or import products</)
  await api.post('/v1/products', { name: 'Cup', price: 5 })
  await api.post('/v1/store/shipping-rates', { code: 'standard', price: 5 })
  assert.match((await ana.get(path)).text, /Complete 1 more step to[^]*Choose how customers pay/)
  await api.post('/v1/store/payment-methods', { code: 'cod' })
  assert.ok(!(await ana.get(path)).text.includes('Get ready to sell'))
})

test('a store that ships nothing is not asked to set up shipping', async () => {
  const { shop, ana, path } = await open()
  const ebook = { name: 'Ebook', price: 5, requires_shipping: false }
  assert.match((await ana.get(path)).text, /Set up shipping/)
  await shop.api.post('/v1/products', ebook)
  const { text } = await ana.get(path)
  assert.match(text, /Complete 1 more step to[^]*Choose how customers pay/)
  assert.doesNotMatch(text, /Set up shipping/)
  const settings = await ana.get(`${path}/settings/store`)
  assert.match(settings.text, /To start taking orders/)
  assert.doesNotMatch(settings.text, /Add a shipping rate/)
  await shop.api.post('/v1/store/payment-methods', { code: 'card' })
  assert.doesNotMatch((await ana.get(path)).text, /Get ready to sell/)
})

test('a report is chosen by period or by days, and comes as CSV', async () => {
  const { ana, place, path } = await open()
  await place({ country_code: 'MX' })
  const { text } = await ana.get(`${path}/reports?by=country&period=days_7`)
  assert.match(text, /Mexico<\/strong>[^]*country_code=MX[^]*\$40\.00/)
  const csv = await ana.get(`${path}/reports.csv?by=country&period=days_7`)
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.deepEqual(csv.text.trim().split('\r\n'), [
    'Country,id,Orders,Units sold,Discounts,Refunds,Sales,Previous period',
    'Mexico,MX,1,2,0,0,40,0',
  ])
  for (const query of ['from=2020-01-01&to=2020-01-31', 'from=9999-99-99', 'by=constructor&page=0', 'page=1e9']) {
    assert.equal((await ana.get(`${path}/reports?${query}`)).status, 200, query)
  }
  assert.match((await ana.get(`${path}/reports?from=2020-01-01&to=2020-01-31`)).text, /No sales in this period/)
})
