// Restores all translations of a record to their state before a write.
import { sql } from '../../kit/database/sql.ts'
import { eachLanguage } from '../../kit/values/language.ts'
import {
  categoryTranslations,
  collectionTranslations,
  emitTranslationChange,
  productTranslations,
} from '../../commerce/catalog/translations.ts'
import { translateShop } from '../../storefront/branding/shoptexts.ts'
import { pagesChanged, pageTranslations } from '../../storefront/branding/storepage.ts'
import { translate, type Translatable } from '../../tenancy/stores/translations.ts'
import type { UndoCall } from '../../tenancy/tables/table.ts'

const kinds: Record<string, Translatable> = {
  products: productTranslations,
  categories: categoryTranslations,
  collections: collectionTranslations,
  pages: pageTranslations,
}

export function isTranslated(table: string): boolean {
  return table === 'stores' || table in kinds
}

/** `before`: the earlier value of the column. `tells`: emits an event if nothing else does. */
export async function restoreTranslation(
  call: UndoCall,
  table: string,
  id: string,
  before: unknown,
  { tells = true } = {},
): Promise<void> {
  const { tx, store } = call
  const earlier = (before ?? {}) as Record<string, Record<string, unknown>>
  const texts = eachLanguage((language) => earlier[language] ?? null)
  if (table === 'stores') return void (await translateShop(tx, store, texts))
  const record = sql`store_id = ${store.id} and id = ${id}`
  const isChanged = await translate(tx, store, kinds[table]!, record, texts)
  if (isChanged && tells && table === 'products') await emitTranslationChange(tx, store, id)
  if (isChanged && table === 'pages') pagesChanged(tx, store)
}
