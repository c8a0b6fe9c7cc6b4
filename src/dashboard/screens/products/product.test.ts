import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { sessionCookie } from '../../../identity/accounts/session.ts'
import { maxFileBytes } from '../../../commerce/media/limits.ts'
import { dataOf } from '../../../../test/shop.ts'
import { hiddenOf, staffOf, type Shown } from '../../../../test/staff.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'

const world = await openWorld()

async function open() {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop])

  return { shop, ana, path: `/${shop.store.id}/products` }
}

const blank = { act: 'save', name: 'Mug', price: '12,50', product_status: 'active', condition: 'new' }

/** All fields of the form, as a browser without a script sends them. */
function fieldsOf({ text }: Shown, act = 'save'): Record<string, string> {
  const form = text.split(/<form\b(?!-)/).find((part) => part.includes(`name="act" value="${act}"`))!
  const plain = form.replaceAll(/<template>[^]*?<\/template>/g, '')
  const fields: Record<string, string> = {}
  for (const [, about] of plain.matchAll(/<input([^>]*)>/g)) {
    const read = (name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(about!)?.[1]
    const isBox = /type="(checkbox|radio)"/.test(about!)
    if (read('name') && (!isBox || / checked/.test(about!))) fields[read('name')!] = unescape(read('value') ?? '')
  }
  for (const [, name, value] of plain.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>\n([^<]*)</g))
    fields[name!] = unescape(value!)
  for (const [, name, options] of plain.matchAll(/<select[^>]*name="([^"]*)"[^>]*>([^]*?)<\/select>/g)) {
    fields[name!] = /value="([^"]*)" selected/.exec(options!)?.[1] ?? /value="([^"]*)"/.exec(options!)?.[1] ?? ''
  }
  return fields
}

const unescape = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const idIn = ({ location }: Shown) => /\/products\/(prod_\w+)/.exec(location)![1]!
const productOf = async ({ api }: TestStore, id: string) => (await api.get(`/v1/products/${id}`)).data

test('a product is made with options of 3, 4 and 5 values, and each of its 60 variants can be changed', async () => {
  const { shop, ana, path } = await open()
  const options = {
    'options.0.title': 'Colour',
    'options.0.values': 'Red\r\nBlue\r\nGreen',
    'options.1.title': 'Size',
    'options.1.values': 'S\r\nM\r\nL\r\nXL',
    'options.2.title': 'Cloth',
    'options.2.values': 'Wool\r\nSilk\r\nFelt\r\nHemp\r\nFlax',
  }
  const made = await ana.post(`${path}/new`, { ...blank, ...options, combine: '1' })
  assert.equal(made.status, 303, made.text)
  const id = idIn(made)
  const { variants } = await productOf(shop, id)
  assert.equal(variants.length, 60)
  assert.deepEqual([variants[0].title, variants[59].title], ['Red / S / Wool', 'Green / XL / Flax'])
  const fields = fieldsOf(await ana.get(`${path}/${id}`))
  assert.ok(Object.keys(fields).length > 600)
  for (let at = 0; at < 60; at++) fields[`variants.${at}.price`] = String(20 + at)
  fields['variants.7.stock_quantity'] = '9'
  assert.equal((await ana.post(`${path}/${id}`, fields)).status, 303)
  const saved = (await productOf(shop, id)).variants
  assert.deepEqual(
    saved.map(({ price }: any) => price),
    saved.map((_: unknown, at: number) => 20 + at),
  )
  assert.equal(saved[7].stock_quantity, 9)
})

test('a form of more than the editor takes is refused, and so is one of more than 200 fields elsewhere', async () => {
  const { shop, ana, path } = await open()
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 'x']))
  assert.equal((await ana.post(`${path}/new`, many(11_001))).status, 413)
  assert.equal((await ana.post(`${path}/new`, { ...blank, ...many(9000) })).status, 303)
  assert.equal((await ana.post(`/${shop.store.id}/settings/developer/api-keys`, many(201))).status, 413)
  assert.equal((await ana.post(path, many(201))).status, 413)
})

