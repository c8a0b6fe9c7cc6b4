// Reads a file as a table: a workbook, CSV with commas, semicolons or tabs, or JSONL. Nothing is kept of a file that
// cannot be read whole, and reading ends at the first fault or limit.
import { invalid } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { importFaults } from './errors.ts'
import { readCsv } from './readcsv.ts'
import { readJsonl } from './readjsonl.ts'
import type { FileTable } from './table.ts'
import { openFileText, type Encoding } from './text.ts'
import { openArchive } from './workbooks/archive.ts'
import { openPackage } from './workbooks/package.ts'
import { isWorkbook, readWorkbook } from './workbooks/read.ts'

export const maxFileBytes = 50_000_000

export type ReadingOptions = { encoding?: Encoding | undefined; sheet?: string | undefined }

export async function readTable(bytes: Buffer, { encoding, sheet }: ReadingOptions = {}): Promise<FileTable> {
  if (isZip(bytes)) return readZip(bytes, { encoding, sheet })
  refuseBinary(bytes)
  const text = openFileText(bytes, encoding)
  if (/^\s*<(!doctype|html|\?xml)/i.test(text.head.slice(0, 1000)))
    throw invalid(fault('file', importFaults.is_web_page))
  return /^\s*\{/.test(text.head.slice(0, 1000)) ? readJsonl(text) : readCsv(text)
}

/** A workbook, or a table with the pictures that it names. */
async function readZip(bytes: Buffer, options: ReadingOptions): Promise<FileTable> {
  const archive = await openArchive(bytes)
  if (isWorkbook(archive)) return readWorkbook(archive, options.sheet)
  const { bytes: inner, pictures, notes } = await openPackage(archive)
  if (inner.length < 2) throw invalid(fault('file', importFaults.file_empty))
  const table = await readTable(inner, options)
  return { ...table, pictures, notes: [...(table.notes ?? []), ...notes] }
}

function isZip(bytes: Buffer): boolean {
  return ['PK\x03\x04', 'PK\x05\x06'].includes(bytes.subarray(0, 4).toString('latin1'))
}

/** The first bytes of PDF, PNG, JPEG and GIF. */
const documents = ['%PDF', '\x89PNG', '\xff\xd8\xff', 'GIF8']

/** Old workbooks (.xls) and new ones with a password are the same container. */
function refuseBinary(bytes: Buffer): void {
  const beginning = bytes.subarray(0, 4).toString('latin1')
  if (documents.some((one) => beginning.startsWith(one))) throw invalid(fault('file', importFaults.is_document))
  if (bytes.readUInt16BE(0) === 0xd0cf) {
    const hasPassword = bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'))
    throw invalid(fault('file', hasPassword ? importFaults.has_password : importFaults.is_archive))
  }
  if (bytes.readUInt16BE(0) === 0x1f8b) throw invalid(fault('file', importFaults.is_archive))
}
