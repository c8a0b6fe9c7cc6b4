import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staffOf } from '../../../../test/staff.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'

const records: string[] = []
const world = await openWorld({}, { network: { resolver: { resolveTxt: async () => [records] } as never } })

async function enter(options: Parameters<typeof world.newStore>[0] = {}) {
  const shop = await world.newStore(options)
  const ana = await staffOf(world, [shop])
  const at = (path: string) => `/${shop.store.id}/shop${path}`
  return { shop, ana, at, api: shop.api }
}

const lookOf = async ({ api }: TestStore) => dataOf(await api.get('/v1/store/appearance'), 200)

test('the preview shows what is typed, in a frame of this site alone, and saves nothing', async () => {
  const { shop, ana, at } = await enter()
  const typed = { announcement: 'Typed & new', accent_color: '#aa2200', font: 'serif', corners: 'square' }
  const { status, text, headers } = await ana.post(at('/appearance/preview'), { act: 'save', ...typed })
  assert.equal(status, 200)
  assert.match(text, /Typed &amp; new/)
  assert.match(text, /<base target="_blank">/)
  assert.match(text, /\/s\/_\/look\/serif-square-aa2200-/)
  assert.match(headers.get('content-security-policy')!, /frame-ancestors 'self'/)
  assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN')
  assert.equal((await lookOf(shop)).announcement, null)
  const saved = await ana.get(at('/appearance/preview'))
  assert.ok(!saved.text.includes('Typed'))
})

test('what is typed wrongly is shown as it is saved; the form says what is wrong', async () => {
  const { shop, ana, at, api } = await enter()
  await api.patch('/v1/store/appearance', { accent_color: '#0b5f4a', announcement: 'Saved' })
  const typed = { act: 'save', accent_color: '#ffff00', announcement: 'Typed', font: 'sans', corners: 'round' }
  const { text } = await ana.post(at('/appearance/preview'), typed)
  assert.match(text, /Typed/)
  assert.match(text, /look\/sans-round-0b5f4a/)
  const refused = await ana.post(at('/appearance'), typed)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /Not enough contrast. Try #\w{6}/)
  assert.equal((await lookOf(shop)).announcement, 'Saved')
})

test('no other page may be in a frame, and only who may see the screen sees its preview', async () => {
  const { shop, ana, at } = await enter()
  assert.match((await ana.get(at('/appearance'))).headers.get('content-security-policy')!, /frame-ancestors 'none'/)
  const stranger = await staffOf(world, [await world.newStore()])
  assert.equal((await stranger.get(at('/appearance/preview'))).status, 404)
  const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  assert.equal((await ana.post(at('/appearance/preview'), {}, foreign)).status, 403)
  const ben = await staffOf(world, [shop], 'staff')
  assert.equal((await ben.post(at('/appearance'), { act: 'save', announcement: 'Mine' })).status, 403)
})

test('a page is written in Markdown, seen before it is saved, and translated', async () => {
  const { ana, at, api, shop } = await enter()
  const typed = { title: 'About us', body: 'Since **1998**. <script>alert(1)</script>', is_published: '1' }
  const seen = await ana.post(at('/pages/new/preview'), { act: 'create', ...typed })
  assert.match(seen.text, /Since <strong>1998<\/strong>\. &lt;script&gt;/)
  const created = await ana.post(at('/pages/new'), { act: 'create', ...typed })
  assert.match(created.location, /shop\/pages$/)
  assert.equal(created.notice, 'added')
  const [page] = (await api.get('/v1/pages')).data
  assert.equal(page.slug, 'about-us')
  const { text } = await ana.get(at(`/pages/${page.id}`))
  assert.match(text, new RegExp(`href="[^"]*/s/${shop.store.slug}/pages/about-us"`))
  const path = at(`/pages/${page.id}/translations/es`)
  assert.match((await ana.get(path)).text, /placeholder="About us"/)
  await ana.post(path, { act: 'save', 'es.title': 'Nosotros' })
  const { es } = dataOf(await api.get(`/v1/pages/${page.id}/translations`), 200)
  assert.deepEqual([es.title, es.body], ['Nosotros', null])
  const wrong = await ana.post(at(`/pages/${page.id}`), { act: 'save', ...typed, slug: 'Not A Slug' })
  assert.match(wrong.text, /Use lowercase letters, numbers, and hyphens only/)
})

