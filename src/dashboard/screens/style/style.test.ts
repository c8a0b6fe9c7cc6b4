// The page of all parts: whole in every language, and nowhere but in development.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'
import { languages } from '../../../kit/values/language.ts'
import { dashboardTranslator, isMessageKey } from '../../framework/messages.ts'
import { nouns, listStatuses } from '../../framework/statuses.ts'
import { styleParts } from './style.ts'

const world = await openWorld()

test('every status of every noun has a text and a mark', async () => {
  for (const language of languages) {
    const page = String(await styleParts({ t: dashboardTranslator(language), here: '/' }))
    const count = nouns.reduce((sum, noun) => sum + listStatuses(noun).length, 0)
    assert.equal(page.match(/<span class="mark (done|warn|half|part|bad|good|plain)">[^<]+<\/span>/g)?.length, count)
  }
  assert.ok(isMessageKey('payment_status_partly_paid'))
})

test('outside of development there is no style page', async () => {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop])
  assert.equal((await ana.get(`/${shop.store.id}/_style`)).status, 404)
})
