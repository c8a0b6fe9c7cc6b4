// What a browser fetches beside a page, as it is sent: style and script together are at most 12 KB on every page.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { openBrowser } from '../../../test/browser.ts'
import { newShop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld({ BASE_URL: 'http://shop.example' })
const maximumBytes = 12 * 1024

type Sent = { type: string; encoding: string | undefined; bytes: Buffer }

function get(path: string): Promise<Sent> {
  return new Promise((resolve, reject) => {
    request(world.url + path, { headers: { 'accept-encoding': 'gzip' } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () => {
        const { 'content-type': type = '', 'content-encoding': encoding } = answer.headers
        resolve({ type, encoding, bytes: Buffer.concat(chunks) })
      })
    })
      .on('error', reject)
      .end()
  })
}

/** The style sheets and scripts that a page names. */
const filesOf = (text: string) => [
  ...[...text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, path]) => path!),
  ...[...text.matchAll(/<script src="([^"]+)"/g)].map(([, path]) => path!),
]

test('style and script are at most 12 KB on every page, packed', async () => {
  const shop = await newShop(world)
  const { api, store } = shop
  const mug = await shop.product({ is_featured: true })
  await shop.variants({ name: 'Shirt' })
  await api.post('/v1/categories', { name: 'Cups' })
  await api.post('/v1/pages', { title: 'Terms', kind: 'terms', body: '# All\n\nof it' })
  const look = { accent_color: '#aa2200', font: 'serif', corners: 'round', contact_email: 'hello@shop.example' }
  await api.patch('/v1/store/appearance', { ...look, announcement: 'Open' })
  await api.post('/v1/store/shipping-rates', { code: 'pickup', price: 0 })
  const root = `/s/${store.slug}`
  const browser = openBrowser()
  const body = new URLSearchParams({ quantity: '1' })
  await browser.visit(`${world.url}${root}/products/${mug.slug}`, { method: 'POST', body })
  const paths = ['', `/products/${mug.slug}`, '/categories/cups', '/search?q=mug', '/search?q=nothing', '/pages/terms']
  const seen: string[] = []
  for (const path of [...paths, '/contact', '/cart', '/checkout', '/find-order', '/nowhere']) {
    const { text } = await browser.go(world.url + root + path)
    const files = await Promise.all(filesOf(text).map(async (path) => ({ path, ...(await get(path)) })))
    assert.ok(files.length >= 3, `${path}: ${files.length} files`)
    for (const { path: file, type, encoding, bytes } of files) {
      assert.match(type, /^(text\/css|(text|application)\/javascript)/, file)
      if (bytes.length > 1024) assert.equal(encoding, 'gzip', file)
      if (encoding === 'gzip') assert.ok(gunzipSync(bytes).length > bytes.length, file)
    }
    const sum = files.reduce((total, { bytes }) => total + bytes.length, 0)
    assert.ok(sum <= maximumBytes, `${path}: ${files.map((file) => `${file.path} ${file.bytes.length}`).join(', ')}`)
    seen.push(`${path || '/'} ${sum}`)
  }
  assert.equal(seen.length, 11)
})