test('a policy is written once and found under its kind', async () => {
  const { ana, at, api } = await enter()
  assert.match((await ana.get(at('/policies'))).text, /shop\/policies\/returns">Return policy/)
  const { text } = await ana.get(at('/policies/returns'))
  assert.match(text, /name="title" maxlength="\d+"[^>]*value="Return policy"/)
  // It is published unless that is taken off.
  assert.match(text, /<input[^>]*name="is_published"[^>]* checked/)
  assert.match(text, /<button>Save<\/button>/)
  const typed = { act: 'create', title: 'Return policy', body: '30 days', is_published: '1' }
  assert.equal((await ana.post(at('/policies/returns'), typed)).location, at('/policies'))
  const [page] = (await api.get('/v1/pages?kind=returns')).data
  assert.match((await ana.get(at('/policies'))).text, new RegExp(`shop/pages/${page.id}">Return policy`))
  assert.ok(!(await ana.get(at('/pages'))).text.includes(page.id))
})

test('lines of a menu stand as their places say; empty ones go, and a wrong link is said beside it', async () => {
  const { ana, at, api } = await enter()
  const line = (menu: string, n: number, label: string, link: string, place: number) => ({
    [`${menu}.${n}.label`]: label,
    [`${menu}.${n}.link`]: link,
    [`${menu}.${n}.place`]: String(place),
  })
  const first = { ...line('header_menu', 0, 'Hats', '/categories/hats', 2), ...line('header_menu', 1, '', '', 1) }
  const second = { ...line('header_menu', 2, 'About', '/pages/about', 1), ...line('footer_menu', 0, 'Us', '/', 1) }
  assert.match((await ana.post(at('/menus'), { act: 'save', ...first, ...second })).notice, /^saved$/)
  const { header_menu, footer_menu } = dataOf(await api.get('/v1/store/menus'), 200)
  assert.deepEqual(
    header_menu.map(({ label }: { label: string }) => label),
    ['About', 'Hats'],
  )
  assert.equal(footer_menu.length, 1)
  const wrong = await ana.post(at('/menus'), { act: 'save', ...first, ...line('header_menu', 3, 'Bad', 'nowhere', 3) })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="header_menu.1.link-fault">Enter a path such as/)
  assert.match(wrong.text, /value="nowhere"/)
})

test('the shop is offered in other languages, and what it says by itself is translated', async () => {
  const { ana, at, api } = await enter()
  await ana.post(at('/languages'), { act: 'save', languages: ['fr', 'de'] })
  assert.deepEqual(dataOf(await api.get('/v1/store'), 200).languages, ['fr', 'de'])
  assert.match((await ana.get(at('/languages'))).text, /shop\/languages\/fr">French/)
  await api.patch('/v1/store/menus', { header_menu: [{ label: 'Hats', link: '/categories/hats' }] })
  const { text } = await ana.get(at('/languages/fr'))
  assert.match(text, /<label for="terms.0.text">Hats<\/label>/)
  const terms = { 'terms.0.term': 'Hats', 'terms.0.text': 'Chapeaux' }
  await ana.post(at('/languages/fr'), { act: 'save', 'fr.announcement': 'Bonjour', ...terms })
  const { fr } = dataOf(await api.get('/v1/store/translations'), 200)
  assert.deepEqual([fr.announcement, fr.terms], ['Bonjour', [{ term: 'Hats', text: 'Chapeaux' }]])
})

test('a domain is named, looked up, verified, and left after a question', async () => {
  const { ana, at, api } = await enter()
  await ana.post(at('/domain'), { act: 'save', custom_domain: 'shop.example.org' })
  const { text } = await ana.get(at('/domain'))
  assert.match(text, /_stoa\.shop\.example\.org/)
  const [value] = /stoa-verification=[\w-]+/.exec(text)!
  const check = { act: 'check', custom_domain: 'shop.example.org', label: 'shop.example.org' }
  const early = await ana.post(at('/domain'), check)
  assert.equal(early.status, 422)
  assert.match(early.text, /We can’t find the DNS record yet/)
  records.push(value)
  assert.match((await ana.post(at('/domain'), check)).notice, /^domain_is_verified$/)
  assert.match((await ana.get(at('/domain'))).text, /Connected/)
  assert.match(
    (await ana.post(at('/domain'), { act: 'remove', label: 'shop.example.org' })).text,
    /Remove shop.example.org/,
  )
  await ana.post(at('/domain'), { act: 'remove', sure: '1' })
  assert.equal(dataOf(await api.get('/v1/store'), 200).custom_domain, null)
})

test('a plan without domains of its own says so', async () => {
  const { ana, at } = await enter({ plan: 'free' })
  assert.match((await ana.get(at('/domain'))).text, /Your plan doesn’t include this/)
})
