import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeProvider, sandboxSettings } from '../../../../test/payments.ts'
import { dataOf } from '../../../../test/shop.ts'
import { hiddenOf, staffOf } from '../../../../test/staff.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'

const world = await openWorld()
const psp = fakeProvider()

async function enter(options: Parameters<typeof world.newStore>[0] = {}) {
  const shop = await world.newStore(options)
  const ana = await staffOf(world, [shop])
  const at = (path: string) => `/${shop.store.id}/settings${path}`
  return { shop, ana, at, api: shop.api }
}

const storeOf = async ({ api }: TestStore) => dataOf(await api.get('/v1/store'), 200)

// Values that the form of Settings > Store always sends.
const store = {
  act: 'save',
  name: 'Casa',
  slug: '',
  country_code: 'MX',
  timezone: 'America/Mexico_City',
  currency: 'MXN',
}

test('the store is changed by its form; what the form does not have stays', async () => {
  const { shop, ana, at, api } = await enter()
  await api.patch('/v1/store', { tax_rate: 16, reply_to_email: 'a@example.com' })
  const version = hiddenOf(await ana.get(at('/store')), 'version')
  const saved = await ana.post(at('/store'), { ...store, version, slug: shop.store.slug, tax_id: 'ESB98602642' })
  assert.match(saved.notice, /^saved$/)
  const { name, currency, country_code, tax_id, tax_rate, reply_to_email } = await storeOf(shop)
  assert.deepEqual([name, currency, country_code, tax_id], ['Casa', 'MXN', 'MX', 'ESB98602642'])
  assert.deepEqual([tax_rate, reply_to_email], [16, 'a@example.com'])
})

test('a form over a store that somebody else has changed meanwhile is refused, and nothing typed is lost', async () => {
  const { shop, ana, at, api } = await enter()
  const version = hiddenOf(await ana.get(at('/store')), 'version')
  await api.patch('/v1/store', { name: 'Theirs' })
  const { status, text } = await ana.post(at('/store'), { ...store, version, slug: shop.store.slug, name: 'Mine' })
  assert.equal(status, 412)
  assert.match(text, /value="Mine"/)
  assert.match(text, /Current value: Theirs/)
  assert.equal((await storeOf(shop)).name, 'Theirs')
})

test('the shop is closed after a question, and opened again', async () => {
  const { shop, ana, at } = await enter()
  assert.match((await ana.get(at('/store'))).text, /Turn on maintenance mode/)
  await ana.post(at('/store'), { act: 'close' })
  assert.equal((await storeOf(shop)).status, 'active')
  await ana.post(at('/store'), { act: 'close', sure: '1' })
  assert.equal((await storeOf(shop)).status, 'paused')
  await ana.post(at('/store'), { act: 'open' })
  assert.equal((await storeOf(shop)).status, 'active')
  await ana.post(at('/store'), { act: 'maintain' })
  assert.equal((await storeOf(shop)).maintenance_mode, true)
  await ana.post(at('/store'), { act: 'open' })
  assert.equal((await storeOf(shop)).maintenance_mode, false)
})

test('what keeps anybody from ordering is said beside the way there', async () => {
  const { shop, ana, at, api } = await enter()
  const before = (await ana.get(at('/store'))).text
  assert.match(before, new RegExp(`href="/dashboard/${shop.store.id}/settings/checkout/shipping">Add a shipping rate`))
  dataOf(await api.post('/v1/store/shipping-rates', { code: 'standard', price: 5 }), 201)
  dataOf(await api.post('/v1/store/payment-methods', { code: 'cod' }), 201)
  assert.ok(!(await ana.get(at('/store'))).text.includes('To start taking orders'))
})

test('staff look at the settings and change nothing', async () => {
  const { shop, at } = await enter()
  const ben = await staffOf(world, [shop], 'staff')
  const { status, text } = await ben.get(at('/store'))
  assert.equal(status, 200)
  assert.match(text, /<fieldset disabled>/)
  assert.ok(!/<button[^>]*>(Save|Close online store)</.test(text))
  assert.equal((await ben.post(at('/store'), { ...store, slug: 'theirs' })).status, 403)
})

