// Names of the lines of a cart or an order in another language.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'
import type { Language } from '../../kit/values/language.ts'
import { buildTermTranslator, type Term } from '../../tenancy/stores/terms.ts'
import { textsIn } from '../../tenancy/stores/translations.ts'
import { titleIn } from './translations.ts'
import type { Variant } from './variant.ts'

type NamedLine = {
  /** A public id, or null for a custom line. */
  product_id: string | null
  variant_id: string | null
  product_name: string
  variant_name: string | null
}

type TranslationRow = Pick<Variant, 'title' | 'option_values'> & {
  position: number
  name: string
  texts: { name: string | null; terms: Term[] | null }
}

/** Returns the lines with translated names. */
export async function translateLines<L extends NamedLine>(
  db: Db,
  storeId: string,
  language: Language | null,
  lines: readonly L[],
): Promise<L[]> {
  const refs = lines.map(({ product_id, variant_id }) => ({
    product_id: product_id && toUuid('prod', product_id),
    variant_id,
  }))
  return (await findLineTranslations(db, storeId, language, refs))(lines)
}

/** Translates lines, in the order of the items that were looked up. */
export type TranslateLines = <L extends NamedLine>(lines: readonly L[]) => L[]

type LineRef = { product_id: string | null; variant_id: string | null }

/** Looks up all items by uuid in one query. A line keeps its name if the product has been renamed since. */
export async function findLineTranslations(
  db: Db,
  storeId: string,
  language: Language | null,
  refs: readonly LineRef[],
): Promise<TranslateLines> {
  const products = refs.map(({ product_id }) => product_id)
  if (language === null || products.every((id) => id === null)) return (lines) => [...lines]
  const variants = refs.map(({ variant_id }) => variant_id)
  const rows = await db.rows<TranslationRow>(sql`
    select wanted.position, products.name, ${textsIn('products', language)} as texts, variants.title,
      variants.option_values
    from unnest(${products}::uuid[], ${variants}::uuid[])
      with ordinality as wanted (product_id, variant_id, position)
    join products on products.store_id = ${storeId}
      and products.id = wanted.product_id
      and ${textsIn('products', language)} is not null
    left join variants on variants.store_id = ${storeId}
      and variants.id = wanted.variant_id`)
  const byPosition = new Map(rows.map((row) => [Number(row.position), row]))
  return (lines) => lines.map((line, index) => translateLine(line, byPosition.get(index + 1)))
}

function translateLine<L extends NamedLine>(line: L, translation: TranslationRow | undefined): L {
  if (!translation || translation.name !== line.product_name) return line
  const { texts, title } = translation
  const isSame = title !== null && title === line.variant_name
  return {
    ...line,
    product_name: texts.name ?? line.product_name,
    variant_name: isSame ? titleIn(buildTermTranslator(texts.terms), translation) : line.variant_name,
  }
}
