// What shoppers' programs ask for by a slug that it has given up.
import type { Db } from '../../kit/database/database.ts'
import type { ErrorResponse } from '../../kit/declare/errorresponse.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import { ApiError, movedPermanently } from '../../kit/values/errors.ts'
import { currentSlug, type Named } from '../../commerce/catalog/slugs.ts'
import type { Store } from '../../tenancy/stores/store.ts'

/** How the reference shows it. */
export const slugMoved: ErrorResponse = {
  name: 'Moved',
  description: 'It has another slug now: Location says where the same is.',
  examples: { moved: movedPermanently('/storefront/harbour-and-pine/products/canvas-backpack', 301) },
}

/** As `find` finds it; where it has another slug now, who asks is sent there. */
export async function findOrRedirect<T>(
  db: Db,
  store: Store,
  kind: Named,
  idOrSlug: string,
  find: (idOrSlug: string) => Promise<RecordOf<T>>,
): Promise<RecordOf<T>> {
  try {
    return await find(idOrSlug)
  } catch (error) {
    const isMissing = error instanceof ApiError && error.status === 404
    const slug = isMissing ? await currentSlug(db, store.id, kind, idOrSlug) : null
    if (slug === null) throw error
    throw movedPermanently(`/storefront/${store.slug}/${kind}/${slug}`, 301)
  }
}
