// A shop's own texts in other languages: title and opening, and as terms its menus, shipping rates,
// payment methods and offers.
import type { Db, Tx } from '../../kit/database/database.ts'
import type { Json } from '../../kit/declare/resource.ts'
import { sql } from '../../kit/database/sql.ts'
import { store as stores, type Store } from '../../tenancy/stores/store.ts'
import { termsField, type Term } from '../../tenancy/stores/terms.ts'
import { buildTranslationFields, translatable, translate, type ByLanguage } from '../../tenancy/stores/translations.ts'
import { appearance } from './appearance.ts'
import { pagesChanged } from './storepage.ts'

const storeTextNames = ['store_title', 'description'] as const
export const faceTextNames = ['announcement', 'hero_title', 'hero_text'] as const

export const shopTranslations = translatable(stores, {
  ...buildTranslationFields(stores.fields, storeTextNames),
  ...buildTranslationFields(appearance.fields, faceTextNames),
  terms: termsField({ max: 500, length: 2000 }).describe(
    'Translations of menu labels, and of names and texts of shipping rates, payment methods and order bumps',
  ),
})

export type ShopTexts = Partial<
  Record<(typeof storeTextNames)[number] | (typeof faceTextNames)[number], string | null>
> & { terms: Term[] }

export async function findShopTexts(db: Db, { id }: Store): Promise<Json<object>> {
  const [row] = await db.texts(sql`
    select ${shopTranslations.all.columns}
    from stores
    where id = ${id}`)
  return shopTranslations.all.serialise(row!)
}

export async function translateShop(tx: Tx, store: Store, patch: ByLanguage): Promise<Json<object>> {
  const isChanged = await translate(tx, store, shopTranslations, sql`id = ${store.id}`, patch)
  if (isChanged) pagesChanged(tx, store)
  return findShopTexts(tx, store)
}
