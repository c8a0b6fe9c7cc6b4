// npm test [-- folder or file …]: every test, or those of a folder. Two processes run at once, and the long files
// first, so that no core waits for the last one.
import { globSync, readFileSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import { inBatches } from './batches.ts'
import { startChromium } from './chromiumserver.ts'
import { longest } from './longest.ts'
import report from './report.ts'
import { globalSetup, globalTeardown } from './setup.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
// A file that hangs fails, and so does a run: neither holds up who waits for its last line.
const maxFileMs = 8 * 60 * 1000
const maxRunMs = 60 * 60 * 1000
const places = process.argv.slice(2)
const files = globSync(places.length > 0 ? places.flatMap(patternsOf) : ['src/**/*.test.ts', 'test/**/*.test.ts'], {
  cwd: root,
})

await globalSetup()
const absolute = [...new Set(files)].sort(byLength).map((file) => `${root}${file}`)
const isLong = (file: string) => longest.includes(relative(root, file))
const units = inBatches(absolute, isLong, root)
const hasPages = absolute.some((file) => readFileSync(file, 'utf8').includes("chromium.ts'"))
const browser = hasPages ? await startChromium() : null
const signal = AbortSignal.timeout(maxRunMs)
for await (const text of run({ files: units, concurrency: 2, timeout: maxFileMs, signal }).compose(report))
  process.stdout.write(text)
await browser?.close()
await globalTeardown()
// What a test left running may hold a pipe of this process.
process.exit()

function patternsOf(place: string): string[] {
  const path = relative(root, fileURLToPath(new URL(place, `file://${process.cwd()}/`)))
  return statSync(`${root}${path}`, { throwIfNoEntry: false })?.isDirectory() ? [`${path}/**/*.test.ts`] : [path]
}

function byLength(one: string, other: string): number {
  const [place, otherPlace] = [longest.indexOf(one), longest.indexOf(other)]
  if (place >= 0 && otherPlace >= 0) return place - otherPlace
  if (place !== otherPlace) return otherPlace - place
  return statSync(`${root}${other}`).size - statSync(`${root}${one}`).size
}
