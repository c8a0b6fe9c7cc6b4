// The list of orders: saved views, bulk actions, printed documents, and the deliveries of events.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../../test/shop.ts'
import { hiddenOf, staffOf } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'
import { answering } from '../../../../test/strangers.ts'

const world = await openWorld({}, { network: { resolver: answering(['93.184.216.34']) } })

async function open() {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], 'staff')
  const place = async (body: object = {}) => {
    const items = [{ product_name: 'Mug & <b>', unit_price: 20, quantity: 2 }]
    return dataOf(await shop.api.post('/v1/orders', { items, customer_name: 'Ben', ...body }), 201)
  }
  return { shop, ana, place, path: `/${shop.store.id}/orders` }
}

test('a view is saved under a name, is its person’s own, and can be shown first', async () => {
  const { shop, ana, path } = await open()
  const ben = await staffOf(world, [shop])
  const here = `${path}?status=pending&page=2`
  const saved = await ana.post(here, { act: 'view_save', name: 'To be <sent>', is_default: '1' })
  assert.match(saved.notice, /^view_saved$/)
  const { text } = await ana.get(`${path}?status=pending`)
  assert.match(text, /aria-current="page">To be &lt;sent&gt;<\/a>/)
  assert.equal((await ana.get(path)).location, `${path}?status=pending`)
  assert.equal((await ana.get(`${path}?view=all`)).status, 200)
  const others = await ben.get(path)
  assert.equal(others.status, 200)
  assert.ok(!others.text.includes('To be &lt;sent&gt;'))

  const view = hiddenOf({ ...saved, text }, 'view')
  for (const act of ['view_rename', 'view_first', 'view_delete']) {
    assert.equal((await ben.post(path, { act, view, name: 'Mine' })).status, 404, act)
  }
  await ana.post(path, { act: 'view_rename', view, name: 'Open' })
  assert.match((await ana.get(`${path}?status=pending`)).text, /aria-current="page">Open<\/a>/)
  await ana.post(path, { act: 'view_plain', view })
  assert.equal((await ana.get(path)).status, 200)
  await ana.post(path, { act: 'view_delete', view })
  assert.ok(!(await ana.get(`${path}?view=all`)).text.includes('>Open</a>'))
})

test('a second view of the same name is refused beside its name', async () => {
  const { ana, path } = await open()
  await ana.post(`${path}?status=pending`, { act: 'view_save', name: 'Open' })
  const { status, text } = await ana.post(`${path}?status=confirmed`, { act: 'view_save', name: 'open' })
  assert.equal(status, 409)
  assert.match(text, /This already exists/)
  assert.match(text, /value="open"/)
})

test('a view has at most 60 characters, and a list at most 30 views', async () => {
  const { ana, path } = await open()
  const save = (at: number, name = `View ${at}`) => ana.post(`${path}?total[gte]=${at}`, { act: 'view_save', name })
  assert.equal((await save(0, 'x'.repeat(61))).status, 422)
  for (let at = 1; at <= 30; at++) assert.equal((await save(at)).status, 303)
  assert.equal((await save(31)).status, 422)
})

test('many orders change their status at once, and what one refuses is said', async () => {
  const { shop, ana, place, path } = await open()
  const [first, second] = [await place(), await place()]
  await shop.api.patch(`/v1/orders/${second.id}`, { status: 'cancelled' })
  const sent = { act: 'status', status: 'confirmed', ticked: [first.order_number, second.order_number].map(String) }
  const { status, text } = await ana.post(path, sent)
  assert.equal(status, 422)
  assert.match(text, /1 updated, 1 not updated/)
  assert.equal((await shop.api.get(`/v1/orders/${first.id}`)).data.status, 'confirmed')
})

test('a button for many rows asks for a row when none is ticked', async () => {
  const { ana, path } = await open()
  const { status, text } = await ana.post(path, { act: 'archive' })
  assert.equal(status, 422)
  assert.match(text, /Select at least one row/)
})

