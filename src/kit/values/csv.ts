// Rows for spreadsheets, RFC 4180.
import { stringify } from 'csv-stringify/sync'

/** What a spreadsheet would take for a formula begins with an apostrophe. A line break of any kind is quoted. */
export function inCsv(rows: unknown[][]): string {
  return stringify(rows, { escape_formulas: true, record_delimiter: 'windows', quoted_match: /[\r\n]/ })
}
