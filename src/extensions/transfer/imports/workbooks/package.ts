// An archive of one table and the pictures that its cells name.
import { buffer } from 'node:stream/consumers'
import { invalid } from '../../../../kit/values/errors.ts'
import { fault } from '../../../../kit/values/faults.ts'
import { maxFileBytes } from '../../../../commerce/media/limits.ts'
import { importFaults } from '../errors.ts'
import type { Archive } from './archive.ts'

export type Pictures = {
  /** The name in the archive of a picture that a cell names, by its path or its name alone. */
  find: (text: string) => string | null
  read: (name: string) => Promise<Buffer>
}

const tableEnding = /\.(csv|tsv|txt|jsonl|ndjson|xlsx|xlsm|ods)$/i
const pictureEnding = /\.(jpe?g|png|webp|gif|avif)$/i

export async function openPackage(archive: Archive) {
  // Some systems add files that nobody sees.
  const names = archive.names.filter((name) => !/(^|\/)(__MACOSX\/|\.|Thumbs\.db$)/i.test(name))
  const tables = names.filter((name) => tableEnding.test(name))
  const pictures = names.filter((name) => pictureEnding.test(name))
  if (tables.length === 0 && pictures.length === 0) throw invalid(fault('file', importFaults.is_archive))
  if (tables.length !== 1) throw invalid(fault('file', importFaults.archive_tables, { count: tables.length }))
  const others = names.filter((name) => !tables.includes(name) && !pictures.includes(name))
  const bytes = await buffer(archive.open(tables[0]!) as never)
  return { bytes, pictures: indexPictures(archive, pictures), notes: describeOthers(others) }
}

function indexPictures(archive: Archive, names: readonly string[]): Pictures {
  const known = new Map<string, string | null>()
  for (const name of names) {
    const path = name.toLowerCase()
    const base = path.slice(path.lastIndexOf('/') + 1)
    known.set(path, name)
    // If two folders have files of the same name, only their full paths find them.
    if (base !== path) known.set(base, known.has(base) ? null : name)
  }
  return {
    find: (text) =>
      known.get(
        text
          .trim()
          .replaceAll('\\', '/')
          .replace(/^(\.?\/)+/, '')
          .toLowerCase(),
      ) ?? null,
    async read(name) {
      const bytes = await buffer(archive.open(name) as never)
      if (bytes.length <= maxFileBytes) return bytes
      const limits = { name: name.slice(0, 100), limit: maxFileBytes / 1_000_000 }
      throw invalid(fault('file', importFaults.picture_too_large, limits))
    },
  }
}

function describeOthers(others: readonly string[]): string[] {
  if (others.length === 0) return []
  return [
    `Neither a table nor a picture, and left out: ${others.join(', ')}`
      .replaceAll('\0', '')
      .slice(0, 500)
      .toWellFormed(),
  ]
}
