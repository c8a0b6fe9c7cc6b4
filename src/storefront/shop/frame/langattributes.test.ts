// What stands in the store's own language on a page in another says so; axe cannot see it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

async function spanishShop() {
  const shop = await world.newStore({ country_code: 'MX', currency: 'MXN' })
  const post = async (path: string, body: object) => (await shop.api.post(path, body)).data
  const patch = async (path: string, body: object) => assert.equal((await shop.api.patch(path, body)).status, 200, path)
  await patch('/v1/store/appearance', {
    announcement: 'Envío gratis',
    hero_title: 'Bienvenida',
    hero_text: 'Hecho a mano',
  })
  await patch('/v1/store/menus', { header_menu: [{ label: 'Nosotros', link: '/pages/x' }] })
  await post('/v1/pages', { kind: 'terms', title: 'Términos', body: 'x' })
  const category = await post('/v1/categories', { name: 'Sillas', description: 'Para sentarse' })
  const option_values = [{ option_title: 'Color', value: 'Verde' }]
  const product = await post('/v1/products', {
    name: 'Silla',
    description: 'Cómoda',
    price: 5,
    variants: [{ option_values }],
  })
  const page = async (path: string, language = 'en') => {
    const headers = { 'accept-language': language }
    return (await fetch(`${world.url}/s/${shop.store.slug}${path}`, { headers })).text()
  }
  return { post, patch, page, category, product }
}

/** Of each text its language, where it is not that of the page. */
const langsIn = (page: string, texts: readonly string[]) =>
  Object.fromEntries(
    texts.map((text) => {
      const element = new RegExp(`<([^<>]*)>(?:<p>)?\\s*${text}<`)
      const [, tag = ''] = element.exec(page) ?? assert.fail(`${text} is not there`)
      return [text, / lang="?(\w+)/.exec(tag)?.[1] ?? null]
    }),
  )

const home = ['Envío gratis', 'Bienvenida', 'Hecho a mano', 'Nosotros', 'Términos', 'Sillas', 'Silla']
const ofProduct = ['Silla', 'Cómoda', 'Color', 'Verde']
const all = (texts: readonly string[], lang: string | null) => Object.fromEntries(texts.map((text) => [text, lang]))

test('what is not translated names its language on a page in another, and nothing on a page in its own', async () => {
  const { page } = await spanishShop()
  assert.deepEqual(langsIn(await page('', 'en'), home), all(home, 'es'))
  assert.deepEqual(langsIn(await page('', 'es'), home), all(home, null))
  assert.deepEqual(langsIn(await page('/products/silla'), ofProduct), all(ofProduct, 'es'))
  assert.deepEqual(langsIn(await page('/products/silla', 'es'), ofProduct), all(ofProduct, null))
  const ofCategory = ['Sillas', 'Para sentarse']
  assert.deepEqual(langsIn(await page('/categories/sillas'), ofCategory), all(ofCategory, 'es'))
})

test('a text that is translated is in the language of the page, beside one that is not', async () => {
  const { page, patch, category, product } = await spanishShop()
  await patch(`/v1/products/${product.id}/translations`, {
    en: { name: 'Chair', terms: [{ term: 'Verde', text: 'Green' }] },
  })
  await patch(`/v1/categories/${category.id}/translations`, { en: { name: 'Chairs' } })
  await patch('/v1/store/translations', {
    en: { hero_title: 'Welcome', terms: [{ term: 'Nosotros', text: 'About us' }] },
  })
  assert.deepEqual(langsIn(await page(''), ['Welcome', 'Hecho a mano', 'About us', 'Chairs', 'Chair']), {
    Welcome: null,
    'Hecho a mano': 'es',
    'About us': null,
    Chairs: null,
    Chair: null,
  })
  assert.deepEqual(langsIn(await page('/products/silla'), ['Chair', 'Cómoda', 'Color', 'Green']), {
    Chair: null,
    Cómoda: 'es',
    Color: 'es',
    Green: null,
  })
  assert.deepEqual(langsIn(await page('/categories/sillas'), ['Chairs', 'Para sentarse']), {
    Chairs: null,
    'Para sentarse': 'es',
  })
})
