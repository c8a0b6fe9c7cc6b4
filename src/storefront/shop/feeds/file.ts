// Files with a whole catalog for programs: they are streamed, and not sent again to a client with a current
// copy.
import { Readable } from 'node:stream'
import { findCatalogState, type CatalogState } from '../../../commerce/catalog/sitemap.ts'
import type { ShopResult, ShopContext } from '../frame/page.ts'
import { chooseTaxView } from '../frame/taxview.ts'

// A transaction that began before the last change may commit after it, but within this time.
const settledMs = 60_000

export async function buildFeedFile(
  visit: ShopContext,
  type: string,
  write: (context: ShopContext, state: CatalogState) => AsyncIterable<string>,
): Promise<ShopResult> {
  // Everyone gets the same prices, whatever the reader chose.
  const taxView = chooseTaxView(visit.offer, visit.store, undefined)
  const context = { ...visit, taxView, db: visit.db.fromReplica() }
  const { db, store } = context
  const state = await findCatalogState(db, store.id)
  const isSettled = db.clock.now().getTime() - state.updatedAt.getTime() > settledMs
  return {
    file: { type: `${type}; charset=utf-8`, body: Readable.from(write(context, state), { objectMode: false }) },
    headers: {
      'cache-control': 'public, no-cache',
      'last-modified': state.updatedAt.toUTCString(),
      ...(isSettled ? { etag: `W/"${state.version}"` } : {}),
    },
  }
}
