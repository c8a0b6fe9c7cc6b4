// Translations of the catalog: writing them, and reading them as a shopper.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, buyer, setUp, shopperOf } from '../../../test/checkouts.ts'
import { dataOf, faultsOf, newShop, type Shop } from '../../../test/shop.ts'
import { statementsOf } from '../../../test/statements.ts'
import { openWorld } from '../../../test/world.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { readOutbox } from '../../platform/outbound/mail.ts'
import { encodeOptionPair } from './options.ts'

const world = await openWorld({ BASE_URL: 'https://shop.example', CACHE_MAX_MB: '0' }, { sweeps: true })

/** A German store that is also available in French. */
async function germanShop(): Promise<Shop> {
  const shop = await setUp(await newShop(world, { country_code: 'DE' }))
  dataOf(await shop.api.patch('/v1/store', { default_language: 'de', languages: ['fr'] }), 200)
  return shop
}

async function seen({ store }: Shop, path = '', headers: Record<string, string> = {}): Promise<string> {
  return (await fetch(`${world.url}/s/${store.slug}${path}`, { headers })).text()
}

async function translate(shop: Shop, path: string, body: object) {
  return dataOf(await shop.api.patch(`/v1/${path}/translations`, body), 200)
}

const size = (value: string) => ({ option_title: 'Größe', value })
const shirtTerms = [
  { term: 'Größe', text: 'Taille' },
  { term: 'Klein', text: 'Petit' },
  { term: 'Geschenk', text: 'Cadeau' },
]

/** A shirt with two sizes, one with a custom title, translated into French. */
async function shirtOf(shop: Shop, said: object = {}) {
  const variants = [{ option_values: [size('Klein')] }, { option_values: [size('Groß')], title: 'Geschenk' }]
  const body = { name: 'Hemd', description: 'Aus Leinen', price: 20, variants }
  const shirt = dataOf(await shop.api.post('/v1/products', body), 201)
  await translate(shop, `products/${shirt.id}`, {
    fr: { name: 'Chemise', description: 'En lin', terms: shirtTerms, ...said },
  })
  await shop.events()
  return shirt
}

const noSeo = { seo_title: null, seo_description: null }

test('a product is translated by itself: its record stays as it is, and who keeps a copy is told', async () => {
  const shop = await germanShop()
  const product = await shop.product({ name: 'Tasse', description: 'Aus Emaille' })
  const path = `/v1/products/${product.id}`
  const none = { en: null, es: null, pt: null, fr: null, de: null, it: null }
  assert.deepEqual(dataOf(await shop.api.get(`${path}/translations`), 200), none)

  const french = { name: 'Tasse émaillée', description: null, ...noSeo, terms: [] }
  assert.deepEqual(await translate(shop, `products/${product.id}`, { fr: { name: french.name } }), {
    ...none,
    fr: french,
  })
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    ['product.updated'],
  )
  const { updated_at: before, ...record } = product
  const { updated_at: after, ...again } = (await shop.api.get(path)).data
  assert.deepEqual(again, record)
  assert.ok(after >= before)

  // Texts that are not named stay; null removes a text or a language.
  const both = { fr: { description: 'Pour le thé' }, it: { name: 'Tazza' } }
  const said = await translate(shop, `products/${product.id}`, both)
  assert.deepEqual(said.fr, { ...french, description: 'Pour le thé' })
  assert.deepEqual(said.it, { name: 'Tazza', description: null, ...noSeo, terms: [] })
  assert.equal((await shop.events()).length, 1)
  const less = await translate(shop, `products/${product.id}`, { fr: { name: null }, it: null })
  assert.deepEqual(less, { ...none, fr: { name: null, description: 'Pour le thé', ...noSeo, terms: [] } })
  assert.deepEqual(await translate(shop, `products/${product.id}`, { fr: { description: null } }), none)
  await shop.events()
  // An update without changes emits no event, and a record can be sent back as it was read.
  await translate(shop, `products/${product.id}`, { fr: null, it: { name: null, terms: null } })
  await translate(shop, `products/${product.id}`, dataOf(await shop.api.get(`${path}/translations`), 200))
  assert.deepEqual(await shop.events(), [])
})

