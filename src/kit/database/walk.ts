// The values of a column that begins an index, in their order, where each may have many rows: pages of rows, of which
// each begins behind the last value of the one before. A recursive query would do it by single rows, but a distributed
// database has none over all of its servers.
import type { Db } from './database.ts'
import { inReach, join, raw, sql, type Sql } from './sql.ts'

type Walk = {
  columns: string
  table: string
  where: string
  by: string
  /** The next column of the index, so that the first rows of a value come first. */
  then?: string
  after: string | null
  /** The rows of the first page. */
  size?: number
}

const pageCount = 16
const pageSize = 16

type Walked<Row> = {
  /** Values in order: some with all of their rows, the others with the first. */
  rows: Row[]
  hasMore: boolean
}

/** Usually one page has all. */
export async function walk<Row extends object>(
  db: Db,
  { columns, table, where, by, then, after, size: firstPageSize = 256 }: Walk,
): Promise<Walked<Row>> {
  const page = (behind: Sql, size: number) => sql`
      select ${raw(columns)}
      from ${raw(table)}
      where ${raw(where)}
        and ${inReach('store_id')}
        and ${behind}
      order by ${raw(then ? `${by}, ${then}` : by)}
      limit ${raw(String(size))}`
  const first = await db.rows<Row>(page(after === null ? sql`true` : sql`${raw(by)} > ${after}`, firstPageSize))
  if (first.length < firstPageSize) return { rows: first, hasMore: false }
  const last = first.at(-1)![by as keyof Row]
  const pages = Array.from({ length: pageCount }, (_, index) => {
    const before = sql`(select ${raw(by)} from page${raw(String(index - 1))} order by ${raw(by)} desc limit 1)`
    const behind = sql`${raw(by)} > ${index === 0 ? last : before}`
    return sql`page${raw(String(index))} as materialized (${page(behind, pageSize)})`
  })
  const all = pages.map((_, index) => sql`select *, ${raw(String(index))} as page from page${raw(String(index))}`)
  const rest = await db.rows<Row & { page: number }>(sql`
    with ${join(pages, ', ')}
    ${join(all, '\n    union all ')}
    order by ${raw(['page', by, ...(then ? [then] : [])].join(', '))}`)
  const end = rest.filter((row) => row.page === pageCount - 1)
  return { rows: [...first, ...rest], hasMore: end.length === pageSize }
}
