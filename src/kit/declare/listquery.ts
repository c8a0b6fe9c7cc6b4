// The parameters of every list: a page by its number or by a cursor, its size and order, and the list's own filters.
import { fault, generalFaults, type Fault } from '../values/faults.ts'
import { cursorField, type Cursor, type PlaceKeys } from './cursor.ts'
import type { Fields } from './field.ts'
import { choice, integer } from './scalars.ts'
import { queryReader, type Reader } from './shape.ts'

/** page, per_page, sort, order and the resource's own filters, as a list receives them. */
export type ListQuery = {
  page: number
  per_page: number
  sort: string
  order: 'asc' | 'desc'
  /** In place of `page`: a walk by creation. */
  cursor?: Cursor
} & Record<string, unknown>

type ListOptions = { keys: PlaceKeys; defaultSort?: string; defaultOrder?: 'asc' | 'desc' }

export function listReader(
  sortable: string[],
  filters: Fields,
  { keys, defaultSort = 'created_at', defaultOrder = 'desc' }: ListOptions,
): Reader<unknown> {
  const page = {
    page: integer({ min: 1, max: 2_147_483_647 }).default(1).describe('Page number, starting at 1'),
    per_page: integer({ min: 1, max: 100 }).default(25).describe('Records per page'),
    sort: choice(sortable.length > 0 ? sortable : [defaultSort])
      .default(defaultSort)
      .describe('Field to sort by'),
    order: choice(['asc', 'desc']).default(defaultOrder),
    cursor: cursorField(keys),
  }
  return queryReader({ ...page, ...filters }, cursorFaults)
}

/** A cursor says where a page begins, and how the list is sorted. */
function cursorFaults(query: Record<string, unknown>): Fault[] {
  if (query.cursor === undefined) return []
  const others = ['page', 'sort'].filter((name) => query[name] !== undefined)
  return others.map((name) => fault(name, generalFaults.not_with_cursor))
}
