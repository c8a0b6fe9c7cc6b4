// Starting the app takes longer than most test files. Files that leave their process as it is share one: each batch is
// a file that imports them.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const maxFiles = 12

/** What a file does to its process, or needs of it, if it cannot share it. */
const ownProcess = [
  /process\.(env|on|once|exit|kill|memoryUsage|cpuUsage|exitCode)|worker_threads|setFlagsFromString/,
  /\bmock\.|fakeProvider|chromium\.ts'|startTelemetry/,
]

/** Absolute paths in, absolute paths out: files of their own, and batches of those that can share a process. */
export function inBatches(files: readonly string[], isAlone: (file: string) => boolean, root: string): string[] {
  const [alone, shared] = [[] as string[], new Map<string, string[]>()]
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    if (isAlone(file) || ownProcess.some((need) => need.test(text))) alone.push(file)
    else {
      const folder = path.relative(root, file).split('/').slice(0, 2).join('-')
      shared.set(folder, [...(shared.get(folder) ?? []), file])
    }
  }
  const place = path.join(root, 'node_modules/.cache/stoa/batches', String(process.pid))
  mkdirSync(place, { recursive: true })
  process.once('exit', () => rmSync(place, { recursive: true, force: true }))
  const batches = [...shared].flatMap(([folder, members]) =>
    Array.from({ length: Math.ceil(members.length / maxFiles) }, (_, index) => {
      const part = members.slice(index * maxFiles, (index + 1) * maxFiles)
      if (part.length === 1) return part[0]!
      const batch = path.join(place, `${folder}-${index + 1}.test.mjs`)
      writeFileSync(batch, batchOf(part))
      return batch
    }),
  )
  // A batch takes longer than most files of their own.
  return [...alone.filter(isAlone), ...batches, ...alone.filter((file) => !isAlone(file))]
}

// The tests wait until all files are loaded: Node runs the hooks for the end as soon as no test is left that it knows
// of, and so would close the apps of those files that have not yet told theirs.
const batchOf = (files: readonly string[]): string => `import { before } from 'node:test'
const loaded = Promise.withResolvers()
before(() => loaded.promise)
try {
  for (const file of ${JSON.stringify(files)}) await import(file)
} finally {
  loaded.resolve()
}
`
