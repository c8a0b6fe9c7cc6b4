// The file formats of other shop systems, as data.
import type { ColumnNote, RowNote } from '../notes.ts'

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

/** Of prices: with the tax, or without it; unknown: a setting decides that the file does not have. */
export type PriceTax = 'included' | 'excluded' | 'unknown'

/** A column's field, or its field with how the cell is read. Null: the column is known, and left out. */
export type ColumnRule = string | null | FieldRule

export type FieldRule = {
  /** Null: Stoa has no place for it. */
  field: string | null
  /**
   * HTML becomes Markdown; a list is split at commas, and one of URLs at spaces too; a path is a category below others,
   * and a leaf is one such path, whatever its commas; several columns of a sum are added; a
   * label has the name of its column before it; of a word among others, the first of `values` that the cell has counts;
   * the texts of an export of Stoa are kept to the last space.
   */
  as?: 'html' | 'list' | 'urls' | 'path' | 'leaf' | 'sum' | 'label' | 'word' | 'exact'
  /** Names, in lowercase, that the system gives what is in no category, or the root above all. */
  omits?: readonly string[]
  /** Between the parts of a path; defaults to `>`. */
  parents?: '/'
  /** Commas have a backslash before them, and the ends of lines are `\\n`. */
  escapes?: true
  /** Another field that its text sets, without the label. */
  also?: string | { field: string; as: 'word'; values: Readonly<Record<string, string>> }
  /** The meaning of its values; others are kept unchanged. */
  values?: Readonly<Record<string, string>>
  /** A number is multiplied by it, as kilograms are for grams. */
  times?: number
  /** The name of the option whose value the column has. */
  option?: string
  /** As its prices are in that system. */
  tax?: PriceTax
  /** It counts only if no other column has the field. */
  isSpare?: true
  /** It counts only in rows where no other column has a value for the field. */
  isFallback?: true
  /** The file as a whole says this about the column. */
  warning?: ColumnNote
  /** A row with a value says this. */
  note?: RowNote
  /** The values, in lowercase, that this is said of; without `when`, any but those of `unless`. */
  when?: readonly string[]
  unless?: readonly string[]
  /** True if such a record must not reach shoppers: a product becomes a draft, a discount inactive. */
  holds?: true
}

/**
 * A format of a shop system. Names of columns are compared without case, spaces and underscores; ` | ` separates the
 * names that a column has in other versions and languages. In a name, `{n}` is a number, `{currency}` the store's
 * currency, and `{any}` any text.
 */
export type FileSource = {
  name: string
  kind: ImportKind
  /** Columns by which the file is recognized without doubt; each by the first of its names. */
  recognizes: readonly string[]
  columns: Readonly<Record<string, ColumnRule>>
  /** The fields by which rows are one record; the first one that a row has counts. */
  groupBy?: readonly string[]
  /** Fields whose values are different in each row of a record: the same again is of another record. */
  differsBy?: readonly string[]
  /** Rows whose `parent` names another row by one of these columns, behind a prefix, belong to its record. */
  parent?: { column: string; names: readonly (readonly [column: string, prefix: string])[] }
  /** A row without this column, or with one of the values in it, belongs to the record above. */
  follows?: { column: string; values?: readonly string[] }
}

/** The names of one column. */
export function listHeaders(...names: string[]): string {
  return names.join(' | ')
}
