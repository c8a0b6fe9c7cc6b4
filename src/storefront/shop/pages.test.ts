// The pages as they are sent, where no browser is needed to look at them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setUp } from '../../../test/checkouts.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { setStatus } from '../../tenancy/stores/operations.ts'

const world = await openWorld()
const { db } = world.app

type Texts = Record<string, string>
type Sent = { status: number; headers: Headers; text: string; cookies: Texts; to: string | null }
type Request = { cookies?: Texts; form?: Texts; headers?: Texts }

const newShop = async (options?: Parameters<typeof world.newStore>[0]) => setUp(await world.newStore(options))

/** One request; `form` makes it a POST as a browser sends it. */
async function send(
  { store }: Pick<TestStore, 'store'>,
  path: string,
  { cookies = {}, form, headers = {} }: Request = {},
): Promise<Sent> {
  const answer = await fetch(`${world.url}/s/${store.slug}${path}`, {
    redirect: 'manual',
    method: form ? 'POST' : 'GET',
    headers: {
      cookie: Object.entries(cookies)
        .map(([name, value]) => `${name}=${value}`)
        .join('; '),
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' } : {}),
      ...headers,
    },
    ...(form ? { body: new URLSearchParams(form).toString() } : {}),
  })
  const set = answer.headers.getSetCookie().map((line) => line.split(';')[0]!.split('=') as [string, string])
  return {
    status: answer.status,
    headers: answer.headers,
    text: await answer.text(),
    cookies: { ...cookies, ...Object.fromEntries(set) },
    to: answer.headers.get('location'),
  }
}

async function mugOf({ api }: TestStore, fields: object = {}) {
  const { data, error } = await api.post('/v1/products', { name: 'Enamel mug', price: 14, ...fields })
  assert.equal(error, undefined, JSON.stringify(error))
  return data
}

const titleOf = ({ text }: Sent) => /<title>([^<]*)</.exec(text)?.[1]
const addMug = (shop: TestStore, cookies = {}) =>
  send(shop, '/products/enamel-mug', { form: { quantity: '2' }, cookies })
const toCheckout = (shop: TestStore, cookies: Texts) => send(shop, '/cart', { form: { act: 'checkout' }, cookies })

/** The value of a field of the page that is not shown. */
const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)![1]!

async function begin(shop: TestStore): Promise<Sent> {
  await mugOf(shop)
  return toCheckout(shop, (await addMug(shop)).cookies)
}