test('a confirmation is shown once, and no address can claim one', async () => {
  const { ana, place, path } = await open()
  const { id } = await place()
  const { location, notice } = await ana.post(`${path}/${id}`, { act: 'pay', sure: '1' })
  assert.deepEqual([location, notice], [`${path}/${id}`, 'order_paid'])
  assert.match((await ana.get(location)).text, /class="notice done"/)
  assert.ok(!(await ana.get(location)).text.includes('notice done'))
  assert.ok(!(await ana.get(`${location}?done=order_paid`)).text.includes('notice done'))
})

test('the customer of a list of orders is named, and stays when the list is narrowed further', async () => {
  const { shop, ana, place, path } = await open()
  const customer = dataOf(await shop.api.post('/v1/customers', { name: 'Ben Smith' }), 201)
  await place({ customer_id: customer.id })
  const { text } = await ana.get(`${path}?customer_id=${customer.id}`)
  assert.match(text, /class="chip"[^]*Customer: Ben Smith/)
  assert.match(text, new RegExp(`type="radio" name="customer_id" value="${customer.id}" checked`))
  assert.match(text, /<select id="filter-country_code"[^]*<option value="MX">Mexico/)
})

test('a list is narrowed to a customer by a part of their name', async () => {
  const { shop, ana, place, path } = await open()
  for (const name of ['Ben Smith', 'Berta Díaz', 'Cy']) dataOf(await shop.api.post('/v1/customers', { name }), 201)
  const { data } = await shop.api.get('/v1/customers?search=berta')
  await place({ customer_id: data[0].id })
  const { text } = await ana.get(`${path}?find.customer_id=diaz&status=pending`)
  assert.match(text, new RegExp(`type="radio" name="customer_id" value="${data[0].id}"> <span>Berta Díaz`))
  assert.equal(text.match(/type="radio" name="customer_id"/g)!.length, 1)
  assert.match((await ana.get(`${path}?find.customer_id=nobody`)).text, /role="status">Nothing found|No results/)
  assert.match((await ana.get(`${path}?customer_id=${data[0].id}`)).text, /Customer: Berta Díaz/)
})

test('a partly refunded order says so', async () => {
  const { shop, ana, place, path } = await open()
  const { id } = await place({ payment_status: 'paid' })
  await shop.api.post(`/v1/orders/${id}/refunds`, { amount: 5 })
  for (const at of [path, `${path}/${id}`]) assert.match((await ana.get(at)).text, /Partially refunded/)
})

test('packing slips of several orders are one page each, and tell what is still to be sent', async () => {
  const { shop, ana, place, path } = await open()
  const [first, second] = [await place({ shipping_address: { city: 'Mérida', notes: 'Ring twice' } }), await place()]
  const [{ id: item_id }] = first.items
  await shop.api.post(`/v1/orders/${first.id}/fulfillments`, { items: [{ item_id, quantity: 1 }] })
  const { text } = await ana.get(`${path}/print?what=slip&ticked=${first.id}&ticked=${second.id}&act=`)
  assert.equal(text.match(/<article class="paper"/g)!.length, 2)
  assert.match(text, /Mug &amp; &lt;b&gt;[^]*1 \/ 2[^]*Ring twice/)
  assert.ok(!text.includes('$'))
})

test('packing slips to other countries have what customs ask for', async () => {
  const { shop, ana, path } = await open()
  const { api } = shop
  const facts = { country_of_origin: 'IT', hs_code: '4202.92', weight: 850 }
  const options = ['Red', 'Blue'].map((value) => [{ option_title: 'Color', value }])
  const variants = [{ option_values: options[0] }, { option_values: options[1], hs_code: '4202.99' }]
  const bag = dataOf(await api.post('/v1/products', { name: 'Bag', price: 90, ...facts, variants }), 201)
  const items = bag.variants.map(({ id }: { id: string }) => ({ product_id: bag.id, variant_id: id, quantity: 1 }))
  const slip = async (country_code: string) => {
    const order = dataOf(await api.post('/v1/orders', { items, country_code, customer_name: 'Eva' }), 201)
    return (await ana.get(`${path}/print?what=slip&ticked=${order.id}`)).text
  }
  const abroad = await slip('CH')
  for (const code of ['4202.92', '4202.99']) {
    assert.ok(abroad.includes(`HS code: ${code} · Country of origin: Italy · Weight (g): 850`), code)
  }
  assert.doesNotMatch(await slip(shop.store.country_code), /HS code/)
})

