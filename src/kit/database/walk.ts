// The values of a column that begins an index, in their order, where each may have many rows: pages of rows, of which
// each begins behind the last value of the one before. A recursive query would do it by single rows, but a distributed
// database has none over all of its servers.
import { join, raw, sql, type Sql } from './sql.ts'

type Walk = {
  columns: string
  /** A table and its condition. */
  from: Sql
  /** Without it, nothing is read. */
  if?: Sql
  by: string
  /** The next column of the index, so that the first rows of a value come first. */
  then?: string
  after: string | null
}

const pageCount = 16
const pageSize = 16

/** `pages` belong into a `with`; `all` are their rows, with the number of the page from 1. */
export function walk({ columns, from, if: condition = sql`true`, by, then, after }: Walk): {
  pages: Sql
  all: Sql
  /** Whether there may be more behind these rows. */
  hasMore(rows: readonly { page: number }[]): boolean
} {
  const order = raw(then ? `${by}, ${then}` : by)
  const numbers = Array.from({ length: pageCount }, (_, index) => index + 1)
  const behind = (page: number) => {
    if (page > 1)
      return sql`${raw(by)} > (select ${raw(by)} from page${raw(String(page - 1))}
        order by ${raw(by)} desc limit 1)`
    return after === null ? condition : sql`${condition} and ${raw(by)} > ${after}`
  }
  const pages = numbers.map(
    (page) => sql`page${raw(String(page))} as materialized (
      select ${raw(`${columns}, ${page} as page`)}
      from ${from}
        and ${behind(page)}
      order by ${order}
      limit ${raw(String(pageSize))})`,
  )
  return {
    pages: join(pages, ', '),
    all: join(
      numbers.map((page) => sql`select * from page${raw(String(page))}`),
      '\n      union all ',
    ),
    hasMore: (rows) => rows.filter(({ page }) => page === pageCount).length === pageSize,
  }
}