test('a page runs nothing but its own script, and nobody may frame it', async () => {
  const shop = await newShop()
  const { status, headers } = await send(shop, '')
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  assert.deepEqual(headers.get('content-security-policy')?.split('; '), [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' https:",
    "font-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ])
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('referrer-policy'), 'same-origin')
  assert.equal(headers.get('cache-control'), 'private, no-cache')
  assert.equal((await send(shop, '/cart')).headers.get('cache-control'), 'no-store')
})

test('the files of a page are named by what is in them and kept for good', async () => {
  const { text } = await send(await newShop(), '')
  const paths = [...text.matchAll(/"(\/s\/_\/[^"]+)"/g)].map(([, path]) => path!)
  const names = paths.map((path) => path.replace(/\/[\w-]{12}\//, '/'))
  assert.deepEqual(
    names,
    ['base.css', 'shop.css', 'catalogue.css', 'icon.svg', 'script.js', 'search.js'].map((name) => `/s/_/${name}`),
  )
  for (const path of paths) {
    const { status, headers } = await fetch(world.url + path)
    assert.deepEqual([status, headers.get('cache-control')], [200, 'public, max-age=31536000, immutable'], path)
  }
  assert.equal((await fetch(`${world.url}/s/_/000000000000/base.css`)).status, 404)
})

test('a visitor costs no row until the checkout begins; the cookies belong to the store', async () => {
  const shop = await newShop()
  await mugOf(shop)
  const rows = async () =>
    (await db.one<{ count: number }>(sql`
    select count(*) as count
    from checkouts
    where store_id = ${shop.store.id}`))!.count
  const added = await addMug(shop)
  assert.deepEqual([added.status, added.to], [303, `/s/${shop.store.slug}/cart?added=1`])
  const [cookie, ...attributes] = added.headers.get('set-cookie')!.split('; ')
  assert.match(cookie!, /^stoa_cart=[\w-]{22}\*2$/)
  assert.deepEqual(attributes, ['Max-Age=7776000', `Path=/s/${shop.store.slug}`, 'HttpOnly', 'Secure', 'SameSite=Lax'])
  assert.match((await send(shop, '/cart', { cookies: added.cookies })).text, /\$28\.00/)
  assert.equal(await rows(), 0)
  const begun = await toCheckout(shop, added.cookies)
  assert.equal(begun.to, `/s/${shop.store.slug}/checkout`)
  assert.match(begun.cookies.stoa_checkout!, /^[\w-]{43}$/)
  assert.equal(await rows(), 1)
  // Again: the same checkout.
  assert.equal((await toCheckout(shop, begun.cookies)).cookies.stoa_checkout, begun.cookies.stoa_checkout)
  assert.equal(await rows(), 1)
})

test('the checkout under way follows the cart', async () => {
  const shop = await newShop()
  const { cookies } = await begin(shop)
  const more = await addMug(shop, cookies)
  assert.match((await send(shop, '/checkout', { cookies: more.cookies })).text, /Quantity: 4/)
  const none = await send(shop, '/cart', { form: { remove: '0' }, cookies: more.cookies })
  assert.equal(none.cookies.stoa_cart, '')
  assert.equal((await send(shop, '/checkout', { cookies: none.cookies })).to, `/s/${shop.store.slug}/cart`)
})

test('mail to a shopper speaks the language that was chosen last', async () => {
  const shop = await newShop()
  const { cookies } = await begin(shop)
  const { text } = await send(shop, '/checkout?lang=es', { cookies })
  const form = { checkout: hidden(text, 'checkout'), act: 'update', 'customer.email': 'ana@example.com' }
  assert.equal((await send(shop, '/checkout', { cookies: { ...cookies, stoa_lang: 'es' }, form })).status, 303)
  const rows = await db.rows(sql`select locale from checkouts where store_id = ${shop.store.id}`)
  assert.deepEqual(rows, [{ locale: 'es' }])
})

test('a form of another site is refused, one of the page is not', async () => {
  const shop = await newShop()
  await mugOf(shop)
  const status = async (given: Texts) => {
    const headers = { 'sec-fetch-site': '', ...given }
    return (await send(shop, '/products/enamel-mug', { form: { quantity: '1' }, headers })).status
  }
  assert.equal(await status({ origin: 'https://evil.example' }), 403)
  assert.equal(await status({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }), 403)
  assert.equal(await status({ origin: 'null' }), 403)
  assert.equal(await status({ 'sec-fetch-site': 'same-site' }), 403)
  assert.equal(await status({ origin: world.url }), 303)
  assert.equal(await status({ 'sec-fetch-site': 'same-origin' }), 303)
})

test('a cart that somebody made up holds what can be read of it', async () => {
  const shop = await newShop()
  const id = 'A'.repeat(22)
  const carts = ['%', '*', '.', 'x*1', `${id}*0`, `${id}*1000`, `${id.slice(1)}=*1`, '[]', 'a'.repeat(4000)]
  for (const cart of carts) {
    const { status, text } = await send(shop, '/cart', { cookies: { stoa_cart: cart } })
    assert.equal(status, 200, cart)
    assert.match(text, /Your cart is empty/, cart)
  }
  const unknown = `${id}*1`
  const { status, text } = await send(shop, '/cart', { cookies: { stoa_cart: Array(80).fill(unknown).join('.') } })
  assert.equal(status, 200)
  assert.equal(text.match(/This item is no longer for sale/g)?.length, 50)
  assert.equal((await send(shop, '/cart', { cookies: { stoa_cart: unknown }, form: { act: 'checkout' } })).status, 422)
})

test('another store knows neither the cart, nor the checkout, nor the order', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const { cookies } = await begin(shop)
  assert.match((await send(other, '/cart', { cookies })).text, /This item is no longer for sale/)
  assert.equal((await send(other, '/checkout', { cookies })).to, `/s/${other.store.slug}/cart`)
  assert.equal((await send(other, `/recover/${cookies.stoa_checkout}`)).status, 404)
  const order = await place(shop, cookies)
  const path = order.to!.slice(`/s/${shop.store.slug}`.length)
  assert.equal((await send(shop, path)).status, 200)
  assert.equal((await send(other, path)).status, 404)
  const [id, signature] = path.split('.')
  const neighbour = id!.slice(0, -1) + (id!.endsWith('0') ? '1' : '0')
  const forgeries = [id!, `${id}.`, `${id}.${'A'.repeat(43)}`, `${neighbour}.${signature}`]
  for (const forged of [...forgeries, '/orders/.', '/orders/%00.x']) {
    assert.equal((await send(shop, forged)).status, 404, forged)
  }
})

test('where nothing is delivered, the address stays, and a pickup is chosen by shoppers alone', async () => {
  const shop = await world.newStore({ country_code: 'US', currency: 'USD' })
  const rates = [
    { code: 'standard', price: 6, country_codes: ['US'], postal_codes: ['62*'] },
    { code: 'pickup', price: 0, requires_address: false },
  ]
  for (const rate of rates) {
    const { error } = await shop.api.post('/v1/store/shipping-rates', rate)
    assert.equal(error, undefined, JSON.stringify(error))
  }
  await shop.api.post('/v1/store/payment-methods', { code: 'bank_transfer', instructions: 'Account 1' })
  await mugOf(shop)
  const { cookies } = await toCheckout(shop, (await addMug(shop)).cookies)
  const { text } = await send(shop, '/checkout', { cookies })
  const type = async (postalCode: string, method: string) => {
    const form = {
      checkout: hidden(text, 'checkout'),
      act: 'update',
      'shipping_address.country_code': 'US',
      'shipping_address.postal_code': postalCode,
      shipping_method: method,
    }
    assert.ok((await send(shop, '/checkout', { cookies, form })).status < 400)
    const page = (await send(shop, '/checkout', { cookies })).text
    const chosen = /name="shipping_method" value="(\w+)" checked/.exec(page)?.[1] ?? null
    const isHidden = /checked[^>]*data-away/.test(page)
    return [chosen, isHidden, page.includes('We can’t ship this order to this address.')]
  }
  assert.deepEqual(await type('62704', 'standard'), ['standard', false, false])
  assert.deepEqual(await type('10118', 'standard'), [null, false, true])
  assert.deepEqual(await type('10118', 'pickup'), ['pickup', false, true])
  assert.deepEqual(await type('62704', 'standard'), ['standard', false, false])
  assert.deepEqual(await type('62704', 'pickup'), ['pickup', true, false])
})

test('goods that no delivery takes are sold without an address by the only rate that is left', async () => {
  const shop = await world.newStore({ country_code: 'US', currency: 'USD' })
  const { data: category } = await shop.api.post('/v1/categories', { name: 'Downloads' })
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 6, excluded_categories: [category.id] })
  await shop.api.post('/v1/store/shipping-rates', { code: 'visit', name: 'Visit', price: 0, requires_address: false })
  await shop.api.post('/v1/store/payment-methods', { code: 'bank_transfer', instructions: 'Account 1' })
  await mugOf(shop, { category_id: category.id })
  const { cookies } = await toCheckout(shop, (await addMug(shop)).cookies)
  const { text } = await send(shop, '/checkout', { cookies })
  assert.match(text, /value="visit" checked[^>]*data-away/)
  assert.doesNotMatch(text, /We can’t ship this order/)
})

