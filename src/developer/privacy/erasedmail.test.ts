// After an erasure, whatever happens to the orders that stay: no email goes to the address that they keep, and none is
// recorded with it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { home, productOf, setUp } from '../../../test/checkouts.ts'
import { dataOf, faultsOf, sold } from '../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { getMailKind, mailKinds, type MailKind } from '../../tenancy/emails/kinds.ts'
import { queueMail } from '../../tenancy/emails/queue.ts'

const world = await openWorld()
const email = 'zelma@example.com'

type Order = { id: string; order_number: number; items: { id: string }[] }

async function shopWithOrder(): Promise<TestStore & { order: Order }> {
  const shop = await setUp(await world.newStore())
  const items = [sold(await productOf(shop), 2)]
  const body = { items, customer_email: email, notify_customer: true, shipping_address: home }
  return { ...shop, order: dataOf(await shop.api.post('/v1/orders', body), 201) }
}

async function erase({ api }: TestStore): Promise<void> {
  const [customer] = (await api.get('/v1/customers')).data
  dataOf(await api.delete(`/v1/customers/${customer.id}`), 200)
}

const sentTo = async ({ api }: TestStore) =>
  (await api.get('/v1/mails?per_page=100')).data.filter(({ recipient }: any) => recipient === email)

type Act = (shop: TestStore & { order: Order }) => Promise<void>

const patched =
  (body: object): Act =>
  async ({ api, order }) => {
    dataOf(await api.patch(`/v1/orders/${order.id}`, body), 200)
  }

const ship: Act = async ({ api, order }) => {
  dataOf(await api.post(`/v1/orders/${order.id}/fulfillments`, {}), 201)
}

const askReturn = async ({ api, order }: TestStore & { order: Order }, status = 'requested'): Promise<string> => {
  const items = order.items.map(({ id }) => ({ item_id: id, quantity: 1, reason: 'damaged' }))
  return dataOf(await api.post(`/v1/orders/${order.id}/returns`, { items, status }), 201).id
}

/** What is done before the erasure, and what after it would send each kind that is about an order. */
const acts: Partial<Record<MailKind, { before?: Act; act: Act }>> = {
  // The order of an exchange.
  order_confirmation: {
    before: async (shop) => {
      await patched({ payment_status: 'paid' })(shop)
      await ship(shop)
    },
    act: async (shop) => {
      const { api } = shop
      const id = await askReturn(shop, 'approved')
      dataOf(await api.post(`/v1/returns/${id}/receive`, {}), 200)
      const items = [sold(await productOf(shop))]
      dataOf(await api.post(`/v1/returns/${id}/exchange`, { items }), 200)
      assert.deepEqual((await api.get('/v1/customers')).data, [])
    },
  },
  order_paid: { act: patched({ payment_status: 'paid' }) },
  order_shipped: { act: ship },
  order_refunded: {
    before: patched({ payment_status: 'paid' }),
    act: async ({ api, order }) => {
      dataOf(await api.post(`/v1/orders/${order.id}/refunds`, { amount: 1 }), 201)
    },
  },
  order_cancelled: { act: patched({ status: 'cancelled' }) },
  return_requested: {
    before: ship,
    act: async (shop) => {
      await askReturn(shop)
    },
  },
  return_approved: {
    before: ship,
    act: async (shop) => {
      dataOf(await shop.api.post(`/v1/returns/${await askReturn(shop)}/approve`, {}), 200)
    },
  },
  return_declined: {
    before: ship,
    act: async (shop) => {
      dataOf(await shop.api.post(`/v1/returns/${await askReturn(shop)}/decline`, { reason: 'Worn' }), 200)
    },
  },
  payment_request: {
    act: async ({ api, order }) => {
      const path = `/v1/orders/${order.id}/payment-link`
      assert.deepEqual(Object.keys(faultsOf(await api.post(path, { send: true }))), ['send'])
      assert.equal(dataOf(await api.post(path, { send: false }), 200).sent_to, null)
    },
  },
  order_link: {
    act: async ({ store, order }) => {
      const body = new URLSearchParams({ email, number: String(order.order_number) })
      const headers = { origin: 'https://shop.example' }
      const sent = await fetch(`${world.url}/s/${store.slug}/find-order`, { method: 'POST', body, headers })
      assert.ok(sent.status < 400, String(sent.status))
    },
  },
}

for (const [kind, { before, act }] of Object.entries(acts)) {
  test(`${kind} is not sent to an erased customer`, async () => {
    const shop = await shopWithOrder()
    await before?.(shop)
    await erase(shop)
    await act(shop)
    assert.deepEqual(await sentTo(shop), [])
  })
}

// Those about checkouts, drafts and payments take the address of the checkout or draft, which the erasure clears. A
// sign-in is asked for by whoever reads the mail.
const elsewhere: MailKind[] = [
  'draft_order_link',
  'payment_failed',
  'abandoned_checkout',
  'payment_returned',
  'account_sign_in',
]

test('every kind to a customer is tried, and none about an order that stays is queued by any way', async () => {
  const kinds = mailKinds.filter((kind) => getMailKind(kind).to === 'customer')
  assert.deepEqual([...Object.keys(acts), ...elsewhere].sort(), kinds.toSorted())
  const shop = await shopWithOrder()
  await erase(shop)
  const about = { order_id: toUuid('ord', shop.order.id)! }
  for (const kind of kinds)
    await world.app.db.transaction(async (tx) => {
      queueMail(tx, shop.store.id, { kind, recipient: email, language: 'en', about })
    })
  assert.deepEqual(await sentTo(shop), [])
})

test('a person who comes back after an erasure gets the emails of the new order', async () => {
  const shop = await shopWithOrder()
  await erase(shop)
  const items = [sold(await productOf(shop))]
  dataOf(await shop.api.post('/v1/orders', { items, customer_email: email, notify_customer: true }), 201)
  assert.deepEqual(
    (await sentTo(shop)).map(({ kind }: any) => kind),
    ['order_confirmation'],
  )
})
