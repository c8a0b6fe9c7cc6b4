// Redirects requests for a slug that was given up.
import type { Db } from '../../kit/database/database.ts'
import type { ErrorResponse } from '../../kit/declare/errorresponse.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import { ApiError, movedPermanently } from '../../kit/values/errors.ts'
import { findRenamed, type SlugKind } from '../../commerce/catalog/slugs.ts'
import type { Store } from '../../tenancy/stores/store.ts'

/** The entry in the API reference. */
export const slugMoved: ErrorResponse = {
  name: 'Moved',
  description: 'The slug has changed. Location has the new URL.',
  examples: { moved: movedPermanently('/storefront/harbour-and-pine/products/canvas-backpack', 301) },
}

/** Returns the record, or redirects to its current slug. */
export async function findOrRedirect<T>(
  db: Db,
  store: Store,
  kind: SlugKind,
  idOrSlug: string,
  find: (idOrSlug: string) => Promise<RecordOf<T>>,
): Promise<RecordOf<T>> {
  try {
    return await find(idOrSlug)
  } catch (error) {
    const isMissing = error instanceof ApiError && error.status === 404
    const renamed = isMissing ? await findRenamed(db, store.id, kind, idOrSlug) : undefined
    if (!renamed) throw error
    throw movedPermanently(`/storefront/${store.slug}/${kind}/${renamed.slug}`, 301)
  }
}
