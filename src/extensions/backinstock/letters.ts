// The email that confirms an address, and the one that tells that the item can be bought again.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { translateLines } from '../../commerce/catalog/linenames.ts'
import type { ComposeLetter, LetterCall } from '../../tenancy/extensions/extension.ts'
import { chooseTranslation } from '../../tenancy/stores/language.ts'

type NamedItem = { slug: string; name: string }
type NamedItemRow = { slug: string; product_name: string; variant_name: string | null }

const confirm: ComposeLetter = async ({ db, store, language, values, text, links }) => {
  const request = await db.one<{ product_id: string; variant_id: string | null }>(sql`
    select product_id, variant_id
    from backinstock_requests
    where store_id = ${store.id}
      and id = ${String(values.id)}
      and confirmed_at is null`)
  const item = request && (await findItem(db, { store, language }, request))
  if (!item) return { unwanted: 'The request does not wait for a confirmation' }
  const about = { product: item.name, store: store.name }
  return {
    subject: text('backinstock_confirm_subject', about),
    parts: [
      { kind: 'text', text: text('backinstock_confirm_text', about) },
      { kind: 'button', text: text('backinstock_confirm'), path: `/backinstock/${links.sign(String(values.id))}` },
      { kind: 'soft', text: text('backinstock_confirm_ignore') },
    ],
  }
}

const available: ComposeLetter = async ({ db, store, language, values, text, links }) => {
  const [productId, variantId] = [String(values.product_id), values.variant_id?.toString() ?? null]
  const item = await findItem(db, { store, language }, { product_id: productId, variant_id: variantId })
  if (!item) return { unwanted: 'The product was deleted' }
  const stopPath = `/backinstock/stop/${links.sign(String(values.mark))}`
  const about = { product: item.name, store: store.name }
  return {
    subject: text('backinstock_available_subject', about),
    parts: [
      { kind: 'text', text: text('backinstock_available_text', about) },
      {
        kind: 'button',
        text: text('backinstock_view'),
        path: `/products/${item.slug}${variantId === null ? '' : `?variant=${variantId}`}`,
      },
      { kind: 'soft', text: text('backinstock_once') },
      { kind: 'link', text: text('backinstock_stop_all'), path: stopPath },
    ],
    unsubscribePath: stopPath,
  }
}

export const letters = { confirm, available }

/** Names are in the language of the reader. */
async function findItem(
  db: Db,
  { store, language }: Pick<LetterCall, 'store' | 'language'>,
  { product_id, variant_id }: { product_id: string; variant_id: string | null },
): Promise<NamedItem | null> {
  const row = await db.one<NamedItemRow>(sql`
    select products.slug, products.name as product_name, variants.title as variant_name
    from products
    left join variants on variants.store_id = ${store.id}
      and variants.id = ${variant_id}::uuid
    where products.store_id = ${store.id}
      and products.id = ${product_id}`)
  if (!row) return null
  const line = { ...row, product_id: publicId('prod', product_id), variant_id }
  const [translated] = await translateLines(db, store.id, chooseTranslation(store, language), [line])
  const { product_name, variant_name } = translated!
  return { slug: row.slug, name: [product_name, variant_name].filter(Boolean).join(' · ') }
}
