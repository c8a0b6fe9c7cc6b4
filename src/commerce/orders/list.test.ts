import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { statuses } from './states.ts'

const world = await openWorld()
const { db } = world.app

/** Creates an order with one line; `at` and `updated` set its times. */
async function orderAt(shop: Shop, total: number, { at, updated, ...body }: any = {}): Promise<any> {
  const order = await shop.order([{ product_name: 'X', unit_price: total, quantity: 1 }], body)
  if (at || updated) {
    await db.rows(sql`
      update orders
      set created_at = coalesce(${at ?? null}::timestamptz, created_at),
          updated_at = coalesce(${updated ?? null}::timestamptz, updated_at)
      where store_id = ${shop.store.id}
        and order_number = ${order.order_number}`)
  }
  return order
}

/** The totals of the orders that match a query, in order. List, total and count must agree. */
async function found({ api }: Shop, query: string): Promise<number[]> {
  const { body } = await api.get(`/v1/orders?${query}`)
  assert.ok(body.data, `${query}: ${JSON.stringify(body)}`)
  const filters = new URLSearchParams(query)
  for (const name of ['sort', 'order', 'page', 'per_page']) filters.delete(name)
  const counted = await api.get(`/v1/orders/count?${filters}`)
  assert.equal(counted.data.count, body.pagination.total, query)
  return body.data.map(({ total }: any) => total)
}

async function finds(shop: Shop, cases: Record<string, number[]>): Promise<void> {
  for (const [query, totals] of Object.entries(cases)) assert.deepEqual(await found(shop, query), totals, query)
}

/** Each query is refused because of its first parameter. */
async function refuses({ api }: Shop, queries: string[]): Promise<void> {
  for (const query of queries) {
    const faults = faultsOf(await api.get(`/v1/orders?${query}`))
    assert.deepEqual(Object.keys(faults), [query.split('=')[0]], query)
  }
}

test('pages are parts of the whole list, whichever end they are read from', async () => {
  const shop = await newShop(world)
  for (let n = 0; n < 11; n++) {
    const customer = n % 3 === 0 ? {} : { customer_name: `Ana ${n % 4}` }
    await orderAt(shop, 1 + (n % 5), { at: `2026-01-0${1 + (n % 3)}T00:00:00Z`, ...customer })
  }
  const ids = async (query: string) => (await shop.api.get(`/v1/orders?${query}`)).data.map(({ id }: any) => id)
  for (const sort of ['order_number', 'fulfillment_status', 'customer_name', 'total', 'created_at', 'updated_at']) {
    for (const filter of ['', '&total[gte]=3', '&search=ana']) {
      for (const order of ['asc', 'desc']) {
        const query = `sort=${sort}&order=${order}${filter}`
        world.clock.advance(61) // a minute's requests are limited
        const whole = await ids(`${query}&per_page=100`)
        for (const size of [1, 2, 3, 4, 10]) {
          const pages = []
          for (let page = 1; page <= Math.ceil(11 / size) + 1; page++) {
            pages.push(...(await ids(`${query}&per_page=${size}&page=${page}`)))
          }
          assert.deepEqual(pages, whole, `${query} ${size}`)
        }
      }
    }
  }
})

test('orders are listed newest first, in pages', async () => {
  const shop = await newShop(world)
  for (const total of [1, 2, 3, 4, 5]) await orderAt(shop, total)
  await finds(shop, {
    '': [5, 4, 3, 2, 1],
    'order=asc': [1, 2, 3, 4, 5],
    'per_page=2': [5, 4],
    'per_page=2&page=2': [3, 2],
    'per_page=2&page=3': [1],
    'per_page=2&page=4': [],
    'status=pending&per_page=2&page=2': [3, 2],
    'status=completed': [],
  })
  const { body } = await shop.api.get('/v1/orders?per_page=2&page=2')
  assert.deepEqual(body.pagination, { page: 2, per_page: 2, total: 5, total_pages: 3 })
  await refuses(shop, ['page=0', 'per_page=0', 'per_page=101', 'order=up', 'sort=status', 'sort=id', 'page=1e18'])
})

