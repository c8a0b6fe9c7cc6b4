// Taxes of orders created through the API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productOf } from '../../../test/checkouts.ts'
import { dataOf, newShop, sold } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

const line = { product_name: 'Lamp', unit_price: 119, quantity: 1 }

test('a tax_amount that is given is kept as it is, as a line of its own', async () => {
  const { api } = await world.newStore({ currency: 'EUR', country_code: 'DE' })
  await api.patch('/v1/store', { tax_rate: 19, tax_included: true })
  const { data } = await api.post('/v1/orders', { items: [line], shipping_cost: 5, tax_amount: 1.23 })
  assert.deepEqual([data.tax_amount, data.total, data.included_tax], [1.23, 125.23, 0])
  assert.deepEqual(data.tax_lines, [
    {
      type: 'order',
      item_id: null,
      bump_id: null,
      name: null,
      country_code: null,
      rate: null,
      reason: 'manual',
      base: 124,
      amount: 1.23,
      included: false,
      tax_id: null,
    },
  ])
  const { data: none } = await api.post('/v1/orders', { items: [line], tax_amount: 0 })
  assert.deepEqual([none.tax_amount, none.included_tax, none.tax_lines], [0, 0, []])
})

test('without a tax_amount the tax is worked out as at the checkout: added, or what the prices contain', async () => {
  const { api } = await world.newStore({ currency: 'EUR', country_code: 'DE' })
  const order = async (body: object = {}) => (await api.post('/v1/orders', { items: [line], ...body })).data
  await api.patch('/v1/store', { tax_rate: 19 })
  const added = await order({ discount_amount: 19 })
  assert.deepEqual([added.tax_amount, added.total, added.included_tax], [19, 119, 0])
  const [{ type, item_id, rate, base, amount, included }] = added.tax_lines
  assert.deepEqual([type, item_id, rate, base, amount, included], ['item', added.items[0].id, 19, 100, 19, false])
  // Shipping is taxed if the store's setting says so.
  await api.patch('/v1/store', { tax_shipping: true })
  assert.equal((await order({ shipping_cost: 10 })).tax_amount, 24.51)
  await api.patch('/v1/store', { tax_shipping: false })
  await api.patch('/v1/store', { tax_included: true })
  const within = await order({ discount_amount: 19, shipping_cost: 5 })
  assert.deepEqual([within.tax_amount, within.total, within.included_tax], [0, 105, 15.97])
  assert.equal(within.tax_lines[0].item_id, within.items[0].id)
  // The same by tax zone and by category.
  const books = (await api.post('/v1/categories', { name: 'Books' })).data
  const category_rates = [{ category_id: books.id, rate: 5.5 }]
  await api.post('/v1/store/tax-zones', { name: 'TVA', country_code: 'FR', rate: 20, category_rates })
  const there = await order({ country_code: 'FR' })
  assert.deepEqual([there.included_tax, there.tax_lines[0].name], [19.83, 'TVA'])
})

test('a category is taxed at its own rate, and loses it with the zone', async () => {
  const shop = await world.newStore({ currency: 'EUR', country_code: 'DE' })
  const books = (await shop.api.post('/v1/categories', { name: 'Books' })).data
  const { id } = await productOf(shop, { price: 10.7, category_id: books.id })
  const zone = { name: 'MwSt', country_code: 'DE', rate: 19, included: true }
  const { data } = await shop.api.post('/v1/store/tax-zones', {
    ...zone,
    category_rates: [{ category_id: books.id, rate: 7 }],
  })
  assert.deepEqual(data.category_rates, [{ category_id: books.id, rate: 7, reason: 'reduced' }])
  const order = async () => (await shop.api.post('/v1/orders', { items: [{ product_id: id, quantity: 1 }] })).data
  assert.equal((await order()).included_tax, 0.7)
  await shop.api.patch(`/v1/store/tax-zones/${data.id}`, { category_rates: [] })
  assert.equal((await order()).included_tax, 1.71)
  await shop.api.delete(`/v1/store/tax-zones/${data.id}`)
  assert.deepEqual((await order()).tax_lines, [])
})

