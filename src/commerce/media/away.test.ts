// An unavailable or failing bucket: uploads are refused, and pages still work.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { dataOf, newShop } from '../../../test/shop.ts'
import { madeReady, send } from '../../../test/uploads.ts'
import { openWorld } from '../../../test/world.ts'

const files = new Map<string, Buffer>()
let status: number | null = null
const bucket = createServer(async (incoming, response) => {
  const body = Buffer.concat(await Array.fromAsync(incoming))
  if (status !== null) return response.writeHead(status).end('<Error/>')
  if (incoming.method === 'PUT') files.set(incoming.url!, body)
  if (incoming.method === 'DELETE') files.delete(incoming.url!)
  const file = incoming.method === 'GET' ? files.get(incoming.url!) : undefined
  return response.writeHead(incoming.method === 'GET' && !file ? 404 : 200).end(file)
})
const port = await listen(bucket)
after(() => bucket.close())

const world = await openWorld({
  MEDIA_S3_URL: `http://127.0.0.1:${port}/pictures`,
  MEDIA_S3_KEY: 'AKIAIOSFODNN7EXAMPLE',
  MEDIA_S3_SECRET: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
})

async function listen(server: Server, at = 0): Promise<number> {
  server.listen(at, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const at = (url: string) => world.url + new URL(url).pathname

test('while the bucket is away uploads and pictures are 503, pages are whole, and nothing is lost', async () => {
  const shop = await newShop(world)
  const { id, url } = dataOf(await send(shop.api), 201)
  await madeReady(shop.api, id)
  assert.ok([...files.keys()].every((key) => key.startsWith(`/pictures/${shop.store.id}/`)))
  const mug = await shop.product({ main_image: url, gallery: [url] })
  const pages = ['', `/products/${mug.slug}`, '/cart', '/sitemap.xml', '/feeds/google.xml']

  const isAway = async () => {
    const refused = await send(shop.api)
    assert.deepEqual([refused.status, refused.error.code], [503, 'UNAVAILABLE'])
    assert.doesNotMatch(JSON.stringify(refused.body), /AKIAIOSFODNN|127\.0\.0\.1|bucket/)
    const picture = await fetch(at(url))
    assert.deepEqual([picture.status, picture.headers.get('cache-control')], [503, 'no-store'])
    assert.equal(picture.headers.get('etag'), null)
    for (const path of pages) {
      const page = await fetch(`${world.url}/s/${shop.store.slug}${path}`)
      assert.equal(page.status, 200, path)
      await page.text()
    }
    assert.equal((await shop.api.get('/v1/media')).body.pagination.total, 1)
    world.clock.advance(61)
    const ready = await fetch(`${world.url}/readyz`)
    assert.deepEqual([ready.status, ((await ready.json()) as any).status], [200, 'degraded'], 'the shop goes on')
    assert.equal((await shop.api.delete(`/v1/media/${newId()}`)).status, 404)
  }
  for (const refusal of [403, 404, 500]) {
    status = refusal
    if (refusal === 404) assert.equal((await send(shop.api)).status, 503, 'the bucket does not exist')
    else await isAway()
  }
  status = null
  bucket.closeAllConnections()
  await new Promise((closed) => bucket.close(closed))
  await isAway()

  await listen(bucket, port)
  assert.equal((await fetch(at(url))).status, 200)
  assert.equal((await send(shop.api)).status, 201)
})

const newId = () => 'med_01h45ytscbebyvny4gc8cr8ma2'

test('a page has the letter ready for a picture that does not come', async () => {
  const shop = await newShop(world)
  const { url } = dataOf(await send(shop.api), 201)
  await shop.product({ name: 'Ñandú', main_image: url })
  const page = await (await fetch(`${world.url}/s/${shop.store.slug}`)).text()
  assert.match(page, /<img src="\/media\/[^"]+"[^>]* alt="Ñandú"><span class="letter" aria-hidden="true">Ñ<\/span>/)
})
