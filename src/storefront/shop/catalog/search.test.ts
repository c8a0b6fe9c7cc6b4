// The shop's search, what a list is narrowed by, its pages, and what the home page shows first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newShop, type Shop } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'

const world = await openWorld()

const pageOf = async ({ store }: Shop, path: string) => {
  const headers = { 'accept-language': 'en' }
  const answer = await fetch(`${world.url}/s/${store.slug}${path}`, { headers })
  return { status: answer.status, text: await answer.text() }
}
/** The names in the list, in its order. */
const namesIn = (text: string) => [...text.matchAll(/<h2>([^<]+)<\/h2>\n<p class="price/g)].map(([, name]) => name!)
const found = async (shop: Shop, path: string) => namesIn((await pageOf(shop, path)).text).sort()
const search = (shop: Shop, typed: string) => found(shop, `/search?q=${encodeURIComponent(typed)}`)

/** value → count, as the boxes of the form say it. */
const countsIn = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/<span>([^<]+) <small>\((\d+)\)/g)].map(([, name, count]) => [name, Number(count)]),
  )

const value = (option_title: string, value: string) => ({ option_title, value })

async function furniture(): Promise<Shop> {
  const shop = await newShop(world)
  await shop.product({ name: 'Silla Tehuana', sku: 'SI-20', description: 'Madera de nogal, tejido a mano' })
  await shop.product({ name: 'Mesa ratona', sku: 'ME-01', description: 'Nogal macizo', price: 50 })
  await shop.product({
    name: 'Sillón Índigo',
    price: 90,
    stock_quantity: undefined,
    variants: [
      { option_values: [value('Color', 'Red'), value('Size', 'M')], sku: 'SLN-77', stock_quantity: 1 },
      { option_values: [value('Color', 'Blue'), value('Size', 'M')], stock_quantity: 1 },
    ],
  })
  return shop
}

test('words are found in any order, each must match, and case, accents and blanks do not count', async () => {
  const shop = await furniture()
  assert.deepEqual(await search(shop, 'tehuana silla'), ['Silla Tehuana'])
  assert.deepEqual(await search(shop, 'MESA   ratona'), ['Mesa ratona'])
  assert.deepEqual(await search(shop, 'indigo sillon'), ['Sillón Índigo'])
  assert.deepEqual(await search(shop, 'sill'), ['Silla Tehuana', 'Sillón Índigo'])
  assert.deepEqual(await search(shop, 'mesa tehuana'), [])
})

test('descriptions, SKUs and the SKUs of variants are searched, also beside a word of the name', async () => {
  const shop = await furniture()
  assert.deepEqual(await search(shop, 'nogal'), ['Mesa ratona', 'Silla Tehuana'])
  assert.deepEqual(await search(shop, 'si-20'), ['Silla Tehuana'])
  assert.deepEqual(await search(shop, 'SLN-77'), ['Sillón Índigo'])
  assert.deepEqual(await search(shop, 'sln 77 sillón'), ['Sillón Índigo'])
  assert.deepEqual(await search(shop, 'sln-77 mesa'), [])
})

test('a product is found by its new words at once, and another text with the same words writes none', async () => {
  const shop = await newShop(world)
  const { id } = await shop.product({ name: 'Enamel mug', description: 'Made to last' })
  const change = (patch: object) => shop.api.patch(`/v1/products/${id}`, patch)
  const writtenBy = async () => {
    const [row] = await world.app.db.ofStore(shop.store.id).rows<{ xmin: string }>(sql`
      select xmin::text
      from product_words
      where store_id = ${shop.store.id}`)
    return row!.xmin
  }
  const before = await writtenBy()
  await change({ name: 'ENAMEL  Mug', description: 'Made to last.' })
  assert.equal(await writtenBy(), before)
  await change({ name: 'Steel cup' })
  assert.notEqual(await writtenBy(), before)
  assert.deepEqual([await search(shop, 'steel'), await search(shop, 'enamel')], [['Steel cup'], []])
  await shop.api.delete(`/v1/products/${id}`)
  assert.deepEqual(await search(shop, 'steel'), [])
})

test('what is nearly written right is found when nothing else is, and the page says so', async () => {
  const shop = await furniture()
  const { text } = await pageOf(shop, '/search?q=tehauna')
  assert.deepEqual(namesIn(text), ['Silla Tehuana'])
  assert.match(text, /No results for “tehauna”\. Showing “tehuana”\./)
  assert.deepEqual(await search(shop, 'mesa ratnoa'), ['Mesa ratona'])
  assert.deepEqual(await search(shop, 'bicycle'), [])
})

