// How pages show pictures: in the size that fits, in a place that is kept free for them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { dataOf, newShop, type Shop } from '../../../../test/shop.ts'
import { send } from '../../../../test/uploads.ts'
import { openWorld } from '../../../../test/world.ts'

// Not by https: what is uploaded can be shown all the same.
const world = await openWorld({ BASE_URL: 'http://shop.example' })

const seen = async ({ store }: Shop, path: string) =>
  (await fetch(`${world.url}/s/${store.slug}${path}`, { headers: { 'accept-language': 'en' } })).text()

async function uploaded({ api }: Shop, colour: string, width = 1600, height = 1200): Promise<string> {
  const file = await sharp({ create: { width, height, channels: 3, background: colour } })
    .png()
    .toBuffer()
  return dataOf(await send(api, file), 201).url
}

const imagesOf = (page: string, alt: string) =>
  [...page.matchAll(/<img ([^>]*)>/g)]
    .map(([, attributes]) =>
      Object.fromEntries([...attributes!.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name, value]) => [name, value])),
    )
    .filter((image) => image.alt === alt)

test('an uploaded picture names its sizes, its place on the page, and its width and height', async () => {
  const shop = await newShop(world)
  const url = await uploaded(shop, '#335577')
  const mug = await shop.product({ main_image: url, gallery: [url, await uploaded(shop, '#775533')] })
  const folder = new URL(url).pathname.replace(/\/[^/]+$/, '')
  for (const path of ['', `/products/${mug.slug}`, `/search?q=mug`]) {
    const [image] = imagesOf(await seen(shop, path), 'Mug')
    assert.equal(image!.src, `${folder}/1280.jpg`, path)
    assert.equal(
      image!.srcset,
      [320, 480, 640, 960, 1280, 1600].map((size) => `${folder}/${size}.webp ${size}w`).join(', '),
    )
    assert.deepEqual([image!.width, image!.height], ['1600', '1200'])
    assert.match(image!.sizes!, /\d(vw|rem)\)?$/)
  }
  const [first, second] = imagesOf(await seen(shop, `/products/${mug.slug}`), 'Mug')
  assert.deepEqual([first!.fetchpriority, first!.loading], ['high', undefined])
  assert.deepEqual([second!.fetchpriority, second!.loading], [undefined, 'lazy'])
})

test('the first four pictures of a list are fetched at once, the others when they come into view', async () => {
  const shop = await newShop(world)
  const url = await uploaded(shop, '#123456')
  for (let n = 0; n < 6; n++) await shop.product({ main_image: url })
  const orders = imagesOf(await seen(shop, ''), 'Mug').map(({ fetchpriority, loading }) => fetchpriority ?? loading)
  assert.deepEqual(orders, ['high', 'high', 'high', 'high', 'lazy', 'lazy'])
})

test('the picture that opens the home page comes in the size that fits too', async () => {
  const shop = await newShop(world)
  const url = await uploaded(shop, '#654321', 1600, 900)
  await shop.product({ main_image: url, is_featured: true })
  dataOf(await shop.api.patch('/v1/store/appearance', { hero_image: url }), 200)
  const [image] = imagesOf(await seen(shop, ''), '')
  assert.match(image!.srcset!, / 320w, .* 1600w$/)
  assert.deepEqual([image!.width, image!.height, image!.fetchpriority], ['1600', '900', 'high'])
  const others = imagesOf(await seen(shop, ''), 'Mug').map(({ fetchpriority, loading }) => fetchpriority ?? loading)
  assert.deepEqual([...new Set(others)], ['lazy'], 'nothing is fetched before it')
  dataOf(await shop.api.patch('/v1/store/appearance', { hero_image: 'https://images.example/a.jpg' }), 200)
  const [foreign] = imagesOf(await seen(shop, ''), '')
  assert.deepEqual([foreign!.src, foreign!.srcset], ['https://images.example/a.jpg', undefined])
})

test('logo and little picture come from below the domain of the page', async () => {
  const shop = await newShop(world)
  const url = await uploaded(shop, '#0a5f4a', 640, 200)
  dataOf(await shop.api.patch('/v1/store/appearance', { logo: url, favicon: url }), 200)
  const page = await seen(shop, '/cart')
  const folder = new URL(url).pathname.replace(/\/[^/]+$/, '')
  const [logo] = imagesOf(page, 'Corner shop')
  assert.equal(logo!.src, `${folder}/640.jpg`)
  assert.deepEqual([logo!.sizes, logo!.width, logo!.height], ['16rem', '640', '200'])
  assert.match(page, new RegExp(`<link rel="icon" href="${folder}/320\\.webp">`))
})

test("another store's picture is no picture of this one", async () => {
  const [shop, other] = [await newShop(world), await newShop(world)]
  const url = await uploaded(other, '#abcdef')
  await shop.product({ main_image: url })
  const page = await seen(shop, '')
  assert.deepEqual(imagesOf(page, 'Mug'), [])
  assert.match(page, /<span class="tile"><span class="letter" aria-hidden="true">M<\/span><\/span>/)
})

test('a picture that is named by http is asked for by https, which pages can show', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ main_image: 'http://images.example/mug.jpg' })
  for (const path of ['', `/products/${mug.slug}`]) {
    const [image] = imagesOf(await seen(shop, path), 'Mug')
    assert.equal(image!.src, 'https://images.example/mug.jpg', path)
  }
  assert.equal((await shop.api.get(`/v1/products/${mug.id}`)).data.main_image, 'http://images.example/mug.jpg')
})
