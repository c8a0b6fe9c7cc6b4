// Reads a file as a table: CSV with commas, semicolons or tabs, or JSONL. Nothing is kept of a file that cannot be read
// whole, and reading ends at the first fault or limit.
import { invalid } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { importFaults } from './errors.ts'
import { readCsv } from './readcsv.ts'
import { readJsonl } from './readjsonl.ts'
import type { FileTable } from './table.ts'
import { openFileText, type Encoding } from './text.ts'

export const maxFileBytes = 50_000_000

export async function readTable(bytes: Buffer, encoding?: Encoding): Promise<FileTable> {
  refuseBinary(bytes)
  const text = openFileText(bytes, encoding)
  return /^\s*\{/.test(text.head.slice(0, 1000)) ? readJsonl(text) : readCsv(text)
}

function refuseBinary(bytes: Buffer): void {
  // Spreadsheets (.xlsx, .ods, .numbers) are ZIP archives; old ones (.xls) begin with D0 CF.
  const isArchive = bytes.subarray(0, 2).toString('latin1') === 'PK' || bytes.readUInt16BE(0) === 0xd0cf
  if (isArchive || bytes.readUInt16BE(0) === 0x1f8b) throw invalid(fault('file', importFaults.is_archive))
}
