// Products as lists of the shop show them: name, image and prices. A page of them is one statement.
import type { Db } from '../../kit/database/database.ts'
import { many } from '../../kit/declare/composites.ts'
import { derive, type Entity } from '../../kit/declare/field.ts'
import { uuid } from '../../kit/declare/scalars.ts'
import { entityPage, loadEntities, type RecordPage } from '../../kit/declare/page.ts'
import { resource, type ListQuery } from '../../kit/declare/resource.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { isForSale } from '../inventory/availability.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { inLanguages, type Untranslated } from '../../tenancy/stores/translations.ts'
import { publicProduct, publicVariant, type TextLanguage } from './public.ts'
import { productTranslations } from './translations.ts'

const { variants } = publicProduct.fields

// prettier-ignore
const variantPrices = resource('variants', {
  bundle_id:            derive(uuid(), sql`(case when variants.bundle_items is not null then variants.id end)`)
    .nullable(),
  price:                publicVariant.fields.price,
  compare_price:        publicVariant.fields.compare_price,
  lowest_prior_price:   publicVariant.fields.lowest_prior_price,
  unit_pricing_measure: publicVariant.fields.unit_pricing_measure,
}, {}, publicVariant)

// prettier-ignore
const productCard = resource('products', {
  id:                   publicProduct.fields.id,
  name:                 publicProduct.fields.name,
  slug:                 publicProduct.fields.slug,
  category_id:          publicProduct.fields.category_id,
  price:                publicProduct.fields.price,
  compare_price:        publicProduct.fields.compare_price,
  lowest_prior_price:   publicProduct.fields.lowest_prior_price,
  unit_pricing_measure: publicProduct.fields.unit_pricing_measure,
  main_image:           publicProduct.fields.main_image,
  is_purchasable:       publicProduct.fields.is_purchasable,
  has_discount:         publicProduct.fields.has_discount,
  variants:             many<Entity<typeof variantPrices.fields>>(variantPrices, { count: variants.spec.expression! }),
}, publicProduct.filters, { ...publicProduct, title: 'Product card', holdsChildren: true })

export type ProductCard = Entity<typeof productCard.fields> & Untranslated

const cardsIn = inLanguages(
  productCard,
  { ...productTranslations, texts: { name: productTranslations.texts.name! } },
  { isMarked: true },
)

export const cardIn = (language: TextLanguage) => (language ? cardsIn(language) : productCard)

/** A list of the products for sale, which `within` narrows. */
export function readProductCards(
  db: Db,
  store: Store,
  query: ListQuery,
  language: TextLanguage,
  within: readonly Sql[] = [],
): Promise<RecordPage<ProductCard>> {
  return entityPage(db, cardIn(language), store, query, isForSale, ...within)
}

/** The newest featured products. Their number is not shown: counting them reads all products of the store. */
export async function readFeatured(
  db: Db,
  store: Store,
  limit: number,
  language: TextLanguage,
): Promise<ProductCard[]> {
  const view = cardIn(language)
  const rows = await db.texts(sql`
    select ${view.columns}
    from products
    where store_id = ${store.id}
      and is_featured
      and ${isForSale}
    order by created_at desc, id desc
    limit ${limit}`)
  return loadEntities(db, view, store.id, rows)
}
