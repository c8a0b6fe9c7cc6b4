import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'
import { contrast, contrastOn, grounds, shadeFor, textOn } from './colours.ts'

const world = await openWorld({ BASE_URL: 'http://shop.example' })

const appearance = '/v1/store/appearance'

async function pageOf(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(world.url + path, { headers: { 'accept-language': 'en', ...headers } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const sheetOf = (text: string) => /href="(\/s\/_\/look\/[^"]+)"/.exec(text)?.[1]

test('a store that has chosen nothing looks as usual: no sheet, no announcement, its name', async () => {
  const { api, store } = await newShop(world)
  const known = dataOf(await api.get(appearance), 200)
  assert.deepEqual([known.font, known.corners, known.logo, known.social_links], ['sans', 'rounded', null, []])
  const { text } = await pageOf(`/s/${store.slug}`)
  assert.equal(sheetOf(text), undefined)
  assert.doesNotMatch(text, /announcement/)
})

test('what is changed shows at once on every page', async () => {
  const { api, store, product } = await newShop(world)
  const mug = await product({ is_featured: true })
  await pageOf(`/s/${store.slug}`)
  const body = {
    logo: 'https://images.example/logo.png',
    favicon: 'https://images.example/icon.png',
    accent_color: '#AA2200',
    font: 'serif',
    corners: 'square',
    announcement: 'Open <b>on Sundays',
    announcement_link: '/contact',
    hero_image: 'https://images.example/hero.jpg',
    hero_title: 'Good morning',
    hero_text: 'Fresh things.',
    legal_name: 'Corner Shop LLC',
    contact_email: 'hello@shop.example',
    contact_phone: '+52 55 1234 5678',
    contact_address: 'Calle 60\nMérida',
    social_links: ['https://www.instagram.com/corner', 'https://social.example/@corner'],
  }
  const changed = dataOf(await api.patch(appearance, body), 200)
  assert.deepEqual(changed, { ...body, accent_color: '#aa2200', accent_color_dark: null })
  assert.deepEqual(dataOf(await api.get(appearance), 200), changed)

  const home = await pageOf(`/s/${store.slug}`)
  assert.match(home.text, /<img src="https:\/\/images\.example\/logo\.png" alt="[^"]+"/)
  assert.match(home.text, /<link rel="icon" href="https:\/\/images\.example\/icon\.png">/)
  assert.match(home.text, /<a href="\/s\/[^/]+\/contact">Open &lt;b&gt;on Sundays<\/a>/)
  assert.match(home.text, /<h1>Good morning<\/h1>\s*<p class="lead">Fresh things\.<\/p>/)
  assert.match(home.text, new RegExp(`<h2>Featured</h2>[^]*?/products/${mug.slug}`))
  for (const path of ['', `/products/${mug.slug}`, '/cart', '/nowhere']) {
    const { text } = await pageOf(`/s/${store.slug}${path}`)
    assert.match(text, /Corner Shop LLC[^]*Calle 60\nMérida[^]*mailto:hello@shop\.example[^]*tel:\+525512345678/, path)
    assert.match(text, /<a rel="noopener me" href="https:\/\/www\.instagram\.com\/corner">Instagram<\/a>/, path)
    assert.ok(sheetOf(text), path)
  }
  await api.patch(appearance, { announcement: null })
  assert.doesNotMatch((await pageOf(`/s/${store.slug}`)).text, /announcement/)
})

test('the sheet is kept for good and says nothing that its address does not', async () => {
  const { api, store } = await newShop(world)
  await api.patch(appearance, { accent_color: '#aa2200', font: 'serif', corners: 'round' })
  const path = sheetOf((await pageOf(`/s/${store.slug}`)).text)!
  const { status, text, headers } = await pageOf(path)
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/css; charset=utf-8')
  assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.match(
    text,
    /^:root\{--accent:#aa2200;--on-accent:#fff\}@media\(prefers-color-scheme:dark\)\{:root\{--accent:#/,
  )
  assert.ok(text.length < 500, `${text.length} bytes`)
  for (const wrong of [
    path.replace(/[^/]+$/, 'AAAAAAAA.css'),
    path.replace('aa2200', 'aa2201'),
    path.replace('serif', 'fantasy'),
    path.replace('aa2200', '}body{'),
    '/s/_/look/sans-rounded/47DEQpj8.css',
  ]) {
    assert.equal((await pageOf(wrong)).status, 404, wrong)
  }
})

test('an accent that could not be seen is refused with the nearest shade that could', async () => {
  const { api } = await newShop(world)
  const pale = await api.patch(appearance, { accent_color: '#ffee00' })
  const { accent_color: message } = faultsOf(pale)
  assert.match(
    message!,
    /has a contrast ratio of only 1\.\d on light pages; at least 3 is required, for example #[0-9a-f]{6}$/,
  )
  const better = /#[0-9a-f]{6}/.exec(message!)![0]
  dataOf(await api.patch(appearance, { accent_color: better }), 200)
  assert.match(faultsOf(await api.patch(appearance, { accent_color_dark: '#111111' })).accent_color_dark!, /dark pages/)
  for (const wrong of ['red', '#fff', '#12345g', '', '😀😀😀']) {
    assert.ok(faultsOf(await api.patch(appearance, { accent_color: wrong })).accent_color, wrong)
  }
})

test('what is read on a colour can be read, whatever the colour', () => {
  const style = readFileSync(new URL('../../platform/pages/assets/base.css', import.meta.url), 'utf8')
  const papers = [...style.matchAll(/--(?:paper|ground): (#\w+)/g)].map(([, value]) => value!)
  const long = (value: string) => (value.length === 4 ? value.replace(/\w/g, '$&$&') : value)
  assert.deepEqual(papers.map(long), [...grounds.light, ...grounds.dark])
  for (let bits = 0; bits < 0x1000000; bits += 0x01357) {
    const colour = `#${bits.toString(16).padStart(6, '0')}`
    assert.ok(contrast(textOn(colour) === '#fff' ? '#ffffff' : '#000000', colour) >= 4.5, colour)
    assert.ok(contrastOn('light', shadeFor('light', colour, 4.5)) >= 4.5, colour)
    assert.ok(contrastOn('dark', shadeFor('dark', colour, 4.5)) >= 4.5, colour)
  }
})

test('links lead to the shop or by https, and pictures come by https', async () => {
  const { api, store } = await newShop(world)
  const menu = (link: string) => ({ header_menu: [{ label: 'There', link }] })
  for (const wrong of [
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,x',
    'http://shop.example',
    '//evil.example',
    '/\\evil.example',
    'pages/about',
    '\tjavascript:alert(1)',
    'https://user:password@shop.example',
    'https:///',
    ' ',
  ]) {
    const faults = faultsOf(await api.patch('/v1/store/menus', menu(wrong)))
    assert.ok(faults['header_menu.0.link'], wrong)
    assert.ok(faultsOf(await api.patch(appearance, { announcement_link: wrong })).announcement_link, wrong)
  }
  for (const wrong of ['http://images.example/a.png', 'data:image/png;base64,AA', '/logo.png']) {
    assert.equal(faultsOf(await api.patch(appearance, { logo: wrong })).logo, 'must start with https://', wrong)
  }
  for (const right of ['/', '/pages/about?x=1', 'https://other.example/a', 'mailto:a@b.example', 'tel:+52551234']) {
    dataOf(await api.patch('/v1/store/menus', menu(right)), 200)
    const href = right.startsWith('/') ? `/s/${store.slug}${right}` : right
    const { text } = await pageOf(`/s/${store.slug}/cart`)
    assert.match(text, new RegExp(`href="${href.replace(/[?+]/g, '\\$&')}"[^>]*>There</a>`), right)
  }
  assert.deepEqual(dataOf(await api.get('/v1/store/menus'), 200).footer_menu, [])
})
