// A ZIP archive, such as a workbook. A file in it is unpacked only once its size is known, and never beyond that size.
import { text } from 'node:stream/consumers'
import { fromBufferPromise, getFileNameLowLevel, validateFileName, type Entry, type ZipFile } from 'yauzl'
import { ApiError, invalid } from '../../../../kit/values/errors.ts'
import { fault } from '../../../../kit/values/faults.ts'
import { importFaults } from '../errors.ts'

export type Archive = {
  names: readonly string[]
  has: (name: string) => boolean
  /** The bytes of an entry, piece by piece. */
  open: (name: string) => AsyncIterable<Buffer>
  readText: (name: string) => Promise<string>
}

const maxEntries = 5000
/** Maximum bytes of all that is read of an archive. */
export const maxUnpackedBytes = 100_000_000

export async function openArchive(bytes: Buffer): Promise<Archive> {
  const entries = new Map<string, Entry>()
  const zip = await readingArchive(async () => {
    const opened = await fromBufferPromise(bytes, { autoClose: false, decodeStrings: false })
    if (opened.entryCount > maxEntries)
      throw invalid(fault('file', importFaults.archive_entries, { limit: maxEntries }))
    for await (const entry of opened.eachEntry()) addEntry(entries, entry)
    return opened
  })
  const open = createOpener(zip, entries)
  const read = async (name: string) => text(open(name) as never)
  return { names: [...entries.keys()], has: (name) => entries.has(name), open, readText: read }
}

function addEntry(entries: Map<string, Entry>, entry: Entry): void {
  const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry
  const fileName = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false)
  if (validateFileName(fileName) !== null) throw invalid(fault('file', importFaults.archive_path))
  if (fileName.endsWith('/')) return
  if (entry.isEncrypted()) throw invalid(fault('file', importFaults.has_password))
  if (entries.has(fileName)) throw invalid(fault('file', importFaults.archive_twice, { name: fileName.slice(0, 100) }))
  entries.set(fileName, entry)
}

function createOpener(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
  let unpackedBytes = 0
  const opened = new Set<string>()
  return async function* open(name: string): AsyncGenerator<Buffer> {
    const entry = entries.get(name)
    if (!entry) throw brokenFile()
    if (!opened.has(name)) unpackedBytes += entry.uncompressedSize
    opened.add(name)
    if (unpackedBytes >= maxUnpackedBytes) throw tooLargeUnpacked()
    const stream = await readingArchive(() => zip.openReadStreamPromise(entry))
    try {
      // The stream ends with an error if an entry is larger than it says.
      yield* stream as AsyncIterable<Buffer>
    } catch (error) {
      throw error instanceof ApiError ? error : brokenFile()
    }
  }
}

async function readingArchive<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof ApiError ? error : brokenFile()
  }
}

export function brokenFile() {
  return invalid(fault('file', importFaults.is_broken))
}

export function tooLargeUnpacked() {
  return invalid(fault('file', importFaults.unpacked_too_large, { limit: maxUnpackedBytes / 1_000_000 }))
}
