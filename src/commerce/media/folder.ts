// Stores files in a local folder. Drafts have a folder of their own, so that those left by a killed process are found
// without reading all images.
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { unavailable } from '../../kit/values/errors.ts'
import { makeFolder } from '../../platform/process/folder.ts'
import type { Storage } from './storage.ts'

/** If the disk is full, read-only or broken, the error is UNAVAILABLE. */
export function folderStorage(folder: string): Storage {
  const drafts = path.join(folder, 'drafts')
  const buildFilePath = (key: string) => path.join(folder, key)
  /** Always removes the draft: on a full disk, half a file takes the space that the next one needs. */
  const writeDraftFile = async (bytes: Uint8Array, use: (draft: string) => Promise<void>): Promise<void> => {
    const draft = path.join(drafts, randomUUID())
    try {
      await makeFolder(drafts, 0o700)
      const file = await open(draft, 'w', 0o600)
      try {
        await file.writeFile(bytes)
        // A file system with delayed writes reports a full disk only here.
        await file.datasync()
      } finally {
        await file.close()
      }
      await use(draft)
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {})
      throw away(error)
    }
  }
  return {
    kind: 'folder',
    put: (key, bytes) =>
      writeDraftFile(bytes, async (draft) => {
        const place = buildFilePath(key)
        await mkdir(path.dirname(place), { recursive: true, mode: 0o700 })
        // Readers see either the complete file or none.
        await rename(draft, place)
      }),
    get: (key) => unlessAbsent(readFile(buildFilePath(key))),
    async open(key) {
      const file = await unlessAbsent(open(buildFilePath(key), 'r'))
      return file && file.createReadStream()
    },
    async remove(keys) {
      await Promise.all(keys.map((key) => rm(buildFilePath(key), { force: true }))).catch((error) => {
        throw away(error)
      })
      // Only empty folders are removed.
      for (const folder of new Set(keys.map((key) => path.dirname(buildFilePath(key)))))
        await rmdir(folder).catch(() => {})
    },
    async removeDrafts(olderThanMs) {
      for (const name of await readdir(drafts).catch(() => [])) {
        const draft = path.join(drafts, name)
        const stats = await stat(draft).catch(() => null)
        if (stats && Date.now() - stats.mtimeMs > olderThanMs) await rm(draft, { force: true })
      }
    },
    tryToWrite: () => writeDraftFile(Buffer.alloc(probeBytes, 1), (draft) => rm(draft)),
  }
}

const probeBytes = 64 * 1024
const absent = new Set(['ENOENT', 'ENOTDIR', 'EISDIR'])

async function unlessAbsent<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (absent.has(getErrorCode(error))) return null
    throw away(error)
  }
}

function getErrorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}

function away(cause: unknown): Error {
  return Object.assign(unavailable(), { cause })
}
