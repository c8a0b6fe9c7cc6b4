// Files in a folder of this machine.
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Storage } from './storage.ts'

export function folderStorage(folder: string): Storage {
  const placeOf = (key: string) => path.join(folder, key)
  return {
    async put(key, bytes) {
      const place = placeOf(key)
      const draft = `${place}.${randomUUID()}`
      await mkdir(path.dirname(place), { recursive: true, mode: 0o700 })
      // Whoever reads it meanwhile sees all of it or nothing.
      await writeFile(draft, bytes, { mode: 0o600 })
      await rename(draft, place)
    },
    async get(key) {
      try {
        return await readFile(placeOf(key))
      } catch (error) {
        if (absent.has((error as NodeJS.ErrnoException).code ?? '')) return null
        throw error
      }
    },
    async remove(keys) {
      await Promise.all(keys.map((key) => rm(placeOf(key), { force: true })))
      // A folder that still has something in it stays.
      for (const folder of new Set(keys.map((key) => path.dirname(placeOf(key))))) await rmdir(folder).catch(() => {})
    },
  }
}

const absent = new Set(['ENOENT', 'ENOTDIR', 'EISDIR'])
