import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newShop, type Shop } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'
import { orderPath } from './orderlink.ts'

const world = await openWorld()

async function pageOf({ store }: Shop, { id }: { id: string }, language = 'en'): Promise<string> {
  const path = orderPath({ store, tools: { vault: world.app.vault } } as Parameters<typeof orderPath>[0], id)
  const headers = { 'accept-language': language }
  const answer = await fetch(`${world.url}/s/${store.slug}${path}`, { headers })
  assert.equal(answer.status, 200)
  return answer.text()
}

const textOf = (page: string) => page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

test('the page of an order shows what was sent of it, in both languages', async () => {
  const shop = await newShop(world)
  const order = await shop.order([
    { product_name: 'Mug', unit_price: 10, quantity: 2 },
    { product_name: 'Cap', variant_name: 'Red', unit_price: 5, quantity: 1 },
  ])
  const send = (body: object) => shop.api.post(`/v1/orders/${order.id}/fulfillments`, body)
  assert.doesNotMatch(await pageOf(shop, order), /Shipments/)

  const items = [{ item_id: order.items[0].id, quantity: 2 }]
  const shipped_at = '2026-11-20T10:00:00Z'
  await send({ items, carrier: 'UPS', tracking_number: '1Z"<', shipped_at })
  const page = await pageOf(shop, order)
  assert.match(page, /<a href="https:\/\/www\.ups\.com\/track\?tracknum=1Z%22%3C" rel="[^"]*">1Z&quot;&lt;<\/a>/)
  assert.match(
    textOf(page),
    /Shipments Shipped on November 20, 2026 · UPS · 1Z&quot;&lt; 2 × Mug .*The remaining items ship separately\./,
  )
  assert.match(textOf(await pageOf(shop, order, 'es')), /Envíos Enviado el 20 de noviembre de 2026 · UPS .*El resto/)

  const { data } = await send({ carrier: 'Our van', tracking_number: '7', shipped_at, delivered_at: shipped_at })
  assert.match(textOf(await pageOf(shop, order)), /Delivered on November 20, 2026 · Our van · 7 1 × Cap · Red /)
  assert.doesNotMatch(textOf(await pageOf(shop, order)), /remaining items/)

  const other = await shop.order([{ product_name: 'Mug', unit_price: 10, quantity: 1 }])
  const parcel = (await shop.api.post(`/v1/orders/${other.id}/fulfillments`, { tracking_url: 'https://a.example/1' }))
    .data
  assert.match(textOf(await pageOf(shop, other)), /Shipped on .* · Track shipment Returns .* Contact/)
  await shop.api.patch(`/v1/orders/${other.id}/fulfillments/${parcel.id}`, { status: 'cancelled' })
  assert.doesNotMatch(await pageOf(shop, other), /Shipments/)
  assert.equal(data.status, 'delivered')
})
