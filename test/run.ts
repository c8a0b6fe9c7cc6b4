// npm test                              every test that no part of parts.ts names
// npm run test:deep [-- part …]         the parts, one after another
// npm test -- folder or file …          those, whatever their part
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { run } from 'node:test'
import { inBatches } from './batches.ts'
import { startChromium } from './chromiumserver.ts'
import { recordDurations } from './durations.ts'
import { installCommand, providePrograms } from './machine.ts'
import { findNeeds, parts, planFiles } from './parts.ts'
import { missingPrograms, type ProgramName } from './programs.ts'
import { drawSeed, seed, seedPrefix } from './random.ts'
import { addTallies, describeTally, noTests, reportRun, type Tally } from './report.ts'
import { globalSetup, globalTeardown } from './setup.ts'

const root = path.join(import.meta.dirname, '..')
// A test that hangs fails, and so does a file whose process does not end.
const [maxTestMs, maxDeepTestMs, maxFileMs] = [2 * 60_000, 8 * 60_000, 15 * 60_000]
const processes = 2
// It may be left out where time is short.
const maxMsBeforeFreshSeed = 35 * 60_000
const isCi = process.env.CI === 'true'

// Compiled code is kept for the processes of this run and the next.
process.env.NODE_COMPILE_CACHE ??= path.join(root, 'node_modules/.cache/stoa')
process.env.SEED = String(seed)

const [first, ...rest] = process.argv.slice(2)
const isDeep = first === '--deep'
const plan = planFiles(root)
const unknown = isDeep ? rest.filter((name) => !(name in parts)) : []
if (unknown.length > 0) giveUp(`There is no part ${unknown.join(', ')}. Parts: ${Object.keys(parts).join(', ')}`)
process.stdout.write(`Seed ${seed}. SEED=random draws another.\n`)
const lint = first === undefined ? 'check' : isDeep && rest.length === 0 ? 'check:docs' : null
const linted = lint ? await runLint(lint) : noTests()
let setup: Promise<void> | undefined
const tally = addTallies(linted, isDeep ? await runDeep(rest) : await runQuick(process.argv.slice(2)))
if (setup) await globalTeardown()
if (process.env.RECORD) recordDurations(tally.seconds, (file) => existsSync(path.join(root, file)))
process.stdout.write(describeTally(tally))
// What a test left running may hold a pipe of this process.
process.exit(tally.passed === 0 || tally.failed > 0 ? 1 : 0)

function giveUp(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}

/** Types and style, or the OpenAPI document and the prose: a script of package.json that counts as one test. */
async function runLint(script: string): Promise<Tally> {
  const began = performance.now()
  const [code] = await once(spawn('npm', ['run', '-s', script], { cwd: root, stdio: 'inherit' }), 'close')
  const spent = ((performance.now() - began) / 1000).toFixed(0)
  process.stdout.write(`npm run ${script}: ${code === 0 ? 'passed' : 'FAILED'} in ${spent} s\n`)
  return code === 0 ? { ...noTests(), passed: 1 } : { ...noTests(), failed: 1 }
}

async function runQuick(places: string[]): Promise<Tally> {
  const files = places.length > 0 ? globSync(places.flatMap(toPatterns), { cwd: root }) : plan.core
  const missing = providePrograms([...new Set(files.flatMap(findNeeds))])
  const [skipped, runnable] = partition(files, (file) => findNeeds(file).some((name) => missing.includes(name)))
  for (const file of skipped)
    process.stdout.write(`Skipped: ${file} needs ${missing.join(', ')}. Type: ${installCommand(missing)}\n`)
  const tally = await runFiles(runnable, places.length > 0 ? maxDeepTestMs : maxTestMs)
  return { ...tally, skipped: tally.skipped + skipped.length }
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}

function toPatterns(place: string): string[] {
  const file = path.relative(root, path.resolve(place))
  return statSync(path.join(root, file), { throwIfNoEntry: false })?.isDirectory() ? [`${file}/**/*.test.ts`] : [file]
}

async function runDeep(names: string[]): Promise<Tally> {
  let total = noTests()
  for (const name of names.length > 0 ? names : Object.keys(parts)) {
    const { minutes, needs, tries = {} } = parts[name]!
    const usual = Object.keys(tries).filter((variable) => !(variable in process.env))
    for (const variable of usual) process.env[variable] = tries[variable]
    process.stdout.write(`\n${name}: about ${minutes} min\n`)
    const began = performance.now()
    const missing = providePrograms(needs)
    const tally = missing.length > 0 ? lacking(name, missing) : await runFiles(plan.parts.get(name)!, maxDeepTestMs)
    for (const variable of usual) delete process.env[variable]
    const spent = (performance.now() - began) / 60_000
    process.stdout.write(`${name}: ${describeTally(tally).trim()}, in ${spent.toFixed(1)} min\n`)
    total = addTallies(total, tally)
  }
  if (isCi && names.length === 0 && performance.now() < maxMsBeforeFreshSeed) await tryFreshSeed()
  return total
}

function lacking(part: string, missing: ProgramName[]): Tally {
  process.stdout.write(`${part} needs ${missing.join(', ')}. Type: ${installCommand(missing)}\n`)
  return { ...noTests(), failed: 1 }
}

/** Other random choices than before. What they find is told, with how to repeat it, and does not change the result. */
async function tryFreshSeed(): Promise<void> {
  const fresh = drawSeed()
  const files = [...plan.core, ...[...plan.parts.values()].flat()].filter((file) =>
    /\b(seed|fc)\b.*random\.ts'/.test(read(file)),
  )
  process.stdout.write(`\nRandom suites with seed ${fresh}\n`)
  process.env.SEED = String(fresh)
  const { broken } = await runFiles(files, maxDeepTestMs)
  process.env.SEED = String(seed)
  for (const file of broken) process.stdout.write(`Found by a new seed: ${seedPrefix(fresh)}npm test -- ${file}\n`)
}

async function runFiles(files: readonly string[], testMs: number): Promise<Tally> {
  await (setup ??= globalSetup()).catch(({ message }: Error) => giveUp(message))
  const units = inBatches(files, root).map(({ file }) => file)
  const hasPages = files.some((file) => read(file).includes("chromium.ts'"))
  const browser = hasPages && missingPrograms(['chromium']).length === 0 ? await startChromium() : null
  const execArgv = [`--test-timeout=${testMs}`]
  const tally = await reportRun(run({ files: units, concurrency: processes, timeout: maxFileMs, execArgv }), root)
  await browser?.close()
  return tally
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}
