// The images of imported products: fetched one product after the other, and kept by the store. Until then, and if one
// cannot be fetched, products show the image where it is.
import type { StoreDatabase } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { updateProduct } from '../../../commerce/catalog/operations.ts'
import { product } from '../../../commerce/catalog/product.ts'
import { createMedia, storeUpload, type MediaDeps } from '../../../commerce/media/operations.ts'
import type { Actor } from '../../../kit/declare/route.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { findPicture } from './pictures.ts'
import { leaseMs } from './state.ts'

/** The addresses of a draft's images that are not the store's own. */
export function listForeignImages(
  { gallery = [], main_image, variants = [] }: Record<string, any>,
  storeId: string,
): string[] {
  const all = [main_image, ...gallery.map(({ url }: any) => url), ...variants.map(({ image }: any) => image)]
  const isForeign = (url: unknown) =>
    typeof url === 'string' && /^https?:/i.test(url) && !url.includes(`/media/${storeId}/`)
  return [...new Set(all.filter(isForeign))]
}

type FetchedImage = { url: string; kept: string | null; error: string | null }

/** The images of the next product; false if none is left. */
export async function fetchImages(
  db: StoreDatabase,
  store: Store,
  importId: string,
  { deps, actor }: { deps: MediaDeps; actor: Actor },
): Promise<boolean> {
  const waiting = await db.rows<{ product_id: string; url: string }>(sql`
    select product_id, url
    from import_images
    where store_id = ${store.id}
      and import_id = ${importId}
      and status = 'pending'
    order by product_id
    limit 60`)
  const [first] = waiting
  if (!first) return false
  const images: FetchedImage[] = []
  for (const { product_id, url } of waiting)
    if (product_id === first.product_id) images.push(await fetchOne(db, store, importId, url, deps))
  await keepImages(db, store, importId, first.product_id, images, actor)
  return true
}

async function fetchOne(
  db: StoreDatabase,
  store: Store,
  importId: string,
  url: string,
  deps: MediaDeps,
): Promise<FetchedImage> {
  try {
    const file = await findPicture(db, store.id, importId, url)
    const upload = await storeUpload({ ...deps, store, db, body: file ? {} : { url }, file, isDryRun: false })
    const { entity } = await db.transaction((tx) => createMedia(tx, store, upload, {}, deps.media))
    return { url, kept: entity.url, error: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { url, kept: null, error: error.message.slice(0, 500) }
  }
}

async function keepImages(
  db: StoreDatabase,
  store: Store,
  importId: string,
  productId: string,
  images: readonly FetchedImage[],
  actor: Actor,
): Promise<void> {
  const keptUrls = new Map(images.flatMap(({ url, kept }) => (kept ? [[url, kept] as const] : [])))
  await db.transaction(async (tx) => {
    const exists = await tx.one(sql`
      select
      from products
      where store_id = ${store.id}
        and id = ${productId}
      for update`)
    if (exists && keptUrls.size > 0) {
      const { entity } = await findRecord(tx, product, store.id, productId)
      const now = (url: string | null) => (url === null ? null : (keptUrls.get(url) ?? url))
      const changes = {
        gallery: entity.gallery.map((one) => ({ ...one, url: now(one.url)! })),
        main_image: now(entity.main_image),
        ...(entity.variants.length > 0
          ? { variants: entity.variants.map(({ id, image }) => ({ id, image: now(image) })) }
          : {}),
      }
      await updateProduct(tx, store, productId, product.patch.read(changes, store), actor)
    }
    for (const { url, error } of images) {
      tx.later(sql`
        update import_images
        set status = ${error === null ? 'fetched' : 'failed'}, error = ${error}
        where store_id = ${store.id}
          and import_id = ${importId}
          and product_id = ${productId}
          and url = ${url}
          and status = 'pending'`)
    }
    const misses = images.filter(({ error }) => error !== null).length
    tx.later(sql`
      update imports
      set images_pending = greatest(images_pending - ${images.length}, 0), images_failed = images_failed + ${misses},
          images_fetched = images_fetched + ${images.length - misses}, due_at = ${new Date(tx.now.getTime() + leaseMs)}
      where store_id = ${store.id}
        and id = ${importId}`)
  })
}
