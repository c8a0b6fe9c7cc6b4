// Storage in memory, and optionally in a file: one line per write, of which the last for each id counts.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

export type StoredCollection<T> = { get(id: string): T | undefined; put(id: string, value: T): void; all(): T[] }

export type OpenCollection = <T>(name: string) => StoredCollection<T>

export function openStorage(file: string | null): OpenCollection {
  const collections = new Map<string, Map<string, unknown>>()
  const getCollection = (name: string) => collections.get(name) ?? collections.set(name, new Map()).get(name)!
  // A line cut off by a kill was never confirmed to a caller, so it is dropped.
  for (const line of readFileLines(file)) {
    const [name, id, value] = JSON.parse(line) as [string, string, unknown]
    getCollection(name).set(id, value)
  }
  return <T>(name: string) => {
    const entries = getCollection(name) as Map<string, T>
    return {
      get: (id: string) => entries.get(id),
      put(id: string, value: T) {
        if (file !== null) appendFileSync(file, `${JSON.stringify([name, id, value])}\n`)
        entries.set(id, value)
      },
      all: () => [...entries.values()],
    }
  }
}

function readFileLines(file: string | null): string[] {
  return file !== null && existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
}