test('orders are sorted by number, total, time of creation or change, and customer', async () => {
  const shop = await newShop(world)
  await orderAt(shop, 20, { customer_name: 'Berta', at: '2026-01-03T00:00:00Z', updated: '2026-02-01T00:00:00Z' })
  await orderAt(shop, 10, { at: '2026-01-01T00:00:00Z', updated: '2026-02-03T00:00:00Z' })
  await orderAt(shop, 30, { customer_name: 'Ana', at: '2026-01-02T00:00:00Z', updated: '2026-02-02T00:00:00Z' })
  await finds(shop, {
    'sort=order_number': [30, 10, 20],
    'sort=order_number&order=asc': [20, 10, 30],
    'sort=total': [30, 20, 10],
    'sort=total&order=asc': [10, 20, 30],
    'sort=created_at': [20, 30, 10],
    'sort=created_at&order=asc': [10, 30, 20],
    'sort=updated_at': [10, 30, 20],
    'sort=updated_at&order=asc': [20, 30, 10],
    'sort=customer_name': [20, 30, 10],
    'sort=customer_name&order=asc': [30, 20, 10],
    'sort=customer_name&order=asc&per_page=1&page=2': [20],
  })
})

test('orders are filtered by a list of statuses, or all', async () => {
  const shop = await newShop(world)
  for (const [index, status] of (['pending', 'confirmed', 'in_progress', 'completed'] as const).entries()) {
    await orderAt(shop, index + 1, { status })
  }
  for (const status of ['cancelled', 'returned']) {
    const { id } = await orderAt(shop, status === 'cancelled' ? 5 : 6, { status: 'in_progress' })
    await shop.api.patch(`/v1/orders/${id}`, { status })
  }
  for (const [index, status] of statuses.entries()) await finds(shop, { [`status=${status}`]: [index + 1] })
  await finds(shop, {
    'status=pending,completed,pending': [4, 1],
    'status=all': [6, 5, 4, 3, 2, 1],
    'status=all,pending': [6, 5, 4, 3, 2, 1],
    'status=cancelled,returned&order=asc': [5, 6],
  })
  for (const status of ['unknown', 'pending,unknown', 'pending,', '', 'Pending', 'pending;completed']) {
    const faults = faultsOf(await shop.api.get(`/v1/orders?status=${status}`))
    assert.match(faults.status!, /^must be all, or a comma-separated list of pending, /)
  }
})

test('orders are filtered by payment status', async () => {
  const shop = await newShop(world)
  for (const [index, payment_status] of ['pending', 'paid', 'refunded', 'failed'].entries()) {
    await orderAt(shop, index + 1, { payment_status })
  }
  await finds(shop, {
    'payment_status=pending': [1],
    'payment_status=paid': [2],
    'payment_status=refunded': [3],
    'payment_status=failed': [4],
    'payment_status=all': [4, 3, 2, 1],
    'payment_status=paid&status=confirmed': [],
  })
  await refuses(shop, ['payment_status=paid,failed', 'payment_status='])
})

test('orders are found by number, id, customer name, e-mail and phone', async () => {
  const shop = await newShop(world)
  const first = await orderAt(shop, 1, {
    customer: { name: 'José Ñúñez', email: 'jose@example.com', phone: '+52 (55) 1234-5678' },
  })
  await orderAt(shop, 2, { customer: { name: '100%_Wool \\ Co', email: 'wool@example.org' } })
  await orderAt(shop, 3, { customer_name: 'Berta' })
  await finds(shop, {
    'search=1001': [1],
    'search=%231001': [1],
    'search=%231002': [2],
    'search=100': [2],
    'search=%23100': [],
    'search=1099': [],
    'search=99999999999999999999': [],
    [`search=${first.id}`]: [1],
    [`search=${first.id.toUpperCase()}`]: [],
    [`search=%20${first.id}%20`]: [1],
    'search=jose': [1],
    'search=NUNEZ': [1],
    'search=Jos%C3%A9%20%C3%91': [1],
    'search=erta': [3],
    'search=EXAMPLE.com': [1],
    'search=example': [2, 1],
    'search=5512345678': [1],
    'search=%2B52%2055%201234': [1],
    'search=1234-5678': [1],
    'search=12345679': [],
    'search=100%25_': [2],
    'search=%25': [2],
    'search=_': [2],
    'search=%5C': [2],
    'search=': [3, 2, 1],
    'search=%20': [3, 2, 1],
    'search=jose&status=completed': [],
  })
  await refuses(shop, [`search=${'x'.repeat(201)}`, 'search=%00'])
})

