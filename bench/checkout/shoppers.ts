// Stores to buy in, and many shoppers at once: each begins a checkout and completes it.
import { Pool } from 'undici'
import type { Database } from '../../src/kit/database/database.ts'
import { publicId } from '../../src/kit/values/ids.ts'
import { sql } from '../../src/kit/database/sql.ts'
import { createProduct } from '../../src/commerce/catalog/operations.ts'
import { product } from '../../src/commerce/catalog/product.ts'
import { createCustomer } from '../../src/commerce/customers/operations.ts'
import { createStore } from '../../src/tenancy/stores/operations.ts'
import { loadStore, type Store } from '../../src/tenancy/stores/store.ts'
import type { Measured } from '../measure.ts'
import { cpuOf, cpuOfPostgres } from '../processes.ts'

export type Shop = { store: Store; products: string[] }
type Target = { url: string; pid: number; postmaster: number }
type Token = { slug: string; token: string }

const actor = { kind: 'system', id: 'bench' } as const
const productsPerStore = 50
const customersPerStore = 50
const connections = 16

export const emailOf = (n: number) => `shopper${n % customersPerStore}@example.com`

export function checkoutOf({ products }: Shop, n: number): object {
  const items = [0, 1].map((line) => ({
    product_id: publicId('prod', products[(n + line * 7) % products.length]!),
    quantity: 1,
  }))
  return {
    items,
    customer: { name: 'Ana Torres', email: emailOf(n) },
    shipping_address: {
      address: 'Av. Reforma 222',
      city: 'Ciudad de México',
      country_code: 'MX',
      postal_code: '06600',
    },
  }
}

/** With tracked stock that does not run out, and customers who have bought before. */
export async function seedStores(db: Database, count: number): Promise<Shop[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const id = await db.transaction((tx) =>
        createStore(tx, { name: `Bench ${n}`, currency: 'MXN', country_code: 'MX', timezone: 'UTC' }),
      )
      const store = (await loadStore(db, id))!
      const context = { ...store, now: new Date() }
      for (let index = 0; index < productsPerStore; index++) {
        const body = product.create.read(
          { name: `Bag ${index}`, price: 20 + index, track_inventory: true, stock_quantity: 1e8 },
          context,
        )
        await db.transaction((tx) => createProduct(tx, store, body as never, actor))
      }
      for (let index = 0; index < customersPerStore; index++) {
        await db.transaction((tx) => createCustomer(tx, store, { name: 'Ana Torres', email: emailOf(index) }))
      }
      const rows = await db.rows<{ id: string }>(sql`select id from products where store_id = ${id}`)
      return { store, products: rows.map((row) => row.id) }
    }),
  )
}

/** `count` checkouts, in the stores in turn. */
export function begin(target: Target, shops: Shop[], count: number): Promise<{ tokens: Token[]; measured: Measured }> {
  return beginEach(target, count, (n) => {
    const shop = shops[n % shops.length]!
    return { slug: shop.store.slug, body: checkoutOf(shop, n) }
  })
}

export async function beginEach(
  target: Target,
  count: number,
  checkout: (n: number) => { slug: string; body: object },
) {
  const tokens: Token[] = []
  const measured = await many(target, count, async (n, send) => {
    const { slug, body } = checkout(n)
    const answer = await send(`/storefront/${slug}/checkouts`, body)
    if (answer.status === 201) tokens.push({ slug, token: answer.data.token })
    return answer.status === 201
  })
  return { tokens, measured }
}

/** Each checkout once. */
export function complete(target: Target, tokens: Token[]): Promise<Measured> {
  return many(target, tokens.length, async (n, send) => {
    const { slug, token } = tokens[n]!
    return (await send(`/storefront/${slug}/checkouts/${token}/complete`, {})).status === 201
  })
}

export async function completeOne(url: string, { slug, token }: Token): Promise<void> {
  const answer = await fetch(`${url}/storefront/${slug}/checkouts/${token}/complete`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  if (!answer.ok) throw new Error(`complete: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

type Send = (path: string, body: object) => Promise<{ status: number; data: any }>

async function many(
  { url, pid, postmaster }: Target,
  count: number,
  run: (n: number, send: Send) => Promise<boolean>,
): Promise<Measured> {
  const pool = new Pool(url, { connections })
  const times: number[] = []
  let failed = 0,
    next = 0
  const [node, database, startedAt] = [cpuOf(pid), cpuOfPostgres(postmaster), performance.now()]
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let n = next++; n < count; n = next++) {
        const began = performance.now()
        // Everyone comes from another address: the limit of one is not what is measured.
        const headers = {
          'content-type': 'application/json',
          'x-forwarded-for': `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
        }
        const send: Send = async (path, body) => {
          const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) })
          return { status: answer.statusCode, data: ((await answer.body.json()) as any).data }
        }
        if (!(await run(n, send))) failed++
        times.push(performance.now() - began)
      }
    }),
  )
  const took = (performance.now() - startedAt) / 1000
  await pool.close()
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)]!
  return {
    count,
    perSecond: count / took,
    p50: at(0.5),
    p99: at(0.99),
    failed,
    nodeMicroseconds: (cpuOf(pid) - node) / count,
    postgresMicroseconds: (cpuOfPostgres(postmaster) - database) / count,
  }
}