test('a record that came after others read its translations first is not overwritten', async () => {
  const shop = await germanShop()
  const product = await shop.product()
  const path = `/v1/products/${product.id}/translations`
  const { headers } = await shop.api.get(path)
  const match = { headers: { 'if-match': headers.get('etag')! } }
  assert.equal((await shop.api.patch(path, { fr: { name: 'Un' } }, match)).status, 200)
  assert.equal((await shop.api.patch(path, { fr: { name: 'Deux' } }, match)).status, 412)
})

test('whatever is wrong with a translation is said at once', async () => {
  const shop = await germanShop()
  const product = await shop.product()
  const faults = faultsOf(
    await shop.api.patch(`/v1/products/${product.id}/translations`, {
      fr: { name: 'n'.repeat(256), terms: [{ term: 'Rot', text: '' }, { text: 'Bleu' }] },
      it: { name: ' ', description: 'd'.repeat(100_001) },
      es: 'Taza',
      xx: { name: 'Mug' },
      'pt-BR': null,
    }),
  )
  assert.deepEqual(Object.keys(faults).sort(), [
    'es',
    'fr.name',
    'fr.terms.0.text',
    'fr.terms.1.term',
    'it.description',
    'it.name',
    'pt-BR',
    'xx',
  ])
  assert.match(faults.xx!, /is not a supported language; use one of en, es, pt, fr, de, it/)
  const twice = {
    fr: {
      terms: [
        { term: 'Rot', text: 'Rouge' },
        { term: 'Rot', text: 'Roux' },
      ],
    },
  }
  const repeated = faultsOf(await shop.api.patch(`/v1/products/${product.id}/translations`, twice))
  assert.match(repeated['fr.terms']!, /0 and 1 are the same/)
  assert.deepEqual(await shop.events(), [])
  assert.equal((await shop.api.patch('/v1/products/prod_01j4ppgy1yf81r8stpc70j8epm/translations', {})).status, 404)
})

test('pages of the shop say what is translated, and the rest as it is', async () => {
  const shop = await germanShop()
  const category = dataOf(await shop.api.post('/v1/categories', { name: 'Kleidung' }), 201)
  await translate(shop, `categories/${category.id}`, { fr: { name: 'Vêtements' } })
  const shirt = await shirtOf(shop, { description: null })
  dataOf(await shop.api.patch(`/v1/products/${shirt.id}`, { category_id: category.id }), 200)
  await shop.product({ name: 'Tasse' })

  const home = await seen(shop, '?lang=fr')
  assert.match(home, /<h2>Chemise<\/h2>/)
  assert.match(home, /<h2 lang="de">Tasse<\/h2>/)
  assert.match(home, />Vêtements<\/a>/)
  assert.match(await seen(shop, '?lang=de'), /<h2>Hemd<\/h2>/)
  assert.match(await seen(shop, '/categories/kleidung?lang=fr'), /<h1>Vêtements<\/h1>/)

  const page = await seen(shop, `/products/${shirt.slug}?lang=fr`)
  assert.match(page, /<title>Chemise · /)
  assert.match(page, /<legend>Taille<\/legend>/)
  assert.match(page, /value="Klein" checked><span>Petit<\/span>/)
  assert.match(page, /value="Groß"><span lang="de">Groß<\/span>/)
  // Without a translation, the original text is shown.
  assert.match(page, /<div class="prose" lang="de"><p>Aus Leinen<\/p>/)
  const data = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page)![1]!)
  const [group, trail] = data['@graph']
  assert.deepEqual(
    [group.name, group.category, group.variesBy, group.hasVariant.map(({ name, size }: any) => [name, size])],
    [
      'Chemise',
      'Vêtements',
      ['https://schema.org/size'],
      [
        ['Chemise – Petit', 'Petit'],
        ['Chemise – Groß', 'Groß'],
      ],
    ],
  )
  assert.deepEqual(trail.itemListElement.map(({ name }: any) => name).slice(1), ['Vêtements', 'Chemise'])
  assert.match(await seen(shop, `/products/${shirt.slug}?lang=de`), /<legend>Größe<\/legend>[^]*<span>Klein<\/span>/)
})

