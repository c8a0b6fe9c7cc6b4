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

// In locales with semicolons as list separators, Excel splits lines there, even inside quoted text.
const formulaWithin = /(?=[=+\-@\uff1d\uff0b\uff0d\uff20])(?<=[;\t\r\n][\s"']*)/g
