// What the provider remembers: in memory, and when it is to survive its process, as lines of a file of which the last
// of each id counts.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

export type Shelf<T> = { get(id: string): T | undefined; put(id: string, value: T): void; all(): T[] }

export type Shelves = <T>(name: string) => Shelf<T>

export function openShelves(file: string | null): Shelves {
  const kept = new Map<string, Map<string, unknown>>()
  const entriesOf = (name: string) => kept.get(name) ?? kept.set(name, new Map()).get(name)!
  // A line that a kill has cut off was never answered for.
  for (const line of linesOf(file)) {
    const [name, id, value] = JSON.parse(line) as [string, string, unknown]
    entriesOf(name).set(id, value)
  }
  return <T>(name: string) => {
    const entries = entriesOf(name) as Map<string, T>
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

function linesOf(file: string | null): string[] {
  return file !== null && existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
}