test('a name of 10,000 characters and what else is wrong stands beside its field, and stays typed', async () => {
  const { ana, path } = await open()
  const name = 'x'.repeat(10_000)
  const wrong = { ...blank, name, price: '-1', 'options.0.title': 'Size', 'options.0.values': 'S', combine: '1' }
  const row = { 'variants.4.value.0': 'S', 'variants.4.price': 'dear', 'variants.4.id': '' }
  const { status, text } = await ana.post(`${path}/new`, { ...wrong, ...row })
  assert.equal(status, 422)
  assert.match(text, /id="save-name-fault">Use at most 255 characters/)
  assert.match(text, /id="save-price-fault">Enter more than 0/)
  assert.match(text, /id="variants.4.price-fault">Enter a number/)
  assert.ok(text.includes(name))
  assert.match(text, /name="variants.4.price"[^>]*value="dear"/)
})

test('a file that is too large or no picture is refused beside its input, and what was typed stays', async () => {
  const { shop, ana, path } = await open()
  const { id } = await dataOf(await shop.api.post('/v1/products', { name: 'Mug', price: 1 }), 201)
  const send = async (bytes: Uint8Array) => {
    const form = new FormData()
    form.set('act', 'picture')
    form.set('alt_text', 'A mug')
    form.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'mug.png')
    const headers = {
      cookie: ana.cookie,
      accept: 'text/html',
      origin: 'https://shop.example',
      'sec-fetch-site': 'same-origin',
    }
    const answer = await fetch(`${world.url}/dashboard${path}/${id}`, {
      method: 'POST',
      body: form,
      headers,
      redirect: 'manual',
    })
    return { status: answer.status, text: await answer.text() }
  }
  const large = await send(new Uint8Array(maxFileBytes + 200_000))
  assert.equal(large.status, 422)
  assert.match(large.text, /id="picture-file-fault">This file is too large. Use a file of 15 MB or less/)
  assert.match(large.text, /name="alt_text"[^>]*value="A mug"/)
  assert.match((await send(new Uint8Array(2000))).text, /id="picture-file-fault">Unsupported file/)
  const picture = await sharp({ create: { width: 20, height: 20, channels: 3, background: '#a0c' } })
    .png()
    .toBuffer()
  assert.equal((await send(picture)).status, 303)
  const { gallery } = await productOf(shop, id)
  assert.deepEqual([gallery.length, gallery[0].alt_text], [1, 'A mug'])
})

test('a file is not read for who is not signed in', async () => {
  const { shop } = await open()
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(1_000_000)]), 'a.png')
  const headers = { cookie: `${sessionCookie('https://shop.example')}=nobody`, 'sec-fetch-site': 'same-origin' }
  const { status } = await fetch(`${world.url}/dashboard/${shop.store.id}/pictures`, {
    method: 'POST',
    body: form,
    headers,
    redirect: 'manual',
  })
  assert.equal(status, 303)
})

test('only what was changed is sent: what others change elsewhere meanwhile stays', async () => {
  const { shop, ana, path } = await open()
  const asked = { name: 'Mug', price: 10, sku: 'M-1', track_inventory: true, stock_quantity: 10 }
  const { id } = await dataOf(await shop.api.post('/v1/products', asked), 201)
  const fields = fieldsOf(await ana.get(`${path}/${id}`))
  await shop.api.patch(`/v1/products/${id}`, { price: 12 })
  await shop.api.patch(`/v1/inventory/products/${id}`, { quantity: -3, reason: 'damaged' })
  const { status } = await ana.post(`${path}/${id}`, { ...fields, name: 'Big mug' })
  assert.equal(status, 303)
  const { name, price, stock_quantity } = await productOf(shop, id)
  assert.deepEqual([name, price, stock_quantity], ['Big mug', 12, 7])
})

