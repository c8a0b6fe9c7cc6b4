// Rows for spreadsheets, RFC 4180.
import { stringify } from 'csv-stringify/sync'

/** What a spreadsheet would take for a formula begins with an apostrophe. A line break of any kind is quoted. */
export function inCsv(rows: unknown[][]): string {
  return stringify(rows, {
    escape_formulas: true,
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    cast: { string: (text) => text.replace(formulaWithin, "'") },
  })
}

// Where lists are separated by semicolons, Excel divides lines there, and does not see that a text is in quotes.
const formulaWithin = /(?=[=+\-@\uff1d\uff0b\uff0d\uff20])(?<=[;\t\r\n][\s"']*)/g
