// A place in a list by creation: behind the last record that was answered. Columns that never change tell it, so a walk
// meets each record once, whatever is added, changed or deleted meanwhile.
import { join, raw, sql, type Sql } from '../database/sql.ts'
import { toIsoTimestamp } from '../values/columntext.ts'
import { generalFaults } from '../values/faults.ts'
import { isUuid } from '../values/ids.ts'
import { field, type Fields } from './field.ts'
import { invalidValue } from './invalidvalue.ts'

type KeyType = 'timestamptz' | 'uuid' | 'int' | 'text'

/** The columns of an index that tell a record's place, the last of them unique; with their types. */
export type PlaceKeys = readonly (readonly [column: string, type: KeyType])[]

/** The values of the keys; null: before the first record. */
export type Cursor = { after: readonly string[] | null }

/** The creation by the index that sorts the list, or by the ID, which is in the order of time. */
export function defaultKeys({ created_at }: Fields): PlaceKeys {
  return created_at?.spec.sortable === true
    ? [
        ['created_at', 'timestamptz'],
        ['id', 'uuid'],
      ]
    : [['id', 'uuid']]
}

const maxCursorLength = 4000

export function cursorField(keys: PlaceKeys) {
  return field<Cursor>({
    schema: { type: 'string', maxLength: maxCursorLength },
    read: (text: string) => readCursor(keys, text) ?? invalidValue(generalFaults.no_cursor),
  }).describe(
    'Instead of `page`: empty for the first page, then `next_cursor` of the page before. The records come by ' +
      'creation, each once, whatever changes meanwhile.',
  )
}

function readCursor(keys: PlaceKeys, text: string): Cursor | null {
  if (text === '') return { after: null }
  const values = Buffer.from(text, 'base64url').toString().split('\n')
  const isPlace = values.length === keys.length && values.every((value, index) => forms[keys[index]![1]](value))
  return isPlace && writeCursor(values) === text ? { after: values } : null
}

function writeCursor(values: readonly string[]): string {
  return Buffer.from(values.join('\n')).toString('base64url')
}

const forms: Record<KeyType, (value: string) => boolean> = {
  timestamptz: (value) => !Number.isNaN(Date.parse(value)) && /^[1-9]/.test(value) && isSameTime(value),
  uuid: isUuid,
  int: (value) => /^\d{1,9}$/.test(value),
  text: (value) => !value.includes('\0'),
}

function isSameTime(value: string): boolean {
  return new Date(value).toISOString() === value
}

/** The cursor behind a row, whose cells end with the keys. */
export function cursorBehind(keys: PlaceKeys, row: readonly (string | null)[]): string {
  const cells = row.slice(-keys.length) as string[]
  return writeCursor(cells.map((cell, index) => (keys[index]![1] === 'timestamptz' ? toIsoTimestamp(cell) : cell)))
}

export function keyColumns(table: string, keys: PlaceKeys): Sql {
  return columns(table, keys, '')
}

export function keyOrder(table: string, keys: PlaceKeys, order: 'asc' | 'desc'): Sql {
  return columns(table, keys, ` ${order}`)
}

export function isBehind(table: string, keys: PlaceKeys, { after }: Cursor, order: 'asc' | 'desc'): Sql[] {
  if (after === null) return []
  const place = join(
    after.map((value, index) => sql`${value}::${raw(keys[index]![1])}`),
    ', ',
  )
  return [sql`(${columns(table, keys, '')}) ${raw(order === 'asc' ? '>' : '<')} (${place})`]
}

function columns(table: string, keys: PlaceKeys, suffix: string): Sql {
  return raw(keys.map(([column]) => `${table}.${column}${suffix}`).join(', '))
}