test('two people who change the same are told: what was typed stays, what is there now stands beside it', async () => {
  const { shop, ana, path } = await open()
  const { id } = await dataOf(await shop.api.post('/v1/products', { name: 'Mug', price: 10, sku: 'M-1' }), 201)
  const fields = fieldsOf(await ana.get(`${path}/${id}`))
  await shop.api.patch(`/v1/products/${id}`, { name: 'Cup', sku: 'C-1' })
  const refused = await ana.post(`${path}/${id}`, { ...fields, name: 'Big mug' })
  assert.equal(refused.status, 412)
  assert.match(refused.text, /Someone else edited this/)
  assert.match(refused.text, /Current value: Cup/)
  const again = fieldsOf(refused)
  assert.deepEqual([again.name, again.sku], ['Big mug', 'C-1'])
  assert.equal((await ana.post(`${path}/${id}`, again)).status, 303)
  const { name, sku } = await productOf(shop, id)
  assert.deepEqual([name, sku], ['Big mug', 'C-1'])
})

test('stock that was sold meanwhile is not overwritten, and what was not typed follows it', async () => {
  const { shop, ana, path } = await open()
  const sizes = ['S', 'M'].map((value) => ({ option_values: [{ option_title: 'Size', value }], stock_quantity: 5 }))
  const asked = { name: 'Shirt', price: 10, track_inventory: true, variants: sizes }
  const made = await dataOf(await shop.api.post('/v1/products', asked), 201)
  const [first, second] = made.variants
  const fields = fieldsOf(await ana.get(`${path}/${made.id}`))
  const sell = (variant_id: string) => shop.api.patch(`/v1/inventory/products/${made.id}`, { quantity: -1, variant_id })
  await sell(second.id)
  assert.equal((await ana.post(`${path}/${made.id}`, { ...fields, 'variants.0.sku': 'S-1' })).status, 303)
  const next = fieldsOf(await ana.get(`${path}/${made.id}`))
  await sell(first.id)
  const refused = await ana.post(`${path}/${made.id}`, { ...next, 'variants.0.stock_quantity': '20' })
  assert.equal(refused.status, 412)
  const again = fieldsOf(refused)
  assert.deepEqual([again['variants.0.stock_quantity'], again['variants.0.stock_was']], ['20', '4'])
  assert.equal((await ana.post(`${path}/${made.id}`, again)).status, 303)
  const { variants } = await productOf(shop, made.id)
  assert.deepEqual(
    variants.map(({ sku, stock_quantity }: any) => [sku, stock_quantity]),
    [
      ['S-1', 20],
      [null, 4],
    ],
  )
})

test('a line that is changed renames its value, one that is gone takes its variants along', async () => {
  const { shop, ana, path } = await open()
  const sizes = ['S', 'M', 'L'].map((value) => ({
    option_values: [{ option_title: 'Size', value }],
    sku: `A-${value}`,
  }))
  const { id } = await dataOf(await shop.api.post('/v1/products', { name: 'Shirt', price: 10, variants: sizes }), 201)
  const save = async (change: Record<string, string>) => {
    const answer = await ana.post(`${path}/${id}`, { ...fieldsOf(await ana.get(`${path}/${id}`)), ...change })
    assert.equal(answer.status, 303, answer.text)
    const { variants } = await productOf(shop, id)
    return variants.map(({ title, sku }: any) => [title, sku])
  }
  assert.deepEqual(await save({ 'options.0.values': 'Small\nM\nL' }), [
    ['Small', 'A-S'],
    ['M', 'A-M'],
    ['L', 'A-L'],
  ])
  assert.deepEqual(await save({ 'options.0.values': 'Small\nL' }), [
    ['Small', 'A-S'],
    ['L', 'A-L'],
  ])
  assert.deepEqual(await save({ 'variants.2.value.0': 'XL', 'variants.2.sku': 'A-XL' }), [
    ['Small', 'A-S'],
    ['L', 'A-L'],
    ['XL', 'A-XL'],
  ])
  assert.deepEqual(await save({ 'variants.0.gone': '1' }), [
    ['L', 'A-L'],
    ['XL', 'A-XL'],
  ])
  assert.deepEqual(await save({ 'options.0.title': '', 'options.0.values': '' }), [])
})