test('a search finds no draft and nothing of another store, and takes whatever is typed', async () => {
  const shop = await furniture()
  const other = await newShop(world)
  await other.product({ name: 'Silla ajena' })
  await shop.product({ name: 'Silla secreta', product_status: 'draft' })
  assert.deepEqual(await search(shop, 'silla ajena'), [])
  assert.deepEqual(await search(shop, 'silla'), ['Silla Tehuana'])
  for (const typed of ["'", '& | !', "a':*", '\\', '%', 'x'.repeat(300), '  ', '漢字', 'silla:*', other.store.id]) {
    assert.equal((await pageOf(shop, `/search?q=${encodeURIComponent(typed)}`)).status, 200, typed)
  }
})

test('a list is narrowed by price, stock and options, and each says how many would be left', async () => {
  const shop = await newShop(world)
  const variantsOf = (color: string, sizes: string[], quantity: number) =>
    sizes.map((size) => ({ option_values: [value('Color', color), value('Size', size)], stock_quantity: quantity }))
  const shirt = (name: string, price: number, variants: object[]) =>
    shop.product({ name, price, stock_quantity: undefined, variants })
  await shirt('Shirt A', 10, variantsOf('Red', ['S', 'M'], 2))
  await shirt('Shirt B', 20, variantsOf('Blue', ['M'], 2))
  await shirt('Shirt C', 30, variantsOf('Red', ['L'], 0))

  const all = (await pageOf(shop, '/search?q=shirt')).text
  assert.deepEqual(countsIn(all), { 'In stock': 2, Red: 2, Blue: 1, S: 1, M: 2, L: 1 })
  assert.match(all, /<p class="soft">\$10\.00 – \$30\.00<\/p>/)
  assert.deepEqual(await found(shop, '/search?q=shirt&min=15'), ['Shirt B', 'Shirt C'])
  assert.deepEqual(await found(shop, '/search?q=shirt&min=15&max=20'), ['Shirt B'])
  assert.deepEqual(await found(shop, '/search?q=shirt&stock=1'), ['Shirt A', 'Shirt B'])
  assert.deepEqual(await found(shop, '/search?q=shirt&o=Color:Red'), ['Shirt A', 'Shirt C'])
  assert.deepEqual(await found(shop, '/search?q=shirt&o=Color:Red&o=Color:Blue&o=Size:M'), ['Shirt A', 'Shirt B'])

  // Of the other colours it says what they would add, of all else what is left of it.
  const red = (await pageOf(shop, '/search?q=shirt&o=Color:Red&stock=1')).text
  assert.deepEqual(countsIn(red), { 'In stock': 1, Red: 1, Blue: 1, S: 1, M: 1 })
  assert.match(red, /<input type="checkbox" name="o" value="Color:Red" checked>/)
  assert.match(red, /<meta name="robots" content="noindex">/)
  // Another order keeps what it is narrowed by.
  assert.match(red, /<input type="hidden" name="o" value="Color:Red">/)
})

test('whatever is written into the address of a filter, there is a page', async () => {
  const shop = await furniture()
  const wrong = [
    'min=x',
    'min=-1',
    'max=1e9',
    'stock=2',
    'o=',
    'o=:',
    'o=a:b:c',
    'o=%25:%25',
    'o=x,y',
    'o=%00:1',
    'min=9&max=1',
  ]
  for (const query of wrong) {
    const { status } = await pageOf(shop, `/search?q=silla&${query}`)
    assert.equal(status, 200, query)
  }
})

test('a list has numbered pages, which keep what it is narrowed by', async () => {
  const shop = await newShop(world)
  for (let number = 0; number < 25; number++) await shop.product({ name: `Mug ${number}`, price: 5 + number })
  const { text } = await pageOf(shop, '/search?q=mug&min=1')
  const at = `/s/${shop.store.slug}/search?q=mug&amp;min=1`
  assert.ok(text.includes(`<li><a href="${at}&amp;page=2" aria-label="Page 2">2</a></li>`))
  assert.match(text, /aria-current="page" aria-label="Page 1">1</)
  const second = await pageOf(shop, '/search?q=mug&min=1&page=2')
  assert.equal(namesIn(second.text).length, 1)
})

