// What changes of webhooks do to those who place orders meanwhile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { running } from '../../../test/strangers.ts'
import { testAuthority } from '../../../test/receiver.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld(
  { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  { network: { ca: testAuthority.ca }, delivers: true },
)

test('orders come while webhooks are changed and deleted in a loop, and none is turned away', async () => {
  const { api } = await world.newStore()
  const shop = await running()
  const events = ['order.created', 'order.updated']
  const statuses: number[] = []
  const noted = async (answer: Promise<{ status: number; data: any }>) => {
    const { status, data } = await answer
    statuses.push(status)
    return data
  }
  const subscribe = (path: string) => noted(api.post('/v1/webhooks', { url: `${shop.url}/${path}`, events }))
  let isOver = false
  const change = async (path: string) => {
    while (!isOver) {
      const made = await subscribe(path)
      if (!made) return
      const own = `/v1/webhooks/${made.id}`
      const patches = [true, false, true].map((is_active) => noted(api.patch(own, { is_active })))
      await Promise.all([...patches, noted(api.post(`${own}/rotate-secret`)), noted(api.delete(own))])
    }
  }
  const order = { items: [{ product_name: 'Mug', unit_price: 1, quantity: 1 }], customer_email: 'a@example.com' }
  const buy = async (count: number) => {
    for (let left = count; left > 0; left--) assert.equal((await api.post('/v1/orders', order)).status, 201)
  }
  await subscribe('steady')
  const changes = ['a', 'b', 'c'].map(change)
  await Promise.all(Array.from({ length: 8 }, () => buy(25))).finally(() => (isOver = true))
  await Promise.all(changes)
  const wrong = statuses.filter((status) => ![200, 201, 404].includes(status))
  assert.deepEqual(wrong, [], `of ${statuses.length} changes`)
})
