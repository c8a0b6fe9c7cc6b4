// Categories and customer groups of a file, known by their name. An export has the ID of one that is deleted.
import { sql } from '../../../kit/database/sql.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import { nameKey } from '../../../kit/values/names.ts'
import { createCategory } from '../../../commerce/catalog/categories.ts'
import { category } from '../../../commerce/catalog/category.ts'
import { customerGroup } from '../../../commerce/customers/groups/group.ts'
import { createGroup } from '../../../commerce/customers/groups/operations.ts'
import type { ImportWrite } from './kind.ts'

/** Of categories and collections. */
export const maxNameLength = 255
const maxGroupName = 120

/** The public ID of the category with this name, made if there is none. */
export async function categoryNamed({ tx, store, memory }: ImportWrite, input: string): Promise<string> {
  if (toUuid('cat', input)) return input
  const name = input.slice(0, maxNameLength)
  return memory(`category ${nameKey(name)}`, async () => {
    const row = await tx.one<{ id: string }>(sql`
      select id
      from categories
      where store_id = ${store.id}
        and name_key = ${nameKey(name)}`)
    return row ? publicId('cat', row.id) : (await createCategory(tx, store, category.create.read({ name }, store))).id
  })
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