test('orders are filtered by customer', async () => {
  const shop = await newShop(world),
    other = await newShop(world)
  const { customer_id } = await orderAt(shop, 1, { customer_email: 'ana@example.com' })
  await orderAt(shop, 2, { customer_email: 'berta@example.com' })
  await orderAt(shop, 3, { customer_id })
  await finds(shop, { [`customer_id=${customer_id}`]: [3, 1], 'customer_id=cus_x': [], 'customer_id=': [] })
  await finds(other, { [`customer_id=${customer_id}`]: [], [`search=${(await orderAt(shop, 4)).id}`]: [] })
})

test("a bare date is the whole day in the store's time zone", async () => {
  const shop = await newShop(world, { timezone: 'America/Mexico_City' }) // UTC-6
  await orderAt(shop, 1, { at: '2026-03-01T05:59:59.999Z' })
  await orderAt(shop, 2, { at: '2026-03-01T06:00:00.000Z' })
  await orderAt(shop, 3, { at: '2026-03-02T05:59:59.999Z' })
  await orderAt(shop, 4, { at: '2026-03-02T06:00:00.000Z' })
  await finds(shop, {
    'date_from=2026-03-01&date_to=2026-03-01': [3, 2],
    'date_from=2026-03-01': [4, 3, 2],
    'date_from=2026-03-02': [4],
    'date_from=2026-03-03': [],
    'date_to=2026-03-01': [3, 2, 1],
    'date_to=2026-02-28': [1],
    'date_from=0001-01-01&date_to=9999-12-31': [4, 3, 2, 1],
  })
})

test('a date-time is the instant, on both ends', async () => {
  const shop = await newShop(world, { timezone: 'America/Mexico_City' })
  await orderAt(shop, 1, { at: '2026-03-01T10:00:00.000Z' })
  await orderAt(shop, 2, { at: '2026-03-01T10:00:00.001Z' })
  await finds(shop, {
    'date_from=2026-03-01T10:00:00Z&date_to=2026-03-01T10:00:00Z': [1],
    'date_from=2026-03-01T10:00:00.001Z': [2],
    'date_from=2026-03-01T04:00:00.001-06:00': [2],
    'date_to=2026-03-01T12:00:00%2B02:00': [1],
  })
  const wrong = ['today', '2026-02-30', '2026-3-1', '2026-03-01T10:00:00', '2026-03-01T25:00:00Z', '0000-01-01', '']
  for (const value of wrong) {
    for (const name of ['date_from', 'date_to']) {
      assert.deepEqual(
        faultsOf(await shop.api.get(`/v1/orders?${name}=${value}`)),
        { [name]: 'must be a date (2026-01-31) or a date-time with a UTC offset (2026-01-31T10:00:00Z)' },
        value,
      )
    }
  }
})

test('orders are filtered by ranges of their total and of their last change', async () => {
  const shop = await newShop(world)
  await orderAt(shop, 9.99, { updated: '2026-01-01T00:00:00Z' })
  await orderAt(shop, 10, { updated: '2026-01-02T00:00:00Z' })
  await orderAt(shop, 10.01, { updated: '2026-01-03T00:00:00Z' })
  await finds(shop, {
    'total[gte]=10': [10.01, 10],
    'total[lte]=10': [10, 9.99],
    'total[gte]=9.995&total[lte]=10.005': [10],
    'total[gte]=0': [10.01, 10, 9.99],
    'total[gte]=11': [],
    'updated_at[gte]=2026-01-02T00:00:00Z': [10.01, 10],
    'updated_at[lte]=2026-01-02T00:00:00Z': [10, 9.99],
    'updated_at[gte]=2026-01-01T23:00:00-01:00&updated_at[lte]=2026-01-02T00:00:00Z&sort=updated_at': [10],
  })
  await refuses(shop, [
    'total[gte]=-1',
    'total[lte]=x',
    'total[gte]=NaN',
    'updated_at[gte]=2026-01-02',
    'updated_at[lte]=x',
  ])
})

