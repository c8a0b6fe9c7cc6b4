// Categories and customer groups of a file, known by their name. An export has the ID of one that is deleted.
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import { nameKey } from '../../../kit/values/names.ts'
import { createCategory } from '../../../commerce/catalog/categories.ts'
import { category, maxLevels } from '../../../commerce/catalog/category.ts'
import { customerGroup } from '../../../commerce/customers/groups/group.ts'
import { createGroup } from '../../../commerce/customers/groups/operations.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { joinCategories, splitCategories } from './cells.ts'
import type { ImportWrite } from './kind.ts'

/** Of categories and collections. */
export const maxNameLength = 255
const maxGroupName = 120

/**
 * The public ID of the category of this path, made with those above it where there is none. Names are unique in a
 * store: one that is below another category already is `Shoes (Women)` here.
 */
export async function categoryNamed(call: ImportWrite, input: string): Promise<string> {
  if (toUuid('cat', input)) return input
  const path = readPath(input)
  return call.memory(`category ${joinCategories(path.map(nameKey))}`, () => placeCategory(call, path))
}

type NamedCategory = { id: string; parent_id: string | null; name_key: string }

const readPath = (input: string): string[] =>
  splitCategories(input)
    .slice(-maxLevels)
    .map((name) => name.slice(0, maxNameLength))

/** The names that the last category of a path can have: its own, and that with the one above it. */
function listPathNames(path: readonly string[]): [name: string, ownName: string] {
  const [name, above] = [path.at(-1)!, path.at(-2)]
  return [name, above === undefined ? name : `${name.slice(0, maxNameLength - above.length - 3)} (${above})`]
}

/** The last category of a path, if there is one in its place: one that is below another is not. */
function pickPlaced<T extends NamedCategory>(
  rows: readonly T[],
  path: readonly string[],
  parentId: string | null,
): T | undefined {
  const [name, ownName] = listPathNames(path).map(nameKey)
  const named = rows.find((row) => row.name_key === name)
  const isPlace = named && (parentId === null || named.parent_id === null || named.parent_id === parentId)
  return isPlace ? named : rows.find((row) => row.name_key === ownName)
}

/** The public IDs that categories of a file have, by their paths; those that an import would make are left out. */
export async function findPlacedCategories(
  db: Db,
  store: Store,
  inputs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const paths = new Map([...new Set(inputs)].map((input) => [input, readPath(input)]))
  const keys = [...paths.values()].flatMap((path) =>
    path.flatMap((_, at) => listPathNames(path.slice(0, at + 1)).map(nameKey)),
  )
  if (keys.length === 0) return new Map()
  const rows = await db.rows<NamedCategory>(sql`
    select id, parent_id, name_key
    from categories
    where store_id = ${store.id}
      and name_key = any(${[...new Set(keys)]}::text[])`)
  const find = (path: readonly string[]): string | undefined => {
    const parentId = path.length > 1 ? find(path.slice(0, -1)) : null
    return parentId === undefined ? undefined : pickPlaced(rows, path, parentId)?.id
  }
  const entries = [...paths].map(([input, path]) => {
    const id = find(path)
    return [input, toUuid('cat', input) ? input : id && publicId('cat', id)] as const
  })
  return new Map(entries.flatMap(([input, id]) => (id === undefined ? [] : [[input, id]])))
}

async function placeCategory(call: ImportWrite, path: readonly string[]): Promise<string> {
  const { tx, store } = call
  const [name, ownName] = listPathNames(path)
  const parentId = path.length > 1 ? toUuid('cat', await categoryNamed(call, joinCategories(path.slice(0, -1)))) : null
  const rows = await tx.rows<NamedCategory & { level: number }>(sql`
    select id, parent_id, name_key, cardinality(ancestor_ids) + 1 as level
    from categories
    where store_id = ${store.id}
      and (name_key = any(${[nameKey(name), nameKey(ownName)]}::text[])
        or id = ${parentId}::uuid)`)
  const parent = rows.find(({ id }) => id === parentId)
  const existing = pickPlaced(rows, path, parent?.id ?? null)
  if (existing) return publicId('cat', existing.id)
  const named = rows.some((row) => row.name_key === nameKey(name))
  const below = parent && (parent.level < maxLevels ? parent.id : parent.parent_id)
  const values = { name: named ? ownName : name, ...(below ? { parent_id: publicId('cat', below) } : {}) }
  return (await createCategory(tx, store, category.create.read(values, store))).id
}

/** The same for a customer group. A new one has no rules, so that nobody is in it who was not added to it. */
export async function groupNamed({ tx, store, memory }: ImportWrite, input: string): Promise<string> {
  if (toUuid('cgrp', input)) return input
  const name = input.slice(0, maxGroupName)
  return memory(`group ${name.toLowerCase()}`, async () => {
    const row = await tx.one<{ id: string }>(sql`
      select id
      from customer_groups
      where store_id = ${store.id}
        and lower(name) = lower(${name})`)
    return row
      ? publicId('cgrp', row.id)
      : (await createGroup(tx, store, customerGroup.create.read({ name }, store))).id
  })
}

/** The public IDs of the customer groups that a file names; those that an import would make are left out. */
export async function findNamedGroups(
  db: Db,
  store: Store,
  inputs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (inputs.length === 0) return new Map()
  const rows = await db.rows<{ input: string; id: string }>(sql`
    select input, id
    from unnest(${[...new Set(inputs)]}::text[]) as input
    join customer_groups on store_id = ${store.id}
      and lower(name) = lower(left(input, ${maxGroupName}))`)
  const ids = inputs.filter((input) => toUuid('cgrp', input)).map((id) => [id, id] as const)
  return new Map([...rows.map(({ input, id }) => [input, publicId('cgrp', id)] as const), ...ids])
}

/** The IDs of several, one after the other. */
export async function allNamed(
  call: ImportWrite,
  names: unknown,
  idOf: (call: ImportWrite, name: string) => Promise<string>,
): Promise<string[]> {
  const ids: string[] = []
  for (const name of textsIn(names)) ids.push(await idOf(call, name))
  return ids
}

export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
