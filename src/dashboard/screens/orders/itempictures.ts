// Items as tables show them: with their picture, and linked to the product if it still exists.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import { thumbnail } from '../../framework/parts.ts'
import type { Html, PageContext } from '../../framework/screen.ts'

/** Images of products by public ID and of variants by UUID. Deleted ones are missing. */
export type ItemPictures = Map<string, string | null>

type PicturedItem = { product_id?: string | null; variant_id?: string | null }

export async function findItemPictures(
  { db, store }: PageContext,
  items: readonly PicturedItem[],
): Promise<ItemPictures> {
  const products = items.flatMap(({ product_id }) => (product_id && toUuid('prod', product_id)) || [])
  const variants = items.flatMap(({ variant_id }) => variant_id || [])
  if (products.length === 0) return new Map()
  const rows = await db.rows<{
    product_id: string
    main_image: string | null
    variant_id: string
    image: string | null
  }>(
    sql`
    select products.id as product_id, main_image, variants.id as variant_id, variants.image
    from products
    left join variants on variants.store_id = ${store.id}
      and variants.product_id = products.id
      and variants.id = any(${variants}::uuid[])
    where products.store_id = ${store.id}
      and products.id = any(${products}::uuid[])`,
  )
  return new Map(
    rows.flatMap(({ product_id, main_image, variant_id, image }): [string, string | null][] => [
      [publicId('prod', product_id), main_image],
      ...(image ? ([[variant_id, image]] as [string, string][]) : []),
    ]),
  )
}

/** `about`: what stands below the name. */
export function renderItem(
  { base, store }: PageContext,
  item: PicturedItem & { product_name?: string | null },
  pictures: ItemPictures,
  about: readonly (string | null | undefined)[],
): Html {
  const { product_id, variant_id, product_name } = item
  const image = pictures.get(variant_id ?? '') ?? pictures.get(product_id ?? '')
  const name = pictures.has(product_id ?? '')
    ? html`<a class="main" href="${base}/products/${product_id}">${product_name}</a>`
    : html`<strong>${product_name}</strong>`
  return html`<span class="thing">${thumbnail(image, store.id)}<span>${name}
<small>${about.filter(Boolean).join(' · ')}</small></span></span>`
}
