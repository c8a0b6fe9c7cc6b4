import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp, { type Sharp } from 'sharp'
import { openWorld } from '../../../test/world.ts'
import { send } from '../../../test/uploads.ts'
import { sql } from '../../kit/database/sql.ts'

const world = await openWorld({}, { sweeps: true })
const { newStore } = world

const flat = (width: number, height: number, background = '#3366cc') =>
  sharp({ create: { width, height, channels: 3, background } })
const jpeg = (image: Sharp = flat(1600, 1200)) => image.jpeg().toBuffer()

/** The image's path on the test server. */
const at = (url: string) => world.url + new URL(url).pathname

test('a picture is uploaded, and served in its sizes at addresses that stay', async () => {
  const { api, store } = await newStore()
  const { status, data, headers } = await send(api, await jpeg(), { alt_text: 'Blue' })
  assert.equal(status, 201)
  assert.equal(headers.get('location'), `/v1/media/${data.id}`)
  assert.match(
    data.url,
    new RegExp(`^https://shop.example/media/${store.id}/[0-9a-f]{32}-1600x1200-[0-9a-f]{6}/1280.jpg$`),
  )
  assert.deepEqual([data.width, data.height, data.format, data.alt_text], [1600, 1200, 'jpeg', 'Blue'])
  assert.match(data.colour, /^3\w6\wc\w$/)

  for (const [file, width, type] of [
    ['1280.jpg', 1280, 'jpeg'],
    ['320.webp', 320, 'webp'],
    ['640.webp', 640, 'webp'],
    ['1280.webp', 1280, 'webp'],
    ['1600.webp', 1600, 'webp'],
  ] as const) {
    const answer = await fetch(at(data.url).replace('1280.jpg', file))
    assert.equal(answer.status, 200, file)
    assert.equal(answer.headers.get('content-type'), `image/${type}`)
    assert.match(answer.headers.get('cache-control')!, /max-age=31536000, immutable/)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    const found = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
    assert.deepEqual([found.width, found.height, found.format], [width, (width * 3) / 4, type])
  }
  assert.equal((await api.get(`/v1/media/${data.id}`)).data.status, 'ready')
})

test('a file is had in part, and not again by who has it', async () => {
  const { api } = await newStore()
  const url = at((await send(api, await jpeg())).data.url)
  const whole = Buffer.from(await (await fetch(url)).arrayBuffer())
  const ask = async (headers: Record<string, string>) => {
    const answer = await fetch(url, { headers })
    const range = answer.headers.get('content-range')
    return [answer.status, range, Buffer.from(await answer.arrayBuffer()).length]
  }
  const { length } = whole
  assert.deepEqual(await ask({ range: 'bytes=0-9' }), [206, `bytes 0-9/${length}`, 10])
  assert.deepEqual(await ask({ range: 'bytes=-4' }), [206, `bytes ${length - 4}-${length - 1}/${length}`, 4])
  assert.deepEqual(await ask({ range: `bytes=5-` }), [206, `bytes 5-${length - 1}/${length}`, length - 5])
  assert.deepEqual(await ask({ range: `bytes=${length}-` }), [416, `bytes */${length}`, 0])
  assert.deepEqual(await ask({ range: 'bytes=0-1,3-4' }), [200, null, length])
  assert.deepEqual(await ask({ range: 'bytes=0-9', 'if-range': '"another"' }), [200, null, length])
  const etag = (await fetch(url)).headers.get('etag')!
  assert.deepEqual(await ask({ 'if-none-match': etag }), [304, null, 0])
  const head = await fetch(url, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(length)])
})

test('what a camera wrote into a photograph stays behind, and it stands upright', async () => {
  const { api } = await newStore()
  const exif = { IFD0: { Copyright: 'Ana Torres' }, IFD3: { GPSLatitude: '19/1 25/1 0/1' } }
  const photo = await flat(800, 400).jpeg().withExif(exif).withMetadata({ orientation: 6, exif }).toBuffer()
  assert.ok(photo.includes('Ana Torres'))
  const { data } = await send(api, photo)
  assert.deepEqual([data.width, data.height], [400, 800])
  const served = Buffer.from(await (await fetch(at(data.url))).arrayBuffer())
  const { exif: kept, width, height } = await sharp(served).metadata()
  assert.deepEqual([kept, width, height, served.includes('Ana Torres')], [undefined, 400, 800, false])
})

test('what was uploaded is not kept once its sizes are made', async () => {
  const { api } = await newStore()
  const { data } = await send(api, await jpeg())
  await fetch(at(data.url))
  assert.equal((await fetch(at(data.url).replace('1280.jpg', 'original'))).status, 404)
  assert.equal((await fetch(at(data.url).replace('1280.jpg', '../x'))).status, 404)
})

