// A list as a table for spreadsheets, sent as it is read.
import { Readable } from 'node:stream'
import { inCsv } from '../../kit/values/csv.ts'
import type { Reply } from './page.ts'

/** Whoever has more asks the API. */
const maximumPages = 200

type Cells<E> = readonly (readonly [title: string, cell: (row: E) => unknown])[]

export function csvReply<E>(name: string, cells: Cells<E>, rowsOf: (page: number) => Promise<E[]>): Reply {
  const headers = { 'content-disposition': `attachment; filename="${name}.csv"` }
  // The mark tells spreadsheets that it is UTF-8.
  return { file: { type: 'text/csv; charset=utf-8', body: Readable.from(lines(cells, rowsOf)) }, headers }
}

async function* lines<E>(cells: Cells<E>, rowsOf: (page: number) => Promise<E[]>): AsyncGenerator<string> {
  yield '\uFEFF' + inCsv([cells.map(([title]) => title)])
  for (let page = 1; page <= maximumPages; page++) {
    const rows = await rowsOf(page)
    if (rows.length === 0) return
    yield inCsv(rows.map((row) => cells.map(([, cell]) => cell(row))))
  }
}
