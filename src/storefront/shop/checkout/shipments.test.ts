import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newShop, type Shop } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'
import { orderPath } from './orderlink.ts'

const world = await openWorld()

async function pageOf({ store }: Shop, { id }: { id: string }, language = 'en'): Promise<string> {
  const path = orderPath({ store, deps: { vault: world.app.vault } } as Parameters<typeof orderPath>[0], id)
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

// Order status and what was sent → the step that the page names, and those before it.
const journeys = [
  { status: 'pending', sent: 0, at: 'Received', steps: ['Received', 'Confirmed', 'In progress', 'Completed'] },
  { status: 'confirmed', sent: 0, at: 'Confirmed', steps: ['Received', 'Confirmed', 'In progress', 'Completed'] },
  { status: 'pending', sent: 1, at: 'In progress', steps: ['Received', 'Confirmed', 'In progress', 'Completed'] },
  { status: 'pending', sent: 2, at: 'Shipped', steps: ['Received', 'Confirmed', 'Shipped', 'Completed'] },
  { status: 'confirmed', sent: 2, at: 'Shipped', steps: ['Received', 'Confirmed', 'Shipped', 'Completed'] },
  { status: 'completed', sent: 2, at: 'Completed', steps: ['Received', 'Confirmed', 'Shipped', 'Completed'] },
  { status: 'completed', sent: 0, at: 'Completed', steps: ['Received', 'Confirmed', 'In progress', 'Completed'] },
]

test('the steps of an order follow its parcels as well as its status', async () => {
  const shop = await newShop(world)
  for (const { status, sent, at, steps } of journeys) {
    const order = await shop.order([{ product_name: 'Mug', unit_price: 10, quantity: 2 }])
    const items = [{ item_id: order.items[0].id, quantity: sent }]
    if (sent > 0) await shop.api.post(`/v1/orders/${order.id}/fulfillments`, { items })
    await shop.api.patch(`/v1/orders/${order.id}`, { status })
    const list = /<ol class="progress"[^]*?<\/ol>/.exec(await pageOf(shop, order))![0]
    assert.deepEqual(
      [...list.matchAll(/<li[^>]*>([^<]*)/g)].map(([, name]) => name),
      steps,
    )
    assert.equal(/aria-current="step">([^<]*)/.exec(list)![1], at)
  }
})

test('what is picked up is never called shipped', async () => {
  const shop = await newShop(world)
  await shop.api.post('/v1/store/shipping-rates', { code: 'pickup', price: 0 })
  const order = await shop.order([{ product_name: 'Mug', unit_price: 10, quantity: 1 }], { shipping_method: 'pickup' })
  await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {})
  const list = /<ol class="progress"[^]*?<\/ol>/.exec(await pageOf(shop, order))![0]
  assert.match(list, /aria-current="step">In progress</)
  assert.doesNotMatch(list, /Shipped/)
})

test('the page thanks for a day, until something is sent', async () => {
  const shop = await newShop(world)
  const place = () =>
    shop.order([{ product_name: 'Mug', unit_price: 10, quantity: 1 }], { customer_name: 'Ana Torres' })
  const [sent, waiting] = [await place(), await place()]
  const title = async (order: { id: string }) => /<h1>([^<]*)/.exec(await pageOf(shop, order))![1]
  assert.equal(await title(sent), 'Thank you, Ana!')
  await shop.api.post(`/v1/orders/${sent.id}/fulfillments`, {})
  assert.equal(await title(sent), `Order ${sent.order_number}`)
  world.clock.advance(24 * 60 * 60 - 60)
  assert.equal(await title(waiting), 'Thank you, Ana!')
  world.clock.advance(120)
  assert.equal(await title(waiting), `Order ${waiting.order_number}`)
})