test('packing slips and picklists leave out what is not shipped, also of a bundle', async () => {
  const { shop, ana, path } = await open()
  const { api } = shop
  const create = async (body: object) => dataOf(await api.post('/v1/products', { price: 9, ...body }), 201)
  const [guide, map] = [await create({ name: 'Guide', requires_shipping: false }), await create({ name: 'Map' })]
  const bundle_items = [guide, map].map(({ id }) => ({ product_id: id, quantity: 1 }))
  const trip = await create({ name: 'Trip', bundle_items })
  const items = [guide, trip].map(({ id }) => ({ product_id: id, quantity: 1 }))
  const order = dataOf(await api.post('/v1/orders', { items }), 201)
  assert.deepEqual(
    order.items.map(({ requires_shipping, parts }: any) => [
      requires_shipping,
      parts?.map((part: any) => part.requires_shipping) ?? null,
    ]),
    [
      [false, null],
      [true, [false, true]],
    ],
  )
  for (const what of ['slip', 'picklist']) {
    const { text } = await ana.get(`${path}/print?what=${what}&ticked=${order.id}`)
    assert.match(text, /Map/, what)
    assert.doesNotMatch(text, /Guide/, what)
  }
})

test('an invoice has its number, both tax numbers, each tax with its rate and reason, and the sums', async () => {
  const { shop, ana, path } = await open()
  const { api } = shop
  await api.patch('/v1/store', { tax_id: 'ESB98602642', tax_rate: 21, tax_included: true })
  await api.patch('/v1/store/appearance', { legal_name: 'Corner Shop LLC', contact_address: 'Calle 60\nMérida' })
  const cup = dataOf(await api.post('/v1/products', { name: 'Cup', price: 121 }), 201)
  const items = [{ product_id: cup.id, quantity: 1 }]
  const order = dataOf(await api.post('/v1/orders', { items, tax_id: 'DE136695976', locale: 'es' }), 201)
  const { text } = await ana.get(`${path}/print?what=invoice&ticked=${order.id}`)
  const paper = /<article class="paper" lang="es">[^]*?<\/article>/.exec(text)![0]
  for (const part of [
    'Corner Shop LLC',
    'Calle 60',
    'ESB98602642',
    'DE136695976',
    `<dd>${order.order_number}</dd>`,
    'Número de factura',
    '21',
    'Base imponible',
    '$100.00',
    '$121.00',
  ]) {
    assert.ok(paper.includes(part), part)
  }
})

test('an invoice to a business elsewhere in the EU tells goods from services; no tax is in its prices', async () => {
  const shop = await world.newStore({ currency: 'EUR', country_code: 'DE' })
  const ana = await staffOf(world, [shop], 'staff')
  const { api } = shop
  await api.patch('/v1/store', { tax_rate: 19, tax_included: true, tax_id: 'DE111111125' })
  const name = async (body: object) => dataOf(await api.post('/v1/products', { price: 119, ...body }), 201).id
  const [cup, guide] = [await name({ name: 'Cup' }), await name({ name: 'Guide', requires_shipping: false })]
  const billing_address = { name: 'Atelier', address: 'Rue 1', city: 'Paris', postal_code: '75001', country_code: 'FR' }
  const print = async (products: string[], body: object = {}) => {
    const items = products.map((product_id) => ({ product_id, quantity: 1 }))
    const buyer = { tax_id: 'FR40303265045', country_code: 'FR', locale: 'de', billing_address }
    const order = dataOf(await api.post('/v1/orders', { items, ...buyer, ...body }), 201)
    const { text } = await ana.get(`/${shop.store.id}/orders/print?what=invoice&ticked=${order.id}`)
    const [paper] = /<article class="paper"[^]*?<\/article>/.exec(text)!
    const notes = [...paper.matchAll(/<p>(Steuer[^<]*|Ausfuhr[^<]*)<\/p>/g)].map(([, note]) => note)
    return { notes, isInPrices: paper.includes('in den Preisen enthalten') }
  }
  const exempt = 'Steuerfreie innergemeinschaftliche Lieferung.'
  const reversed = 'Steuerschuldnerschaft des Leistungsempfängers.'
  assert.deepEqual(await print([cup]), { notes: [exempt], isInPrices: false })
  assert.deepEqual(await print([guide]), { notes: [reversed], isInPrices: false })
  assert.deepEqual(await print([cup], { shipping_method: 'digital' }), { notes: [reversed], isInPrices: false })
  assert.deepEqual(await print([cup, guide]), { notes: [exempt, reversed], isInPrices: false })
  assert.deepEqual(await print([cup], { country_code: 'DE' }), { notes: [], isInPrices: true })
})

