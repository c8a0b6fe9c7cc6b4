import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newShop } from '../shop.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()

const names = Array.from({ length: 11 }, (_, index) => `P${index}`)

/** Eleven products of one moment and one price. */
async function fullShop() {
  const shop = await newShop(world)
  for (const name of names) await shop.product({ name, price: 10 })
  return shop
}

// woocommerce/woocommerce#33386, shopware/shopware#7465, medusajs/medusa#5800
test('pages of records that are equal in what they are sorted by have each record once', async () => {
  const { api } = await fullShop()
  for (const sort of ['price', 'created_at', 'stock_quantity']) {
    const met = []
    for (const page of [1, 2, 3, 4]) {
      const { data } = await api.get(`/v1/products?sort=${sort}&per_page=3&page=${page}`)
      met.push(...data.map(({ name }: any) => name))
    }
    assert.deepEqual(met.toSorted(), names.toSorted(), sort)
  }
})

// moltin/js-sdk#249, inventree/InvenTree#11442
test('a walk by cursor over a filtered list has each record once', async () => {
  const { api } = await fullShop()
  const met = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body }: any = await api.get(`/v1/products?price[gte]=10&per_page=2&cursor=${cursor}`)
    met.push(...body.data.map(({ name }: any) => name))
    cursor = body.pagination.next_cursor
  }
  assert.deepEqual(met.toSorted(), names.toSorted())
})

const dayIn = (hours: number) => new Date(world.clock.now().getTime() + hours * 3_600_000).toISOString().slice(0, 10)

// umbraco/Umbraco.Commerce.Issues#406, medic/cht-core#2185
test('a day of the order list is the day of the store, not of UTC', async () => {
  const shop = await newShop(world, { timezone: 'Pacific/Kiritimati' })
  await shop.order(await shop.product())
  // It is 14 hours ahead of UTC, without summer time.
  const found = async (day: string) => (await shop.api.get(`/v1/orders?date_from=${day}&date_to=${day}`)).data.length
  assert.deepEqual([await found(dayIn(14 - 24)), await found(dayIn(14)), await found(dayIn(14 + 24))], [0, 1, 0])
})

// umbraco/Umbraco.Commerce.Issues#303, nopSolutions/nopCommerce#6296
test('a report and the order list agree on the day of an order', async () => {
  const shop = await newShop(world, { timezone: 'Pacific/Pago_Pago' })
  await shop.order(await shop.product(), { payment_status: 'paid' })
  // It is 11 hours behind UTC, without summer time.
  for (const [day, orders] of [
    [dayIn(-11), 1],
    [dayIn(-11 - 24), 0],
  ] as const) {
    const report = (await shop.api.get(`/v1/reports/sales?by=product&from=${day}&to=${day}`)).data
    const list = (await shop.api.get(`/v1/orders?date_from=${day}&date_to=${day}`)).data
    assert.deepEqual([report.totals.orders, list.length], [orders, orders], day)
  }
})