test('the same file again is the same picture', async () => {
  const { api } = await newStore()
  const file = await jpeg()
  const first = await send(api, file, { alt_text: 'First' })
  const second = await send(api, file)
  assert.equal(second.data.id, first.data.id)
  assert.equal(second.data.alt_text, 'First')
  assert.equal((await api.get('/v1/media')).body.pagination.total, 1)
})

test('formats are known by what is in them, and PNG, WebP, GIF and AVIF are taken', async () => {
  const { api } = await newStore()
  for (const format of ['png', 'webp', 'gif', 'avif'] as const) {
    const { status, data } = await send(api, await flat(40, 30).toFormat(format).toBuffer(), {}, 'misnamed.svg')
    assert.equal(status, 201, format)
    assert.equal(data.format, format)
    const served = await fetch(at(data.url))
    assert.deepEqual([served.status, served.headers.get('content-type')], [200, 'image/jpeg'])
  }
})

const crc = (bytes: Buffer, at: number, value: number) => (bytes.writeUInt32BE(value, at), bytes)

/** Invalid files by name, each with the expected error. */
const bad: Record<string, [() => Promise<Buffer> | Buffer, RegExp]> = {
  nothing: [() => Buffer.alloc(0), /complete JPEG/],
  text: [() => Buffer.from('just words'), /complete JPEG/],
  'an SVG': [() => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"/>'), /complete JPEG/],
  'a PDF': [() => Buffer.from('%PDF-1.4\n%%EOF'), /complete JPEG/],
  'a TIFF': [() => flat(40, 40).tiff().toBuffer(), /complete JPEG/],
  'a truncated JPEG': [async () => (await noisy(800, 600).jpeg().toBuffer()).subarray(0, 20_000), /complete JPEG/],
  'a truncated PNG': [async () => (await noisy(400, 300).png().toBuffer()).subarray(0, 20_000), /complete JPEG/],
  'a truncated WebP': [async () => (await noisy(400, 300).webp().toBuffer()).subarray(0, 5_000), /complete JPEG/],
  '1 × 1': [() => flat(1, 1).png().toBuffer(), /16 to 16383 pixels/],
  '16384 × 16': [() => flat(16_384, 16).png().toBuffer(), /16 to 16383 pixels/],
  '100,000 × 1': [() => flat(100_000, 1).png().toBuffer(), /16 to 16383 pixels/],
  'more than 25 megapixels': [() => flat(5001, 5000).png().toBuffer(), /25000000 pixels/],
  'a PNG that says it is larger than it is': [
    async () => crc(await flat(100, 100).png().toBuffer(), 16, 16_000),
    /complete JPEG|25000000/,
  ],
}

function noisy(width: number, height: number): Sharp {
  return sharp({
    create: { width, height, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  })
}

for (const [what, [make, message]] of Object.entries(bad)) {
  test(`${what} is refused in the envelope`, async () => {
    const { api } = await newStore()
    const { status, error } = await send(api, await make())
    assert.deepEqual([status, error?.code, error?.details?.[0]?.field], [422, 'VALIDATION_ERROR', 'file'])
    assert.match(error.details[0].message, message)
    assert.equal((await api.get('/v1/media')).body.pagination.total, 0)
  })
}

test('a CMYK photograph is made clean, and a picture that is another file too is no more that file', async () => {
  const { api } = await newStore()
  const printed = await noisy(64, 64).toColourspace('cmyk').jpeg().toBuffer()
  const script = '<script>alert(1)</script>'
  const polyglot = Buffer.concat([await jpeg(flat(64, 64)), Buffer.from(script)])
  for (const file of [printed, polyglot]) {
    const { status, data } = await send(api, file)
    assert.equal(status, 201)
    const answer = await fetch(at(data.url))
    assert.equal(answer.headers.get('content-type'), 'image/jpeg')
    const served = Buffer.from(await answer.arrayBuffer())
    assert.equal((await sharp(served).metadata()).space, 'srgb')
    assert.equal(served.includes(script), false)
  }
})

test('a file of more than 15 MiB is refused with 413', async () => {
  const { api } = await newStore()
  const { status, error } = await send(api, Buffer.alloc(15 * 1024 * 1024 + 65 * 1024))
  assert.deepEqual([status, error.code], [413, 'PAYLOAD_TOO_LARGE'])
})

test('a form goes where a file goes and nowhere else; a body without a file or url says so', async () => {
  const { api } = await newStore()
  const form = new FormData()
  form.set('name', 'Mug')
  const body = new Uint8Array(await new Response(form).arrayBuffer())
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  assert.equal((await api.send('POST', '/v1/products', { body, headers })).status, 422)
  assert.equal((await api.send('POST', '/v1/media', { body, headers })).error.details[0].field, 'body')
  assert.equal((await api.post('/v1/media', {})).error.details[0].field, 'url')
})

test('a picture is deleted with its files', async () => {
  const { api } = await newStore()
  const { data } = await send(api, await jpeg())
  assert.equal((await fetch(at(data.url))).status, 200)
  assert.deepEqual((await api.delete(`/v1/media/${data.id}`)).data, { deleted: true })
  assert.equal((await api.get(`/v1/media/${data.id}`)).status, 404)
  await world.app.jobs.run('remove pictures')
  const gone = await fetch(at(data.url))
  assert.deepEqual([gone.status, gone.headers.get('cache-control')], [404, 'no-store'])
  assert.equal((await send(api, await jpeg())).status, 201, 'and can come again')
  assert.equal((await fetch(at(data.url))).status, 200)
})

test('a picture to which nothing refers is dropped after 30 days, and no other', async () => {
  const { api } = await newStore()
  const files = ['#111111', '#222222', '#333333', '#444444', '#555555', '#666666', '#777777', '#888888'].map((colour) =>
    jpeg(flat(40, 40, colour)),
  )
  const sent = []
  for (const file of files) sent.push((await send(api, await file)).data)
  const [main, gallery, variant, category, bump, logo, text, unused] = sent
  await api.post('/v1/products', { name: 'Mug', price: 1, main_image: main.url, gallery: [gallery.url] })
  await api.post('/v1/products', {
    name: 'Shirt',
    price: 1,
    variants: [{ option_values: [{ option_title: 'Size', value: 'M' }], image: variant.url }],
  })
  await api.post('/v1/categories', { name: 'Mugs', image: category.url })
  await api.post('/v1/store/order-bumps', { title: 'Wrapping', price: 1, image: bump.url })
  assert.equal((await api.patch('/v1/store/appearance', { logo: logo.url })).status, 200)
  await api.post('/v1/pages', { title: 'About us', body: `![Us](${text.url})` })
  const left = async () => {
    await world.app.jobs.run('drop unused pictures')
    return new Set((await api.get('/v1/media')).data.map(({ id }: any) => id))
  }
  assert.equal((await left()).size, 8)
  world.clock.advance(31 * 24 * 60 * 60)
  assert.deepEqual(await left(), new Set([main, gallery, variant, category, bump, logo, text].map(({ id }) => id)))
  assert.equal((await api.get(`/v1/media/${unused.id}`)).status, 404)
})

test('the month begins when a picture loses its last use, and ends when it gets one', async () => {
  const { api } = await newStore()
  const [first, second] = [
    (await send(api, await jpeg(flat(41, 40)))).data,
    (await send(api, await jpeg(flat(42, 40)))).data,
  ]
  const mug = (await api.post('/v1/products', { name: 'Mug', price: 1, main_image: first.url, gallery: [first.url] }))
    .data
  const cup = (await api.post('/v1/products', { name: 'Cup', price: 1, gallery: [first.url] })).data
  const left = async (days: number) => {
    world.clock.advance(days * 24 * 60 * 60)
    await world.app.jobs.run('drop unused pictures')
    return new Set((await api.get('/v1/media')).data.map(({ id }: any) => id))
  }
  await left(0)
  assert.deepEqual(await left(29), new Set([first.id, second.id]))
  await api.patch(`/v1/products/${mug.id}`, { main_image: second.url, gallery: [] })
  assert.deepEqual(await left(29), new Set([first.id, second.id]))
  await api.delete(`/v1/products/${cup.id}`)
  assert.deepEqual(await left(29), new Set([first.id, second.id]), 'unused from the first run on that sees it')
  assert.deepEqual(await left(29), new Set([first.id, second.id]))
  assert.deepEqual(await left(2), new Set([second.id]))
})

test('every column that may hold a picture keeps it from being dropped', async () => {
  const missing = await world.app.db.rows<{ table_name: string; column_name: string }>(sql`
    select table_name, column_name
    from information_schema.columns
    where table_schema = 'public'
      and column_name ~ '(image|picture|gallery|logo|favicon|banner|icon)'
      and data_type in ('text', 'jsonb', 'json')
      and not exists (
        select from pg_trigger
        join pg_attribute on attrelid = tgrelid
          and attnum = any(tgattr)
        where tgname = 'media_uses_update'
          and tgrelid = table_name::regclass
          and attname = column_name)
      and not (table_name = 'stores' and (
        select prosrc ~ ('\\m' || column_name || '\\M') from pg_proc where proname = 'follow_store_media'))
    order by table_name, column_name`)
  assert.deepEqual(missing, [])
})
