// A list as a file that an import reads: its columns, in the order of a unique column, sent while it is read.
import type { Db } from '../../../kit/database/database.ts'
import { entitiesBehind } from '../../../kit/declare/page.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { resources } from '../imports/fields.ts'
import { kinds, type ImportKind } from '../imports/sources/source.ts'
import { listExportColumns } from './columns.ts'
import { recordRows } from './kinds.ts'
import { writers, type ExportFormat } from './row.ts'

const pageSize = 100

type ListRequest = { db: Db; store: Store; query: Record<string, unknown> }

/** All records that match the list's filters. Each page begins behind the last record of the one before. */
export async function* exportList(
  kind: ImportKind,
  format: ExportFormat,
  { db, store, query }: ListRequest,
): AsyncGenerator<string> {
  const columns = listExportColumns(kind)
  const { head, lines } = writers[format]
  const { by, keyOf, rowsOf } = recordRows[kind]
  yield head(columns)
  for (let after: string | null = null; ;) {
    const records: object[] = await entitiesBehind(db, resources[kind], store, query, { by, after, size: pageSize })
    if (records.length > 0) yield lines(await rowsOf(db, store.id, records), columns)
    if (records.length < pageSize) return
    after = keyOf(records.at(-1)!)
  }
}

/** Lists that an import can read back are also sent as files. */
export const listFiles = Object.fromEntries(
  kinds.map((kind) => {
    const fileAs = (format: ExportFormat) => (call: ListRequest) => exportList(kind, format, call)
    return [`/${kind}`, { csv: fileAs('csv'), jsonl: fileAs('jsonl') }]
  }),
)