test('an order of an exempt customer contains no tax, and takes the number of who it names', async () => {
  const { api } = await world.newStore({ currency: 'EUR', country_code: 'DE' })
  await api.patch('/v1/store', { tax_rate: 19, tax_included: true })
  const { data: clinic } = await api.post('/v1/customers', { name: 'Klinik', tax_id: 'DE111111125', tax_exempt: true })
  const { data } = await api.post('/v1/orders', { items: [line], customer_id: clinic.id })
  assert.deepEqual([data.included_tax, data.tax_lines[0].reason, data.tax_lines[0].base], [0, 'exempt', 119])
  assert.deepEqual([data.tax_id, data.tax_id_status], ['DE111111125', 'valid'])
  const { data: own } = await api.post('/v1/orders', { items: [line], tax_id: 'HRB 1', country_code: 'MX' })
  assert.deepEqual([own.tax_id, own.tax_id_status, own.included_tax], ['HRB 1', 'unchecked', 19])
})

test('an order that names a business of another EU country contains no tax: its record has the number', async () => {
  const { api } = await world.newStore({ currency: 'EUR', country_code: 'DE' })
  await api.patch('/v1/store', { tax_rate: 19, tax_included: true, tax_id: 'DE111111125' })
  const { data: firm } = await api.post('/v1/customers', { name: 'Atelier', tax_id: 'FR40303265045' })
  const order = async (country_code: string) =>
    (await api.post('/v1/orders', { items: [line], customer_id: firm.id, country_code })).data
  const [abroad, athome] = [await order('FR'), await order('DE')]
  assert.deepEqual([abroad.included_tax, abroad.tax_lines[0].reason], [0, 'reverse_charge'])
  assert.deepEqual([athome.included_tax, athome.tax_lines[0].reason], [19, 'standard'])
  // Taxes of an order stay as they are when its address changes.
  const { data: moved } = await api.patch(`/v1/orders/${abroad.id}`, { shipping_address: { country: 'DE' } })
  assert.deepEqual(moved.tax_lines, abroad.tax_lines)
})

test('a reason that takes no tax needs the rate 0, in a zone and in its categories', async () => {
  const { api } = await world.newStore()
  const books = (await api.post('/v1/categories', { name: 'Books' })).data
  const zone = { name: 'VAT', country_code: 'DE', rate: 19 }
  const sentence = 'requires a rate of 0 because it is exempt'
  const refused = await api.post('/v1/store/tax-zones', { ...zone, reason: 'exempt' })
  assert.deepEqual(refused.error.details, [{ field: 'reason', message: sentence }])
  const category_rates = [{ category_id: books.id, rate: 7, reason: 'exempt' }]
  const inside = await api.post('/v1/store/tax-zones', { ...zone, category_rates })
  assert.deepEqual(inside.error.details, [{ field: 'category_rates.0', message: sentence }])
  const { data: free } = await api.post('/v1/store/tax-zones', { ...zone, rate: 0 })
  assert.equal(free.reason, 'zero')
  assert.equal((await api.patch(`/v1/store/tax-zones/${free.id}`, { rate: 5 })).status, 422)
  assert.equal((await api.patch(`/v1/store/tax-zones/${free.id}`, { rate: 5, reason: 'reduced' })).status, 200)
})

test('a way of shipping without a cost is charged at its rate, free from a sum or by a code', async () => {
  const { api } = await world.newStore()
  const rates = [
    { code: 'standard', price: 6, free_from: 150 },
    { code: 'express', price: 14 },
  ]
  for (const rate of rates) assert.equal((await api.post('/v1/store/shipping-rates', rate)).status, 201)
  await api.post('/v1/discounts', { code: 'SHIP', type: 'free_shipping', value: 0 })
  const sent = async (body: object, unit_price = 119) => {
    const { data } = await api.post('/v1/orders', { items: [{ ...line, unit_price }], ...body })
    return [data.shipping_cost, data.free_shipping, data.total]
  }
  assert.deepEqual(await sent({ shipping_method: 'standard' }), [6, false, 125])
  assert.deepEqual(await sent({ shipping_method: 'standard' }, 150), [0, true, 150])
  // The discount is subtracted before the cost is chosen, and a given cost is kept.
  assert.deepEqual(await sent({ shipping_method: 'standard', discount_amount: 1 }, 150), [6, false, 155])
  assert.deepEqual(await sent({ shipping_method: 'standard', shipping_cost: 9 }, 150), [9, false, 159])
  assert.deepEqual(await sent({ shipping_method: 'standard', discount_code: 'SHIP' }), [0, true, 119])
  assert.deepEqual(await sent({ shipping_method: 'express', discount_code: 'SHIP' }), [14, false, 133])
  assert.deepEqual(await sent({}), [0, false, 119])
  assert.deepEqual(await sent({ shipping_method: 'pigeon' }), [0, false, 119])
})

