// A list as a table for spreadsheets, sent as it is read.
import { Readable } from 'node:stream'
import { inCsv } from '../../kit/values/csv.ts'
import type { PageResult } from './screen.ts'

/** Larger exports use the API. */
const maxPages = 200

type CsvColumns<E> = readonly (readonly [title: string, cell: (row: E) => unknown])[]

export function csvReply<E>(name: string, cells: CsvColumns<E>, rowsOf: (page: number) => Promise<E[]>): PageResult {
  const headers = { 'content-disposition': `attachment; filename="${name}.csv"` }
  // The mark tells spreadsheets that it is UTF-8.
  return { file: { type: 'text/csv; charset=utf-8', body: Readable.from(lines(cells, rowsOf)) }, headers }
}

async function* lines<E>(cells: CsvColumns<E>, rowsOf: (page: number) => Promise<E[]>): AsyncGenerator<string> {
  yield '\uFEFF' + inCsv([cells.map(([title]) => title)])
  for (let page = 1; page <= maxPages; page++) {
    const rows = await rowsOf(page)
    if (rows.length === 0) return
    yield inCsv(rows.map((row) => cells.map(([, cell]) => cell(row))))
  }
}
