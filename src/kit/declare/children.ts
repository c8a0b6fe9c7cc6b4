// The rows of other resources that belong to the records of a page, e.g. the variants of its products.
import type { Db, RowTexts } from '../database/database.ts'
import { join, raw, sql } from '../database/sql.ts'
import { nextSlice } from '../values/slices.ts'
import type { AnyResource, ChildrenOf } from './resource.ts'

/**
 * One query per kind of child for the whole page; none if the parents' cells have their rows or say that there are
 * none. `chooseReader` gives the function that converts each child's row.
 */
export async function loadAllChildren<T>(
  db: Db,
  resource: AnyResource,
  storeId: string,
  rows: RowTexts[],
  chooseReader: (child: AnyResource) => (row: RowTexts) => T,
): Promise<ChildrenOf<T>> {
  const children: ChildrenOf<T> = {}
  await Promise.all(
    resource.children.map(async ({ name, index, resource: child }) => {
      const parents = rows.filter((row) => row[index] !== '0')
      if (parents.length === 0) return
      const isHeld = parents[0]![index]?.startsWith('[')
      children[name] = isHeld
        ? await readChildren(parents, index, chooseReader(child))
        : await loadChildren(
            db,
            child,
            storeId,
            parents.map((row) => row[0]),
            chooseReader(child),
          )
    }),
  )
  return children
}

async function readChildren<T>(
  parents: RowTexts[],
  index: number,
  make: (row: RowTexts) => T,
): Promise<Map<string, T[]>> {
  const children = new Map<string, T[]>()
  for (const row of parents) children.set(row[0]!, await mapInChunks(JSON.parse(row[index]!), make))
  return children
}

async function loadChildren<T>(
  db: Db,
  child: AnyResource,
  storeId: string,
  parents: unknown[],
  make: (row: RowTexts) => T,
): Promise<Map<string, T[]>> {
  const { column, order } = child.parent!
  const rows = await db.texts(sql`
    select ${child.columns}, ${raw(`${child.table}.${column}`)}
    from ${raw(child.table)}
    where ${raw(child.table)}.store_id = ${storeId}
      and ${raw(`${child.table}.${column}`)} = any(${parents}::uuid[])
    order by ${join([raw(`${child.table}.${column}`), raw(order)], ', ')}`)
  const children = new Map<string, T[]>()
  await mapInChunks(rows, (row) => {
    const parent = row.at(-1)!
    const siblings = children.get(parent)
    if (siblings) siblings.push(make(row))
    else children.set(parent, [make(row)])
  })
  return children
}

// Some milliseconds of work.
const rowsOfSlice = 250

/** Converts each row. Other requests have their turn in between. */
export async function mapInChunks<T>(rows: RowTexts[], make: (row: RowTexts) => T): Promise<T[]> {
  const items: T[] = []
  for (const row of rows) {
    if (items.length > 0 && items.length % rowsOfSlice === 0) await nextSlice()
    items.push(make(row))
  }
  return items
}
