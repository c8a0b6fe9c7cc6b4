// A noted change as the API shows its record: the same names, public ids, times and numbers as everywhere.
import type { AnyField } from '../../kit/declare/field.ts'
import { publicId } from '../../kit/values/ids.ts'
import { mergeChanges, type ChangeCells, type RowChange } from './rowchange.ts'
import { getTableNoun } from './nouns.ts'

export type ChangeView = {
  resource: string
  id: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  masked: string[]
}

export function changesView(entries: readonly RowChange[]): ChangeView[] {
  return mergeChanges(entries).map(({ table, id, before, after, private: maskedFields = [] }) => {
    const { name, fields } = getTableNoun(table)
    return {
      resource: name,
      id: toPublicRecordId(table, id),
      before: fieldsView(fields, before),
      after: fieldsView(fields, after),
      masked: maskedFields,
    }
  })
}

export function toPublicRecordId(table: string, id: string): string {
  const { prefix } = getTableNoun(table)
  return prefix ? publicId(prefix, id) : id
}

/** Cells of a row as JSON has the fields; columns that are no fields stay as they are. */
export function fieldsView(
  fields: Record<string, AnyField>,
  cells: ChangeCells | null,
): Record<string, unknown> | null {
  if (cells === null) return null
  return Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, cellView(fields[name], cell)]))
}

function cellView(field: AnyField | undefined, cell: unknown): unknown {
  if (!field || cell === null || field.spec.children) return cell
  const value = field.spec.value(toColumnText(field, cell))
  return value instanceof Date ? value.toISOString() : value
}

/** The column's text as PostgreSQL would have returned it, which fields can read. */
function toColumnText({ spec }: AnyField, cell: unknown): string {
  if (typeof cell === 'boolean') return cell ? 't' : 'f'
  if (typeof cell === 'object') return JSON.stringify(cell)
  const text = String(cell)
  return spec.schema.format === 'date-time' ? text.replace(/\+00:00$/, '+00') : text
}
