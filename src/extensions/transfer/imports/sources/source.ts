// The file formats of other shop systems, as data.

export const kinds = ['products', 'customers', 'orders', 'discounts', 'redirects'] as const
export type ImportKind = (typeof kinds)[number]

/** The scope that a caller needs to create such records one by one. */
export function getImportScope(kind: ImportKind): string {
  return kind === 'redirects' ? 'write:store' : `write:${kind}`
}

/** The scope that a caller needs to read them. */
export function getImportReadScope(kind: ImportKind): string {
  return getImportScope(kind).replace('write:', 'read:')
}

/** A column's field, or its field with how the cell is read. Null: the column is known, and left out. */
export type ColumnRule =
  | string
  | null
  | LeftOut
  | {
      field: string
      /**
       * HTML becomes Markdown; a list is split at commas; of a category's path, its last part counts; the texts of an
       * export of Stoa are kept to the last space.
       */
      as?: 'html' | 'list' | 'path' | 'exact'
      /** The meaning of its values; others are kept unchanged. */
      values?: Readonly<Record<string, string>>
      /** A number is multiplied by it, as kilograms are for grams. */
      times?: number
    }

/** A column without a place in Stoa, whose values matter: the rows that have one say what is not imported. */
export type LeftOut = {
  field: null
  note: string
  /** Values, in lowercase, that change nothing. */
  unless?: readonly string[]
  /** True if the record must not reach shoppers without it: a product becomes a draft, a discount inactive. */
  holds?: true
}

export type FileSource = {
  name: string
  kind: ImportKind
  /** Columns by which the file is recognized. */
  recognizes: readonly string[]
  columns: Readonly<Record<string, ColumnRule>>
  /** Columns with numbers in their names, `{n}`: each number has its own field. */
  numbered?: Readonly<Record<string, ColumnRule>>
  /** Rows with the same value are one record. */
  groupBy?: string
  /** Rows whose `parent` names another row by one of these columns, behind a prefix, belong to its record. */
  parent?: { column: string; names: readonly (readonly [column: string, prefix: string])[] }
  /** Fields that every record has, whatever its row contains. */
  always?: Readonly<Record<string, string>>
}