test('pictures keep what they show, their order and what is removed', async () => {
  const { shop, ana, path } = await open()
  const gallery = ['a', 'b', 'c'].map((name) => `https://images.example/${name}.jpg`)
  const { id } = await dataOf(await shop.api.post('/v1/products', { name: 'Mug', price: 1, gallery }), 201)
  const fields = fieldsOf(await ana.get(`${path}/${id}`))
  const change = {
    'gallery.0.position': '3',
    'gallery.2.position': '1',
    'gallery.1.gone': '1',
    'gallery.2.alt_text': 'Blue',
  }
  await ana.post(`${path}/${id}`, { ...fields, ...change })
  const product = await productOf(shop, id)
  assert.deepEqual(
    product.gallery.map(({ url, alt_text }: any) => [url, alt_text]),
    [
      [gallery[2], 'Blue'],
      [gallery[0], null],
    ],
  )
  assert.equal(product.main_image, gallery[2])
})

test('a main image that was set by itself is the first picture; it is moved, removed and left alone', async () => {
  const { shop, ana, path } = await open()
  const [a, b, main] = ['a', 'b', 'main'].map((name) => `https://images.example/${name}.jpg`)
  const saved = async (sets: object, change: Record<string, string>) => {
    const asked = { name: 'Mug', price: 1, gallery: [a, b], ...sets }
    const { id } = await dataOf(await shop.api.post('/v1/products', asked), 201)
    const fields = fieldsOf(await ana.get(`${path}/${id}`))
    const shown = ['0', '1', '2'].map((at) => fields[`gallery.${at}.url`]).filter(Boolean)
    await ana.post(`${path}/${id}`, { ...fields, ...change })
    const { gallery, main_image } = await productOf(shop, id)
    return [shown, gallery.map(({ url }: any) => url), main_image]
  }
  const alone = { main_image: main }
  assert.deepEqual(await saved(alone, { name: 'Cup' }), [[main, a, b], [a, b], main])
  assert.deepEqual(await saved(alone, { 'gallery.0.position': '9' }), [[main, a, b], [a, b, main], a])
  assert.deepEqual(await saved(alone, { 'gallery.0.gone': '1' }), [[main, a, b], [a, b], a])
  assert.deepEqual(await saved(alone, { 'gallery.2.gone': '1' }), [[main, a, b], [main, a], main])
  assert.deepEqual(await saved({ main_image: b }, { 'gallery.1.position': '0' }), [[b, a], [a, b], a])
  assert.deepEqual(await saved({ main_image: b }, { name: 'Cup' }), [[b, a], [a, b], b])
  const only = { main_image: main, gallery: [] }
  assert.deepEqual(await saved(only, { 'gallery.0.gone': '1' }), [[main], [], null])
})

test('a copy is a draft without stock, with its pictures, variants and translations', async () => {
  const { shop, ana, path } = await open()
  const asked = {
    name: 'Shirt',
    price: 10,
    gallery: ['https://images.example/a.jpg'],
    sku: 'S',
    variants: [{ option_values: [{ option_title: 'Size', value: 'S' }], stock_quantity: 4, sku: 'S-S' }],
  }
  const { id } = await dataOf(await shop.api.post('/v1/products', asked), 201)
  await shop.api.patch(`/v1/products/${id}/translations`, { es: { name: 'Camisa' } })
  const made = await ana.post(`${path}/${id}`, { act: 'duplicate' })
  const copy = await productOf(shop, idIn(made))
  const { name, product_status, stock_quantity, gallery, variants } = copy
  assert.deepEqual(
    [name, product_status, stock_quantity, gallery[0].url],
    ['Shirt (copy)', 'draft', 0, asked.gallery[0]],
  )
  assert.deepEqual([variants[0].sku, variants[0].title], ['S-S', 'S'])
  const translations = (await shop.api.get(`/v1/products/${copy.id}/translations`)).data
  assert.equal(translations.es.name, 'Camisa')
})