async function place(shop: TestStore, cookies: Record<string, string>): Promise<Sent> {
  const { text } = await send(shop, '/checkout', { cookies })
  const form = {
    checkout: hidden(text, 'checkout'),
    total: hidden(text, 'total'),
    act: 'place',
    'customer.name': 'Ana',
    'customer.email': 'ana@example.com',
    'shipping_address.address': 'Main Street 12',
    'shipping_address.city': 'Springfield',
    'shipping_address.postal_code': '62704',
    'shipping_address.province': 'US-IL',
    'shipping_address.country_code': 'US',
    shipping_method: 'standard',
    payment_method: 'cod',
  }
  const placed = await send(shop, '/checkout', { cookies, form })
  assert.equal(placed.status, 303, placed.text)
  return placed
}

test('what people write is text, wherever it stands', async () => {
  const evil = '</script><script>alert(1)</script>"\'><img src=x onerror=alert(1)>'
  const shop = await newShop({ name: evil })
  await shop.api.patch('/v1/store', { description: evil, store_title: evil })
  const category = (await shop.api.post('/v1/categories', { name: evil })).data
  const variants = [evil.slice(0, 100), 'b'].map((value) => ({
    option_values: [{ option_title: evil.slice(0, 100), value }],
  }))
  const product = await mugOf(shop, { name: evil, description: evil, sku: evil, category_id: category.id, variants })
  await shop.api.post('/v1/store/order-bumps', { title: evil, description: evil, price: 1 })
  await shop.api.post('/v1/store/payment-methods', { code: 'x', name: evil, instructions: evil })
  const added = await send(shop, `/products/${product.slug}`, { form: { quantity: '1', 'option.0': 'b' } })
  const { cookies } = await toCheckout(shop, added.cookies)
  const checkout = await send(shop, '/checkout', { cookies })
  const form = {
    checkout: hidden(checkout.text, 'checkout'),
    act: 'place',
    'customer.name': evil,
    'customer.email': evil,
    discount_code: evil.slice(0, 50),
  }
  const pages = await Promise.all([
    send(shop, ''),
    send(shop, `/categories/${category.slug}`),
    send(shop, `/search?q=${encodeURIComponent(evil)}`),
    send(shop, `/products/${product.slug}`),
    send(shop, '/cart', { cookies }),
    checkout,
    send(shop, '/checkout', { cookies, form }),
    send(shop, `/nothing?${encodeURIComponent(evil)}`),
  ])
  const ours = /^ (src="\/s\/_\/|type="application\/(ld\+)?json")/
  for (const { text } of pages) {
    const scripts = [...text.matchAll(/<script\b([^>]*)>/g)].map(([, attributes]) => attributes!)
    assert.deepEqual(
      scripts.filter((attributes) => !ours.test(attributes)),
      [],
    )
    assert.doesNotMatch(text, /<img[^>]*onerror/)
  }
})

test('a product page tells search engines what is sold, for how much, and whether there is any', async () => {
  const shop = await newShop({ currency: 'MXN' })
  const size = (value: string) => [{ option_title: 'Size', value }]
  const image = 'https://images.example/mug.jpg'
  const mug = await mugOf(shop, {
    description: `Steel.\n${'Enamel '.repeat(40)}`,
    main_image: image,
    sku: 'MUG',
    condition: 'used',
    variants: [
      { option_values: size('S'), price: 12.5 },
      { option_values: size('M'), manage_inventory: true, stock_quantity: 0, sku: 'MUG-M' },
    ],
  })
  const { text } = await send(shop, '/products/enamel-mug')
  const url = `https://shop.example/s/${shop.store.slug}/products/enamel-mug`
  const data = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)![1]!)
  const [group] = data['@graph']
  assert.deepEqual([group['@type'], group.name, group.image, group.url], ['ProductGroup', 'Enamel mug', [image], url])
  const seller = { '@type': 'Organization', name: 'Corner shop' }
  const itemCondition = 'https://schema.org/UsedCondition'
  const common = { '@type': 'Offer', priceCurrency: 'MXN', itemCondition, seller }
  const addressOf = ({ id }: any) => `${url}?variant=${id}`
  assert.deepEqual(
    group.hasVariant.map(({ sku, offers }: any) => [sku, offers]),
    [
      ['MUG', { ...common, url: addressOf(mug.variants[0]), price: 12.5, availability: 'https://schema.org/InStock' }],
      [
        'MUG-M',
        { ...common, url: addressOf(mug.variants[1]), price: 14, availability: 'https://schema.org/OutOfStock' },
      ],
    ],
  )
  const meta = (name: string) =>
    new RegExp(`<(?:meta|link) (?:name|property|rel)="${name}" (?:content|href)="([^"]*)"`).exec(text)?.[1]
  const told = ['canonical', 'og:type', 'og:image', 'og:title'].map(meta)
  assert.deepEqual(told, [url, 'product', image, 'Enamel mug'])
  assert.match(meta('description')!, /^Steel\. Enamel .{80,150}…$/)
  assert.equal(meta('robots'), undefined)
  assert.match((await send(shop, '/cart')).text, /<meta name="robots" content="noindex">/)
})

