// What the lines of a cart or an order are called in a language.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { uuidOf } from '../../kit/values/ids.ts'
import type { Language } from '../../kit/values/language.ts'
import { termsOf, type Term } from '../../tenancy/stores/terms.ts'
import { textsIn } from '../../tenancy/stores/translations.ts'
import { titleIn } from './translations.ts'
import type { Variant } from './variant.ts'

type Line = {
  /** Public, or null for what is no product. */
  product_id: string | null
  variant_id: string | null
  product_name: string
  variant_name: string | null
}

type Found = Pick<Variant, 'title' | 'option_values'> & {
  position: number
  name: string
  texts: { name: string | null; terms: Term[] | null }
}

/** The same lines, as they are called in the language. */
export async function linesIn<L extends Line>(
  db: Db,
  storeId: string,
  language: Language | null,
  lines: readonly L[],
): Promise<L[]> {
  const things = lines.map(({ product_id, variant_id }) => ({
    product_id: product_id && uuidOf('prod', product_id),
    variant_id,
  }))
  return (await findCalling(db, storeId, language, things))(lines)
}

/** Gives lines their names, in the order of the things that were asked for. */
export type Calling = <L extends Line>(lines: readonly L[]) => L[]

type Thing = { product_id: string | null; variant_id: string | null }

/** One query for all, by uuids. What was bought under another name than the product has by now keeps that name. */
export async function findCalling(
  db: Db,
  storeId: string,
  language: Language | null,
  things: readonly Thing[],
): Promise<Calling> {
  const products = things.map(({ product_id }) => product_id)
  if (language === null || products.every((id) => id === null)) return (lines) => [...lines]
  const variants = things.map(({ variant_id }) => variant_id)
  const found = await db.rows<Found>(sql`
    select wanted.position, products.name, ${textsIn('products', language)} as texts, variants.title,
      variants.option_values
    from unnest(${products}::uuid[], ${variants}::uuid[])
      with ordinality as wanted (product_id, variant_id, position)
    join products on products.store_id = ${storeId}
      and products.id = wanted.product_id
      and ${textsIn('products', language)} is not null
    left join variants on variants.store_id = ${storeId}
      and variants.id = wanted.variant_id`)
  const byPosition = new Map(found.map((row) => [Number(row.position), row]))
  return (lines) => lines.map((line, index) => called(line, byPosition.get(index + 1)))
}

function called<L extends Line>(line: L, found: Found | undefined): L {
  if (!found || found.name !== line.product_name) return line
  const { texts, title } = found
  const isSame = title !== null && title === line.variant_name
  return {
    ...line,
    product_name: texts.name ?? line.product_name,
    variant_name: isSame ? titleIn(termsOf(texts.terms), found) : line.variant_name,
  }
}