test('a product is archived, taken out again, and deleted after a question', async () => {
  const { shop, ana, path } = await open()
  const { id } = await dataOf(await shop.api.post('/v1/products', { name: 'Mug', price: 1 }), 201)
  const press = (act: string, more = {}) => ana.post(`${path}/${id}`, { act, label: 'Mug', ...more })
  await press('archive')
  assert.equal((await productOf(shop, id)).product_status, 'archived')
  await press('activate')
  assert.equal((await productOf(shop, id)).product_status, 'active')
  assert.match((await press('delete')).text, /Delete Mug\?/)
  const deleted = await press('delete', { sure: '1' })
  assert.match(deleted.location, /\/products$/)
  assert.equal(deleted.notice, 'product_deleted')
  assert.equal((await shop.api.get(`/v1/products/${id}`)).status, 404)
})

test('stock is adjusted with a reason, which the history tells', async () => {
  const { shop, ana, path } = await open()
  const { id } = await dataOf(await shop.api.post('/v1/products', { name: 'Mug', price: 1, stock_quantity: 5 }), 201)
  const adjust = (quantity: string) => ana.post(`${path}/${id}/stock`, { act: 'adjust', quantity, reason: 'damaged' })
  assert.equal((await adjust('-2')).status, 303)
  assert.equal((await productOf(shop, id)).stock_quantity, 3)
  assert.match((await ana.get(`${path}/${id}/stock`)).text, /Damage</)
  assert.match((await adjust('-9')).text, /id="adjust-quantity-fault">Only 3 available/)
})

test('the history of stock names the person who changed it, and keeps keys as they are', async () => {
  const { shop, ana, path } = await open()
  const { id } = dataOf(await shop.api.post('/v1/products', { name: 'Mug', price: 1, stock_quantity: 5 }), 201)
  await ana.post(`${path}/${id}/stock`, { act: 'adjust', quantity: '-2', reason: 'damaged' })
  const { text } = await ana.get(`${path}/${id}/stock`)
  assert.match(text, /<td[^>]*>Ana<\/td>/)
  assert.match(text, /<td[^>]*>key:key_\w+<\/td>/)
  assert.match((await ana.get(`${path}/${id}/stock.csv`)).text, /,user:usr_\w+,/)
})

test('the history of stock names the variant that moved', async () => {
  const { shop, ana, path } = await open()
  const variants = ['S', 'M'].map((value) => ({ option_values: [{ option_title: 'Size', value }], stock_quantity: 4 }))
  const { id, variants: made } = await dataOf(
    await shop.api.post('/v1/products', { name: 'Hat', price: 1, variants }),
    201,
  )
  const adjust = { act: 'adjust', variant_id: made[1].id, quantity: '-1', reason: 'damaged' }
  assert.equal((await ana.post(`${path}/${id}/stock`, adjust)).status, 303)
  assert.match((await ana.get(`${path}/${id}/stock`)).text, /<td[^>]*>M<\/td>/)
  assert.match((await ana.get(`${path}/${id}`)).text, /Damage\s*<small>M · /)
})

test('a product is put into a collection and taken out of it', async () => {
  const { shop, ana, path } = await open()
  const { id } = await dataOf(await shop.api.post('/v1/products', { name: 'Mug', price: 1 }), 201)
  const { id: collection } = await dataOf(await shop.api.post('/v1/collections', { name: 'Summer' }), 201)
  const count = async () => (await shop.api.get(`/v1/collections/${collection}`)).data.products_count
  await ana.post(`${path}/${id}`, { act: 'collect', collection })
  assert.equal(await count(), 1)
  assert.match((await ana.get(`${path}/${id}`)).text, /Summer<\/a>/)
  await ana.post(`${path}/${id}`, { act: 'uncollect', collection })
  assert.equal(await count(), 0)
})

