// Everything that a store counts is what its rows add up to.
import assert from 'node:assert/strict'
import type { Db } from '../src/kit/database/database.ts'
import { brokenInvariants } from '../src/program/cli/invariants.ts'
import { sql } from '../src/kit/database/sql.ts'
import type { TestStore, World } from './world.ts'
import type { Written } from './writers.ts'

export function assertSums({ app }: World, { store }: TestStore): Promise<void> {
  return assertSumsOf(app.db, store.id)
}

export async function assertSumsOf(db: Pick<Db, 'rows'>, storeId: string): Promise<void> {
  assert.deepEqual(await brokenInvariants(db, storeId), [])
}

/** Each acknowledged order is there once. Returns the number of all orders. */
export async function assertOrdersOnce(
  db: Pick<Db, 'rows'>,
  storeId: string,
  written: readonly Written[],
): Promise<number> {
  const orders = await db.rows<{ mark: string }>(sql`
    select internal_notes as mark from orders where store_id = ${storeId}`)
  const counts = Map.groupBy(orders, ({ mark }) => mark)
  const marks = written.filter(({ kind }) => kind === 'order').map(({ mark }) => mark)
  assert.deepEqual(
    marks.filter((mark) => counts.get(mark)?.length !== 1),
    [],
    'each acknowledged order is there once',
  )
  return orders.length
}

/** For stores whose merchants never stop selling without stock: nothing was sold that was not there. */
export async function assertNothingOversold(db: Db, storeId: string): Promise<void> {
  const below = await db.rows(sql`
    select id, stock_quantity
    from products
    where store_id = ${storeId}
      and stock_quantity < 0
      and not continue_selling
      and variant_count = 0
    union all
    select id, stock_quantity
    from variants
    where store_id = ${storeId}
      and stock_quantity < 0
      and not continue_selling_when_out_of_stock`)
  assert.deepEqual(below, [])
}