test('several taxes have a row each on the invoice, the order and in its mail, with their numbers', async () => {
  const { shop, ana, path } = await open()
  const { api } = shop
  const components = [
    { name: 'GST', rate: 5, tax_id: '123456789 RT0001' },
    { name: 'QST', rate: 9.975, tax_id: '1234567890 TQ0001' },
  ]
  dataOf(await api.post('/v1/store/tax-zones', { name: 'Quebec', country_code: 'US', components }), 201)
  const items = [{ product_name: 'Cup', unit_price: 10.1, quantity: 1 }]
  const order = dataOf(await api.post('/v1/orders', { items }), 201)
  const { text: paper } = await ana.get(`${path}/print?what=invoice&ticked=${order.id}`)
  for (const part of [
    /GST 5%[^<]*123456789 RT0001/,
    /QST 9\.975%[^<]*1234567890 TQ0001/,
    /\$0\.51/,
    /\$1\.01/,
    /\$11\.62/,
  ]) {
    assert.match(paper, part)
  }
  const { text: screen } = await ana.get(`${path}/${order.id}`)
  assert.match(
    screen,
    /Shipping<\/dt><dd>\$0\.00<\/dd><\/div>\s*<div><dt>GST 5%<\/dt><dd>\$0\.51[^]*QST 9\.975%<\/dt><dd>\$1\.01/,
  )
  const { text: mail } = (await api.get(`/v1/store/mails/order_confirmation/preview?order=${order.id}`)).data
  assert.match(mail, /GST 5%:? *\$0\.51\s+QST 9\.975%:? *\$1\.01\s+Total/)
})

test('papers of another store’s orders are not printed', async () => {
  const [{ ana, path }, other] = [await open(), await open()]
  const theirs = await other.place()
  const { status, text } = await ana.get(`${path}/print?what=invoice&ticked=${theirs.id}&ticked=nonsense`)
  assert.equal(status, 200)
  assert.match(text, /No orders selected/)
})

test('an order’s timeline leads to the deliveries of its events, for those who may see them', async () => {
  const { shop, ana, place, path } = await open()
  const body = { url: 'https://hooks.example/stoa', events: ['order.created', 'order.updated'] }
  const webhook = dataOf(await shop.api.post('/v1/webhooks', body), 201)
  const order = await place()
  await shop.api.patch(`/v1/orders/${order.id}`, { internal_notes: 'Call first' })
  const ben = await staffOf(world, [shop], 'owner')
  const { text } = await ben.get(`${path}/${order.id}`)
  const link = new RegExp(`webhooks/${webhook.id}/deliveries/dlv_\\w+">hooks.example: Pending`, 'g')
  assert.equal(text.match(link)!.length, 2)
  const plain = (await ana.get(`${path}/${order.id}`)).text
  assert.match(plain, /Order changed/)
  assert.ok(!/order\.(created|updated)/.test(text + plain))
  assert.ok(!plain.includes('hooks.example'))
})
