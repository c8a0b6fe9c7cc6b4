// What updates would change, so that a preview counts and shows them as the import will. What is not certain counts as
// a change: the import decides.
import type { Db } from '../../../kit/database/database.ts'
import { raw, sql } from '../../../kit/database/sql.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { isUuid, publicId, toUuid } from '../../../kit/values/ids.ts'
import { nameKey } from '../../../kit/values/names.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { nameOfCategory } from './cells.ts'
import type { SeenKeys } from './check.ts'
import { findCustomColumns, listCustomChanges, mainKinds, type CustomColumn } from './customcolumns.ts'
import { customerReferences, references, resources } from './fields.ts'
import type { Match } from './kind.ts'
import { findNamedGroups, findPlacedCategories, maxNameLength, textsIn } from './named.ts'
import type { ImportKind } from './sources/source.ts'
import { handlers } from './state.ts'

type AnyRecord = Record<string, any>
type PlannedUpdate = { match: Match; input: AnyRecord }

/** A value that an update changes; `variant`: the title of the variant that has it. */
export type Change = { field: string; variant: string | null; before?: unknown; after: unknown }

/** `isSame`: the update changes nothing. */
export type ComparedUpdate = { match: Match; entity: AnyRecord | null; changes: Change[]; isSame: boolean }

/** `seen`: records that earlier ones of the file change, so that they are not what they are now. */
export async function compareUpdates(
  db: Db,
  store: Store,
  kind: ImportKind,
  updates: readonly PlannedUpdate[],
  seen: SeenKeys,
): Promise<ComparedUpdate[]> {
  if (updates.length === 0) return []
  const [existing, custom, listNamed] = await Promise.all([
    readExisting(db, store, kind, updates),
    findCustomColumns(db, store, kind),
    namedReaders[kind]?.(db, store, updates),
  ])
  return updates.map((update): ComparedUpdate => {
    const { match, input } = update
    const entity = existing.get(publicId(handlers[kind].prefix, match.id)) ?? null
    if (!entity) return { match, entity, changes: [], isSame: false }
    const plan = handlers[kind].planUpdate?.(entity, input, match) ?? input
    const patch = readPatch(store, kind, plan)
    const changes = [...listChanges(kind, entity, patch ?? {}, custom), ...(listNamed?.(entity, input) ?? [])]
    const isOfVariant = 'variants' in plan && Object.keys(plan).every((name) => ofVariant.has(name))
    const isEqual = patch !== null && changes.length === 0
    return { match, entity, changes, isSame: !noteChange(seen, match, { isOfVariant, isEqual }) }
  })
}

const ofVariant = new Set(['variants', 'track_inventory'])

/** Returns true if the record, or the variant that the update is about alone, is changed by it or by an earlier one. */
function noteChange(
  seen: SeenKeys,
  { id, value }: Match,
  { isOfVariant, isEqual }: { isOfVariant: boolean; isEqual: boolean },
): boolean {
  const [whole, own] = [`${id} whole`, `${id} ${isOfVariant ? value : 'whole'}`]
  const isChangedBefore = isOfVariant ? seen.has(whole) || seen.has(own) : seen.has(id)
  if (isEqual && !isChangedBefore) return false
  for (const key of [id, own]) seen.set(key, 0)
  return true
}

/** The existing records of matches, by their public IDs. */
async function readExisting(
  db: Db,
  store: Store,
  kind: ImportKind,
  updates: readonly PlannedUpdate[],
): Promise<Map<string, AnyRecord>> {
  const ids = [...new Set(updates.map(({ match }) => match.id))]
  const query = { page: 1, per_page: ids.length, sort: 'created_at', order: 'asc', status: 'all' } as const
  const { data } = await entityPage(db, resources[kind], store, query, sql`${raw(kind)}.id = any(${ids}::uuid[])`)
  return new Map((data as { id: string }[]).map((one) => [one.id, one]))
}

