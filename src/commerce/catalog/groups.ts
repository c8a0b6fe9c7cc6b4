// What categories and collections have in common: a name that is unique in the store, and a slug.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import type { RecordOrigin } from '../../kit/declare/origin.ts'
import { insertInto } from '../../kit/declare/resource.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { nameKey } from '../../kit/values/names.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { category } from './category.ts'
import type { collection } from './collection.ts'
import { chooseSlug, duplicateErrors, type SlugKind } from './slugs.ts'

/** Inserts a group of products, and returns its row. */
export function insertGroup(
  tx: Tx,
  store: Store,
  group: typeof category | typeof collection,
  values: { name: string; slug?: string },
  { origin, columns: further = {} }: { origin?: RecordOrigin | undefined; columns?: object } = {},
): ReturnType<Tx['texts']> {
  const { noun, columns } = group
  const kind = group.table as SlugKind
  const id = origin?.id ?? newUuid()
  const slug = chooseSlug(kind, store.id, { ...values, id })
  const more = {
    ...slug.columns,
    id,
    name_key: nameKey(values.name),
    created_at: origin?.created_at ?? tx.now,
    updated_at: tx.now,
    ...further,
  }
  return tx.texts(
    sql`
    ${insertInto(group, values, more, slug.from)}
    returning ${columns}`,
    duplicateErrors(kind, noun, values),
  )
}
