// Rows for spreadsheets, RFC 4180.
import { stringify } from 'csv-stringify/sync'

/** Texts that a spreadsheet would take for a formula get an apostrophe in front. A line break of any kind is quoted. */
export function inCsv(rows: unknown[][]): string {
  return stringify(rows, {
    escape_formulas: true,
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    cast: { string: (text) => text.replace(formulaWithin, "'") },
  })
}

/** Rows that an import reads back as they were: texts among their cells are escaped by `escapeFormulas` alone. */
export function inExactCsv(rows: string[][]): string {
  return stringify(rows, { record_delimiter: 'windows', quoted_match: /[\r\n]/ })
}

// In locales with semicolons as list separators, Excel splits lines there, even inside quoted text.
const formulaWithin = /(?=[=+\-@\uff1d\uff0b\uff0d\uff20])(?<=[;\t\r\n][\s"']*)/g
const formulaAnywhere = /(?=[=+\-@\uff1d\uff0b\uff0d\uff20])(?<=(?:^|[;\t\r\n])[\s"']*)/g
const escapeAnywhere = /'(?=[=+\-@\uff1d\uff0b\uff0d\uff20])(?<=(?:^|[;\t\r\n])[\s"']*)/g

/** An apostrophe before each sign that could begin a formula, wherever a spreadsheet may begin a cell. */
export function escapeFormulas(text: string): string {
  return text.replace(formulaAnywhere, "'")
}

/** The text that `escapeFormulas` was given. */
export function unescapeFormulas(text: string): string {
  return text.replace(escapeAnywhere, '')
}
