// Publishes drafts and unpublishes products as soon as their time has come, with the same events as by hand.
import type { Tx } from '../../kit/database/database.ts'
import { byStore } from '../../kit/database/bystore.ts'
import { inReach, inStore, raw, sql } from '../../kit/database/sql.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import { emitAll, type EventStore } from '../../tenancy/events/emit.ts'
import { moveCounters } from '../../tenancy/plans/plan.ts'
import { productPayloads } from './payload.ts'
import { countForSale } from './collectionproducts.ts'

type PublishingTurn = { due: 'publish_at' | 'unpublish_at'; from: 'draft' | 'active'; to: 'draft' | 'active' }

/** Runs in this order, so that a product whose two times have passed ends up unpublished. */
const turns: readonly PublishingTurn[] = [
  { due: 'publish_at', from: 'draft', to: 'active' },
  { due: 'unpublish_at', from: 'active', to: 'draft' },
]

const batchSize = 500

export function publishingJob(): JobWork {
  return {
    name: 'publish products',
    due: turns.map(({ due }) => ({ table: 'products', due })),
    gapSeconds: 1,
    async run(tx) {
      let more = false
      for (const turn of turns) more = (await takeDue(tx, turn)) === batchSize || more
      return more ? { more } : await nextTime(tx)
    },
  }
}

/** The next time at which a product is due. */
async function nextTime(tx: Tx): Promise<{ next?: Date }> {
  const rows = await Promise.all(
    turns.map(({ due }) =>
      tx.one<{ at: Date }>(sql`
        select ${raw(due)} as at
        from products
        join stores on stores.id = products.store_id
        where ${raw(due)} > ${tx.now}
          and ${inReach('products.store_id')}
        order by ${raw(due)}
        limit 1`),
    ),
  )
  const times = rows.flatMap((row) => row?.at.getTime() ?? [])
  return times.length > 0 ? { next: new Date(Math.min(...times)) } : {}
}

type DueProduct = { store_id: string; id: string; name: string; timezone: string }

/** Returns the number of products that were due. */
async function takeDue(tx: Tx, turn: PublishingTurn): Promise<number> {
  const due = await tx.rows<DueProduct>(sql`
    select products.store_id, products.id, stores.name, stores.timezone
    from products
    join stores on stores.id = products.store_id
    where ${raw(turn.due)} <= ${tx.now}
      and ${inReach('products.store_id')}
    order by ${raw(turn.due)}
    limit ${raw(String(batchSize))}`)
  for (const [id, own] of byStore(due)) {
    const [{ name, timezone }] = own as [DueProduct]
    const productIds = own.map((one) => one.id)
    await takeTurn(tx, { id, name, timezone }, productIds, turn)
  }
  return due.length
}

/** Skips a product that was edited in the meantime. */
async function takeTurn(
  tx: Tx,
  store: EventStore,
  productIds: readonly string[],
  { due, from, to }: PublishingTurn,
): Promise<void> {
  const lockedRows = sql`
    select id, product_status
    from products
    where store_id = ${store.id}
      and id = any(${productIds}::uuid[])
      and ${raw(due)} <= ${tx.now}
    order by id
    for no key update`
  const rows = await tx.rows<{ id: string; product_status: string }>(inStore(store.id, lockedRows))
  const ids = rows.filter(({ product_status }) => product_status === from).map(({ id }) => id)
  if (ids.length === 0) return
  tx.later(sql`
    update products
    set product_status = ${to}, ${raw(due)} = null, updated_at = ${tx.now}
    where store_id = ${store.id}
      and id = any(${ids}::uuid[])`)
  countForSale(tx, store.id, to === 'active' ? ids : [], to === 'active' ? [] : ids)
  moveCounters(tx, store.id, { [`products_${from}`]: -ids.length, [`products_${to}`]: ids.length })
  emitAll(tx, store, 'product.updated', await productPayloads(tx, store.id, ids))
}
