import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attempt } from '../../../developer/webhooks/delivery/attempts.ts'
import { languages } from '../../../kit/values/language.ts'
import { until } from '../../../../test/deliveries.ts'
import { dataOf } from '../../../../test/shop.ts'
import { testAuthority } from '../../../../test/receiver.ts'
import { staffOf } from '../../../../test/staff.ts'
import { running } from '../../../../test/strangers.ts'
import { openWorld } from '../../../../test/world.ts'
import { dashboardTranslator } from '../../framework/messages.ts'
import { failureReason } from './reasons.ts'

const world = await openWorld(
  { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  { network: { ca: testAuthority.ca }, delivers: true },
)

const { error: anyError } = attempt.entity.properties as { error: { enum: (string | null)[] } }
const errors = anyError.enum.filter((each) => each !== null)
const unsent = ['skipped_plan', 'access_revoked', 'abandoned', 'expired']

test('every error of a delivery is a sentence in every language', () => {
  assert.ok(errors.length > 5)
  for (const language of languages) {
    const t = dashboardTranslator(language)
    for (const error of [...errors, ...unsent]) {
      const text = failureReason(t, { status_code: null, error, message: null })!
      assert.match(text, /^\S+ .*\.$/, `${language} ${error}`)
    }
  }
})

async function subscribed() {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop])
  const receiver = await running({ answer: () => ({ status: 200 }) })
  const { id } = dataOf(
    await shop.api.post('/v1/webhooks', { url: `${receiver.url}/`, events: ['product.created'] }),
    201,
  )
  return { shop, ana, receiver, id, path: `/${shop.store.id}/settings/developer/webhooks/${id}` }
}

test('a webhook whose delivery failed says why in words, on its page, in the list and in the delivery', async () => {
  const { shop, receiver, id, ana, path } = await subscribed()
  await receiver.close()
  const { data: sent } = await shop.api.post(`/v1/webhooks/${id}/test`, { event: 'product.created' })
  const recordOf = async () => (await shop.api.get(`/v1/webhooks/${id}/deliveries/${sent.id}`)).data
  await until(async () => {
    world.clock.advance(1)
    return (await recordOf()).status === 'failed'
  })
  const { error, message } = await recordOf()
  assert.deepEqual([error, message], ['REFUSED', 'The connection was refused.'])
  for (const where of [path, `${path}/deliveries`, `${path}/deliveries/${sent.id}`]) {
    const { text } = await ana.get(where)
    assert.match(text, /The connection was refused\./, where)
    assert.doesNotMatch(text, /REFUSED/, where)
  }
})
