// The timeline's comments: who may write them, who may change them, and what others see.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../../test/shop.ts'
import { newRole } from '../../../../test/people.ts'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'
import { toUuid } from '../../../kit/values/ids.ts'

const world = await openWorld()

async function open() {
  const shop = await world.newStore()
  const items = [{ product_name: 'Card', unit_price: 20, quantity: 2 }]
  const order = dataOf(await shop.api.post('/v1/orders', { items }), 201)
  const ana = await staffOf(world, [shop], 'staff')
  return { shop, order, ana, path: `/${shop.store.id}/orders/${order.id}` }
}

test('a comment is written in the timeline, with its author, its lines and what it mentions', async () => {
  const { shop, order, ana, path } = await open()
  const posted = await ana.post(path, { act: 'comment', body: 'Call @Ana\n<b>first</b>' })
  assert.deepEqual([posted.status, posted.notice], [303, 'comment_added'])
  const { text } = await ana.get(path)
  assert.ok(text.includes('Call <strong>@Ana</strong>\n&lt;b&gt;first&lt;/b&gt;'), text)
  const { data } = await shop.api.get(`/v1/orders/${order.id}/comments`)
  assert.deepEqual([data[0].author_kind, toUuid('usr', data[0].author_id)], ['user', ana.userId])
  const empty = await ana.post(path, { act: 'comment', body: '' })
  assert.equal(empty.status, 422)
})

test('its author edits it, an owner may too, and another member of the staff does not', async () => {
  const { shop, order, ana, path } = await open()
  await ana.post(path, { act: 'comment', body: 'Mine' })
  const [{ id }] = (await shop.api.get(`/v1/orders/${order.id}/comments`)).data
  const isOffered = async (who: typeof ana) => (await who.get(path)).text.includes('value="comment_edit"')
  const [ben, cy] = [await staffOf(world, [shop], 'staff'), await staffOf(world, [shop], 'owner')]
  assert.deepEqual([await isOffered(ana), await isOffered(ben), await isOffered(cy)], [true, false, true])
  const edit = (who: typeof ana, body: string) => who.post(path, { act: 'comment_edit', comment_id: id, body })
  assert.equal((await edit(ben, 'Not mine')).status, 403)
  assert.equal((await edit(ana, 'Still mine')).status, 303)
  assert.equal((await edit(cy, 'Tidied')).status, 303)
  assert.equal((await shop.api.get(`/v1/orders/${order.id}/comments/${id}`)).data.body, 'Tidied')
  const asked = await cy.post(path, { act: 'comment_delete', comment_id: id })
  assert.match(asked.text, /Delete this comment\?/)
  assert.equal((await cy.post(path, { act: 'comment_delete', comment_id: id, sure: '1' })).status, 303)
  assert.deepEqual((await shop.api.get(`/v1/orders/${order.id}/comments`)).data, [])
})

test('who may only read orders reads the comments and writes none', async () => {
  const { shop, ana, path } = await open()
  await ana.post(path, { act: 'comment', body: 'Read me' })
  const id = toUuid('role', await newRole(world, shop, ['read:orders']))!
  const reader = await staffOf(world, [shop], { id })
  const { text } = await reader.get(path)
  assert.match(text, /Read me/)
  assert.ok(!text.includes('value="comment"'))
  assert.equal((await reader.post(path, { act: 'comment', body: 'x' })).status, 403)
})
