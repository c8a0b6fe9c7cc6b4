// How long each test file took in the last recorded run: RECORD=1 npm test, and RECORD=1 npm run test:deep.
import { readFileSync, writeFileSync } from 'node:fs'

const place = new URL('durations.json', import.meta.url)
const durations: Record<string, number> = JSON.parse(readFileSync(place, 'utf8'))
/** A file that is not in the record yet. */
const usualSeconds = 1

/** `file` is relative to the root. */
export function expectedSeconds(file: string): number {
  return durations[file] ?? usualSeconds
}

/** Replaces the durations of these files; the others stay. */
export function recordDurations(seconds: ReadonlyMap<string, number>, isThere: (file: string) => boolean): void {
  const merged = { ...durations, ...Object.fromEntries(seconds) }
  const rows = Object.entries(merged)
    .filter(([file]) => isThere(file))
    .map(([file, time]) => [file, Math.round(time * 10) / 10] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  writeFileSync(place, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`)
}
