// What events cost the change that they tell of: products created with 0, 1 and 20 webhooks, against none of it.
import { sql, type Sql } from '../../src/kit/sql.ts'
import type { Tx } from '../../src/kit/database.ts'
import { createProduct } from '../../src/catalog/operations.ts'
import { product } from '../../src/catalog/product.ts'
import { createWebhook } from '../../src/webhooks/operations.ts'
import { vault } from '../../src/kit/secrets.ts'
import type { World } from './world.ts'

const writers = 16
const seconds = 3
const rounds = 5

export async function commits(world: World): Promise<string> {
  const results: Record<'none' | 0 | 1 | 20, number[]> = { none: [], 0: [], 1: [], 20: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const webhooks of ['none', 0, 1, 20] as const) {
      if (webhooks !== 'none') await subscribe(world, webhooks)
      const perSecond = await creating(world, webhooks === 'none')
      if (round > 0) results[webhooks].push(perSecond)
    }
    await subscribe(world, 0)
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
  const without = median(results.none)
  const line = (name: string, values: number[]) =>
    `| ${name} | ${median(values).toFixed(0)} a second, ratio **${(median(values) / without).toFixed(2)}** |`
  return `| Products created by ${writers} writers, without events | ${without.toFixed(0)} a second |
${line('… with their event and no webhook', results[0])}
${line('… with one webhook', results[1])}
${line('… with 20 webhooks', results[20])}`
}

async function subscribe({ db, store }: World, count: number): Promise<void> {
  await db.rows(sql`delete from webhooks where store_id = ${store.id}`)
  await db.rows(sql`update store_counters set webhooks = 0 where store_id = ${store.id}`)
  for (let index = 0; index < count; index++) {
    const events = ['product.created', 'order.created'] as never
    const values = { url: `https://hooks.example/${index}`, events, is_active: true }
    await db.transaction((tx) => createWebhook(tx, store, values, vault('a key of the benchmark, 32 characters')))
  }
}

async function creating({ db, store }: World, silent: boolean): Promise<number> {
  const until = performance.now() + seconds * 1000
  const startedAt = performance.now()
  let count = 0
  const context = { ...store, now: new Date() }
  const write = async () => {
    while (performance.now() < until) {
      const body = product.create.read({ name: `Backpack ${Math.random()}`, price: 10 }, context)
      const actor = { kind: 'system', id: 'bench' } as const
      await db.transaction((tx) => createProduct(silent ? withoutEvents(tx) : tx, store, body, actor))
      count++
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  return count / ((performance.now() - startedAt) / 1000)
}

/** The same transaction without emit's statement. */
function withoutEvents(tx: Tx): Tx {
  const isEmit = (query: Sql) => query.strings[0]!.includes('with event as')
  return { ...tx, one: (query: Sql) => (isEmit(query) ? Promise.resolve({ count: 0 } as never) : tx.one(query)) }
}