test('a shipping rate is added with countries by their names, changed, and deleted after a question', async () => {
  const { ana, at, api } = await enter()
  const rate = { code: 'van', name: 'Our van', price: '5,50', country_codes: 'Mexico\nEspaña\nus', is_active: '1' }
  const made = await ana.post(at('/checkout/shipping/new'), { act: 'create', ...rate })
  assert.match(made.location, /\/settings\/checkout\/shipping$/)
  assert.equal(made.notice, 'added')
  const [one] = (await api.get('/v1/store/shipping-rates')).data
  assert.deepEqual([one.code, one.price, one.country_codes], ['van', 5.5, ['MX', 'ES', 'US']])
  const path = at(`/checkout/shipping/${one.id}`)
  const shown = await ana.get(path)
  assert.match(shown.text, /Mexico\nSpain\nUnited States/)
  const wrong = await ana.post(path, { act: 'save', ...rate, country_codes: 'Mexico\nAtlantis' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /Mexico\nAtlantis/)
  assert.match(wrong.text, /Atlantis: We couldn’t find this/)
  assert.match((await ana.post(path, { act: 'remove', label: 'Our van' })).text, /Delete Our van\?/)
  assert.match((await ana.post(path, { act: 'remove', sure: '1' })).notice, /^deleted$/)
  assert.equal((await api.get('/v1/store/shipping-rates')).body.pagination.total, 0)
})

test('the same form sent twice adds one', async () => {
  const { ana, at, api } = await enter()
  const once = hiddenOf(await ana.get(at('/checkout/bumps/new')), 'once')
  const bump = { act: 'create', once, title: 'Gift wrapping', price: '2', is_active: '1' }
  await Promise.all([ana.post(at('/checkout/bumps/new'), bump), ana.post(at('/checkout/bumps/new'), bump)])
  assert.equal((await api.get('/v1/store/order-bumps')).body.pagination.total, 1)
})

test('checkout, recovery, contact and taxes each have a form that leaves the rest alone', async () => {
  const { shop, ana, at, api } = await enter()
  const levels = { phone: 'required', company: 'optional', address_2: 'hidden', postal_code: 'required' }
  const asked = { act: 'save', ...levels, province: 'optional', tax_id: 'hidden' }
  assert.match((await ana.post(at('/checkout'), asked)).notice, /^saved$/)
  assert.equal(dataOf(await api.get('/v1/store/checkout'), 200).phone, 'required')
  const early = await ana.post(at('/checkout/recovery'), { act: 'save', checkout_abandon_after_minutes: '5' })
  assert.match(early.text, /Enter at least 10/)
  const left = { act: 'save', checkout_abandon_after_minutes: '60', recovery_email_enabled: '1' }
  await ana.post(at('/checkout/recovery'), left)
  await ana.post(at('/checkout/taxes'), { act: 'save', tax_rate: '16', tax_rounding: 'line', tax_included: '1' })
  const { tax_rate, tax_rounding, tax_shipping, checkout_abandon_after_minutes } = await storeOf(shop)
  assert.deepEqual([tax_rate, tax_rounding, tax_shipping, checkout_abandon_after_minutes], [16, 'line', false, 60])
  await api.patch('/v1/store/appearance', { announcement: 'Stays' })
  const contact = { legal_name: 'Casa Nogal SL', contact_phone: '+52 55 1234 5678' }
  const social_links = 'https://instagram.com/casa\r\nhttp://plain.example'
  const wrong = await ana.post(at('/contact'), { act: 'save', ...contact, social_links })
  assert.match(wrong.text, /http:\/\/plain\.example: Enter a URL that starts with https/)
  await ana.post(at('/contact'), { act: 'save', ...contact, social_links: 'https://instagram.com/casa' })
  const look = dataOf(await api.get('/v1/store/appearance'), 200)
  assert.deepEqual([look.legal_name, look.social_links.length, look.announcement], ['Casa Nogal SL', 1, 'Stays'])
})

test('an offer of a product with variants asks which; another product forgets it', async () => {
  const { ana, at, api } = await enter()
  const red = { option_values: [{ option_title: 'Colour', value: 'Red' }] }
  const shirt = dataOf(await api.post('/v1/products', { name: 'Shirt', price: 5, variants: [red] }), 201)
  const mug = dataOf(await api.post('/v1/products', { name: 'Mug', price: 5 }), 201)
  const bump = { act: 'create', title: 'One more', product_id: shirt.id, is_active: '1' }
  const asked = await ana.post(at('/checkout/bumps/new'), bump)
  assert.equal(asked.status, 422)
  assert.match(asked.text, /This product has variants. Choose one/)
  const [variant] = shirt.variants
  assert.ok(asked.text.includes(`<option value="${variant.id}">Red</option>`))
  await ana.post(at('/checkout/bumps/new'), { ...bump, variant_id: variant.id })
  const [one] = (await api.get('/v1/store/order-bumps')).data
  assert.equal(one.variant_id, variant.id)
  const other = { act: 'save', title: 'A mug', product_id: mug.id }
  assert.match((await ana.post(at(`/checkout/bumps/${one.id}`), other)).notice, /^saved$/)
  const [after] = (await api.get('/v1/store/order-bumps')).data
  assert.deepEqual([after.product_id, after.variant_id, after.is_active], [mug.id, null, false])
})

test('what is secret of a provider is never shown again; an empty field leaves it as it is', async () => {
  const { ana, at, api } = await enter()
  const typed = {
    'settings.api_key': sandboxSettings.api_key,
    'settings.webhook_secret': sandboxSettings.webhook_secret,
  }
  const body = { act: 'create', code: 'card', name: 'Card', is_active: '1', ...typed }
  assert.match((await ana.post(at('/checkout/payments/new/sandbox'), body)).notice, /^added$/)
  const [one] = (await api.get('/v1/store/payment-methods')).data
  assert.deepEqual(one.settings, { api_key: 'set', webhook_secret: 'set' })
  const path = at(`/checkout/payments/${one.id}`)
  const { text } = await ana.get(path)
  assert.ok(!text.includes(sandboxSettings.api_key) && !text.includes(sandboxSettings.webhook_secret))
  assert.match(text, /placeholder="Saved and hidden"/)
  assert.ok(text.includes(one.webhook_url))
  const saved = await ana.post(path, { act: 'save', code: 'card', name: 'By card', is_active: '1' })
  assert.match(saved.notice, /^saved$/)
  const [after] = (await api.get('/v1/store/payment-methods')).data
  assert.deepEqual([after.name, after.settings], ['By card', { api_key: 'set', webhook_secret: 'set' }])
  const missing = await ana.post(at('/checkout/payments/new/stripe'), { act: 'create', code: 'cards', name: 'Stripe' })
  assert.equal(missing.status, 422)
  assert.match(missing.text, /id="create-settings.secret_key-fault">This field is required/)
})

test('a test payment says whether the provider takes the settings', async (t) => {
  t.after(() => delete psp.on.createPayment)
  const { ana, at, api } = await enter()
  const card = { code: 'card', provider: 'sandbox', settings: sandboxSettings }
  const { id } = dataOf(await api.post('/v1/store/payment-methods', card), 201)
  const path = at(`/checkout/payments/${id}`)
  assert.match((await ana.post(path, { act: 'trial' })).text, /The connection works/)
  psp.on.createPayment = () => ({ refused: 'Invalid <key>' })
  assert.match((await ana.post(path, { act: 'trial' })).text, /The provider returned an error:\s*Invalid &lt;key&gt;/)
})

test('a tax zone has rates of categories in rows; a row that is emptied goes', async () => {
  const { ana, at, api } = await enter()
  const { id: books } = dataOf(await api.post('/v1/categories', { name: 'Books' }), 201)
  const zone = { name: 'VAT Germany', country_code: 'DE', rate: '19', is_active: '1', postal_codes: '80\n81' }
  const rows = { 'category_rates.1.category_id': books, 'category_rates.1.rate': '7' }
  await ana.post(at('/checkout/taxes/zones/new'), { act: 'create', ...zone, ...rows })
  const [one] = (await api.get('/v1/store/tax-zones')).data
  assert.deepEqual([one.rate, one.postal_codes, one.included], [19, ['80', '81'], null])
  assert.deepEqual(one.category_rates, [{ category_id: books, rate: 7, reason: 'reduced' }])
  const path = at(`/checkout/taxes/zones/${one.id}`)
  const wrong = await ana.post(path, { act: 'save', ...zone, 'category_rates.2.rate': '300' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /value="300"/)
  await ana.post(path, { act: 'save', ...zone, included: 'true' })
  const [after] = (await api.get('/v1/store/tax-zones')).data
  assert.deepEqual([after.category_rates, after.included], [[], true])
})

test('a new tax zone without a choice taxes shipping as is usual in its country', async () => {
  const { ana, at, api } = await enter()
  const path = at('/checkout/taxes/zones')
  assert.match((await ana.get(`${path}/new`)).text, /<option value="">As usual in the country<\/option>/)
  const create = async (country_code: string, shipping_tax: string) => {
    const zone = { act: 'create', name: country_code, country_code, rate: '19', is_active: '1', shipping_tax }
    await ana.post(`${path}/new`, zone)
    return (await api.get('/v1/store/tax-zones')).data.find(({ name }: any) => name === country_code)
  }
  const french = await create('FR', '')
  const others = [await create('CH', ''), await create('DE', 'standard')]
  assert.deepEqual(
    [french, ...others].map((one) => one.shipping_tax),
    ['proportional', null, 'standard'],
  )
  const saved = { act: 'save', name: 'FR', country_code: 'FR', rate: '20', is_active: '1', shipping_tax: '' }
  assert.match((await ana.post(`${path}/${french.id}`, saved)).notice, /^saved$/)
  assert.equal(dataOf(await api.get(`/v1/store/tax-zones/${french.id}`), 200).shipping_tax, null)
})

test('a custom field says which keys it takes, and which types filter products', async () => {
  const { ana, at } = await enter()
  const refuse = async (body: object) => {
    const field = { act: 'create', label: 'Greeting', key: 'greeting', type: 'text', visibility: 'shop', ...body }
    const { status, text } = await ana.post(at('/custom-fields/products/new'), field)
    assert.equal(status, 422)
    return text
  }
  assert.match(await refuse({ key: 'gruss-text' }), /Use lowercase letters, numbers, and underscores only/)
  assert.match(
    await refuse({ type: 'number', visibility: 'filter' }),
    /Shoppers can filter products only by choices, yes or no, colors and texts\./,
  )
})

test('a tax zone has several taxes in rows, with their numbers', async () => {
  const { ana, at, api } = await enter()
  const zone = { name: 'Quebec', country_code: 'CA', is_active: '1' }
  const gst = { 'components.0.name': 'GST', 'components.0.rate': '5', 'components.0.tax_id': '123 RT' }
  const qst = { 'components.1.name': 'QST', 'components.1.rate': '9.975', 'components.1.compound': 'true' }
  await ana.post(at('/checkout/taxes/zones/new'), { act: 'create', ...zone, rate: '', ...gst, ...qst })
  const [one] = (await api.get('/v1/store/tax-zones')).data
  assert.deepEqual(
    one.components.map(({ name, rate, tax_id, compound }: any) => [name, rate, tax_id, compound]),
    [
      ['GST', 5, '123 RT', false],
      ['QST', 9.975, null, true],
    ],
  )
  assert.equal(one.rate, 15.4738)
  assert.match((await ana.get(at('/checkout/taxes/zones'))).text, /GST 5% \+ QST 9\.975%/)
  const path = at(`/checkout/taxes/zones/${one.id}`)
  assert.match((await ana.get(path)).text, /name="components\.1\.compound"[^]*?value="true" selected/)
  await ana.post(path, { act: 'save', ...zone, rate: '15', ...gst })
  const [after] = (await api.get('/v1/store/tax-zones')).data
  assert.deepEqual([after.rate, after.components.length], [5, 1])
})

test('a letter has words of its own in each language, is switched off, and is seen before it is sent', async () => {
  const { ana, at, api } = await enter()
  const path = at('/mail/order-paid')
  const { text, headers } = await ana.get(path)
  assert.match(headers.get('content-security-policy')!, /frame-src 'self'/)
  assert.match(text, /placeholder="Payment received for order \{number\}"/)
  const words = { 'en.subject': 'Thanks for {number}', 'es.subject': 'Gracias por {number}' }
  assert.match((await ana.post(path, { act: 'save', kind: 'order_paid', ...words })).notice, /^saved$/)
  const { data } = await api.get('/v1/store/mails/order_paid')
  assert.deepEqual([data.is_active, data.es.subject, data.en.introduction], [false, 'Gracias por {number}', null])
  const letter = await ana.get(`${path}/preview?language=es`)
  const policy = letter.headers.get('content-security-policy')!
  assert.match(policy, /frame-ancestors 'self'/)
  assert.match(policy, /sandbox allow-popups/)
  assert.ok(!policy.includes('script-src'))
  assert.match(letter.text, /Gracias por/)
  assert.match(letter.text, /<base target="_blank">/)
  const wrong = await ana.post(path, { act: 'save', kind: 'order_paid', 'en.subject': 'Hello {name}' })
  assert.match(wrong.text, /Only these variables are allowed: store, number, total/)
})

test('mail that was sent is listed, and is sent again', async () => {
  const { ana, at, api } = await enter()
  await api.patch('/v1/store', { notification_email: 'owner@example.com' })
  const order = { customer_name: 'Ben', customer_email: 'ben@example.com', notify_customer: true }
  const items = [{ product_name: 'Mug', unit_price: 5, quantity: 1 }]
  dataOf(await api.post('/v1/orders', { ...order, items }), 201)
  const shown = await ana.get(at('/mail/log?recipient=ben@example.com'))
  assert.match(shown.text, /ben@example\.com/)
  const id = hiddenOf(shown, 'id')
  assert.match((await ana.post(at('/mail/log'), { act: 'resend', id })).notice, /^mail_resent$/)
})

test('the plan is shown with what is used of it', async () => {
  const { ana, at, api } = await enter({ plan: 'free' })
  dataOf(await api.post('/v1/products', { name: 'Mug', price: 5 }), 201)
  const { text } = await ana.get(at('/plan'))
  assert.match(text, /<meter min="0" max="50" value="1" aria-label="Products">1 of 50<\/meter>/)
})

test('what agents may do is two switches, and every link beside them leads to a screen', async () => {
  const { ana, at, api } = await enter()
  const { text } = await ana.get(at('/agents'))
  const main = text.slice(text.indexOf('<main'), text.indexOf('</main>'))
  const links = [...main.matchAll(/<a href="\/dashboard([^"]*(?:reports|requests)[^"]*)"/g)].map(([, href]) => href!)
  assert.equal(links.length, 2)
  for (const href of links) assert.equal((await ana.get(href)).status, 200, href)
  assert.match((await ana.post(at('/agents'), { act: 'save', agent_checkouts: 'true' })).notice, /^saved$/)
  const { agent_checkouts, agent_orders } = (await api.get('/v1/store')).data
  assert.deepEqual([agent_checkouts, agent_orders], [true, false])
})

test('a shipping rate is priced by a table, with surcharges, conditions and times', async () => {
  const { ana, at, api } = await enter()
  const category = dataOf(await api.post('/v1/categories', { name: 'Large' }), 201)
  const path = at('/checkout/shipping')
  const added = await ana.post(`${path}/new`, {
    act: 'create',
    code: 'standard',
    price_by: 'weight',
    price: '5',
    country_codes: 'US',
    provinces: 'New York',
    postal_codes: '10*',
    'tiers.0.from': '1000',
    'tiers.0.price': '7,50',
    'tiers.1.from': '5000',
    'tiers.1.price': '12',
    'surcharges.0.category_id': category.id,
    'surcharges.0.amount': '20',
  })
  assert.equal(added.status, 303)
  const [rate] = dataOf(await api.get('/v1/store/shipping-rates'), 200)
  assert.partialDeepStrictEqual(rate, {
    price_by: 'weight',
    provinces: ['US-NY'],
    postal_codes: ['10*'],
    tiers: [
      { from: 1000, price: 7.5 },
      { from: 5000, price: 12 },
    ],
    surcharges: [{ category_id: category.id, amount: 20, per: 'order' }],
  })
  for (const [language, prices] of [
    ['en', /\$5\.00\s–\s\$12\.00 · Weight of the order/],
    ['de', /5,00–12,00\s\$ · Gewicht der Bestellung/],
  ] as const) {
    assert.match((await ana.get(path, { 'accept-language': language })).text, prices)
  }
  const page = await ana.get(`${path}/${rate.id}`)
  for (const name of ['tiers.1.price', 'surcharges.0.per', 'max_weight', 'handling_days', 'pickup_hours'])
    assert.ok(page.text.includes(`name="${name}"`), name)
  const wrong = await ana.post(`${path}/${rate.id}`, {
    version: hiddenOf(page, 'version'),
    act: 'save',
    price_by: 'weight',
    price: '5',
    'tiers.0.from': '9',
    'tiers.0.price': '1',
    'tiers.1.from': '9',
    'tiers.1.price': '2',
  })
  assert.equal(wrong.status, 422)
})
