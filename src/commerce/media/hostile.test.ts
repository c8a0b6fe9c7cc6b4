// Files that are expensive to decode, images of other stores, and files left behind by a killed process.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { madeReady, noisyPicture, send } from '../../../test/uploads.ts'
import { dataOf } from '../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'stoa-hostile-'))
after(() => rm(dataDir, { recursive: true, force: true }))
const world = await openWorld({ DATA_DIR: dataDir }, { sweeps: true })

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** An all-zero black-and-white PNG: a few kilobytes per hundred megapixels. */
function zeros(width: number, height: number, more: Buffer[] = []): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.writeUInt8(1, 8)
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    ...more,
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const bombs: Record<string, [() => Buffer, RegExp]> = {
  '256 megapixels in 40 KB': [() => zeros(16_000, 16_000), /at most 25000000 pixels/],
  '100,000 × 100,000 in words alone': [
    () => zeros(100_000, 1).fill('\0\x01\x86\xa0', 20, 24, 'latin1'),
    /16 to 16383|JPEG/,
  ],
}

for (const [what, [make, message]] of Object.entries(bombs)) {
  test(`${what} is refused before it is unpacked`, async () => {
    const { api } = await world.newStore()
    const file = make()
    assert.ok(file.length < 200_000, `${file.length} bytes`)
    const { status, error } = await send(api, file)
    assert.deepEqual([status, error?.details?.[0]?.field], [422, 'file'])
    assert.match(error.details[0].message, message)
  })
}

test('words and profiles that unpack to hundreds of megabytes do the server nothing', async () => {
  const { api } = await world.newStore()
  const packed = deflateSync(Buffer.alloc(200 * 1024 * 1024), { level: 9 })
  for (const type of ['zTXt', 'iCCP', 'iTXt']) {
    const words = Buffer.from(type === 'iTXt' ? 'Comment\0\x01\0\0\0' : 'Comment\0\0', 'latin1')
    const { status } = await send(api, zeros(64, 64, [chunk(type, Buffer.concat([words, packed]))]))
    assert.ok([201, 422].includes(status), `${type} ${status}`)
  }
  assert.equal((await send(api)).status, 201, 'and the next picture is taken')
})

test('of a film the first picture is taken', async () => {
  const { api } = await world.newStore()
  const frames = Array.from({ length: 60 }, (_, at) => ({ r: at * 4, g: 0, b: 0 }))
  const raw = Buffer.concat(frames.map(({ r }) => Buffer.alloc(64 * 64 * 3, r)))
  const film = await sharp(raw, { raw: { width: 64, height: 64 * frames.length, channels: 3, pageHeight: 64 } })
    .gif({ delay: frames.map(() => 40) })
    .toBuffer()
  const data = dataOf(await send(api, film), 201)
  assert.deepEqual([data.width, data.height, data.format], [64, 64, 'gif'])
})

/** Requests a path under another host name. */
function get(host: string, where: string): Promise<number> {
  const { hostname, port } = new URL(world.url)
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: where, headers: { host } }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode!))
    })
      .on('error', reject)
      .end()
  })
}

async function givenDomain({ store }: TestStore): Promise<string> {
  const domain = `${store.slug}.example.net`
  await world.app.db.rows(sql`
    update stores set custom_domain = ${domain}, domain_verified = true where id = ${store.id}`)
  return domain
}