test('orders are filtered by where they go, whatever the case', async () => {
  const shop = await newShop(world)
  const at = (city: string, province: string, country: string) => ({ shipping_address: { city, province, country } })
  await orderAt(shop, 1, at('Mérida', 'Yucatán', 'México'))
  await orderAt(shop, 2, at('MÉRIDA', 'Badajoz', 'España'))
  await orderAt(shop, 3, at('León', 'Guanajuato', 'México'))
  await orderAt(shop, 4, at('x'.repeat(100), '', 'United States'))
  await orderAt(shop, 5)
  await finds(shop, {
    'city=m%C3%A9rida': [2, 1],
    'city=M%C3%89RIDA&country=espa%C3%B1a': [2],
    'city=M%C3%A9rid': [],
    'city=%25': [],
    'province=yucat%C3%A1n': [1],
    'country=M%C3%A9xico': [3, 1],
    'country_code=MX': [3, 1],
    'country_code=es': [2],
    'country_code=US': [5, 4],
    'country_code=XX': [],
    'city=Le%C3%B3n&province=Guanajuato&country=M%C3%A9xico&country_code=MX': [3],
    [`city=${'x'.repeat(100)}`]: [4],
  })
})

test('the items of an order are listed in their order', async () => {
  const shop = await newShop(world)
  const { id, items } = await shop.order(
    Array.from({ length: 7 }, (_, index) => ({ product_name: `Line ${index}`, unit_price: 1, quantity: 1 })),
  )
  await orderAt(shop, 1)
  const list = async (query = '') => (await shop.api.get(`/v1/orders/${id}/items?${query}`)).body
  assert.deepEqual(await list(), { data: items, pagination: { page: 1, per_page: 25, total: 7, total_pages: 1 } })
  assert.deepEqual(await list('per_page=3&page=2'), {
    data: items.slice(3, 6),
    pagination: { page: 2, per_page: 3, total: 7, total_pages: 3 },
  })
  assert.deepEqual((await list('order=desc')).data, items.toReversed())
  assert.deepEqual((await list('page=2')).data, [])
})

test('a list has the items of each order, and only those of its store', async () => {
  const shop = await newShop(world),
    other = await newShop(world)
  const mug = await shop.product()
  const orders = [await shop.order([sold(mug), sold(mug, 2)]), await shop.order([sold(mug)])]
  await orderAt(other, 1)
  const { data } = await shop.api.get('/v1/orders?order=asc')
  assert.deepEqual(data, orders)
  assert.deepEqual(
    (await other.api.get('/v1/orders')).data.map(({ order_number }: any) => order_number),
    [1001],
  )
  assert.equal(dataOf(await other.api.get('/v1/orders/count'), 200).count, 1)
})

test('only orders that were placed are counted', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 1 })
  await shop.order(mug)
  await shop.api.post('/v1/orders', { items: [sold(mug)] })
  await shop.api.post('/v1/orders', { items: [] })
  assert.equal((await shop.api.get('/v1/orders/count')).data.count, 1)
  assert.equal((await shop.order([{ product_name: 'X', unit_price: 1, quantity: 1 }])).order_number, 1002)
})

test('an e-mail is found behind the longest name', async () => {
  const { api } = await world.newStore()
  const order = { customer_email: 'long@example.com', items: [{ product_name: 'Mug', unit_price: 1, quantity: 1 }] }
  const {
    data: { id },
  } = await api.post('/v1/orders', { ...order, customer_name: `Zoé ${'x'.repeat(196)}` })
  for (const search of ['long@example.com', 'zoe xx']) {
    const found = (await api.get(`/v1/orders?search=${search}`)).data
    assert.deepEqual(
      found.map((one: { id: string }) => one.id),
      [id],
      search,
    )
  }
})