const quebec = {
  name: 'Quebec',
  country_code: 'CA',
  provinces: ['QC'],
  components: [
    { name: 'GST', rate: 5, tax_id: '123456789 RT0001' },
    { name: 'QST', rate: 9.975 },
  ],
}

test('each of several taxes of a zone has a line with its name and number, and is rounded on its own', async () => {
  const { api } = await world.newStore({ currency: 'CAD', country_code: 'CA' })
  const { data: zone } = await api.post('/v1/store/tax-zones', { ...quebec, tax_id: '1234567890 TQ0001' })
  assert.deepEqual([zone.rate, zone.reason, zone.tax_id], [14.975, 'standard', '1234567890 TQ0001'])
  assert.deepEqual(zone.components, [
    { name: 'GST', rate: 5, tax_id: '123456789 RT0001', compound: false },
    { name: 'QST', rate: 9.975, compound: false, tax_id: null },
  ])
  const place = { country_code: 'CA', shipping_address: { province: 'QC', country: 'CA' } }
  const order = async (body: object = {}) =>
    (await api.post('/v1/orders', { items: [{ ...line, unit_price: 10.1 }], ...place, ...body })).data
  const made = await order()
  assert.deepEqual([made.tax_amount, made.total], [1.52, 11.62])
  const told = made.tax_lines.map(({ type, name, rate, reason, base, amount, tax_id }: any) => {
    return [type, name, rate, reason, base, amount, tax_id]
  })
  assert.deepEqual(told, [
    ['item', 'GST', 5, 'standard', 10.1, 0.51, '123456789 RT0001'],
    ['item', 'QST', 9.975, 'standard', 10.1, 1.01, '1234567890 TQ0001'],
  ])
  // A zone can be sent back as it was read; a rate that contradicts its components is refused.
  assert.equal((await api.patch(`/v1/store/tax-zones/${zone.id}`, zone)).status, 200)
  const refused = await api.patch(`/v1/store/tax-zones/${zone.id}`, { rate: 15 })
  assert.deepEqual(refused.error.details, [
    { field: 'rate', message: 'must be omitted or equal the sum of the components: 14.975' },
  ])
  const plain = await api.patch(`/v1/store/tax-zones/${zone.id}`, { rate: 15, components: [] })
  assert.deepEqual([plain.data.rate, plain.data.components], [15, []])
  assert.deepEqual(
    (await order()).tax_lines.map(({ name, amount }: any) => [name, amount]),
    [['Quebec', 1.52]],
  )
})

test('a category changes one of several taxes, or all of them', async () => {
  const shop = await world.newStore({ currency: 'CAD', country_code: 'CA' })
  const { api } = shop
  const categoryOf = async (name: string) => (await api.post('/v1/categories', { name })).data.id as string
  const [books, bread] = [await categoryOf('Books'), await categoryOf('Bread')]
  const category_rates = [
    { category_id: books, component: 'QST', rate: 0 },
    { category_id: bread, rate: 0 },
  ]
  const zone = (await api.post('/v1/store/tax-zones', { ...quebec, provinces: [], category_rates })).data
  const taxed = async (category_id: string) => {
    const { id } = await productOf(shop, { price: 10.1, category_id })
    const { data } = await api.post('/v1/orders', { items: [{ product_id: id, quantity: 1 }] })
    return data.tax_lines.map(({ name, reason, amount }: any) => [name, reason, amount])
  }
  assert.deepEqual(await taxed(books), [
    ['GST', 'standard', 0.51],
    ['QST', 'zero', 0],
  ])
  assert.deepEqual(await taxed(bread), [['Quebec', 'zero', 0]])
  const gone = await api.patch(`/v1/store/tax-zones/${zone.id}`, { components: [{ name: 'HST', rate: 13 }] })
  assert.deepEqual(gone.error.details, [{ field: 'category_rates.0.component', message: 'does not exist' }])
})