test('below the domain of a store there are no pictures of another, and nobody changes those of another', async () => {
  const [mine, other] = [await world.newStore(), await world.newStore()]
  const domain = await givenDomain(mine)
  const [own, foreign] = [dataOf(await send(mine.api), 201), dataOf(await send(other.api), 201)]
  await Promise.all([madeReady(mine.api, own.id), madeReady(other.api, foreign.id)])
  const { pathname } = new URL(foreign.url)
  assert.equal(await get(domain, new URL(own.url).pathname), 200)
  assert.equal(await get(domain, pathname), 404)
  for (const ask of ['get', 'delete'] as const)
    assert.equal((await mine.api[ask](`/v1/media/${foreign.id}`)).status, 404)
  assert.equal((await mine.api.patch(`/v1/media/${foreign.id}`, { alt_text: 'x' })).status, 404)
  // The same file is a separate image in each store.
  const file = await noisyPicture()
  const [one, two] = [dataOf(await send(mine.api, file), 201), dataOf(await send(other.api, file), 201)]
  assert.notEqual(one.url, two.url)
  await Promise.all([madeReady(mine.api, one.id), madeReady(other.api, two.id)])
  await mine.api.delete(`/v1/media/${one.id}`)
  await world.app.jobs.run('remove pictures')
  assert.equal((await fetch(world.url + new URL(two.url).pathname)).status, 200)
  assert.equal((await fetch(world.url + new URL(one.url).pathname)).status, 404)
})

test('addresses that climb out of the folder, or name what is not served, are not found', async () => {
  const { api, store } = await world.newStore()
  const { url } = dataOf(await send(api), 201)
  const { pathname } = new URL(url)
  const folder = pathname.slice(0, pathname.lastIndexOf('/'))
  for (const wrong of [
    `${folder}/original`,
    `${folder}/..%2f..%2fsecret.key`,
    `${folder}/%2e%2e/16.jpg`,
    `${folder}/17.webp`,
    `${folder}/16.jpg%00`,
    `${folder}/16.jpg/x`,
    `/media/${store.id}/..%2f..%2f..%2fetc/passwd`,
    `/media/${store.id.toLowerCase()}/${folder.split('/').at(-1)}/16.jpg`,
    `/media/..%2f/${folder.split('/').at(-1)}/16.jpg`,
  ]) {
    assert.equal(await get(new URL(world.url).host, wrong), 404, wrong)
  }
})

test('what a killed process left undone is taken up, and what cannot be made says so', async () => {
  const { api, store } = await world.newStore()
  const file = await noisyPicture(700, 500)
  const [good, lost] = [dataOf(await send(api, file), 201), dataOf(await send(api), 201)]
  await Promise.all([madeReady(api, good.id), madeReady(api, lost.id)])
  const folderOf = ({ url }: { url: string }) => path.join(dataDir, path.dirname(new URL(url).pathname))
  // The state left by a process that is killed after an upload is recorded and before its renditions exist.
  for (const picture of [good, lost]) await rm(folderOf(picture), { recursive: true })
  await mkdir(folderOf(good), { recursive: true })
  await writeFile(path.join(folderOf(good), 'original'), file)
  await world.app.db.rows(sql`
    update media set status = 'processing', updated_at = ${world.clock.now()} where store_id = ${store.id}`)
  const asked = await fetch(world.url + new URL(good.url).pathname)
  assert.deepEqual([asked.status, asked.headers.get('cache-control')], [503, 'no-store'])

  await world.app.jobs.run('make sizes of pictures')
  assert.equal((await api.get(`/v1/media/${good.id}`)).data.status, 'processing', 'somebody may still be at it')
  world.clock.advance(121)
  await world.app.jobs.run('make sizes of pictures')
  assert.equal((await api.get(`/v1/media/${good.id}`)).data.status, 'ready')
  assert.equal((await fetch(world.url + new URL(good.url).pathname)).status, 200)
  assert.equal((await api.get(`/v1/media/${lost.id}`)).data.status, 'failed')
  assert.equal((await fetch(world.url + new URL(lost.url).pathname)).status, 404)
})

test('who asks for a picture that another process makes waits for it', async () => {
  const { api, store } = await world.newStore()
  const { id, url } = dataOf(await send(api), 201)
  await madeReady(api, id)
  const folder = path.join(dataDir, path.dirname(new URL(url).pathname))
  const mark = (status: string) =>
    world.app.db.rows(sql`update media set status = ${status} where store_id = ${store.id}`)
  await rename(folder, `${folder}.there`)
  await mark('processing')
  const asked = fetch(world.url + new URL(url).pathname)
  await sleep(500)
  await rename(`${folder}.there`, folder)
  await mark('ready')
  assert.equal((await asked).status, 200)
})
