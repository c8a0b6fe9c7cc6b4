// Everything that a store counts is what its rows add up to.
import assert from 'node:assert/strict'
import type { Db } from '../src/kit/database/database.ts'
import { brokenInvariants } from '../src/program/cli/invariants.ts'
import { sql } from '../src/kit/database/sql.ts'
import type { TestStore, World } from './world.ts'

export function assertSums({ app }: World, { store }: TestStore): Promise<void> {
  return assertSumsOf(app.db, store.id)
}

export async function assertSumsOf(db: Pick<Db, 'rows'>, storeId: string): Promise<void> {
  assert.deepEqual(await brokenInvariants(db, storeId), [])
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