test('a product is translated, with the values of its options', async () => {
  const { shop, ana, path } = await open()
  const variants = [{ option_values: [{ option_title: 'Colour', value: 'Red' }] }]
  const { id } = await dataOf(await shop.api.post('/v1/products', { name: 'Mug', price: 1, variants }), 201)
  const where = `${path}/${id}/translations/es`
  const fields = fieldsOf(await ana.get(where))
  const said = { 'es.name': 'Taza', 'terms.0.text': 'Color', 'terms.1.text': 'Rojo' }
  assert.equal((await ana.post(where, { ...fields, ...said })).status, 303)
  const { es } = (await shop.api.get(`/v1/products/${id}/translations`)).data
  assert.deepEqual(
    [es.name, es.terms],
    [
      'Taza',
      [
        { term: 'Colour', text: 'Color' },
        { term: 'Red', text: 'Rojo' },
      ],
    ],
  )
  const empty = Object.fromEntries(Object.keys(said).map((name) => [name, '']))
  await ana.post(where, { ...fieldsOf(await ana.get(where)), ...empty })
  assert.equal((await shop.api.get(`/v1/products/${id}/translations`)).data.es, null)
})

test('the same form twice makes one product, and what is emptied that must be there is refused', async () => {
  const { shop, ana, path } = await open()
  const once = hiddenOf(await ana.get(`${path}/new`), 'once')
  const [one, two] = await Promise.all([1, 2].map(() => ana.post(`${path}/new`, { ...blank, once })))
  assert.equal(idIn(one!), idIn(two!))
  const id = idIn(one!)
  const refused = await ana.post(`${path}/${id}`, { ...fieldsOf(await ana.get(`${path}/${id}`)), name: '' })
  assert.match(refused.text, /id="save-name-fault">This field is required/)
  assert.equal((await productOf(shop, id)).name, 'Mug')
})

test('texts for search engines, origin and HS code are saved, with a preview and its lengths', async () => {
  const { shop, ana, path } = await open()
  const texts = { seo_title: 'Enamel mugs', seo_description: 'Made to last.' }
  const made = await ana.post(`${path}/new`, { ...blank, ...texts, country_of_origin: 'IT', hs_code: '7323.94' })
  const id = idIn(made)
  const goods = { country_of_origin: 'IT', hs_code: '7323.94' }
  assert.partialDeepStrictEqual(await productOf(shop, id), { ...texts, ...goods })
  const shown = await ana.get(`${path}/${id}`)
  for (const part of [
    '<span data-of="title">Enamel mugs</span>',
    '<span data-of="description">Made to last.</span>',
    'Title: 11 of about 60 characters',
    'Description: 13 of about 160 characters',
  ]) {
    assert.ok(shown.text.includes(part), part)
  }
  assert.match(shown.text, /<option value="IT" selected>Italy<\/option>/)
})

test('a draft is scheduled in the time of the store, and the list says so', async () => {
  const { shop, ana, path } = await open()
  await shop.api.patch('/v1/store', { timezone: 'America/New_York' })
  const times = { publish_at: '2099-12-01T08:00', unpublish_at: '2099-12-24T00:00' }
  const id = idIn(await ana.post(`${path}/new`, { ...blank, product_status: 'draft', ...times }))
  const saved = await productOf(shop, id)
  assert.deepEqual([saved.publish_at, saved.unpublish_at], ['2099-12-01T13:00:00.000Z', '2099-12-24T05:00:00.000Z'])
  const fields = fieldsOf(await ana.get(`${path}/${id}`))
  assert.partialDeepStrictEqual(fields, times)
  assert.match((await ana.get(`${path}/${id}`)).text, /Time zone: America\/New York/)
  assert.match((await ana.get(`${path}?status=scheduled`)).text, /<span class="mark half">Scheduled<\/span>/)
  const past = await ana.post(`${path}/${id}`, { ...fields, publish_at: '2001-01-01T00:00' })
  assert.equal(past.status, 422)
  assert.match(past.text, /id="save-publish_at-fault">Enter a time in the future/)
})