test("the language is the one asked for, else the one chosen before, the browser's, the country's", async () => {
  const shop = await newShop({ country_code: 'CO' })
  const languageOf = async (path: string, headers: Record<string, string> = {}, cookies = {}) =>
    /<html lang="(\w+)"/.exec((await send(shop, path, { headers, cookies })).text)![1]
  assert.equal(await languageOf(''), 'es')
  assert.equal(await languageOf('', { 'accept-language': 'de, en-GB;q=0.8, es;q=0.5' }), 'en')
  assert.equal(await languageOf('', { 'accept-language': 'de' }), 'es')
  assert.equal(await languageOf('?lang=es', { 'accept-language': 'en' }), 'es')
  assert.equal((await send(shop, '?lang=en')).cookies.stoa_lang, 'en')
  assert.equal(await languageOf('', { 'accept-language': 'es' }, { stoa_lang: 'en' }), 'en')
  assert.equal(await languageOf('?lang=xx', { 'accept-language': 'en' }), 'en')
})

test('a store that is shut says so kindly with 503, an unknown or closed one with 404', async () => {
  const shop = await newShop({ name: 'Casa Nogal' })
  const shown = async () => {
    const page = await send(shop, '/products/any', { headers: { 'accept-language': 'en' } })
    return [page.status, titleOf(page), page.headers.get('retry-after')]
  }
  await shop.api.patch('/v1/store', { status: 'paused' })
  assert.deepEqual(await shown(), [503, 'Casa Nogal', '300'])
  await shop.api.patch('/v1/store', { status: 'active', maintenance_mode: true })
  assert.deepEqual(await shown(), [503, 'Casa Nogal', '300'])
  await db.transaction((tx) => setStatus(tx, shop.store.id, 'closed'))
  assert.deepEqual(await shown(), [404, 'Store not found', null])
  assert.equal(titleOf(await send({ store: { ...shop.store, slug: 'no-such-store' } }, '')), 'Store not found')
})

