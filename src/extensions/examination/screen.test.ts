import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardTranslator } from '../../dashboard/framework/messages.ts'
import { languages } from '../../kit/values/language.ts'
import { testAuthority } from '../../../test/receiver.ts'
import { dataOf } from '../../../test/shop.ts'
import { staffOf } from '../../../test/staff.ts'
import { running } from '../../../test/strangers.ts'
import { openWorld } from '../../../test/world.ts'
import { findingCodes } from './findings.ts'
import { findingText } from './screen.ts'

const world = await openWorld({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, { network: { ca: testAuthority.ca } })

test('every finding is a sentence in every language', () => {
  const values = { status: 503, limit: 15, duration: 6, off: 400, reason: 'The connection was refused.' }
  for (const language of languages) {
    const t = dashboardTranslator(language)
    for (const code of findingCodes)
      assert.match(findingText(t, { code, values }, null), /^[^{}]+\.$/, `${language} ${code}`)
  }
})

test('an examination shows what the receiver gets wrong', async () => {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop])
  const receiver = await running({ answer: () => ({ status: 200 }) })
  const webhook = { url: `${receiver.url}/`, events: ['product.created'] }
  const { id } = dataOf(await shop.api.post('/v1/webhooks', webhook), 201)
  const path = `/${shop.store.id}/settings/developer/webhooks/${id}`
  assert.match((await ana.get(path)).text, /value="examine"/)
  const { text } = await ana.post(path, { act: 'examine' })
  assert.match(text, /The endpoint has errors/)
  assert.match(text, /It returns 200 for a forged signature, so it doesn’t check signatures/)
})