test('a category is made with the product that names it, once, and not with one that is refused', async () => {
  const { shop, ana, path } = await open()
  const categories = async () => (await shop.api.get('/v1/categories')).data
  const refused = await ana.post(`${path}/new`, { ...blank, price: '-1', new_category: 'Cups' })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /name="new_category"[^>]*value="Cups"/)
  assert.deepEqual(await categories(), [])
  const first = await productOf(shop, idIn(await ana.post(`${path}/new`, { ...blank, new_category: ' Cups ' })))
  const [cups, ...others] = await categories()
  assert.deepEqual([cups.name, others, first.category_id], ['Cups', [], cups.id])
  const second = dataOf(await shop.api.post('/v1/products', { name: 'Glass', price: 1 }), 201)
  const fields = fieldsOf(await ana.get(`${path}/${second.id}`))
  assert.equal((await ana.post(`${path}/${second.id}`, { ...fields, new_category: 'CUPS' })).status, 303)
  assert.equal((await productOf(shop, second.id)).category_id, cups.id)
  assert.equal((await categories()).length, 1)
  const long = await ana.post(`${path}/${second.id}`, { ...fields, new_category: 'x'.repeat(256) })
  assert.equal(long.status, 422)
  assert.match(long.text, /id="save-new_category-fault">Use at most 255 characters/)
})

test('tags are suggested from those of the store, the most used first, and of no other store', async () => {
  const { shop, ana, path } = await open()
  const other = await world.newStore()
  const make = (store: TestStore, tags: string[]) => store.api.post('/v1/products', { name: 'Mug', price: 1, tags })
  for (const tags of [['sale'], ['summer', 'gift'], ['summer']]) await make(shop, tags)
  await make(other, ['theirs'])
  await shop.api.post('/v1/customers', { name: 'Ana', tags: ['vip'] })
  const suggestionsAt = async (at: string) => {
    const list = /<datalist id="[^"]*tags-known">(.*?)<\/datalist>/s.exec((await ana.get(at)).text)?.[1] ?? ''
    return [...list.matchAll(/value="([^"]*)"/g)].map(([, tag]) => tag)
  }
  assert.deepEqual(await suggestionsAt(`${path}/new`), ['summer', 'gift', 'sale'])
  assert.deepEqual(await suggestionsAt(`/${shop.store.id}/customers/new`), ['vip'])
})

