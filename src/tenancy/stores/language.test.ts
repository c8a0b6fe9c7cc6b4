// The languages of a store, in its pages, its emails and its API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, buyer, setUp, shopperOf } from '../../../test/checkouts.ts'
import { dataOf, faultsOf, newShop, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld({ BASE_URL: 'https://shop.example' })

type Asked = { accepts?: string; cookie?: string }

async function seen({ store }: Pick<Shop, 'store'>, path = '', { accepts = '', cookie = '' }: Asked = {}) {
  const headers = { 'accept-language': accepts, cookie }
  const answer = await fetch(`${world.url}/s/${store.slug}${path}`, { headers, redirect: 'manual' })
  const text = await answer.text()
  const [, language] = /<html lang="(\w+)"/.exec(text) ?? []
  return { status: answer.status, text, language, cookies: answer.headers.getSetCookie() }
}

const switchIn = (text: string) =>
  [...text.matchAll(/hreflang="(\w\w)" rel="nofollow">([^<]+)</g)].map(([, ...one]) => one)
const alternatesIn = (text: string) =>
  [...text.matchAll(/<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">/g)].map(
    ([, name, href]) => `${name} ${href}`,
  )

async function german(languages: string[] = ['fr']): Promise<Shop> {
  const shop = await newShop(world, { country_code: 'DE' })
  await setUp(shop)
  dataOf(await shop.api.patch('/v1/store', { default_language: 'de', languages }), 200)
  return shop
}

test('a store that has chosen nothing speaks what its country speaks, and English and Spanish', async () => {
  for (const [country_code, own] of [
    ['DE', 'de'],
    ['BR', 'pt'],
    ['FR', 'fr'],
    ['IT', 'it'],
    ['MX', 'es'],
    ['US', 'en'],
    ['JP', 'en'],
  ]) {
    const shop = await world.newStore({ country_code: country_code! })
    const { data } = await shop.api.get('/v1/store')
    assert.deepEqual([data.default_language, data.languages], [null, ['en', 'es']])
    const page = await seen(shop)
    assert.equal(page.language, own, country_code)
    const others = ['en', 'es'].filter((other) => other !== own)
    assert.deepEqual(
      switchIn(page.text).map(([code]) => code),
      others,
    )
    const facts = (await shopperOf(world, shop).get()).data
    assert.deepEqual([facts.default_language, facts.languages], [own, [own, ...others]])
  }
})

test('pages are offered in the languages of the store, its own first, and in no other', async () => {
  const shop = await german()
  const home = await seen(shop)
  assert.equal(home.language, 'de')
  assert.match(home.text, /Noch keine Produkte/)
  assert.deepEqual(switchIn(home.text), [['fr', 'Français']])
  const root = `https://shop.example/s/${shop.store.slug}`
  const pairs = [`x-default ${root}`, `de ${root}?lang=de`, `fr ${root}?lang=fr`]
  assert.deepEqual(alternatesIn(home.text), pairs)

  assert.equal((await seen(shop, '', { accepts: 'en, fr;q=0.5' })).language, 'fr')
  assert.equal((await seen(shop, '', { accepts: 'en, es;q=0.5' })).language, 'de')
  const french = await seen(shop, '?lang=fr', { accepts: 'de' })
  assert.equal(french.language, 'fr')
  assert.match(french.text, new RegExp(`<link rel="canonical" href="${root}\\?lang=fr">`))
  assert.match(french.cookies.join(), /stoa_lang=fr/)
  // A language that the store does not offer is neither used nor remembered, and has no URL.
  const spanish = await seen(shop, '?lang=es', { accepts: 'de', cookie: 'stoa_lang=es' })
  assert.equal(spanish.language, 'de')
  assert.deepEqual(spanish.cookies, [])
  assert.match(spanish.text, new RegExp(`<link rel="canonical" href="${root}">`))
  // An earlier choice is used as long as the language is offered.
  assert.equal((await seen(shop, '', { accepts: 'de', cookie: 'stoa_lang=fr' })).language, 'fr')
  dataOf(await shop.api.patch('/v1/store', { languages: ['it'] }), 200)
  assert.equal((await seen(shop, '', { accepts: 'de', cookie: 'stoa_lang=fr' })).language, 'de')
})

test('the sitemap agrees with the pages', async () => {
  const shop = await german()
  const sitemap = await (await fetch(`${world.url}/s/${shop.store.slug}/sitemap.xml`)).text()
  const root = `https://shop.example/s/${shop.store.slug}`
  for (const address of [root, `${root}?lang=de`, `${root}?lang=fr`])
    assert.ok(sitemap.includes(`<loc>${address}</loc>`))
  assert.doesNotMatch(sitemap, /lang=(en|es)/)
})

test('in a store of one language a page has one address and no switch', async () => {
  const shop = await german([])
  const { text, language } = await seen(shop, '', { accepts: 'en' })
  assert.equal(language, 'de')
  assert.deepEqual([switchIn(text), alternatesIn(text)], [[], []])
  assert.match((await seen(shop, '?lang=de')).text, new RegExp(`rel="canonical" href="[^"?]+"`))
  const sitemap = await (await fetch(`${world.url}/s/${shop.store.slug}/sitemap.xml`)).text()
  assert.deepEqual(sitemap.match(/<loc>/g)!.length, 1)
  assert.doesNotMatch(sitemap, /lang=/)
})

test('a store that is shut says so in a language that it offers', async () => {
  const shop = await german()
  dataOf(await shop.api.patch('/v1/store', { maintenance_mode: true }), 200)
  const shut = await seen(shop, '', { accepts: 'en' })
  assert.deepEqual([shut.status, shut.language], [503, 'de'])
  assert.match(shut.text, /vorübergehend geschlossen/)
  assert.match((await seen(shop, '', { accepts: 'en, fr' })).text, /temporairement fermée/)
})

test('an order in German is confirmed in German, and its page is', async () => {
  const shop = await german()
  const product = await shop.product({ price: 1234.5 })
  const shopper = shopperOf(world, shop)
  const { data: begun } = await shopper.begin({ items: [{ product_id: product.id, quantity: 1 }], ...buyer() })
  assert.equal(begun.locale, 'de')
  const { order } = dataOf(await shopper.complete(begun.token), 201)
  const letter = async (kind: string, query = '') =>
    (await shop.api.get(`/v1/store/mails/${kind}/preview?order=${order.id}${query}`)).data
  const confirmation = await letter('order_confirmation')
  assert.equal(confirmation.subject, `Ihre Bestellung ${order.order_number} bei ${shop.store.name}`)
  assert.match(confirmation.html, /<html lang="de">/)
  assert.match(confirmation.text, /Guten Tag Ana Torres,/)
  assert.match(confirmation.text, /Nachnahme · noch nicht bezahlt/)
  assert.match(confirmation.text, /1\.234,50\s\$/)
  assert.match((await letter('order_shipped', '&language=it')).text, /Ciao Ana Torres,/)
  const { data: queued } = await shop.api.get('/v1/mails')
  assert.deepEqual([...new Set(queued.map(({ language }: any) => language))], ['de'])

  const link = /https:\/\/shop\.example\/s\/[^/]+(\/orders\/\S+?)\?lang=de/.exec(confirmation.text)![1]!
  const page = await seen(shop, link)
  assert.match(page.text, /<h1>Vielen Dank, Ana!<\/h1>/)
  assert.match(page.text, /Zahlung<\/h2>\s*<p>Nachnahme · noch nicht bezahlt/)
  assert.match(page.text, new RegExp(`Bestellung ${order.order_number}`))
})

test("the words of a kind of mail are the store's own in any language", async () => {
  const shop = await german()
  const own = { subject: 'Danke für Bestellung {number}', introduction: null }
  const changed = dataOf(await shop.api.patch('/v1/store/mails/order_confirmation', { de: own }), 200)
  assert.deepEqual([changed.de, changed.fr, changed.en], [own, null, null])
  assert.equal(changed.usual.fr.subject, 'Votre commande {number} chez {store}')
  const preview = async (query = '') =>
    (await shop.api.get(`/v1/store/mails/order_confirmation/preview${query}`)).data.subject
  assert.equal(await preview(), 'Danke für Bestellung 1001')
  assert.equal(await preview('?language=en'), `Your order 1001 at ${shop.store.name}`)
  // Removing one translation keeps the others.
  dataOf(await shop.api.patch('/v1/store/mails/order_confirmation', { fr: { subject: 'Merci' } }), 200)
  dataOf(await shop.api.patch('/v1/store/mails/order_confirmation', { de: null }), 200)
  assert.deepEqual(
    [await preview(), await preview('?language=fr')],
    [`Ihre Bestellung 1001 bei ${shop.store.name}`, 'Merci'],
  )
})

test('whoever asks the storefront for a language gets its words', async () => {
  const shop = await german()
  const shopper = shopperOf(world, shop)
  const names = async (query = '') => {
    const { data } = await shopper.get(query)
    return [data.payment_methods[0].name, data.shipping_rates[0].name]
  }
  assert.deepEqual(await names('?lang=de'), ['Nachnahme', 'Standardversand'])
  assert.deepEqual(await names('?lang=it'), ['Pagamento alla consegna', 'Standard'])
  assert.deepEqual(await names(), ['Cash on delivery', 'Standard'])
  assert.match(faultsOf(await shopper.get('?lang=xx')).lang!, /one of en, es, pt, fr, de, it/)
})

test('languages that there are not are refused, all of them at once', async () => {
  const shop = await german()
  const refused = faultsOf(await shop.api.patch('/v1/store', { default_language: 'xx', languages: ['de', 'nl', 'DE'] }))
  assert.deepEqual(Object.keys(refused).sort(), ['default_language', 'languages.1', 'languages.2'])
  assert.deepEqual(Object.keys(faultsOf(await shop.api.patch('/v1/store', { languages: ['de', 'de'] }))), ['languages'])
  assert.deepEqual(Object.keys(faultsOf(await shop.api.patch('/v1/store', { languages: null }))), ['languages'])
  const { data } = await shop.api.patch('/v1/store', { default_language: null, languages: [] })
  assert.deepEqual([data.default_language, data.languages], [null, []])
  assert.equal((await seen(shop)).language, 'de')
  assert.equal((await shop.api.get(`/v1/store/mails/order_paid/preview?language=${ana.name}`)).status, 422)
})

test('the pages of people who work in stores are in the language that they prefer, and say which', async () => {
  const signIn = async (accepts: string) =>
    (await fetch(`${world.url}/oauth/login`, { headers: { 'accept-language': accepts, accept: 'text/html' } })).text()
  assert.match(await signIn('de, es;q=0.5'), /<html lang="de">[^]*Anmelden/)
  assert.match(await signIn('nl, es;q=0.5'), /<html lang="es">[^]*Iniciar sesión/)
  assert.match(await signIn('nl'), /<html lang="en">[^]*Sign in/)
  const start = await fetch(`${world.url}/`, { headers: { 'accept-language': 'de', accept: 'text/html' } })
  assert.match(await start.text(), /<html lang="de">[^]*Anmelden/)
})