/** The values as they are stored; null if they are refused. */
function readPatch(store: Store, kind: ImportKind, plan: object): AnyRecord | null {
  try {
    return handlers[kind].body.patch.read(plan, store)
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

function listChanges(
  kind: ImportKind,
  entity: AnyRecord,
  { variants = [], ...patch }: AnyRecord,
  custom: readonly CustomColumn[],
): Change[] {
  const compare = (before: AnyRecord, after: AnyRecord, variant: string | null): Change[] =>
    Object.entries(after).flatMap(([field, value]) => {
      const of = variant === null ? mainKinds[kind] : 'variant'
      if (field === 'custom_fields' && of)
        return listCustomChanges(custom, of, before[field], value).map((one) => ({ ...one, variant }))
      return isSame(before[field], value) ? [] : { field, variant, before: before[field], after: value }
    })
  const ofVariants = variants.flatMap((one: AnyRecord) => {
    const before = entity.variants.find(({ id }: AnyRecord) => id === one.id)
    if (before) return compare(before, one, before.title)
    const after = one.option_values.map(({ value }: AnyRecord) => value).join(' / ')
    return { field: 'variants', variant: null, after }
  })
  return [...compare(entity, patch, null), ...ofVariants]
}

/** An object is the same if it has all parts of the other. */
function isSame(before: any, after: any): boolean {
  if (after === undefined || before === after) return true
  if (before === null || before === undefined || after === null) return false
  if (before instanceof Date || after instanceof Date) return new Date(before).getTime() === new Date(after).getTime()
  if (Array.isArray(after)) {
    return Array.isArray(before) && before.length === after.length && after.every((one, at) => isSame(before[at], one))
  }
  if (isAmount(before) && isAmount(after)) return Number(before) === Number(after)
  // Records have public IDs, and bodies that were read have uuids.
  if (typeof before === 'string' && typeof after === 'string') {
    return isUuid(after) && toUuid(before.slice(0, before.lastIndexOf('_')), before) === after
  }
  if (typeof after !== 'object') return false
  return Object.entries(after).every(([name, value]) => isSame(before[name], value))
}

const isAmount = (value: unknown) => typeof value === 'number' || value?.constructor?.name === 'Decimal'

/** The changes by what a file gives by name: categories, collections and customer groups. */
type NamedChanges = (entity: AnyRecord, input: AnyRecord) => Change[]
type NamedReader = (db: Db, store: Store, updates: readonly PlannedUpdate[]) => Promise<NamedChanges>

const namedReaders: Partial<Record<ImportKind, NamedReader>> = {
  async products(db, store, updates) {
    const [placed, members] = await Promise.all([
      findPlacedCategories(
        db,
        store,
        updates.flatMap(({ input }) => textsIn(input.category).slice(0, 1)),
      ),
      findMemberships(db, store, updates),
    ])
    return ({ id, category_id }, input) => {
      const [category] = textsIn(input.category)
      const isMoved = category !== undefined && placed.get(category) !== category_id
      const isMember = (name: string) => members.has(`${toUuid('prod', id)} ${nameKey(name)}`)
      return [
        ...(isMoved ? [{ field: 'category', variant: null, after: nameOfCategory(category) }] : []),
        ...listMissing('collections', listCollections(input), isMember),
      ]
    }
  },
  async customers(db, store, updates) {
    const { field } = customerReferences.groups
    const groups = await findNamedGroups(
      db,
      store,
      updates.flatMap(({ input }) => textsIn(input.groups)),
    )
    return (entity, { groups: names }) =>
      listMissing('groups', textsIn(names), (name) => entity[field].includes(groups.get(name)))
  },
  async discounts(db, store, updates) {
    const listNames = (prefix: string) =>
      updates.flatMap(({ input }) =>
        Object.entries(references).flatMap(([name, one]) => (one.prefix === prefix ? textsIn(input[name]) : [])),
      )
    const [cgrp, cat] = await Promise.all([
      findNamedGroups(db, store, listNames('cgrp')),
      findPlacedCategories(db, store, listNames('cat')),
    ])
    return (entity, input) =>
      Object.entries(references).flatMap(([name, { field, prefix }]) => {
        const names = textsIn(input[name])
        // Products are in the body, by their IDs.
        if (names.length === 0 || prefix === 'prod') return []
        const ids = prefix === 'cat' ? cat : cgrp
        const isEqual = isSame(
          entity[field],
          names.map((one) => ids.get(one) ?? null),
        )
        return isEqual ? [] : { field: name, variant: null, after: names }
      })
  },
}

function listMissing(field: string, names: readonly string[], has: (name: string) => boolean): Change[] {
  const missing = names.filter((name) => !has(name))
  return missing.length > 0 ? [{ field, variant: null, after: missing }] : []
}

/** The further categories of a file are collections. */
function listCollections({ collections, category }: AnyRecord): string[] {
  const others = textsIn(category).slice(1).map(nameOfCategory)
  return [...textsIn(collections), ...others].map((name) => name.slice(0, maxNameLength))
}

/** The products that are in the collections that the file names for them. */
async function findMemberships(db: Db, store: Store, updates: readonly PlannedUpdate[]): Promise<Set<string>> {
  const names = [...new Set(updates.flatMap(({ input }) => listCollections(input)).map(nameKey))]
  if (names.length === 0) return new Set()
  const rows = await db.rows<{ product_id: string; name_key: string }>(sql`
    select collection_products.product_id, collections.name_key
    from collection_products
    join collections on collections.store_id = ${store.id}
      and collections.id = collection_products.collection_id
    where collection_products.store_id = ${store.id}
      and collection_products.product_id = any(${updates.map(({ match }) => match.id)}::uuid[])
      and collections.name_key = any(${names}::text[])`)
  return new Set(rows.map(({ product_id, name_key }) => `${product_id} ${name_key}`))
}
