// Records that an update would leave as they are, so that a preview counts them as the import will. What is not
// certain counts as a change: the import decides.
import type { Db } from '../../../kit/database/database.ts'
import { raw, sql } from '../../../kit/database/sql.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import { nameKey } from '../../../kit/values/names.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { customerReferences, references, resources } from './fields.ts'
import type { Match } from './kind.ts'
import type { ImportKind } from './sources/source.ts'
import { handlers } from './state.ts'

type PlannedUpdate = { match: Match; input: Record<string, any> }

/** The existing records of matches, by their public IDs. */
export async function readExisting(
  db: Db,
  store: Store,
  kind: ImportKind,
  matches: readonly (Match | null)[],
): Promise<Map<string, Record<string, any>>> {
  const ids = [...new Set(matches.flatMap((match) => match?.id ?? []))]
  if (ids.length === 0) return new Map()
  const query = { page: 1, per_page: ids.length, sort: 'created_at', order: 'asc', status: 'all' } as const
  const { data } = await entityPage(db, resources[kind], store, query, sql`${raw(kind)}.id = any(${ids}::uuid[])`)
  return new Map((data as { id: string }[]).map((one) => [one.id, one]))
}

/** The changes that an update writes to the record, but for what the file gives by name. */
export function planChanges(
  kind: ImportKind,
  entity: Record<string, any>,
  { match, input }: PlannedUpdate,
): Record<string, any> {
  return handlers[kind].planUpdate?.(entity, input, match) ?? input
}

/** `part`: the variant that it is about alone. */
export type ComparedUpdate = { match: Match; isSame: boolean; part: string | null }

export async function compareUpdates(
  db: Db,
  store: Store,
  kind: ImportKind,
  updates: readonly PlannedUpdate[],
): Promise<ComparedUpdate[]> {
  const existing = await readExisting(
    db,
    store,
    kind,
    updates.map(({ match }) => match),
  )
  const names = kind === 'products' ? await readNames(db, store, updates) : null
  return updates.map((update): ComparedUpdate => {
    const { match, input } = update
    const entity = existing.get(publicId(handlers[kind].prefix, match.id))
    if (!entity) return { match, isSame: false, part: null }
    const changes = planChanges(kind, entity, update)
    const isNamedSame = [...byName].every((name) => !(name in input) || names?.isSame(entity, input))
    const isOfVariant = 'variants' in changes && Object.keys(changes).every((name) => ofVariant.has(name))
    return {
      match,
      isSame: isNamedSame && isUnchanged(store, kind, entity, changes),
      part: isOfVariant ? match.value : null,
    }
  })
}

const ofVariant = new Set(['variants', 'track_inventory'])

/** Columns that name other records. */
const byName = new Set(['category', 'collections', ...Object.keys({ ...customerReferences, ...references })])

function isUnchanged(store: Store, kind: ImportKind, entity: Record<string, any>, changes: object): boolean {
  try {
    const patch: Record<string, unknown> = handlers[kind].body.patch.read(changes, store)
    return Object.entries(patch).every(([field, value]) => isSame(entity[field], value))
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** An object, such as a variant, is the same if it has all parts of the other. */
function isSame(before: any, after: any): boolean {
  if (after === undefined || before === after) return true
  if (before === null || before === undefined || after === null) return false
  if (before instanceof Date || after instanceof Date) return new Date(before).getTime() === new Date(after).getTime()
  if (Array.isArray(after)) {
    return Array.isArray(before) && before.length === after.length && after.every((one, at) => isSame(before[at], one))
  }
  if (isAmount(before) && isAmount(after)) return Number(before) === Number(after)
  if (typeof after !== 'object') return false
  return Object.entries(after).every(([name, value]) => isSame(before[name], value))
}

const isAmount = (value: unknown) => typeof value === 'number' || value?.constructor?.name === 'Decimal'

/** The categories and collections that products have, by name. */
async function readNames(db: Db, store: Store, updates: readonly PlannedUpdate[]) {
  const listNames = (field: string) => [...new Set(updates.flatMap(({ input }) => (input[field] ?? []).map(nameKey)))]
  const categoryNames = listNames('category')
  const collectionNames = [...listNames('collections'), ...categoryNames]
  const [categories, memberships] = await Promise.all([
    categoryNames.length === 0
      ? []
      : db.rows<{ id: string; name_key: string }>(sql`
      select id, name_key
      from categories
      where store_id = ${store.id}
        and name_key = any(${categoryNames}::text[])`),
    collectionNames.length === 0
      ? []
      : db.rows<{ product_id: string; name_key: string }>(sql`
      select collection_products.product_id, collections.name_key
      from collection_products
      join collections on collections.store_id = ${store.id}
        and collections.id = collection_products.collection_id
      where collection_products.store_id = ${store.id}
        and collection_products.product_id = any(${updates.map(({ match }) => match.id)}::uuid[])
        and collections.name_key = any(${collectionNames}::text[])`),
  ])
  const idsByName = new Map(categories.map(({ id, name_key }) => [name_key, publicId('cat', id)]))
  const members = new Set(memberships.map(({ product_id, name_key }) => `${product_id} ${name_key}`))
  return {
    isSame(
      { id, category_id }: Record<string, any>,
      { category = [], collections = [] }: Record<string, any>,
    ): boolean {
      const isInCategory = category.length === 0 || category_id === (idsByName.get(nameKey(category[0])) ?? category[0])
      const all = [...collections, ...category.slice(1)]
      return isInCategory && all.every((name: string) => members.has(`${toUuid('prod', id)} ${nameKey(name)}`))
    },
  }
}
