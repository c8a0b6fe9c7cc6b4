// What events cost the change that they tell of: products created with 0, 1 and 20 webhooks, against none of it.
import { sql, type Sql } from '../../src/kit/database/sql.ts'
import type { Tx } from '../../src/kit/database/database.ts'
import { createProduct } from '../../src/commerce/catalog/operations.ts'
import { product } from '../../src/commerce/catalog/product.ts'
import { createWebhook } from '../../src/developer/webhooks/operations.ts'
import { vault } from '../../src/kit/values/secrets.ts'
import type { World } from './world.ts'

const writers = 16
const seconds = 1
const rounds = 16

type Kind = 'none' | 0 | 1 | 20
const kinds: [Kind, string][] = [
  ['none', 'without events'],
  [0, 'with an event that no webhook wants'],
  [1, 'with one webhook'],
  [20, 'with 20 webhooks'],
]

/** In turns of a second, another one first each time; each ratio is to the same round without events. */
export async function commits(world: World): Promise<string> {
  const results: Record<Kind, number>[] = []
  for (let round = 0; round <= rounds; round++) {
    const result = { none: 0, 0: 0, 1: 0, 20: 0 }
    const first = round % kinds.length
    for (const [kind] of [...kinds.slice(first), ...kinds.slice(0, first)]) {
      if (kind !== 'none') await subscribe(world, kind)
      result[kind] = await creating(world, kind === 'none')
    }
    if (round > 0) results.push(result)
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
  return kinds
    .map(([kind, name]) => {
      const perSecond = median(results.map((result) => result[kind])).toFixed(0)
      const ratio = median(results.map((result) => result[kind] / result.none)).toFixed(2)
      return `| Products created by ${writers} writers, ${name} | ${perSecond} a second, ratio **${ratio}** |`
    })
    .join('\n')
}

async function subscribe({ db, store }: World, count: number): Promise<void> {
  await db.rows(sql`delete from webhooks where store_id = ${store.id}`)
  await db.rows(sql`update store_counters set webhooks = 0 where store_id = ${store.id}`)
  for (let index = 0; index < count; index++) {
    const events = ['product.created', 'order.created'] as never
    const values = { url: `https://hooks.example/${index}`, events, is_active: true }
    await db.transaction((tx) =>
      createWebhook(tx, store, values, { vault: vault('a key of the benchmark, 32 characters') }),
    )
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
  const isEmit = (query: Sql) => query.strings.some((text) => text.includes('insert into events'))
  const rows = <T>(query: Sql): Promise<T[]> => (isEmit(query) ? Promise.resolve([]) : tx.rows<T>(query))
  return { ...tx, rows }
}
