// Which rows of a file are one record: decided row by row, as they are read, whatever their order.
import type { MappedColumn } from './record.ts'
import type { FileSource, ImportKind } from './sources/source.ts'

/** Fields by which rows are one record, unless the source says otherwise; the first one that a row has counts. */
const groups: Partial<Record<ImportKind, readonly string[]>> = {
  products: ['group', 'handle', 'slug'],
  orders: ['order_number'],
}

export type RecordNumbering = {
  /** The number of the first row of the row's record, as far as it is known. */
  numberRow: (cells: readonly string[], number: number) => number
  /** Records that later rows showed to be one: each with the number that it has in the end. */
  merged: () => { former: number; target: number }[]
}

type CellReader = (cells: readonly string[]) => string

export function createRecordNumbering(source: FileSource, columns: readonly MappedColumn[]): RecordNumbering {
  const records = new Map<string, number>()
  const moves = new Map<number, number>()
  const resolve = (number: number): number => {
    let last = number
    while (moves.has(last)) last = moves.get(last)!
    return last
  }
  const listKeys = createKeyReader(source, columns)
  const isFollower = createFollowerTest(source, columns)
  let above = 0
  return {
    numberRow(cells, number) {
      const keys = listKeys(cells)
      if (above > 0 && isFollower(cells)) return above
      const numbers = [...new Set(keys.flatMap((key) => records.get(key) ?? []).map(resolve))]
      const record = numbers.length > 0 ? Math.min(...numbers) : number
      for (const other of numbers) if (other !== record) moves.set(other, record)
      for (const key of keys) records.set(key, record)
      above = record
      return record
    },
    merged: () => [...moves.keys()].map((former) => ({ former, target: resolve(former) })),
  }
}

/** The column by which a change of the mapping groups the rows again; -1 if the source has other rules. */
export function findGroupColumn(source: FileSource, columns: readonly MappedColumn[]): number {
  if (source.parent || source.follows || source.groupBy) return -1
  const fields = groups[source.kind] ?? []
  return columns.findIndex(({ field }) => field !== null && fields.includes(field))
}

/** The keys that a row shares with the others of its record. */
function createKeyReader(
  { kind, groupBy = groups[kind] ?? [], differsBy = [], parent }: FileSource,
  columns: readonly MappedColumn[],
): (cells: readonly string[]) => string[] {
  if (parent) return createParentKeyReader(parent, columns)
  const readers = groupBy.flatMap((field) => readersOfField(columns, field))
  const parts = differsBy.flatMap((field) => readersOfField(columns, field))
  const children = readersOfField(columns, 'configurable_variations')
  const skus = readersOfField(columns, 'sku')
  const repeats = new Map<string, number>()
  const number = (key: string, cells: readonly string[]) => {
    if (parts.length === 0) return key
    const part = `${key}\n${parts.map((read) => read(cells)).join('\n')}`
    const count = repeats.get(part) ?? 0
    repeats.set(part, count + 1)
    return count === 0 ? key : `${key}\n${count}`
  }
  return (cells) => {
    const key = readers.map((read) => read(cells)).find((value) => value !== '')
    const listed = children.flatMap((read) => [...read(cells).matchAll(/(?:^|\|)sku=([^,|]+)/g)].map(([, sku]) => sku!))
    if (children.length > 0) {
      const own = skus.map((read) => read(cells))
      return [...own, ...listed].filter((sku) => sku !== '').map((sku) => `sku ${sku}`)
    }
    return key === undefined ? [] : [number(key, cells)]
  }
}

function createParentKeyReader(
  { column, names }: NonNullable<FileSource['parent']>,
  columns: readonly MappedColumn[],
): (cells: readonly string[]) => string[] {
  const readParent = readerOfColumn(columns, column)
  const readers = names.map(([name, prefix]) => [readerOfColumn(columns, name), prefix] as const)
  return (cells) => {
    const above = readParent(cells)
    if (above !== '') return [above]
    return readers.flatMap(([read, prefix]) => (read(cells) === '' ? [] : `${prefix}${read(cells)}`.toLowerCase()))
  }
}

function createFollowerTest(
  { follows }: FileSource,
  columns: readonly MappedColumn[],
): (cells: readonly string[]) => boolean {
  if (!follows) return () => false
  const read = readerOfColumn(columns, follows.column)
  return (cells) => (follows.values ? follows.values.includes(read(cells)) : read(cells) === '')
}

function readersOfField(columns: readonly MappedColumn[], field: string): CellReader[] {
  return columns.flatMap((column, at) => (column.field === field ? (cells) => readCell(cells, at) : []))
}

/** `name`: the first of the column's names in its source. */
function readerOfColumn(columns: readonly MappedColumn[], name: string): CellReader {
  const at = columns.findIndex((column) => column.known === name)
  return (cells) => readCell(cells, at)
}

function readCell(cells: readonly string[], at: number): string {
  return cells[at]?.trim().toLowerCase() ?? ''
}
