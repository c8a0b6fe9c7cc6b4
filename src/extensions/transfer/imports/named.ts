// Categories and customer groups of a file, known by their name. An export has the ID of one that is deleted.
import { sql } from '../../../kit/database/sql.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import { nameKey } from '../../../kit/values/names.ts'
import { createCategory } from '../../../commerce/catalog/categories.ts'
import { category, maxLevels } from '../../../commerce/catalog/category.ts'
import { customerGroup } from '../../../commerce/customers/groups/group.ts'
import { createGroup } from '../../../commerce/customers/groups/operations.ts'
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
  const path = splitCategories(input)
    .slice(-maxLevels)
    .map((name) => name.slice(0, maxNameLength))
  return call.memory(`category ${joinCategories(path.map(nameKey))}`, () => placeCategory(call, path))
}

type NamedCategory = { id: string; parent_id: string | null; name_key: string; level: number }

async function placeCategory(call: ImportWrite, path: readonly string[]): Promise<string> {
  const { tx, store } = call
  const [name, above] = [path.at(-1)!, path.at(-2)]
  const parentId = above === undefined ? null : await categoryNamed(call, joinCategories(path.slice(0, -1)))
  const ownName = above === undefined ? name : `${name.slice(0, maxNameLength - above.length - 3)} (${above})`
  const rows = await tx.rows<NamedCategory>(sql`
    select id, parent_id, name_key, cardinality(ancestor_ids) + 1 as level
    from categories
    where store_id = ${store.id}
      and (name_key = any(${[nameKey(name), nameKey(ownName)]}::text[])
        or id = ${parentId && toUuid('cat', parentId)}::uuid)`)
  const parent = rows.find(({ id }) => publicId('cat', id) === parentId)
  const named = rows.find((row) => row.name_key === nameKey(name))
  const isPlace = named && (!parent || named.parent_id === null || named.parent_id === parent.id)
  const existing = isPlace ? named : rows.find((row) => row.name_key === nameKey(ownName))
  if (existing) return publicId('cat', existing.id)
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
