// One store's worst images beside those of others: turns at decoding, and quotas of pixels and bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { dataOf } from '../../../test/shop.ts'
import { madeReady, noisyPicture, send } from '../../../test/uploads.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld({ MEDIA_MB_PER_STORE: '1' })

/** Less than a kilobyte, but 2 s of CPU time to inspect. */
const worst = await sharp({ create: { width: 4990, height: 4990, channels: 3, background: '#123456' } })
  .avif({ effort: 0 })
  .toBuffer()

test('24 of the worst pictures of a store leave the uploads of others open, and each is answered', async () => {
  assert.ok(worst.length < 2000, `${worst.length} bytes`)
  const [one, other] = [await world.newStore(), await world.newStore()]
  const flood = Array.from({ length: 24 }, () => send(one.api, worst))
  const uploads = []
  for (let count = 0; count < 8; count++) uploads.push(await send(other.api))
  assert.deepEqual(new Set(uploads.map(({ status }) => status)), new Set([201]))
  const answers = await Promise.all(flood)
  const refused = answers.filter(({ status }) => status === 429)
  assert.ok(refused.length >= 12, `${refused.length} refused`)
  for (const { status, headers } of answers) {
    assert.ok([201, 429, 503].includes(status), String(status))
    if (status !== 201) assert.ok(Number(headers.get('retry-after')) > 0)
  }
})

test('a store has a quota of pixels a minute, whichever key sends them', async () => {
  const { api, withKey } = await world.newStore()
  // 24.9 megapixels that are quick to inspect.
  const large = await sharp({ create: { width: 4990, height: 4990, channels: 3, background: '#654321' } })
    .jpeg()
    .toBuffer()
  const other = await withKey({})
  const statuses: number[] = []
  while (statuses.length < 30 && statuses.at(-1) !== 429) {
    const key = statuses.length % 2 ? api : other
    statuses.push((await send(key, large, {}, 'large.jpg', { prefer: 'dry-run' })).status)
  }
  assert.deepEqual([statuses.length, new Set(statuses.slice(0, 24))], [25, new Set([201])])
  const { status, headers, error } = await send(api)
  assert.deepEqual([status, error.code], [429, 'RATE_LIMITED'])
  assert.ok(Number(headers.get('retry-after')) > 1)
  world.clock.advance(61)
  assert.equal((await send(api)).status, 201)
})

test('the pictures of a store take so many bytes, whatever becomes of them, and no more', async () => {
  const { api } = await world.newStore()
  const made: string[] = []
  let refused = null
  while (!refused && made.length < 20) {
    const answer = await send(api, await noisyPicture(400, 400))
    if (answer.status === 422) refused = answer
    else made.push(await madeReady(api, dataOf(answer, 201).id))
  }
  assert.deepEqual(
    refused?.error.details.map(({ field, message }: any) => [field, /up at most 1 MB/.test(message)]),
    [['file', true]],
  )
  await api.delete(`/v1/media/${made[0]}`)
  await api.delete(`/v1/media/${made[1]}`)
  assert.equal((await send(api)).status, 201)
})