test('a zone needs a rate or taxes that make it up, each with a name of its own, and 100 percent at most', async () => {
  const { api } = await world.newStore()
  const faults = async (body: object) => {
    const { error } = await api.post('/v1/store/tax-zones', { name: 'Tax', country_code: 'US', ...body })
    return error?.details.map(({ field, message }: any) => `${field} ${message}`)
  }
  const named = (...rates: number[]) => rates.map((rate, at) => ({ name: `Tax ${at}`, rate }))
  assert.deepEqual(await faults({}), ['rate is required'])
  assert.deepEqual(
    await faults({
      components: [
        { name: 'A', rate: 1 },
        { name: 'A', rate: 2 },
      ],
    }),
    ['components.1.name duplicates the name of another component'],
  )
  assert.deepEqual(await faults({ components: named(60, 40.0001) }), ['components must add up to at most 100 percent'])
  assert.deepEqual(await faults({ components: named(...Array.from({ length: 11 }, () => 1)) }), [
    'components must contain at most 10 items',
  ])
  assert.deepEqual(await faults({ components: [{ rate: 1 }] }), ['components.0.name is required'])
  assert.equal(await faults({ components: named(60, 40) }), undefined)
  assert.deepEqual(await faults({ components: named(5), reason: 'exempt' }), [
    'reason requires a rate of 0 because it is exempt',
  ])
})

test('shipping at the rates of the goods keeps its net price elsewhere, and an export has its line', async () => {
  const shop = await newShop(world, { currency: 'EUR', country_code: 'DE' })
  const { api } = shop
  dataOf(await api.patch('/v1/store', { tax_fixed_prices: false, tax_included: true }), 200)
  const food = dataOf(await api.post('/v1/categories', { name: 'Food' }), 201)
  const zone = (country_code: string, rate: number, ofFood: number) => ({
    name: country_code,
    country_code,
    rate,
    included: true,
    shipping_tax: 'proportional',
    category_rates: [{ category_id: food.id, rate: ofFood }],
  })
  for (const one of [zone('DE', 19, 7), zone('FR', 20, 5.5)]) dataOf(await api.post('/v1/store/tax-zones', one), 201)
  dataOf(await api.post('/v1/store/shipping-rates', { code: 'standard', price: 11.9 }), 201)
  const honey = await shop.product({ price: 10.7, category_id: food.id })
  const cup = await shop.product({ price: 11.9, slug: 'cup', name: 'Cup' })
  const costs = async (country_code: string, goods: { id: string }[]) => {
    const items = goods.map((one) => sold(one, 1))
    const body = { customer_name: 'Ana', items, country_code, shipping_method: 'standard' }
    const { shipping_cost, tax_lines } = dataOf(await api.post('/v1/orders', body), 201)
    const taxes = tax_lines.filter(({ type }: any) => type === 'shipping')
    return [shipping_cost, ...taxes.map(({ rate, reason, base, amount }: any) => [rate, reason, base, amount])]
  }
  // 11.12 without tax; with 5.5 % it is 11.73.
  assert.deepEqual(await costs('DE', [honey]), [11.9, [7, 'reduced', 11.12, 0.78]])
  assert.deepEqual(await costs('FR', [honey]), [11.73, [5.5, 'reduced', 11.12, 0.61]])
  assert.deepEqual(await costs('US', [honey]), [11.12, [0, 'export', 11.12, 0]])
  // Honey and a cup of 10.00 each without tax: 11.90 × 20.00 / 22.60.
  assert.deepEqual(await costs('US', [honey, cup]), [10.53, [0, 'export', 10.53, 0]])
})
