import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../test/shop.ts'
import { testAuthority, type Received } from '../../../test/receiver.ts'
import { running } from '../../../test/strangers.ts'
import { openWorld } from '../../../test/world.ts'
import { signature } from '../../platform/outbound/signature.ts'

const world = await openWorld({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, { network: { ca: testAuthority.ca } })

async function subscribed(answer: (received: Received, secret: string) => number) {
  const shop = await world.newStore()
  const secret = 'a secret of our own choice'
  const receiver = await running({ answer: (received) => ({ status: answer(received, secret) }) })
  const { id } = dataOf(
    await shop.api.post('/v1/webhooks', { url: `${receiver.url}/`, events: ['order.created'], secret }),
    201,
  )
  const examine = () => shop.api.post(`/v1/webhooks/${id}/examine`)
  return { shop, receiver, id, examine }
}

function isRight({ headers, body }: Received, secret: string): boolean {
  const timestamp = Number(headers['x-webhook-timestamp'])
  const isFresh = Math.abs(world.clock.now().getTime() / 1000 - timestamp) <= 300
  return isFresh && headers['x-webhook-signature'] === signature({ timestamp, body: body.toString() }, secret)
}

test('a receiver is examined with the secret of its webhook, and neither log nor health know of it', async () => {
  const { shop, id, examine, receiver } = await subscribed((received, secret) =>
    isRight(received, secret) ? 200 : 401,
  )
  const { verdict, findings, probes } = dataOf(await examine(), 200)
  assert.deepEqual([verdict, findings], ['right', []])
  assert.deepEqual([probes[0].probe, probes[0].expected, probes[0].status], ['valid', 'accepted', 200])
  assert.ok(receiver.received.every(({ headers }) => headers['x-webhook-test'] === 'true'))
  assert.deepEqual((await shop.api.get(`/v1/webhooks/${id}/deliveries`)).data, [])
  const webhook = (await shop.api.get(`/v1/webhooks/${id}`)).data
  assert.deepEqual([webhook.status, webhook.last_delivery_at, webhook.consecutive_failures], ['active', null, 0])
  assert.deepEqual(await shop.events(), [])
})

test('one that checks nothing is told so', async () => {
  const { examine } = await subscribed(() => 200)
  const { verdict, findings } = dataOf(await examine(), 200)
  assert.equal(verdict, 'wrong')
  assert.deepEqual(
    findings.map(({ says }: any) => says),
    ['returns 200 for a forged signature, so it does not check signatures'],
  )
})

test('one that cannot be called is unreachable, in words that name no address', async () => {
  const { receiver, examine } = await subscribed(() => 200)
  await receiver.close()
  const { verdict, findings } = dataOf(await examine(), 200)
  assert.deepEqual([verdict, findings[0].says], ['unreachable', 'cannot be called: The connection was refused.'])
})

test('a store may ask for six examinations a minute', async () => {
  const { examine } = await subscribed(() => 500)
  for (let count = 0; count < 6; count++) assert.equal((await examine()).status, 200)
  const { status, error, headers } = await examine()
  assert.deepEqual([status, error.code], [429, 'RATE_LIMITED'])
  assert.ok(Number(headers.get('retry-after')) > 0)
})