test('lists are searched, sorted and narrowed in the words that the reader sees', async () => {
  const shop = await germanShop()
  await shirtOf(shop)
  const cup = await shop.product({ name: 'Tasse' })
  await translate(shop, `products/${cup.id}`, { fr: { name: 'Bol à thé' } })
  const namesIn = (text: string) => [...text.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, name]) => name)
  for (const typed of ['chemise', 'the bol', 'lin che', 'hemd']) {
    const found = await seen(shop, `/search?lang=fr&q=${encodeURIComponent(typed)}`)
    assert.equal(namesIn(found).length, 1, typed + found)
  }
  assert.deepEqual(namesIn(await seen(shop, '?lang=fr&sort=name')), ['Bol à thé', 'Chemise'])
  assert.deepEqual(namesIn(await seen(shop, '?lang=de&sort=name')), ['Hemd', 'Tasse'])
  const pair = encodeURIComponent(encodeOptionPair('Größe', 'Klein'))
  const filtered = await seen(shop, `/search?lang=fr&o=${pair}`)
  assert.deepEqual(namesIn(filtered), ['Chemise'])
  assert.match(filtered, /<legend>Taille<\/legend>[^]*checked>\s*<span>Petit/)
})

test('cart, checkout, order and their mail call a thing as its page does', async () => {
  const shop = await germanShop()
  const shirt = await shirtOf(shop)
  const post = async (path: string, form: Record<string, string>, cookie: string) => {
    const answer = await fetch(`${world.url}/s/${shop.store.slug}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(form),
    })
    const set = answer.headers.getSetCookie().map((line) => line.split(';')[0]!)
    return [cookie, ...set].filter(Boolean).join('; ')
  }
  const inCart = await post(`/products/${shirt.slug}`, { 'option.0': 'Klein', quantity: '2' }, 'stoa_lang=fr')
  assert.match(await seen(shop, '/cart', { cookie: inCart }), /Chemise <small>Petit<\/small>/)
  assert.match(await seen(shop, '/cart?lang=de', { cookie: inCart }), /Hemd <small>Klein<\/small>/)
  const begun = await post('/cart', { act: 'checkout' }, inCart)
  assert.match(await seen(shop, '/checkout', { cookie: begun }), /Chemise <small>Petit<\/small>/)

  const shopper = shopperOf(world, shop)
  const [small, gift] = shirt.variants
  const items = [small, gift].map(({ id }) => ({ product_id: shirt.id, variant_id: id, quantity: 1 }))
  const { data: checkout } = await shopper.begin({ items, locale: 'fr', ...buyer() })
  const names = (lines: any[]) => lines.map(({ product_name, variant_name }) => `${product_name} ${variant_name}`)
  const [french, german] = [
    ['Chemise Petit', 'Chemise Cadeau'],
    ['Hemd Klein', 'Hemd Geschenk'],
  ]
  assert.deepEqual(names(checkout.items), french)
  assert.deepEqual(names((await shopper.read(checkout.token)).data.items), french)
  assert.deepEqual(names((await shopper.change(checkout.token, { locale: 'de' })).data.items), german)
  await shopper.change(checkout.token, { locale: 'fr' })
  assert.deepEqual(names((await shop.api.get(`/v1/checkout-drafts/${checkout.id}`)).data.items), german)
  await shop.events()
  const { order } = dataOf(await shopper.complete(checkout.token), 201)

  // The merchant's records and events keep the merchant's own texts.
  const { data: placed } = await shop.api.get(`/v1/orders/${order.id}`)
  assert.deepEqual([placed.locale, names(placed.items)], ['fr', german])
  const created = (await shop.events()).find(({ event }) => event === 'order.created')!
  assert.deepEqual(names(created.body.order.items), german)
  const letter = (await shop.api.get(`/v1/store/mails/order_confirmation/preview?order=${order.id}`)).data.text
  assert.match(letter, /1 × Chemise, Petit: /)
  assert.match(letter, /1 × Chemise, Cadeau: /)
  const link = /\/s\/[^/]+(\/orders\/\S+?)\?lang=fr/.exec(letter)![1]!
  assert.match(await seen(shop, `${link}?lang=fr`), /Chemise <small>Petit<\/small>/)

  // An order keeps its product names when the product is renamed.
  dataOf(await shop.api.patch(`/v1/products/${shirt.id}`, { name: 'Bluse' }), 200)
  await translate(shop, `products/${shirt.id}`, { fr: { name: 'Blouse' } })
  assert.match(await seen(shop, `${link}?lang=fr`), /Hemd <small>Klein<\/small>/)
})

test('the mail about what was left calls it as its page does', async () => {
  const shop = await germanShop()
  const cup = await shop.product({ name: 'Tasse' })
  await translate(shop, `products/${cup.id}`, { fr: { name: 'Bol à thé' } })
  const email = `left-${shop.store.slug}@example.com`
  const shopper = shopperOf(world, shop)
  const items = [{ product_id: cup.id, quantity: 1 }]
  const { data: begun } = await shopper.begin({ items, locale: 'fr' })
  world.clock.advance(20)
  await shopper.change(begun.token, { customer: { ...ana, email } })
  world.clock.advance(30 * 60)
  await world.app.jobs.run('sweep checkouts')
  await world.app.sender.sendDue()
  const [mail] = (await readOutbox(world.app.db, world.app.vault, 1000)).filter(({ to }) => to === email)
  assert.match(mail!.subject, /^Vous avez laissé quelque chose chez /)
  assert.match(mail!.text, /1 × Bol à thé: /)
})

test('the storefront answers in the language that is asked for, and feeds in that of their address', async () => {
  const shop = await germanShop()
  const shirt = await shirtOf(shop)
  const shopper = shopperOf(world, shop)
  const {
    data: [listed],
  } = await shopper.get('/products?lang=fr')
  const { data: one } = await shopper.get(`/products/${shirt.slug}?lang=fr`)
  assert.deepEqual(listed, one)
  assert.deepEqual([one.name, one.options[0].title, one.options[0].values], ['Chemise', 'Taille', ['Petit', 'Groß']])
  assert.deepEqual(
    one.variants.map(({ title, option_values: [of] }: any) => [title, of.option_title, of.value]),
    [
      ['Petit', 'Taille', 'Petit'],
      ['Cadeau', 'Taille', 'Groß'],
    ],
  )
  const { data: own } = await shopper.get(`/products/${shirt.slug}`)
  assert.deepEqual(Object.keys(one), Object.keys(own))
  assert.deepEqual((await shopper.get(`/products/${shirt.slug}?lang=it`)).data, own)
  assert.equal((await shopper.get('/products?lang=xx')).status, 422)

  const feed = await seen(shop, '/feeds/google.xml?lang=fr')
  assert.match(feed, /<g:title>Chemise – Petit<\/g:title>/)
  assert.match(feed, /<g:link>[^<]+\?variant=[^<]+&amp;lang=fr<\/g:link>/)
  assert.match(feed, /<g:size>Petit<\/g:size>/)
  const lines = (await seen(shop, '/feeds/products.jsonl?lang=fr'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual([lines[0].name, lines[0].options[0].title, lines[0].terms], ['Chemise', 'Taille', undefined])
  // Without a language in the URL, feeds use the store's language, whatever the browser prefers.
  const plain = await seen(shop, '/feeds/google.xml', { 'accept-language': 'fr' })
  assert.match(plain, /<g:title>Hemd – Klein<\/g:title>/)
  assert.doesNotMatch(plain, /lang=/)
})

test('pages of the store are read in other languages too, and the foot names policies in them', async () => {
  const shop = await germanShop()
  const terms = { title: 'Bedingungen', body: 'Alles **fair**.', kind: 'terms', slug: 'agb' }
  const page = dataOf(await shop.api.post('/v1/pages', terms), 201)
  const said = await translate(shop, `pages/${page.id}`, { fr: { title: 'Conditions', body: 'Tout est **juste**.' } })
  assert.deepEqual(said.fr, {
    title: 'Conditions',
    body: 'Tout est **juste**.',
    seo_title: null,
    seo_description: null,
  })
  const french = await seen(shop, '/pages/agb?lang=fr')
  assert.match(french, /<h1>Conditions<\/h1>\s*<p>Tout est <strong>juste<\/strong>/)
  assert.match(french, /\/pages\/agb"[^>]*>Conditions<\/a>/)
  const german = await seen(shop, '/pages/agb?lang=de')
  assert.match(german, /<h1>Bedingungen<\/h1>[^]*\/pages\/agb"[^>]*>Bedingungen<\/a>/)
  const tooLong = await shop.api.patch(`/v1/pages/${page.id}/translations`, { fr: { title: 't'.repeat(121) } })
  assert.deepEqual(Object.keys(faultsOf(tooLong)), ['fr.title'])
})

test('the shop itself is said in other languages: opening, menus, rates, methods and offers', async () => {
  const shop = await germanShop()
  const write = async (path: string, body: object) => dataOf(await shop.api.patch(`/v1/store/${path}`, body), 200)
  dataOf(await shop.api.patch('/v1/store', { store_title: 'Laden', description: 'Seit 1998' }), 200)
  await write('appearance', { announcement: 'Neu da', hero_title: 'Willkommen' })
  await write('menus', { header_menu: [{ label: 'Über uns', link: '/pages/about' }] })
  const pickup = { code: 'pickup', name: 'Abholung im Hof', description: 'Ab 9 Uhr', price: 0 }
  dataOf(await shop.api.post('/v1/store/shipping-rates', pickup), 201)
  const transfer = { code: 'bank_transfer', name: 'Banküberweisung', instructions: 'Konto 123' }
  dataOf(await shop.api.post('/v1/store/payment-methods', transfer), 201)
  const { id: bump } = dataOf(await shop.api.post('/v1/store/order-bumps', { title: 'Verpackung', price: 2 }), 201)
  const cup = await shop.product({ name: 'Tasse' })

  const pairs = {
    'Über uns': 'À propos',
    'Abholung im Hof': 'Retrait dans la cour',
    'Ab 9 Uhr': 'Dès 9 heures',
    Banküberweisung: 'Par virement',
    'Konto 123': 'Compte 123',
    Verpackung: 'Emballage',
  }
  const terms = Object.entries(pairs).map(([term, text]) => ({ term, text }))
  const french = {
    store_title: 'Boutique',
    description: null,
    announcement: 'Nouveau',
    hero_title: null,
    hero_text: null,
  }
  const said = await write('translations', { fr: { store_title: 'Boutique', announcement: 'Nouveau', terms } })
  assert.deepEqual(said.fr, { ...french, terms })
  assert.deepEqual(dataOf(await shop.api.get('/v1/store/translations'), 200), said)

  const home = await seen(shop, '?lang=fr')
  assert.match(home, /class="announcement">Nouveau</)
  assert.match(home, />Boutique<\/a>[^]*>À propos<\/a>/)
  // Without translations, the original texts are shown.
  assert.match(home, /<h1 lang="de">Willkommen<\/h1>\s*<p class="lead" lang="de">Seit 1998</)
  assert.match(await seen(shop, '?lang=de'), />Laden<\/a>[^]*>Über uns<\/a>/)

  const shopper = shopperOf(world, shop)
  const { data: facts } = await shopper.get('?lang=fr')
  assert.deepEqual(
    [facts.store_title, facts.shipping_rates[1].name, facts.payment_methods[1].name, facts.order_bumps[0].title],
    ['Boutique', 'Retrait dans la cour', 'Par virement', 'Emballage'],
  )
  const chosen = { shipping_method: 'pickup', payment_method: 'bank_transfer', order_bumps: [bump], locale: 'fr' }
  const { data: begun } = await shopper.begin({
    items: [{ product_id: cup.id, quantity: 1 }],
    customer: ana,
    ...chosen,
  })
  assert.equal(begun.order_bumps[0].title, 'Emballage')
  const checkout = await seen(shop, '/checkout', { cookie: `stoa_checkout=${begun.token}; stoa_lang=fr` })
  assert.match(checkout, /<span>Retrait dans la cour<small>Dès 9 heures<\/small>/)
  assert.match(checkout, /<span>Par virement</)
  assert.match(checkout, /<p class="name">Emballage<\/p>/)
  const { order } = dataOf(await shopper.complete(begun.token), 201)
  const letter = (await shop.api.get(`/v1/store/mails/order_confirmation/preview?order=${order.id}`)).data.text
  for (const text of ['Retrait dans la cour', 'Dès 9 heures', 'Par virement', 'Compte 123', 'Emballage']) {
    assert.ok(letter.includes(text), text)
  }
  const link = /\/s\/[^/]+(\/orders\/\S+?)\?lang=fr/.exec(letter)![1]!
  const page = await seen(shop, `${link}?lang=fr`)
  for (const text of ['Retrait dans la cour', 'Dès 9 heures', 'Par virement', 'Compte 123', 'Emballage']) {
    assert.ok(page.includes(text), text)
  }
  // The merchant sees the original texts.
  const { data: placed } = await shop.api.get(`/v1/orders/${order.id}`)
  assert.equal(placed.order_bumps.items[0].title, 'Verpackung')
  assert.deepEqual(
    Object.keys(faultsOf(await shop.api.patch('/v1/store/translations', { nl: {}, fr: { hero_title: '' } }))).sort(),
    ['fr.hero_title', 'nl'],
  )
})

test('a product that is deleted takes its translations along, and a copy of another store has none', async () => {
  const [shop, other] = [await germanShop(), await germanShop()]
  const shirt = await shirtOf(shop)
  const path = `/v1/products/${shirt.id}/translations`
  assert.equal((await other.api.get(path)).status, 404)
  assert.equal((await other.api.patch(path, { fr: { name: 'Vol' } })).status, 404)
  dataOf(await shop.api.delete(`/v1/products/${shirt.id}`), 200)
  assert.equal((await shop.api.get(path)).status, 404)
})

/** The cookie of a cart with one unit of this variant. */
function cartOf(product: string, variant: string): string {
  const short = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url')
  return `${short(toUuid('prod', product)!)}~${short(variant)}*1`
}

test("who reads in the store's own language sends the statements that were always sent", async () => {
  const shop = await germanShop()
  const variants = [{ option_values: [size('Klein')] }]
  const shirt = dataOf(await shop.api.post('/v1/products', { name: 'Hemd', price: 20, variants }), 201)
  const cookie = `stoa_cart=${cartOf(shirt.id, shirt.variants[0].id)}`
  const api = (path: string) =>
    fetch(`${world.url}/storefront/${shop.store.slug}${path}`).then((answer) => answer.text())
  // Some texts are read with their record; those of several lines are looked up together.
  const asking: [ask: (lang: string) => Promise<unknown>, more: number][] = [
    [(lang) => api(`/products?lang=${lang}`), 0],
    [(lang) => api(`/products/${shirt.slug}?lang=${lang}`), 0],
    [(lang) => seen(shop, `?lang=${lang}`), 0],
    [(lang) => seen(shop, `/products/${shirt.slug}?lang=${lang}`), 0],
    [(lang) => seen(shop, `/cart?lang=${lang}`, { cookie }), 1],
  ]
  const sent = async (lang: string) => {
    const statements = []
    for (const [ask] of asking) {
      await ask(lang)
      statements.push(await statementsOf(() => ask(lang)))
    }
    return statements
  }
  const before = await sent('de')
  assert.ok(before.every(({ length }) => length > 0))
  assert.deepEqual(await sent('fr'), before)
  await translate(shop, `products/${shirt.id}`, { fr: { name: 'Chemise', terms: shirtTerms } })
  assert.deepEqual(await sent('de'), before)
  const counts = (lists: string[][]) => lists.map(({ length }) => length)
  const more = asking.map(([, one], index) => before[index]!.length + one)
  assert.deepEqual(counts(await sent('fr')), more)
})
