// Loading the app takes longer than most test files, so those that leave their process as it is share one. A batch is a
// file that imports them.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expectedSeconds } from './durations.ts'

const [maxFiles, maxSeconds] = [40, 45]
/** A file that still loads after this is named. */
const maxLoadMs = 50_000
/** The hook that waits for all files would end with the time of a test. */
const maxBatchLoadMs = 600_000

/** Changes that a file makes to its process for good. */
const ownProcess =
  /process\.env\.\w+ = |process\.(on|once|exit|kill|exitCode|cpuUsage|memoryUsage)\b|setFlagsFromString|startTelemetry/
/** Every statement of a process is recorded. */
const records = /recordStatements|recorded\.ts'/
/** Files that replace functions of the app share no process with others. */
const replaces = /\bmock\.|fakeProvider/

export type Unit = { file: string; seconds: number }

/** Test files, relative to the root. Returns what a process each runs, longest first. */
export function inBatches(files: readonly string[], root: string): Unit[] {
  const place = path.join(root, 'node_modules/.cache/stoa/batches', String(process.pid))
  mkdirSync(place, { recursive: true })
  process.once('exit', () => rmSync(place, { recursive: true, force: true }))
  const units: Unit[] = []
  const groups = Map.groupBy([...files].sort(), (file) => groupOf(readFileSync(path.join(root, file), 'utf8')))
  for (const [group, members] of groups) {
    const packs = group === 'alone' ? members.map((file) => [file]) : packFiles(members)
    for (const [index, pack] of packs.entries()) {
      const seconds = pack.reduce((sum, file) => sum + expectedSeconds(file), 0)
      const batch = path.join(place, `${group}-${index + 1}.test.mjs`)
      if (pack.length > 1) writeFileSync(batch, batchOf(pack.map((file) => path.join(root, file))))
      units.push({ file: pack.length > 1 ? batch : path.join(root, pack[0]!), seconds })
    }
  }
  return units.sort((one, other) => other.seconds - one.seconds)
}

function groupOf(text: string): string {
  if (ownProcess.test(text) || records.test(text)) return 'alone'
  if (replaces.test(text)) return 'replacing'
  return text.includes("chromium.ts'") ? 'browsing' : 'shared'
}

/** Neighbors stay together. */
function packFiles(files: readonly string[]): string[][] {
  const packs: string[][] = [[]]
  let seconds = 0
  for (const file of files) {
    const more = expectedSeconds(file)
    if (packs.at(-1)!.length === maxFiles || (seconds > 0 && seconds + more > maxSeconds)) {
      packs.push([])
      seconds = 0
    }
    packs.at(-1)!.push(file)
    seconds += more
  }
  return packs
}

// The tests wait until all files are loaded: Node runs the hooks for the end as soon as it knows of no further test,
// and would close the apps of files that are still loading. A file that cannot be loaded fails alone.
const batchOf = (files: readonly string[]): string => `import { before, test } from 'node:test'
const loaded = Promise.withResolvers()
before(() => loaded.promise, { timeout: ${maxBatchLoadMs} })
for (const file of ${JSON.stringify(files)}) {
  const watch = setTimeout(() => console.error('Still loading: ' + file), ${maxLoadMs})
  await import(file).catch((error) => test(file + ' is loaded', () => Promise.reject(error)))
  clearTimeout(watch)
}
loaded.resolve()
`