test('beyond the end of a list there is a page that leads back to it', async () => {
  const shop = await newShop()
  await mugOf(shop)
  const { status, text } = await send(shop, '?page=99')
  assert.equal(status, 404)
  assert.match(text, /<h1>Page not found<\/h1>/)
  assert.match(text, new RegExp(`class="button" href="/s/${shop.store.slug}"`))
})

test('whatever is written into an address, there is a page', async () => {
  const shop = await newShop()
  await mugOf(shop)
  const statuses: Record<string, number> = {
    '/': 301,
    '?page=0': 200,
    '?page=abc': 200,
    '?page=2': 404,
    '?page=999999': 404,
    '/search?q=nothing&page=2': 404,
    '?page=1&page=2': 200,
    '?sort=none': 200,
    '?sort=__proto__': 200,
    '/search': 200,
    '/search?q=%25_': 200,
    '/search?q=%00': 200,
    '/search?q=%ED%A0%80': 200,
    [`/search?q=${'x'.repeat(5000)}`]: 200,
    '/categories/none': 404,
    '/categories/%00': 404,
    '/products/none': 404,
    '/products/%F0%9F%A6%84': 404,
    '/products/%00': 404,
    '/products/enamel-mug?option.0=x&variant=y&quantity=z': 200,
    '/orders/x': 404,
    '/recover/x': 404,
    '/unsubscribe/x': 404,
    '/nothing/at/all': 404,
    '/checkout': 303,
    '/checkout?x=1': 303,
  }
  for (const [path, status] of Object.entries(statuses)) assert.equal((await send(shop, path)).status, status, path)
  const additions: Texts[] = [
    {},
    { quantity: '' },
    { quantity: '-1' },
    { quantity: '1e3' },
    { quantity: '1000' },
    { quantity: '1', 'option.0': '\0' },
  ]
  for (const form of additions) {
    const { status } = await send(shop, '/products/enamel-mug', { form })
    assert.ok([303, 422].includes(status), JSON.stringify(form))
  }
  const { cookies } = await begin(shop)
  const { text } = await send(shop, '/checkout', { cookies })
  const checkout = hidden(text, 'checkout')
  const forms: Texts[] = [
    {},
    { act: 'none' },
    { act: 'place', total: 'NaN' },
    { act: 'place', total: '-1' },
    { pay: 'x' },
    { 'customer.email': 'x'.repeat(9000) },
    { 'customer.name': '\ud800' },
    { 'shipping_address.country_code': 'XX' },
    { shipping_method: '%%%' },
    { order_bumps: 'bump_x' },
  ]
  for (const form of forms) {
    const { status } = await send(shop, '/checkout', { cookies, form: { checkout, ...form } })
    assert.ok([303, 422].includes(status), `${status} ${JSON.stringify(form)}`)
  }
  const large = await send(shop, '/checkout', { cookies, form: { checkout, customer_notes: 'x'.repeat(70_000) } })
  assert.equal(large.status, 413)
})

