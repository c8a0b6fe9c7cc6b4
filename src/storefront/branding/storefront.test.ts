// What a shop of one's own may know of a store's face, without a key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, newShop, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

async function get({ store }: Shop, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.url}/storefront/${store.slug}${path}`, { headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

test('appearance and menus are told to any origin, and not again to who has them', async () => {
  const shop = await newShop(world)
  const look = { accent_color: '#aa2200', legal_name: 'Corner Shop LLC', contact_email: 'hello@shop.example' }
  const own = dataOf(await shop.api.patch('/v1/store/appearance', look), 200)
  const menus = dataOf(
    await shop.api.patch('/v1/store/menus', { header_menu: [{ label: 'Mugs', link: '/mugs' }] }),
    200,
  )
  const shown = await get(shop, '/appearance', { origin: 'https://other.example' })
  assert.deepEqual([shown.status, shown.body.data], [200, { ...own, takes_messages: true }])
  assert.equal(shown.headers.get('access-control-allow-origin'), '*')
  assert.equal(shown.headers.get('cache-control'), 'no-cache')
  assert.deepEqual((await get(shop, '/menus')).body.data, menus)
  const etag = shown.headers.get('etag')!
  assert.equal((await get(shop, '/appearance', { 'if-none-match': etag })).status, 304)
  await shop.api.patch('/v1/store/appearance', { contact_email: null })
  const later = await get(shop, '/appearance', { 'if-none-match': etag })
  assert.deepEqual([later.status, later.body.data.takes_messages], [200, false])
})

test('pages and policies that are published are listed and read by their slug, and no others', async () => {
  const [shop, other] = [await newShop(world), await newShop(world)]
  const create = async (body: object, { api }: Shop = shop) => dataOf(await api.post('/v1/pages', body), 201)
  await create({ title: 'About us', body: 'Since **1998**.', seo_title: 'Who we are' })
  await create({ title: 'Terms', kind: 'terms', body: 'Fair.' })
  await create({ title: 'Draft', is_published: false })
  await create({ title: 'Of another' }, other)
  const { body } = await get(shop, '/pages')
  assert.deepEqual(
    body.data.map(({ slug }: any) => slug),
    ['about-us', 'terms'],
  )
  assert.equal(body.pagination.total, 2)
  const [about] = body.data
  assert.deepEqual((await get(shop, '/pages/about-us')).body.data, about)
  const { created_at, updated_at, ...said } = about
  assert.ok(created_at && updated_at)
  assert.deepEqual(said, {
    kind: 'page',
    title: 'About us',
    slug: 'about-us',
    body: 'Since **1998**.',
    seo_title: 'Who we are',
    seo_description: null,
  })
  const policies = (await get(shop, '/pages?kind=terms')).body.data
  assert.deepEqual(
    policies.map(({ title }: any) => title),
    ['Terms'],
  )
  for (const wrong of ['draft', 'of-another', 'About-us', '%00', '%F0%9F%98%80', '..%2fpages', 'a'.repeat(81)]) {
    assert.equal((await get(shop, `/pages/${wrong}`)).status, 404, wrong)
  }
})
