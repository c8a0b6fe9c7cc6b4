import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../../test/shop.ts'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

async function open() {
  const shop = await world.newStore({ country_code: 'US' })
  const ana = await staffOf(world, [shop], 'staff')
  const place = async (body: object = {}) => {
    const items = [{ product_name: 'Mug', unit_price: 20, quantity: 2 }]
    return dataOf(await shop.api.post('/v1/orders', { items, ...body }), 201)
  }
  return { shop, ana, place, path: `/${shop.store.id}/reports` }
}

/** The rows of the report, each as the texts of its cells. */
function cellsOf(text: string): string[][] {
  const table = text.slice(text.indexOf('class="list report"'))
  return [...table.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row]) =>
    [...row!.matchAll(/<t[dh][^>]*>([^]*?)<\/t[dh]>/g)].map(([, cell]) =>
      cell!
        .replaceAll(/<small[^]*?<\/small>/g, '')
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ),
  )
}

test('a report has the sums of its rows, and the period before beside them', async () => {
  const { ana, place, path } = await open()
  await place({ country_code: 'MX' })
  world.clock.advance(7 * 24 * 3600)
  await place({ country_code: 'MX' })
  await place({ country_code: 'MX' })
  await place({ country_code: 'ES', shipping_cost: 5 })
  const { text } = await ana.get(`${path}?by=country&period=days_7`)
  assert.deepEqual(cellsOf(text).slice(1), [
    ['Mexico', '2', '4', '$0.00', '$0.00', '$80.00 Up 100% 100%'],
    ['Spain', '1', '2', '$0.00', '$0.00', '$45.00'],
    ['Total', '3', '6', '$0.00', '$0.00', '$125.00 Up 213% 213%'],
  ])
  assert.match(text, /<figure class="chart">/)
})

test('sums by product say whether they include tax', async () => {
  const { shop, ana, path } = await open()
  const hint = async (by: string) =>
    /<p class="hint">([^<]*Refunds[^<]*)</.exec((await ana.get(`${path}?by=${by}`)).text)![1]
  assert.equal(await hint('product'), 'Excludes shipping and taxes. Refunds are deducted.')
  await shop.api.patch('/v1/store', { tax_rate: 19, tax_included: true })
  const included = 'Excludes shipping. Includes the taxes that are part of your prices. Refunds are deducted.'
  assert.deepEqual([await hint('product'), await hint('category')], [included, included])
  assert.equal(await hint('country'), 'Includes shipping and taxes. Refunds are deducted.')
})

test('a column sorts the report, and again in the other order', async () => {
  const { ana, place, path } = await open()
  await place({ country_code: 'MX' })
  await place({ country_code: 'ES', items: [{ product_name: 'Cup', unit_price: 1, quantity: 9 }] })
  const first = async (query: string) => cellsOf((await ana.get(`${path}?by=country&${query}`)).text)[1]![0]
  assert.equal(await first(''), 'Mexico')
  assert.equal(await first('sort=units'), 'Spain')
  assert.equal(await first('sort=units&order=asc'), 'Mexico')
  const { text } = await ana.get(`${path}?by=country&sort=units`)
  assert.match(text, /aria-sort="descending"><a href="[^"]*sort=units&amp;order=asc"/)
})

test('each row leads to its orders, and the list shows as many', async () => {
  const { shop, ana, place, path } = await open()
  const category = dataOf(await shop.api.post('/v1/categories', { name: 'Cups' }), 201)
  const cup = dataOf(await shop.api.post('/v1/products', { name: 'Cup', price: 5, category_id: category.id }), 201)
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const items = [{ product_id: cup.id, quantity: 1 }]
  await place({ items, country_code: 'MX', payment_method: 'cod', discount_code: 'TEN' })
  await place({ items, country_code: 'MX', payment_method: 'cod', discount_code: 'TEN' })
  const gone = await place({ items, country_code: 'MX', payment_method: 'cod', discount_code: 'TEN' })
  await shop.api.patch(`/v1/orders/${gone.id}`, { status: 'cancelled' })
  await place({ country_code: 'US' })
  const counts = { product: 2, category: 2, discount: 2, country: 2, payment_method: 2, channel: 3 }
  for (const [by, count] of Object.entries(counts)) {
    const { text } = await ana.get(`${path}?by=${by}&period=this_month`)
    const link = new RegExp(`href="/dashboard([^"]*/orders\\?[^"]*)" aria-label="${count}, Orders of`)
    const [, href] = link.exec(text) ?? []
    assert.ok(href, by)
    const list = (await ana.get(href.replaceAll('&amp;', '&'))).text
    assert.match(list, new RegExp(`1–${count} of ${count}`), by)
  }
})

test('taxes are by place and rate, with refunds, and come as CSV', async () => {
  const { shop, ana, place, path } = await open()
  const zone = { name: 'Sales tax', rate: 8, country_code: 'US', provinces: ['US-CA'] }
  dataOf(await shop.api.post('/v1/store/tax-zones', zone), 201)
  const shipping_address = { address: 'Main 1', city: 'Fresno', province: 'US-CA', country: 'United States' }
  const { id, items } = await place({ country_code: 'US', shipping_address, payment_status: 'paid' })
  const refund = { items: [{ item_id: items[0].id, quantity: 1 }] }
  dataOf(await shop.api.post(`/v1/orders/${id}/refunds`, refund), 201)
  const { text } = await ana.get(`${path}?by=tax&period=this_month`)
  assert.deepEqual(cellsOf(text).slice(1), [
    ['United States, California', '1', '$40.00', '$3.20', '$20.00', '$1.60', '$1.60'],
    ['Total', '', '', '$3.20', '', '$1.60', '$1.60'],
  ])
  assert.match(text, /Sales tax 8%/)
  const [, href] = /href="\/dashboard([^"]*\/orders\?[^"]*)" aria-label="1, Orders of/.exec(text)!
  assert.match((await ana.get(href!.replaceAll('&amp;', '&'))).text, /1–1 of 1/)
  const csv = await ana.get(`${path}.csv?by=tax&period=this_month`)
  assert.equal(
    csv.text.trim().split('\r\n')[1],
    'United States,California,Sales tax,8,standard rate,1,40,3.2,20,1.6,1.6',
  )
  assert.match((await ana.get(`${path}?by=tax&period=last_month`)).text, /No sales in this period/)
})
