// Archives of a table with pictures.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { imported, upload } from '../../../../test/imports.ts'
import { faultsOf } from '../../../../test/shop.ts'
import { zipped } from '../../../../test/workbooks.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })

const picture = (red: number) =>
  sharp({ create: { width: 80, height: 60, channels: 3, background: { r: red, g: 0, b: 0 } } })
    .png()
    .toBuffer()

test('the pictures of an archive become those of the products whose cells name them', async () => {
  const { api, store } = await world.newStore()
  const table = 'name,price,images\nMug,5,"mug.png, pictures/back of it.png"\nCup,3,pictures/mug.png\nPot,9,none.png\n'
  const file = await zipped({
    'shop/products.csv': table,
    'pictures/mug.png': await picture(10),
    'pictures/back of it.png': await picture(20),
    'pictures/unused.png': await picture(30),
    'readme.md': 'x',
    '__MACOSX/._products.csv': 'x',
  })
  const done = await imported(world, api, file, { kind: 'products', source: 'generic' })
  assert.deepEqual(done.notes, ['Neither a table nor a picture, and left out: readme.md'])
  assert.equal(done.rows_created, 3)
  for (let turn = 0; turn < 3; turn++) await world.app.jobs.run('import')
  const { images_fetched, images_failed } = (await api.get(`/v1/imports/${done.id}`)).data
  assert.deepEqual([images_fetched, images_failed], [3, 0])
  const { data } = await api.get('/v1/products?sort=name&order=asc')
  const galleries = data.map(({ gallery }: any) => gallery.map(({ url }: any) => url))
  assert.deepEqual(
    galleries.map((urls: string[]) => urls.length),
    [1, 2, 0],
  )
  for (const url of galleries.flat()) assert.ok(url.includes(`/media/${store.id}/`), url)
})

test('an archive without a table, with two or a path out of it is refused, and nothing of it is kept', async () => {
  const { api } = await world.newStore()
  const refusal = async (file: Buffer) => faultsOf(await upload(api, file, { kind: 'products' })).file!
  const table = 'name,price\nMug,5\n'
  assert.match(await refusal(await zipped({ 'a.png': 'x' })), /must have one table .* it has 0/)
  assert.match(await refusal(await zipped({ 'a.csv': table, 'b.csv': table })), /must have one table .* it has 2/)
  assert.match(await refusal(await zipped({ 'a.csv': table, 'b.bin': Buffer.alloc(5) }).then(escaping)), /leads out/)
  assert.deepEqual((await api.get('/v1/imports')).data, [])
})

function escaping(file: Buffer): Buffer {
  return Buffer.from(file.toString('latin1').replaceAll('b.bin', '/.bin'), 'latin1')
}
