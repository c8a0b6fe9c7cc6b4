// A store whose webhook leads to a receiver, and what tests ask of its log.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './client.ts'
import type { Receiver } from './receiver.ts'
import { running } from './strangers.ts'
import type { TestStore, World } from './world.ts'

export type Subscribed = TestStore & { shop: Receiver; hook: any; path: string }
export type Log = {
  id: string
  status: string
  trigger: string
  error: string | null
  attempt_count: number
  attempts: any[]
  request: any
  response: any
}

export async function subscribed(
  world: World,
  events = ['product.created'],
  { plan }: { plan?: string } = {},
): Promise<Subscribed> {
  const shop = await running()
  const store = await world.newStore({ plan })
  const { status, data } = await store.api.post('/v1/webhooks', { url: `${shop.url}/`, events })
  assert.equal(status, 201)
  return { ...store, shop, hook: data, path: `/v1/webhooks/${data.id}` }
}

export function newProduct({ api }: { api: Client }, name = 'Backpack') {
  return api.post('/v1/products', { name, price: 1500.5 })
}

/** The newest delivery once it is finished, with its attempts. */
export async function finished({ api, path }: { api: Client; path: string }): Promise<Log> {
  let newest: any
  await until(async () => {
    newest = (await api.get(`${path}/deliveries?per_page=1`)).data[0]
    return newest !== undefined && !['pending', 'held'].includes(newest.status)
  })
  return (await api.get(`${path}/deliveries/${newest.id}`)).data
}

export async function countOf({ api, path }: { api: Client; path: string }, query = ''): Promise<number> {
  return (await api.get(`${path}/deliveries?${query}`)).body.pagination.total
}

export async function until(isTrue: () => Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!(await isTrue())) {
    assert.ok(Date.now() < end, 'it did not become true')
    await sleep(20)
  }
}