test('custom fields of variants are columns of their table, and only those that were changed are sent', async () => {
  const { shop, ana, path } = await open()
  const define = async (field: object) =>
    dataOf(await shop.api.post('/v1/store/custom-fields', { applies_to: 'variant', ...field }), 201)
  await define({ key: 'shade', label: 'Shade', type: 'color' })
  await define({ key: 'care', label: 'Care', type: 'choice', choices: ['Cold', 'Warm'] })
  await define({ key: 'grip', label: 'Grip', type: 'number' })
  await define({ key: 'lined', label: 'Lined', type: 'boolean' })
  const options = { 'options.0.title': 'Size', 'options.0.values': 'S\r\nM' }
  const id = idIn(await ana.post(`${path}/new`, { ...blank, ...options, combine: '1' }))
  const first = await ana.get(`${path}/${id}`)
  for (const label of ['Shade', 'Care', 'Grip', 'Lined']) assert.match(first.text, new RegExp(`<th[^>]*>${label}</th>`))
  assert.match(first.text, /<datalist id="of-custom_fields.care"><option value="Cold">/)
  const valuesOf = async () => (await productOf(shop, id)).variants.map((one: any) => one.custom_fields)
  const save = (fields: object) => ana.post(`${path}/${id}`, fields as Record<string, string>)

  const typed = {
    'variants.0.custom_fields.shade': '#AA0000',
    'variants.0.custom_fields.grip': '1,5',
    'variants.0.custom_fields.lined': 'true',
    'variants.1.custom_fields.care': 'Warm',
  }
  const fields = fieldsOf(first)
  assert.equal((await save({ ...fields, ...typed })).status, 303)
  assert.deepEqual(await valuesOf(), [{ grip: 1.5, lined: true, shade: '#aa0000' }, { care: 'Warm' }])

  const next = fieldsOf(await ana.get(`${path}/${id}`))
  assert.deepEqual([next['variants.0.custom_fields.grip'], next['variants.0.custom_fields.lined']], ['1.5', 'Yes'])
  const [one] = (await productOf(shop, id)).variants
  await shop.api.patch(`/v1/products/${id}`, { variants: [{ id: one.id, custom_fields: { care: 'Cold' } }] })
  assert.equal((await save({ ...next, name: 'Cup', 'variants.1.custom_fields.care': '' })).status, 412)
  const last = fieldsOf(await ana.get(`${path}/${id}`))
  assert.equal((await save({ ...last, 'variants.0.custom_fields.lined': '' })).status, 303)
  assert.deepEqual((await valuesOf())[0], { care: 'Cold', grip: 1.5, shade: '#aa0000' })

  const again = fieldsOf(await ana.get(`${path}/${id}`))
  assert.equal((await save({ ...again, 'variants.0.custom_fields.lined': 'no' })).status, 303)
  assert.equal((await valuesOf())[0].lined, false)
  assert.equal(fieldsOf(await ana.get(`${path}/${id}`))['variants.0.custom_fields.lined'], 'No')

  const wrong = await save({ ...fieldsOf(await ana.get(`${path}/${id}`)), 'variants.0.custom_fields.shade': 'red' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /name="variants.0.custom_fields.shade"[^>]*value="red"/)
  assert.match(wrong.text, /id="variants.0.custom_fields.shade-fault"/)
})

test('lists are narrowed by custom fields, and what is narrowed can be taken back', async () => {
  const { shop, ana, path } = await open()
  const define = async (field: object) => dataOf(await shop.api.post('/v1/store/custom-fields', field), 201)
  await define({ applies_to: 'product', key: 'cloth', label: 'Cloth', type: 'choice', choices: ['Wool', 'Silk'] })
  await define({ applies_to: 'product', key: 'lined', label: 'Lined', type: 'boolean' })
  await define({ applies_to: 'customer', key: 'size', label: 'Shoe size', type: 'text' })
  for (const [name, cloth] of [
    ['Shirt', 'Wool'],
    ['Scarf', 'Silk'],
  ])
    await shop.api.post('/v1/products', { name, price: 9, custom_fields: { cloth, lined: name === 'Scarf' } })
  await shop.api.post('/v1/customers', { name: 'Ana', custom_fields: { size: '38' } })
  await shop.api.post('/v1/customers', { name: 'Bo' })

  const whole = await ana.get(path)
  assert.match(whole.text, /name="custom_fields\[cloth\]"[^]*?<option value="Wool">Wool<\/option>/)
  const narrowed = await ana.get(`${path}?custom_fields%5Bcloth%5D=Wool`)
  assert.match(narrowed.text, />Shirt</)
  assert.doesNotMatch(narrowed.text, />Scarf</)
  assert.match(narrowed.text, /Cloth: Wool/)
  assert.match((await ana.get(`${path}?custom_fields%5Blined%5D=true`)).text, /Lined: Yes/)
  const grid = await ana.get(`${path}/bulk?custom_fields%5Bcloth%5D=Silk`)
  assert.match(grid.text, /title="Scarf"/)
  assert.doesNotMatch(grid.text, /title="Shirt"/)
  assert.match((await ana.get(`${path}?custom_fields%5B__proto__%5D=x`)).text, /custom_fields/)

  const people = await ana.get(`/${shop.store.id}/customers?custom_fields%5Bsize%5D=38`)
  assert.match(people.text, /Shoe size: 38/)
  assert.match(people.text, />Ana</)
  assert.doesNotMatch(people.text, />Bo</)
})
