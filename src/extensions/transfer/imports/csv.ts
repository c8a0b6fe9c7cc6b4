// The rows of an import for a spreadsheet: each with its cells, its outcome and the reason.
import type { Db } from '../../../kit/database/database.ts'
import { raw, sql } from '../../../kit/database/sql.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import type { ListQuery } from '../../../kit/declare/resource.ts'
import { escapeFormulas, inCsv, inExactCsv } from '../../../kit/values/csv.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { findImport, type ImportReader } from './access.ts'
import { importRow } from './import.ts'
import { isExport } from './recognize.ts'

const pageSize = 500
const withoutCount = { ...importRow, total: () => raw('select 0') }

type ListedMessage = NonNullable<typeof importRow.type>['messages'][number]

type RowsRequest = ImportReader & {
  db: Db
  store: Store
  query: ListQuery
  params: { id: string }
  /** Words the messages; defaults to those of the API. */
  word?: (message: ListedMessage) => string
}

/** Each page continues after the last row, so that nothing is counted or read twice. */
export async function* rowsCsv({
  db,
  store,
  query,
  params: { id },
  word = ({ message }) => message,
  ...reader
}: RowsRequest): AsyncGenerator<string> {
  const { entity } = await findImport(db, store.id, id, reader)
  // An export that is corrected here is imported again.
  const lines = isExport(
    entity.source,
    entity.columns.map(({ name }) => name),
  )
    ? exactLines
    : inCsv
  yield inCsv([[...entity.columns.map(({ name }) => name), 'line', 'outcome', 'record_id', 'messages']])
  for (let after = 0; ;) {
    const next = { ...query, sort: 'number', order: 'asc', page: 1, per_page: pageSize } as const
    const within = sql`import_rows.import_id = ${id} and import_rows.number > ${after}`
    const { data } = await entityPage(db, withoutCount, store, next, within)
    yield lines(
      data.map(({ cells, line, outcome, record_id, messages }) => [
        ...cells.slice(0, entity.columns.length),
        line,
        outcome,
        record_id,
        messages.map((one) => (one.column === null ? word(one) : `${one.column}: ${word(one)}`)).join('; '),
      ]),
    )
    if (data.length < pageSize) return
    after = data.at(-1)!.number
  }
}

function exactLines(rows: unknown[][]): string {
  return inExactCsv(rows.map((row) => row.map((cell) => escapeFormulas(String(cell ?? '')))))
}
