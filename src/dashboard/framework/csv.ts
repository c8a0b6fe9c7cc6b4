// A list as a CSV file, streamed while it is read.
import { Readable } from 'node:stream'
import { inCsv } from '../../kit/values/csv.ts'
import type { PageResult } from './screen.ts'

/** Larger exports use the API. */
const maxPages = 200

// The byte order mark tells spreadsheets that the file is UTF-8.
const mark = '\uFEFF'

type CsvColumns<E> = readonly (readonly [title: string, cell: (row: E) => unknown])[]

export function csvReply<E>(name: string, cells: CsvColumns<E>, rowsOf: (page: number) => Promise<E[]>): PageResult {
  return buildCsvFile(name, lines(cells, rowsOf))
}

export function buildCsvFile(name: string, rows: AsyncIterable<string | Buffer>): PageResult {
  const headers = { 'content-disposition': `attachment; filename="${name}.csv"` }
  return { file: { type: 'text/csv; charset=utf-8', body: Readable.from(prependMark(rows)) }, headers }
}

async function* prependMark(rows: AsyncIterable<string | Buffer>): AsyncGenerator<string | Buffer> {
  yield mark
  yield* rows
}

async function* lines<E>(cells: CsvColumns<E>, rowsOf: (page: number) => Promise<E[]>): AsyncGenerator<string> {
  yield inCsv([cells.map(([title]) => title)])
  for (let page = 1; page <= maxPages; page++) {
    const rows = await rowsOf(page)
    if (rows.length === 0) return
    yield inCsv(rows.map((row) => cells.map(([, cell]) => cell(row))))
  }
}