test('a mail program stops recovery mail with one click', async () => {
  const shop = await newShop()
  const { cookies } = await begin(shop)
  await place(shop, cookies)
  const completed = (await shop.events()).find(({ event }) => event === 'checkout.completed')!
  const path = new URL(completed.body.checkout.recovery_url).pathname.replace(/.*recover/, '/unsubscribe')
  assert.equal((await send(shop, path)).status, 200)
  const refusals = async () => (await db.rows(sql`select from mail_refusals where store_id = ${shop.store.id}`)).length
  assert.equal(await refusals(), 0)
  const form = { 'List-Unsubscribe': 'One-Click' }
  const clicked = await send(shop, path, { form, headers: { 'sec-fetch-site': 'cross-site' } })
  assert.deepEqual([clicked.status, clicked.text], [204, ''])
  assert.equal(await refusals(), 1)
})

test('the checkout page weighs less than 34 KB with style and script, wherever the store ships to', async () => {
  const shop = await newShop()
  for (const code of ['standard', 'express', 'pickup']) {
    await shop.api.post('/v1/store/shipping-rates', { code, price: 5 })
  }
  const { cookies } = await begin(shop)
  for (const language of ['en', 'es']) {
    const { text } = await send(shop, '/checkout', { cookies, headers: { 'accept-language': language } })
    assert.ok(text.match(/<option value=/g)!.length > 230)
    const files = [...text.matchAll(/"(\/s\/_\/[^"]+\.(?:css|js))"/g)].map(([, path]) => path!)
    assert.equal(files.length, 3)
    const sizes = await Promise.all(
      files.map(async (path) => {
        const file = await fetch(world.url + path)
        return (await file.arrayBuffer()).byteLength
      }),
    )
    const bytes = sizes.reduce((sum, size) => sum + size, Buffer.byteLength(text))
    assert.ok(bytes < 34_000, `${bytes} bytes: ${Buffer.byteLength(text)} of page, ${sizes.join(' and ')} of files`)
  }
})

test('pages are limited per address, with the storefront API', async () => {
  const crowded = await openWorld()
  const ask = async () => (await fetch(`${crowded.url}/s/nobody`)).status
  const answers: number[] = []
  for (let sent = 0; sent < 1001; sent += 91) answers.push(...(await Promise.all(Array.from({ length: 91 }, ask))))
  const count = (wanted: number) => answers.filter((status) => status === wanted).length
  assert.deepEqual([count(404), count(429)], [1000, 1])
})

test('the page of a variant has its SKU, first for search engines too', async () => {
  const shop = await newShop()
  const size = (value: string) => [{ option_title: 'Size', value }]
  const variants = [
    { option_values: size('S'), sku: 'MUG-S' },
    { option_values: size('M') },
    { option_values: size('L'), sku: 'MUG-L' },
  ]
  const { data } = await shop.api.post('/v1/products', {
    name: 'Big mug',
    price: 5,
    sku: 'MUG',
    brand: 'Acme',
    variants,
  })
  const skuOf = async (at: number) => {
    const { text } = await send(shop, `/products/big-mug?variant=${data.variants[at].id}`)
    const group = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/.exec(text)![1]!)['@graph'][0]
    assert.equal(group.brand.name, 'Acme')
    return [/<dd id="sku">([^<]*)</.exec(text)![1], group.hasVariant[0].sku, group.hasVariant.length]
  }
  assert.deepEqual(await Promise.all([0, 1, 2].map(skuOf)), [
    ['MUG-S', 'MUG-S', 3],
    ['MUG', 'MUG', 3],
    ['MUG-L', 'MUG-L', 3],
  ])
})

test('the terms stand above the button that places the order, and in the EU it says that it costs money', async () => {
  const shop = await newShop()
  const { cookies } = await begin(shop)
  const shown = async () => (await send(shop, '/checkout', { cookies, headers: { 'accept-language': 'en' } })).text
  assert.doesNotMatch(await shown(), /By placing your order/)
  assert.match(await shown(), />\s*Place order · /)
  await shop.api.post('/v1/pages', { kind: 'terms', title: 'Terms of service', body: 'x' })
  await shop.api.post('/v1/pages', { kind: 'returns', title: 'Returns policy', body: 'x' })
  await shop.api.post('/v1/pages', { kind: 'privacy', title: 'Privacy', body: 'x' })
  const line = /By placing your order, you accept our <a [^>]*>Terms of service<\/a> and <a [^>]*>Returns policy<\/a>\./
  assert.match(await shown(), new RegExp(`${line.source}<\\/p>\\s*<button class="full" id="place"`))
  await shop.api.patch('/v1/store', { country_code: 'IE' })
  assert.match(await shown(), />\s*Order and pay · /)
})
