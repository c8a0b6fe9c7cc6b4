import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staffOf, type Shown, type Staff } from '../../../test/staff.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'

const world = await openWorld()
let shop: TestStore
let ana: Staff

shop = await world.newStore()
ana = await staffOf(world, [shop])

const at = (path: string) => ana.get(`/${shop.store.id}${path}`)
const navigationOf = ({ text }: Shown) => /<nav aria-label="Navigation">([\s\S]*?)<\/nav>/.exec(text)![1]!
const markedIn = (shown: Shown) =>
  [...navigationOf(shown).matchAll(/<a href="\/dashboard\/[^/"]+([^"]*)"[^>]*aria-current="(\w+)"/g)].map(
    ([, path, how]) => [path, how],
  )

test('the place where one is is marked, and so is the line that a screen is a part of', async () => {
  assert.deepEqual(markedIn(await at('')), [['', 'page']])
  assert.deepEqual(markedIn(await at('/products')), [['/products', 'page']])
  assert.deepEqual(markedIn(await at('/categories')), [['/categories', 'page']])
  const { data } = await shop.api.post('/v1/webhooks', { url: 'https://93.184.216.34/hook', events: ['order.created'] })
  const line = '/settings/developer/webhooks'
  assert.deepEqual(markedIn(await at(line)), [[line, 'page']])
  assert.deepEqual(markedIn(await at(`${line}/${data.id}/deliveries`)), [[line, 'true']])
})

test('the lines of a section are there while it is open, in groups', async () => {
  assert.ok(!navigationOf(await at('/orders')).includes('API keys'))
  const open = navigationOf(await at('/settings'))
  assert.match(open, /<p>Developers<\/p><ul><li><a href="[^"]*">API keys<\/a><\/li>/)
})

test('a line that a role may not open is not there', async () => {
  const ben = await staffOf(world, [shop], 'staff')
  const { text } = await ben.get(`/${shop.store.id}/settings`)
  assert.ok(!text.includes('API keys'))
  assert.ok(!text.includes('Webhooks'))
})