test('featured products come first on the home page, and only there', async () => {
  const shop = await newShop(world)
  await shop.product({ name: 'Old and dear', is_featured: true })
  await shop.product({ name: 'Hidden', is_featured: true, product_status: 'draft' })
  await shop.product({ name: 'New' })
  const home = (await pageOf(shop, '')).text
  assert.deepEqual(namesIn(home), ['Old and dear', 'New', 'Old and dear'])
  assert.match(home, /<h2>Featured<\/h2>[^]*<h2>Recently added<\/h2>/)
  assert.ok(!(await pageOf(shop, '/search?q=new')).text.includes('<h2>Featured</h2>'))
})

test('a word of the name and a value of an option are found together', async () => {
  const shop = await newShop(world)
  const inColors = (name: string, ...colors: string[]) =>
    shop.product({
      name,
      stock_quantity: undefined,
      variants: colors.map((one) => ({ option_values: [value('Color', one)] })),
    })
  await inColors('Silla', 'Verde', 'Rojo')
  await inColors('Silla plegable', 'Rojo')
  for (const typed of ['silla verde', 'Verde silla', 'verd sill'])
    assert.deepEqual(await search(shop, typed), ['Silla'])
  assert.deepEqual(await search(shop, 'silla rojo'), ['Silla', 'Silla plegable'])
})

test('search results: names that begin with the words, then names that have them, then the rest', async () => {
  const shop = await newShop(world)
  for (const name of ['Oak tray', 'Tray of oak', 'Bowl', 'Óak bowl', 'Chair']) {
    await shop.product({ name, description: name === 'Bowl' ? 'Solid oak' : 'Wood' })
    world.clock.advance(1)
  }
  const listed = async (path: string) => namesIn((await pageOf(shop, path)).text)
  assert.deepEqual(await listed('/search?q=oak'), ['Óak bowl', 'Oak tray', 'Tray of oak', 'Bowl'])
  assert.deepEqual(await listed('/search?q=tray+oak'), ['Tray of oak', 'Oak tray'])
  assert.deepEqual(await listed('/search?q=oaak'), ['Óak bowl', 'Oak tray', 'Tray of oak', 'Bowl'])
  assert.deepEqual(await listed('/search?q=oak&sort=newest'), ['Óak bowl', 'Bowl', 'Tray of oak', 'Oak tray'])
  const { text } = await pageOf(shop, '/search?q=oak')
  assert.match(text, /<option value="relevance" selected>Relevance<\/option><option value="newest">/)
  // Without a search there is nothing to be relevant to.
  for (const path of ['', '/search?q=+&sort=relevance', '?sort=relevance']) {
    assert.doesNotMatch((await pageOf(shop, path)).text, /<option value="relevance"/, path)
  }
})

test('the list below the search has what the search finds first, and nothing for a single letter', async () => {
  const shop = await newShop(world)
  for (const name of ['Oak tray', 'Oak bowl', 'Oak spoon', 'Oak board', 'Oak box', 'Oak lamp', 'Oak shelf', 'Chair']) {
    await shop.product({ name, price: 12.5 })
  }
  await shop.product({ name: 'Oak secret', product_status: 'draft' })
  const suggested = async (words: string) => {
    const { text } = await pageOf(shop, `/search/suggestions?q=${encodeURIComponent(words)}`)
    return [...text.matchAll(/<a href="([^"]+)">[^]*?<span>([^<]+)<\/span>\s*<span class="sum">([^<]+)</g)].map(
      ([, path, name, price]) => `${name} ${price} ${path!.split('/').at(-1)}`,
    )
  }
  assert.deepEqual(await suggested('chai'), ['Chair $12.50 chair'])
  assert.equal((await suggested('oak')).length, 6)
  for (const nothing of ['', 'o', 'secret', 'zebra', '<script>'])
    assert.deepEqual(await suggested(nothing), [], nothing)
})

test('a search in another language is sorted by the translated names', async () => {
  const shop = await newShop(world)
  for (const [name, es] of [
    ['Tray', 'Bandeja de roble'],
    ['Oak', 'Róble macizo'],
    ['Bowl', 'Cuenco de roble'],
  ] as const) {
    const { id } = await shop.product({ name })
    await shop.api.patch(`/v1/products/${id}/translations`, { es: { name: es } })
    world.clock.advance(1)
  }
  const { text } = await pageOf(shop, '/search?q=roble&lang=es')
  assert.deepEqual(namesIn(text), ['Róble macizo', 'Cuenco de roble', 'Bandeja de roble'])
})
