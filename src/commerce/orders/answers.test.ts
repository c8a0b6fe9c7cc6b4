// Answers at checkout are shown wherever an order is, also those that came through the API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setUp } from '../../../test/checkouts.ts'
import { staffOf } from '../../../test/staff.ts'
import { dataOf } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'
import { showAnswers } from './answers.ts'
import { orderPath } from './link.ts'

const world = await openWorld()

const custom_fields = [
  { key: 'gift_message', label: 'Gift message', value: 'For Mia, see www.example.com' },
  { key: 'delivery_day', label: 'Delivery day', value: '2026-12-24' },
  { key: 'gift_wrap', label: 'Gift wrap', value: true },
  { source: 'erp' },
]

test('answers of an order are on its screen, its papers, its page and in both mails', async () => {
  const shop = await setUp(await world.newStore())
  const ana = await staffOf(world, [shop], 'staff')
  const items = [{ product_name: 'Card', unit_price: 20, quantity: 1 }]
  const order = dataOf(await shop.api.post('/v1/orders', { items, custom_fields }), 201)
  const read = (text: string) => text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
  const all = /Gift message For Mia, see www\.example\.com Delivery day December 24, 2026 Gift wrap Yes/
  const base = `/${shop.store.id}/orders`
  for (const path of [`/${order.id}`, ...['slip', 'invoice'].map((what) => `/print?what=${what}&ticked=${order.id}`)]) {
    assert.match(read((await ana.get(base + path)).text), all, path)
  }
  const page = await fetch(`${world.url}/s/${shop.store.slug}${orderPath(world.app.vault, shop.store.id, order.id)}`)
  assert.match(read(await page.text()), new RegExp(`Additional information ${all.source}`))
  const mail = async (kind: string) =>
    (await shop.api.get(`/v1/store/mails/${kind}/preview?order=${order.id}&language=de`)).data.text
  assert.match(await mail('order_notice'), /Gift message:\n  For Mia, see www\.example\.com/)
  const confirmation = await mail('order_confirmation')
  assert.match(confirmation, /Delivery day:\n  24\. Dezember 2026\n\nGift wrap:\n  Ja/)
  assert.ok(!confirmation.includes('www.example.com'), 'a typed link stays text')
})

test('an order without answers shows none, whatever else its custom fields have', async () => {
  const shop = await setUp(await world.newStore())
  const ana = await staffOf(world, [shop], 'staff')
  const items = [{ product_name: 'Card', unit_price: 20, quantity: 1 }]
  const strange = [
    { key: 'a', label: 'A', value: { b: 1 } },
    { label: 'B', value: 'b' },
    { key: 'c', label: 'C', value: '' },
  ]
  const order = dataOf(await shop.api.post('/v1/orders', { items, custom_fields: strange }), 201)
  assert.ok(!(await ana.get(`/${shop.store.id}/orders/${order.id}`)).text.includes('Additional information'))
})

test('numbers have no separators, words that are no date stay, and terms of the store are translated', () => {
  const answers = [1234.5, '2026-13-01', 'Red', false].map((value, key) => ({ key: String(key), label: 'Red', value }))
  const translate = (text: string) => (text === 'Red' ? 'Rot' : text)
  assert.deepEqual(
    showAnswers({ custom_fields: answers }, { language: 'de', yes: 'Ja', no: 'Nein', translate }),
    ['1234,5', '2026-13-01', 'Rot', 'Nein'].map((text) => ({ label: 'Rot', text })),
  )
})
