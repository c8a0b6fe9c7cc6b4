// The fields that a caller gives the columns of a file, now or the last time.
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { normalizeColumnName } from './columns.ts'
import type { CustomColumn } from './customcolumns.ts'
import { importFaults } from './errors.ts'
import { listMappableFields } from './fields.ts'
import type { MappedColumn } from './record.ts'
import type { ImportKind } from './sources/source.ts'

/** The columns of a file with their fields, as the caller says. */
export function readMapping(
  kind: ImportKind,
  mapping: string | undefined,
  columns: readonly string[],
  custom: readonly CustomColumn[],
): Record<string, string | null> {
  return checkMapping(kind, parseMapping(mapping), columns, custom)
}

function parseMapping(mapping: string | undefined): unknown {
  if (mapping === undefined) return undefined
  const names = listKeys(mapping)
  const repeat = names.find((name, at) => names.indexOf(name) < at)
  if (repeat !== undefined)
    throw invalid(fault('mapping', importFaults.column_named_twice, { name: repeat.slice(0, 100) }))
  try {
    return JSON.parse(mapping)
  } catch {
    throw invalid(fault('mapping', importFaults.mapping_not_json))
  }
}

/** The keys of a JSON object of texts: of two that are the same, the parser keeps one. */
function listKeys(json: string): string[] {
  const parts = json.replaceAll('\\\\', '\u0001').replaceAll('\\"', '\u0002').split('"')
  return parts.filter((_, at) => at % 2 === 1 && parts[at + 1]?.trimStart().startsWith(':'))
}

function checkMapping(
  kind: ImportKind,
  mapping: unknown,
  columns: readonly string[],
  custom: readonly CustomColumn[],
): Record<string, string | null> {
  if (mapping === undefined || mapping === null) return {}
  if (typeof mapping !== 'object' || Array.isArray(mapping))
    throw invalid(fault('mapping', importFaults.mapping_not_json))
  const fields = [...listMappableFields(kind), ...custom.map(({ field }) => field)]
  const faults: Fault[] = []
  for (const [name, field] of Object.entries(mapping)) {
    if (!columns.includes(name))
      faults.push(fault('mapping', importFaults.column_unknown, { name: name.slice(0, 100) }))
    else if (field !== null && !fields.includes(String(field))) {
      faults.push(
        fault(`mapping.${name.slice(0, 100)}`, importFaults.field_unknown, { field: String(field).slice(0, 100) }),
      )
    }
  }
  if (faults.length > 0) throw invalid(...faults)
  return mapping as Record<string, string | null>
}

/** Imports whose headers are compared with that of a file. */
const maxRemembered = 20

/** Custom columns are remembered: the last import of the kind with the same header provides their mapping. */
export async function lastMapping(
  db: Db,
  storeId: string,
  kind: ImportKind,
  names: readonly string[],
): Promise<Record<string, string | null>> {
  const rows = await db.rows<{ mapping: Record<string, string | null>; columns: MappedColumn[] }>(sql`
    select mapping, columns
    from imports
    where store_id = ${storeId}
      and kind = ${kind}
      and mapping::text <> '{}'
    order by created_at desc, id desc
    limit ${maxRemembered}`)
  const header = buildHeaderKey(names)
  const last = rows.find(({ columns }) => buildHeaderKey(columns.map(({ name }) => name)) === header)
  const fields = new Map(Object.entries(last?.mapping ?? {}).map(([name, field]) => [normalizeColumnName(name), field]))
  return Object.fromEntries(
    names.flatMap((name) => {
      const field = fields.get(normalizeColumnName(name))
      return field === undefined ? [] : [[name, field]]
    }),
  )
}

function buildHeaderKey(names: readonly string[]): string {
  return JSON.stringify(names.map(normalizeColumnName).toSorted())
}
