// npm test [-- folder or file …]: every test, or those of a folder. Two files run at once, each in a process of its
// own, and the long ones first, so that no core waits for the last file.
import { globSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import { longest } from './longest.ts'
import report from './report.ts'
import { globalSetup, globalTeardown } from './setup.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const places = process.argv.slice(2)
const files = globSync(places.length > 0 ? places.flatMap(patternsOf) : ['src/**/*.test.ts', 'test/**/*.test.ts'], {
  cwd: root,
})

await globalSetup()
const absolute = [...new Set(files)].sort(byLength).map((file) => `${root}${file}`)
for await (const text of run({ files: absolute, concurrency: 2 }).compose(report)) process.stdout.write(text)
await globalTeardown()

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
